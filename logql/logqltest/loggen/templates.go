package loggen

import "fmt"

// A template is one place in the controller that logs.
type template struct {
	weight  int // of about 10,000
	level   string
	logger  string
	caller  string
	message string
	fields  func(g *generator) []field
}

var templates = [...]template{
	{650, "info", "workload-reconciler", "workload/reconcile.go:118", "Reconciling workload", func(g *generator) []field {
		return g.request()
	}},
	{450, "info", "workload-reconciler", "workload/reconcile.go:171", "Workload is unchanged, nothing to do", func(g *generator) []field {
		return g.request(number("generation", 1+g.below(9)))
	}},
	{900, "info", "scheduler", "scheduler/cycle.go:96", "Scheduling cycle finished", func(g *generator) []field {
		return []field{number("cycle", g.below(1<<20)), number("pending", g.below(400)), number("admitted", g.below(9)), decimal("duration_ms", g.below(90_000)), texts("skipped", g.queue()), flag("preempted", g.below(9) == 0)}
	}},
	{400, "info", "scheduler", "scheduler/admit.go:64", "Workload admitted", func(g *generator) []field {
		return []field{g.key("workload"), object("queue", text("name", g.queue())), texts("flavors", flavors[g.below(3)]), g.usage("usage"), decimal("waited_s", g.below(600_000)), number("attempt", g.below(4))}
	}},
	{260, "info", "quota-cache", "cache/quota.go:233", "Quota reserved", func(g *generator) []field {
		return []field{g.key("workload"), object("queue", text("name", g.queue()), text("cohort", "cohort-"+g.team())), g.usage("reserved"), g.usage("free"), number("borrowed", g.below(3))}
	}},
	{450, "info", "job-reconciler", "job/reconcile.go:142", "Job started its pods", func(g *generator) []field {
		return g.request(number("pods", 1+g.below(64)), text("device", g.device()), flag("suspended", false))
	}},
	{380, "info", "job-reconciler", "job/status.go:77", "Job status written", func(g *generator) []field {
		return g.request(object("status", number("active", g.below(64)), number("succeeded", g.below(64)), number("failed", g.below(2))), g.version())
	}},
	{350, "info", "dispatcher", "dispatch/choose.go:58", "Cluster chosen for workload", func(g *generator) []field {
		return []field{g.key("workload"), text("cluster", g.cluster()), list("scores", number("", g.below(100)), number("", g.below(100)), number("", g.below(100))), text("device", g.device())}
	}},
	{1700, "info", "link", "link/heartbeat.go:41", "Heartbeat answered", func(g *generator) []field {
		return []field{text("cluster", g.cluster()), decimal("rtt_ms", 300+g.below(40_000)), number("sequence", g.below(1<<30))}
	}},
	{400, "info", "link", "link/sync.go:188", "Remote objects synchronized", func(g *generator) []field {
		return []field{text("cluster", g.cluster()), object("objects", number("added", g.below(20)), number("changed", g.below(90)), number("deleted", g.below(9))), decimal("duration_ms", g.below(2_000_000)), g.version()}
	}},
	{250, "info", "topology", "topology/assign.go:310", "Pods assigned to domains", func(g *generator) []field {
		return []field{g.key("workload"), list("domains", texts("", g.cluster(), g.node()), texts("", g.cluster(), g.node())), number("pods", 1+g.below(32)), text("topologyLevel", "kubernetes.io/hostname")}
	}},
	{200, "info", "node-watcher", "nodes/watch.go:92", "Node changed", func(g *generator) []field {
		return []field{object("node", text("name", g.node()), text("pool", g.device())), object("allocatable", text("cpu", "128"), text("memory", "1008Gi"), text("nvidia.com/gpu", "8")), flag("ready", g.below(60) != 0), g.version()}
	}},
	{280, "info", "workload-reconciler", "workload/evict.go:51", "Workload evicted", func(g *generator) []field {
		return g.request(text("reason", g.pick("Preempted", "PodsReadyTimeout", "QueueStopped", "NodeLost")), decimal("ran_s", g.below(9_000_000)))
	}},
	{260, "info", "workload-reconciler", "workload/finish.go:39", "Workload finished", func(g *generator) []field {
		return g.request(text("result", g.pick("Succeeded", "Succeeded", "Succeeded", "Failed")), decimal("ran_s", g.below(9_000_000)))
	}},
	{220, "info", "webhook", "webhook/default.go:27", "Defaults applied to job", func(g *generator) []field {
		return []field{g.key("job"), text("user", "system:serviceaccount:team-"+g.team()+":pipeline"), texts("set", "spec.suspend", "metadata.labels"), flag("dryRun", g.below(5) == 0), text("uid", g.uuid())}
	}},
	{180, "info", "queue-reconciler", "queue/status.go:133", "Queue usage written", func(g *generator) []field {
		return []field{object("queue", text("name", g.queue())), g.usage("usage"), number("pending", g.below(500)), number("admitted", g.below(200)), text("note", "borrowed from \"cohort-"+g.team()+"\"")}
	}},
	{900, "info", "gc", "gc/sweep.go:66", "Finished workloads swept", func(g *generator) []field {
		return []field{number("deleted", g.below(50)), number("kept", g.below(4000)), decimal("duration_ms", g.below(300_000)), text("older_than", "168h0m0s")}
	}},
	{60, "info", "leader", "leader/lease.go:90", "Lease renewed", func(g *generator) []field {
		return []field{text("holder", "fleet-controller-7d9c5b8f6-x2x8k_"+g.uuid()), text("lease", "fleet-system/fleet-controller"), decimal("took_ms", g.below(40_000))}
	}},
	{8, "info", "certs", "certs/rotate.go:48", "Serving certificate loaded", func(g *generator) []field {
		return []field{text("secret", "fleet-system/webhook-cert"), number("days_left", 10+g.below(80)), texts("names", "fleet-webhook.fleet-system.svc", "fleet-webhook")}
	}},

	{420, "debug", "scheduler", "scheduler/fit.go:204", "Workload does not fit, trying the next flavor", func(g *generator) []field {
		return []field{g.key("workload"), text("flavor", flavors[g.below(3)]), object("missing", number(resources[g.below(2)], 1+g.below(64)))}
	}},
	{420, "debug", "events", "events/record.go:35", "Event recorded", func(g *generator) []field {
		return []field{text("type", g.pick("Normal", "Normal", "Warning")), object("object", text("kind", "Workload"), text("namespace", "team-"+g.team()), text("name", g.job())), text("reason", g.pick("Pending", "QuotaReserved", "Admitted", "Evicted")), text("message", fmt.Sprintf("queue %q: %d of %d pods ready", g.queue(), g.below(8), 8))}
	}},
	{260, "debug", "dispatcher", "dispatch/filter.go:88", "Cluster left out", func(g *generator) []field {
		return []field{g.key("workload"), text("cluster", g.cluster()), text("why", g.pick("no device of this class", "link is down", "quota is used up")), text("device", g.device())}
	}},
	{140, "Level(-3)", "quota-cache", "cache/snapshot.go:61", "Snapshot taken", func(g *generator) []field {
		return []field{number("queues", 48), number("workloads", g.below(3000)), decimal("duration_ms", g.below(12_000)), object("cohorts", object("cohort-"+g.team(), g.usage("usage"), g.usage("lendable")))}
	}},

	{110, "warn", "link", "link/watch.go:140", "Watch ended, starting again", func(g *generator) []field {
		return []field{text("cluster", g.cluster()), text("error", "too old resource version: "+fmt.Sprint(g.below(1<<28))), number("attempt", 1+g.below(7)), text("backoff", fmt.Sprintf("%dms", 100<<g.below(7)))}
	}},
	{40, "warn", "scheduler", "scheduler/preempt.go:77", "Quota borrowed beyond the limit", func(g *generator) []field {
		return []field{object("queue", text("name", g.queue())), g.usage("over"), text("cohort", "cohort-"+g.team())}
	}},
	{1, "warn", "topology", "topology/stale.go:19", "Domain holds no node any more", func(g *generator) []field {
		return []field{texts("domain", g.cluster(), g.node()), number("pods", g.below(9)), text("detail", "label \"rack\" was removed\n\tby hand?")}
	}},

	{150, "error", "workload-reconciler", "loop/loop.go:266", "Reconciler error", func(g *generator) []field {
		return g.request(append([]field{text("error", g.failure())}, g.stack()...)...)
	}},
	{90, "error", "link", "link/sync.go:201", "Synchronization with cluster failed", func(g *generator) []field {
		return append([]field{text("cluster", g.cluster()), text("error", g.failure()), number("attempt", 1+g.below(12))}, g.stack()...)
	}},
	{50, "error", "job-reconciler", "job/status.go:95", "Status of job not written", func(g *generator) []field {
		return g.request(text("error", g.failure()), flag("retry", true))
	}},
	{20, "error", "webhook", "webhook/validate.go:61", "Request refused", func(g *generator) []field {
		return []field{g.key("workload"), text("user", "system:serviceaccount:team-"+g.team()+":pipeline"), texts("errors", g.failure(), g.failure())}
	}},
	{3, "error", "dispatcher", "dispatch/recover.go:33", "Observed a panic", func(g *generator) []field {
		return append([]field{text("panic", "runtime error: index out of range ["+fmt.Sprint(g.below(4))+"] with length 0"), text("panicGoValue", "\"index out of range\"")}, g.stack()...)
	}},
	{1, "error", "leader", "leader/lease.go:121", "Lease lost, stopping", func(g *generator) []field {
		return []field{text("lease", "fleet-system/fleet-controller"), text("error", "etcdserver: request timed out, possibly due to a lost leader")}
	}},
}
