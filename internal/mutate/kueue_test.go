package mutate

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	manager = "manager-management.stderr.log"
	worker  = "manager-worker.stderr.log"
	// One binary runs as both, so that what changes in one changes in both.
	managers = manager + " " + worker

	reservation = "got reservation on"
	update      = `"msg":"Workload update event"`
	reconciling = `"msg":"Reconciling Job"`
	snapshot    = `"msg":"Snapshot taken"`
	noClusters  = "no active clusters"
)

// all the rules of kueue.rules.yaml that read JSON.
var jsonRules = []string{
	"break alert-lost DispatchText", "break alert-lost NoActiveClusters", "break alert-lost ErrorBurst",
	"break match-lost QuotaReserved", "break match-lost UpdatesOfQueue", "break match-lost EventsByUID",
	"break match-lost JobsOfTeam", "break match-lost Snapshots",
}

func wants(more []string, first ...string) []string { return append(first, more...) }

// kueueMutations are single changes of a recorded run of Kueue.
var kueueMutations = []mutation{
	// Words.
	{"reword", sub(managers, reservation, reservation, "was admitted on"),
		[]string{"break alert-lost DispatchConfirmed", "break alert-lost DispatchText", "warn message-reworded The workload got reservation on \"<*>\" (logger events)"}},
	{"reword, no rule", sub(managers, `"msg":"Queue update event"`, "Queue update event", "LocalQueue was updated"),
		[]string{"info message-reworded Queue update event (logger localqueue-reconciler)"}},
	{"other case", sub(managers, `"Watch ended"`, "Watch ended", "watch ended"),
		[]string{"break alert-lost WatchEnded", "warn message-reworded Watch ended"}},
	{"opposite", sub(managers, `"Watch ended"`, "Watch ended", "Watch resumed"),
		[]string{"break alert-lost WatchEnded", "warn message-removed Watch ended at V(2)", "info message-added Watch resumed at V(2)"}},
	{"numbers in the text", resub(managers, "wait time since queued was", `queued was \d+s`, "queued was 37s"), nil},
	{"text moved to a field", resub(managers, `"logger":"events"`, `"msg":("(?:[^"\\]|\\.)*")(.*)}$`, `"msg":"Event occurred"$2,"note":$1}`), []string{
		"break alert-lost DispatchText", "warn message-moved-to-field The workload got reservation on *", "warn message-moved-to-field Quota reserved in ClusterQueue *",
		// A saved query reads all event lines, and so those of each text.
		"warn message-moved-to-field Admitted by *", "warn message-moved-to-field Created Workload: *", "warn message-moved-to-field Workload '<*>' is declared finished*",
	}},
	{"text moved from a field", resub(managers, noClusters, `"msg":"Reconciler error"(.*),"error":("(?:[^"\\]|\\.)*")`, `"msg":$2$1`),
		[]string{"break alert-lost NoActiveClusters", "warn message-moved-to-field admission check \"<*>\": no active clusters in Reconciler error (logger multikueue-workload)"}},

	// Messages.
	{"removed", drop(managers, reservation),
		[]string{"break alert-lost DispatchConfirmed", "break alert-lost DispatchText", "warn message-removed The workload got reservation on *"}},
	{"removed, few", drop(managers, `"Watch ended"`), []string{"break alert-lost WatchEnded", "warn message-removed Watch ended at V(2)"}},
	{"removed, no rule", drop(managers, `"msg":"Queue update event"`), []string{"info message-removed Queue update event (logger localqueue-reconciler) at V(2)"}},
	{"added", after(manager, `"msg":"Reconcile ClusterQueue"`, 30,
		`{"level":"info","ts":"TS","logger":"quota","caller":"quota/quota.go:10","msg":"Quota was recounted","clusterQueue":"gpu-queue","count":NUMBER}`),
		[]string{"info message-added Quota was recounted (logger quota) at info"}},
	{"added error, seen", after(manager, `"msg":"Reconcile ClusterQueue"`, 5,
		`{"level":"error","ts":"TS","logger":"quota","caller":"quota/quota.go:12","msg":"Quota could not be recounted","error":"timeout"}`),
		[]string{"info message-added Quota could not be recounted (logger quota) at error"}},
	{"split", resub(managers, `"Admitted by ClusterQueue gpu-queue, wait time`, `^(.*)"msg":"Admitted by ClusterQueue gpu-queue, wait time since reservation was (\d+s)"(.*)$`,
		`$1"msg":"Admitted by ClusterQueue gpu-queue"$3`+"\n"+`$1"msg":"Wait time since reservation was $2"$3`),
		[]string{"warn granularity-changed Admitted by ClusterQueue <*>, wait time since reservation was <*> (logger events)"}},
	{"merged", both(drop(managers, `"msg":"Obtained heads"`), sub(managers, snapshot, `"Snapshot taken"`, `"Obtained heads, snapshot taken","headCount":1`)),
		[]string{"break match-lost Snapshots", "warn granularity-changed Obtained heads (logger scheduler)", "info field-lost waitDuration"}},
	{"moved to an event", both(drop(managers, update), asEvents("Workload update event")),
		[]string{"break match-lost UpdatesOfQueue", "warn message-moved Workload update event (logger workload-reconciler) at V(2)"}},

	// Levels.
	{"level", sub(managers, noClusters, `"level":"error"`, `"level":"info"`),
		[]string{"break alert-lost NoActiveClusters", "break alert-lost ErrorBurst", "warn level-changed Reconciler error (logger multikueue-workload)"}},
	{"level, no rule", sub(managers, `"msg":"Queue update event"`, `"level":"Level(-2)"`, `"level":"Level(-4)"`),
		[]string{"info level-changed Queue update event (logger localqueue-reconciler)"}},
	{"less verbose", drop(managers, `"level":"Level(-`), []string{
		"break alert-lost WatchEnded", "break match-lost UpdatesOfQueue", "break match-lost JobsOfTeam",
		"break match-lost Snapshots", "break match-lost WorkerCreates", "warn verbosity-hidden *", "info verbosity-hidden *",
		"break correlation-lost local-queue name", "break correlation-lost workload -> local-queue",
	}},

	// Fields.
	{"key renamed", sub(managers, update, `"queue":`, `"localQueueName":`),
		[]string{"break match-lost UpdatesOfQueue", "warn field-renamed queue → localQueueName"}},
	{"key renamed, no rule", sub(managers, `"msg":"Obtained heads"`, `"headCount":`, `"heads":`), []string{"info field-lost headCount"}},
	{"error key renamed", resub(managers, `"level":"error"`, `"error":"`, `"err":"`),
		[]string{"break alert-lost NoActiveClusters", "warn field-renamed error → err"}},
	{"key retyped", resub(managers, update, `"queue":("[^"]*")`, `"queue":{"name":$1}`),
		[]string{"break match-lost UpdatesOfQueue", "warn field-type-changed queue"}},
	{"key dropped", resub(managers, update, `,"queue":"[^"]*"`, ""),
		[]string{"break match-lost UpdatesOfQueue", "warn field-lost queue"}},
	{"key dropped, no rule", resub(managers, snapshot, `"schedulingCycle":\d+,`, ""), []string{"info field-lost schedulingCycle"}},
	{"key added", sub(managers, "{", `"msg":`, `"shard":"0","msg":`), nil},
	{"other value", sub(managers, update, `"queue":"user-queue"`, `"queue":"queue-of-users"`), []string{"break match-lost UpdatesOfQueue"}},
	{"order of keys", edit(managers, turned), nil},
	{"callers moved", resub(managers, `"caller":`, `("caller":"[^"]*:)\d+"`, `${1}7"`), nil},
	{"caller key dropped", resub(managers, `"caller":`, `"caller":"[^"]*",`, ``), []string{"info field-lost caller"}},
	{"logger renamed", sub(managers, `"logger":"events"`, `"logger":"events"`, `"logger":"recorder"`),
		[]string{"break alert-lost DispatchText", "break match-lost QuotaReserved", "break match-lost EventsByUID"}},
	{"logger key renamed", sub(managers, "{", `"logger":`, `"logger_name":`), []string{
		"break alert-lost DispatchText", "break match-lost QuotaReserved", "break match-lost EventsByUID", "warn field-renamed logger → logger_name",
	}},
	{"message key renamed", sub(managers, "{", `"msg":`, `"message":`), []string{
		"break alert-lost DispatchText", "break match-lost UpdatesOfQueue", "break match-lost JobsOfTeam", "break match-lost Snapshots",
		"warn field-renamed msg → message",
	}},
	{"level key renamed", sub(managers, "{", `"level":`, `"severity":`),
		[]string{"break alert-lost NoActiveClusters", "break alert-lost ErrorBurst", "warn field-renamed level → severity"}},

	// Identifiers.
	{"UID dropped", resub(managers, `"logger":"events"`, `"uid":"[^"]*",`, ""), []string{
		"break match-lost EventsByUID", "warn field-lost object.uid", "break correlation-lost job uid", "break correlation-lost workload uid",
		"break correlation-lost remote-job uid", "break correlation-lost remote-workload uid",
	}},
	{"namespace/name as an object", resub(managers, reconciling, `"job":"([^"/]*)/([^"]*)"`, `"job":{"namespace":"$1","name":"$2"}`),
		[]string{"break match-lost JobsOfTeam", "warn field-type-changed job"}},
	{"namespace/name as two keys", resub(managers, reconciling, `"job":"([^"/]*)/([^"]*)"`, `"jobNamespace":"$1","job":"$2"`),
		[]string{"break match-lost JobsOfTeam"}},
	{"object as namespace/name", resub(managers, `"workload":{`, `"workload":{"name":"([^"]*)","namespace":"([^"]*)"}`, `"workload":"$2/$1"`),
		[]string{"info field-type-changed workload"}},
	{"other reconcile IDs", resub(managers, `"reconcileID":`, `"reconcileID":"[0-9a-f]{4}`, `"reconcileID":"abcd`), nil},

	// How often and when.
	{"delayed", delay(managers, reservation, 45*time.Second), []string{"warn alert-late DispatchConfirmed", "warn alert-late DispatchText"}},
	{"delayed a little", delay(managers, reservation, time.Second), nil},
	{"thinned out", thin(managers, update, 8), []string{"warn frequency-changed UpdatesOfQueue"}},
	{"thinned out a little", leaveOutOne(managers, update, 8), nil},
	{"more often", repeat(managers, update, 6), []string{"warn frequency-changed UpdatesOfQueue"}},
	{"exact repeats", twice(manager), nil},
	{"clock of one stream", edit(worker, func(l string) []string { return []string{later(l, 7*time.Second)} }),
		[]string{"warn clock-skew candidate: management and worker-1", "warn clock-skew candidate: progress of worker-1 and worker-1"}},
	{"last line cut", cutEnd(manager, 40), nil},

	// Encoding.
	{"console encoding", edit(managers, asConsole), wants(jsonRules, "warn encoding-changed json → console")},
	{"not parseable", garbled(managers, 4), []string{"warn unparseable-grew *", "info unparseable-grew *"}},
	{"two broken lines", garbled(managers, 700), nil},
	{"times as numbers", edit(managers, func(l string) []string { return []string{epochTime(l)} }), []string{"info field-type-changed ts"}},

	// Metrics.
	{"metric renamed", inFiles(".prom", replacing("controller_runtime_reconcile_errors_total", "controller_runtime_reconcile_failures_total")),
		[]string{"break alert-lost MultiKueueErrors", "break metric-lost MultiKueueErrors controller_runtime_reconcile_errors_total"}},
	{"metric renamed, no rule", inFiles(".prom", replacing("workqueue_depth", "workqueue_length")), []string{"info metric-lost workqueue_depth"}},
	{"label value renamed", inFiles(".prom", replacing(`controller="multikueue_workload"`, `controller="mk_workload"`)),
		[]string{"break alert-lost MultiKueueErrors", "warn metric-label-lost MultiKueueErrors *"}},
	{"label renamed", inFiles(".prom", replacing(`kueue_cluster_queue_status{cluster_queue=`, `kueue_cluster_queue_status{queue=`)),
		[]string{"break alert-lost QueueActive", "warn metric-label-lost QueueActive kueue_cluster_queue_status/cluster_queue"}},
	{"metric type changed", inFiles(".prom", replacing("# TYPE controller_runtime_reconcile_errors_total counter", "# TYPE controller_runtime_reconcile_errors_total gauge")),
		[]string{"warn metric-type-changed MultiKueueErrors controller_runtime_reconcile_errors_total"}},

	// Panics.
	{"crash", after(manager, `"Watch ended"`, 1, strings.Split(crash, "\n")...), []string{
		"break alert-false ManagerPanic", "break panic-new ~multikueue.(*wlReconciler).nominate: 1 time on candidate: crashed",
	}},
	{"recovered, unseen", after(manager, `"Watch ended"`, 1, recovered), []string{
		"break panic-new ~assignment to entry in nil map: 1 time on candidate: recovered", "warn panic-unseen ~assignment to entry in nil map",
	}},
}

