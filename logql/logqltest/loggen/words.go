package loggen

import "fmt"

// Texts of which the templates and the rules are made. Each list may only grow
// together with the figures that were measured on it.
var (
	teams     = [...]string{"vision", "speech", "ranking", "search", "ads", "robotics", "genomics", "weather", "fraud", "maps", "translate", "sandbox"}
	clusters  = [...]string{"east-1", "east-2", "west-1", "north-1", "lab"}
	devices   = [...]string{"a100-80g", "h100", "l4", "mig-1g.10gb", "mig-3g.40gb", "cpu"}
	flavors   = [...]string{"on-demand", "spot", "reserved"}
	resources = [...]string{"cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"}
)

var controllers = [...]struct{ name, kind string }{
	{"workload", "Workload"}, {"job", "Job"}, {"queue", "Queue"}, {"link", "Link"}, {"nodepool", "NodePool"},
}

func (g *generator) team() string { return teams[g.below(len(teams))] }

func (g *generator) queue() string { return fmt.Sprintf("%s-queue-%d", g.team(), g.below(4)) }

func (g *generator) cluster() string { return clusters[g.below(len(clusters))] }

func (g *generator) device() string { return devices[g.below(len(devices))] }

func (g *generator) node() string { return fmt.Sprintf("node-%s-%03d", g.cluster(), g.below(240)) }

func (g *generator) job() string {
	return fmt.Sprintf("%s-%05x", g.pick("train", "eval", "etl", "tune", "serve", "batch-infer"), g.below(1<<20))
}

func (g *generator) version() field {
	return text("resourceVersion", fmt.Sprint(10_000_000+g.below(90_000_000)))
}

// key is the name of an object with its namespace.
func (g *generator) key(key string) field {
	return object(key, text("name", g.job()), text("namespace", "team-"+g.team()))
}

// request returns the fields of a reconciled request with more behind them.
func (g *generator) request(more ...field) []field {
	// Workloads are reconciled most.
	c := controllers[min(g.below(2*len(controllers)), g.below(len(controllers)))]
	return append([]field{
		text("controller", c.name),
		object(c.kind, text("name", g.job()), text("namespace", "team-"+g.team())),
		text("reconcileID", g.uuid()),
	}, more...)
}

func (g *generator) uuid() string {
	a, b := g.next(), g.next()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>50, b&0xffffffffffff)
}

// failure is the text of an error as clients of Kubernetes word it.
func (g *generator) failure() string {
	switch g.below(12) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("update of %s %q refused: the object was changed since it was read; read it again and retry", g.pick("workload", "queue", "job"), g.job())
	case 4, 5:
		return fmt.Sprintf("Get \"https://%s.fleet.example.com:6443/apis/fleet.example.com/v1/namespaces/team-%s/workloads/%s\": context deadline exceeded (client timeout while waiting for headers)", g.cluster(), g.team(), g.job())
	case 6:
		return fmt.Sprintf("dial tcp 10.%d.%d.%d:6443: connect: connection refused", g.below(256), g.below(256), g.below(256))
	case 7:
		return fmt.Sprintf("decode spec.podSets[%d].template: unknown field \"resourcs\"\n\tin object %q", g.below(4), g.job())
	case 8:
		return fmt.Sprintf("admission webhook %q said no: queue %q is stopped", "check.fleet.example.com", g.queue())
	case 9:
		return fmt.Sprintf("node %q has taints that the workload does not tolerate", g.node())
	case 10:
		return fmt.Sprintf("quota of queue %q: wants %d more %s than there are", g.queue(), 1+g.below(64), resources[g.below(len(resources))])
	default:
		return "etcdserver: request timed out, possibly due to a lost leader"
	}
}

// stack is a stack trace as zap appends it to errors, in every second one.
func (g *generator) stack() []field {
	if g.below(2) == 0 {
		return nil
	}
	return []field{text("stacktrace", fmt.Sprintf("fleet.example.com/pkg/%s.(*Reconciler).Reconcile\n\t/src/pkg/%[1]s/reconcile.go:%d\n"+
		"fleet.example.com/internal/loop.(*Loop[...]).handle\n\t/src/internal/loop/loop.go:%d\n"+
		"fleet.example.com/internal/loop.(*Loop[...]).next\n\t/src/internal/loop/loop.go:%d\n"+
		"fleet.example.com/internal/loop.(*Loop[...]).Start.func1\n\t/src/internal/loop/loop.go:151",
		g.pick("workload", "job", "queue", "link"), 80+g.below(400), 60+g.below(20), 240+g.below(60)))}
}

func (g *generator) usage(key string) field {
	u := object(key)
	for _, r := range resources[:1+g.below(3)] {
		amount := fmt.Sprint(1 + g.below(128))
		if r == "memory" {
			amount += "Gi"
		}
		u.sub = append(u.sub, text(r, amount))
	}
	return u
}