const crash = `panic: assignment to entry in nil map
	
goroutine 412 [running]:
sigs.k8s.io/kueue/pkg/controller/admissionchecks/multikueue.(*wlReconciler).nominate(0xc000112233, 0x1)
	/src/kueue/pkg/controller/admissionchecks/multikueue/workload.go:412 +0x2d4
sigs.k8s.io/kueue/pkg/controller/admissionchecks/multikueue.(*wlReconciler).Reconcile(0xc000112233, {0x2f1b, 0xc000})
	/src/kueue/pkg/controller/admissionchecks/multikueue/workload.go:200 +0x9f1
created by sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller).Start.func2 in goroutine 77
	/src/controller-runtime/pkg/internal/controller/controller.go:288 +0x541`

const recovered = `{"level":"error","ts":"TS","logger":"multikueue-workload","caller":"controller/controller.go:495","msg":"Reconciler error","name":"job-x","namespace":"team-a","reconcileID":"11111111-2222-3333-4444-555555555555","error":"Internal Error: assignment to entry in nil map\ngoroutine 412 [running]:\nruntime/debug.Stack()\n\t/usr/lib/go/src/runtime/debug/stack.go:26 +0x5e\nsigs.k8s.io/kueue/pkg/controller/admissionchecks/multikueue.(*wlReconciler).nominate(0xc000112233, 0x1)\n\t/src/kueue/pkg/controller/admissionchecks/multikueue/workload.go:412 +0x2d4\n"}`

func TestMutations_Kueue(t *testing.T) {
	t.Parallel()
	r := recorded(t, "kueue-multikueue")
	b := newBench(t, r.folder, "ordinary-reconnect", r.description, filepath.Join("testdata", "kueue.review.yaml"),
		filepath.Join("testdata", "kueue.rules.yaml"), filepath.Join("testdata", "kueue.queries.yaml"), filepath.Join("testdata", "kueue-metrics.rules.yaml"))
	checkAll(t, b, kueueMutations)
}
