package execution

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/timeline"
)

// noon is 2026-05-06T12:00:00Z.
const noon = 1778068800 * int64(time.Second)

func sec(n int64) int64 { return noon + n*int64(time.Second) }

func stamp(n int64) string { return time.Unix(0, sec(n)).UTC().Format(time.RFC3339) }

// pod is one of a bakery's jobs; to 0: it still runs when it is recorded.
func pod(cluster, job, name string, from, to int64) facts.Object {
	state := fmt.Sprintf(`"phase":"Running","containerStatuses":[{"state":{"running":{"startedAt":%q}}}]`, stamp(from))
	if to != 0 {
		state = fmt.Sprintf(`"phase":"Succeeded","containerStatuses":[{"state":{"terminated":{"startedAt":%q,"finishedAt":%q}}}]`, stamp(from), stamp(to))
	}
	return facts.Object{
		Moment: "after", Time: sec(100), Cluster: cluster, APIVersion: "v1", Kind: "Pod", Namespace: "bakery", Name: name, UID: cluster + name,
		Owners: []facts.Owner{{Kind: "Job", Name: job, UID: cluster + job}},
		Raw:    `{"status":{` + state + `}}`,
	}
}

func job(cluster, name, spec string) facts.Object {
	return facts.Object{Moment: "after", Time: sec(100), Cluster: cluster, APIVersion: "batch/v1", Kind: "Job", Namespace: "bakery", Name: name, UID: cluster + name, Raw: `{"spec":{` + spec + `}}`}
}

func progress(cluster, job, pod, event string, step, at int64) facts.Progress {
	return facts.Progress{
		Time: sec(at), Cluster: cluster, Namespace: "bakery", Job: job, Pod: pod, PodUID: cluster + pod, Event: event, Step: step,
		Raw: fmt.Sprintf(`{"event":%q,"step":%d,"at":%d}`, event, step, at),
	}
}

// steps are reported once a second from a time on.
func steps(cluster, job, pod string, at, from, to int64) []facts.Progress {
	out := []facts.Progress{progress(cluster, job, pod, "started", 0, at)}
	for i := from; i <= to; i++ {
		out = append(out, progress(cluster, job, pod, "step", i, at+1+i-from))
	}
	return out
}

func kinds(r Result) []string {
	out := []string{}
	for _, d := range r.Duplicates {
		out = append(out, string(d.Kind)+" "+d.Work)
	}
	return out
}

func TestFind_Objects(t *testing.T) {
	ended := pod("east", "bread", "a", 0, 20)
	deleted := pod("east", "bread", "a", 0, 0)
	deleted.Raw = fmt.Sprintf(`{"metadata":{"deletionTimestamp":%q,"deletionGracePeriodSeconds":30},"status":{"phase":"Running","containerStatuses":[{"state":{"running":{"startedAt":%q}}}]}}`, stamp(50), stamp(0))
	cron := func(cluster string) facts.Object {
		j := job(cluster, "bread", "")
		j.Owners = []facts.Owner{{Kind: "CronJob", Name: "nightly"}}
		return j
	}
	index := func(o facts.Object, i string) facts.Object {
		o.Labels = map[string]string{"batch.kubernetes.io/job-completion-index": i}
		return o
	}
	service := func(cluster string) facts.Object {
		o := pod(cluster, "", "oven", 0, 0)
		o.Owners = []facts.Owner{{Kind: "ReplicaSet", Name: "oven"}}
		return o
	}
	origin := func(o facts.Object) facts.Object {
		o.Labels = map[string]string{"kueue.x-k8s.io/multikueue-origin": "hub"}
		return o
	}
	active := func(cluster, spec string) facts.Object {
		j := origin(job(cluster, "bread", ""))
		j.Raw = fmt.Sprintf(`{"spec":{"parallelism":4%s},"status":{"active":4,"startTime":%q}}`, spec, stamp(10))
		return j
	}
	for name, x := range map[string]struct {
		objects []facts.Object
		want    []string
	}{
		"two at once":             {[]facts.Object{job("east", "bread", ""), pod("east", "bread", "a", 0, 0), pod("east", "bread", "b", 10, 0)}, []string{"active-twice east/bakery/bread"}},
		"two clusters":            {[]facts.Object{origin(pod("east", "bread", "a", 0, 0)), origin(job("east", "bread", "")), pod("west", "bread", "b", 10, 0)}, []string{"active-twice bakery/bread"}},
		"of one name":             {[]facts.Object{pod("east", "bread", "a", 0, 0), pod("west", "bread", "b", 10, 0)}, []string{}},
		"parallel in two":         {[]facts.Object{origin(job("east", "bread", `"parallelism":4`)), job("west", "bread", `"parallelism":4`), pod("east", "bread", "a", 0, 0), pod("west", "bread", "b", 10, 0)}, []string{"active-twice bakery/bread"}},
		"worker jobs":             {[]facts.Object{active("east", ""), active("west", "")}, []string{"active-twice bakery/bread"}},
		"worker job and pod":      {[]facts.Object{active("east", ""), pod("west", "bread", "b", 10, 0)}, []string{"active-twice bakery/bread"}},
		"mirrored":                {[]facts.Object{active("east", ""), active("hub", `,"managedBy":"kueue.x-k8s.io/multikueue"`)}, []string{}},
		"suspended":               {[]facts.Object{active("east", ""), active("west", `,"suspend":true`)}, []string{}},
		"moved on":                {[]facts.Object{origin(job("east", "bread", "")), pod("east", "bread", "a", 0, 20), pod("west", "bread", "b", 20, 0)}, []string{}},
		"copies of the job":       {[]facts.Object{origin(job("east", "bread", "")), job("west", "bread", ""), pod("east", "bread", "a", 0, 0), pod("west", "bread", "b", 10, 0)}, []string{"active-twice bakery/bread"}},
		"one index twice":         {[]facts.Object{job("east", "bread", `"parallelism":2,"completions":4`), index(pod("east", "bread", "a", 0, 0), "1"), index(pod("east", "bread", "b", 10, 0), "1")}, []string{"active-twice east/bakery/bread"}},
		"done twice":              {[]facts.Object{job("east", "bread", ""), ended, pod("east", "bread", "b", 30, 40)}, []string{"completed-twice east/bakery/bread"}},
		"parallel":                {[]facts.Object{job("east", "bread", `"parallelism":2,"completions":2`), pod("east", "bread", "a", 0, 20), pod("east", "bread", "b", 1, 20)}, []string{}},
		"one after the other":     {[]facts.Object{job("east", "bread", `"completions":2`), ended, pod("east", "bread", "b", 20, 40)}, []string{}},
		"whole seconds":           {[]facts.Object{job("east", "bread", ""), pod("east", "bread", "b", 19, 0), func() facts.Object { o := ended; o.Raw = replace(o.Raw, "Succeeded", "Failed"); return o }()}, []string{}},
		"deleted, then replaced":  {[]facts.Object{job("east", "bread", ""), deleted, pod("east", "bread", "b", 20, 0)}, []string{}},
		"of every cluster's own":  {[]facts.Object{cron("east"), cron("west"), pod("east", "bread", "a", 0, 0), pod("west", "bread", "b", 0, 0)}, []string{}},
		"services":                {[]facts.Object{service("east"), service("west")}, []string{}},
		"nobody knows how many":   {[]facts.Object{pod("east", "bread", "a", 0, 0), pod("east", "bread", "b", 10, 0)}, []string{}},
		"never ran":               {[]facts.Object{job("east", "bread", ""), pod("east", "bread", "a", 0, 0), {Kind: "Pod", APIVersion: "v1", Cluster: "west", Namespace: "bakery", Name: "b", UID: "b", Owners: []facts.Owner{{Kind: "Job", Name: "bread"}}, Raw: `{"status":{"phase":"Pending"}}`}}, []string{}},
		"the second of one index": {[]facts.Object{job("east", "bread", `"parallelism":2,"completions":2`), index(pod("east", "bread", "a", 0, 0), "0"), index(pod("east", "bread", "b", 10, 0), "1")}, []string{}},
	} {
		r := Find(&outcome.Run{Facts: &facts.Facts{Objects: x.objects}}, nil)
		if diff := cmp.Diff(x.want, kinds(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if name == "nobody knows how many" && len(r.Notes) != 1 {
			t.Errorf("%s: notes %v", name, r.Notes)
		}
	}
}

func replace(s, old, with string) string {
	out := ""
	for i := 0; i < len(s); i++ {
		if len(s)-i >= len(old) && s[i:i+len(old)] == old {
			return out + with + s[i+len(old):]
		}
		out += s[i : i+1]
	}
	return out
}

func TestFind_Progress(t *testing.T) {
	one := steps("east", "bread", "a", 0, 1, 6)
	exit := progress("east", "bread", "a", "exit", 6, 8)
	join := func(lists ...[]facts.Progress) (out []facts.Progress) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	failed := exit
	failed.Raw = `{"event":"exit","code":137}`
	for name, x := range map[string]struct {
		progress []facts.Progress
		want     []string
		repeats  int
		resumed  int
	}{
		"once":                 {progress: join(one, []facts.Progress{exit}), want: []string{}},
		"two clusters":         {progress: join(one, steps("west", "bread", "b", 3, 1, 6)), want: []string{"active-twice bakery/bread"}, repeats: 1},
		"a step twice":         {progress: join(one, []facts.Progress{progress("east", "bread", "a", "step", 4, 7)}), want: []string{"step-twice east/bakery/bread"}},
		"completed twice":      {progress: join(one, []facts.Progress{exit, progress("west", "bread", "b", "exit", 6, 20)}), want: []string{"completed-twice bakery/bread"}},
		"word for word":        {progress: join(one, []facts.Progress{exit, exit}), want: []string{}},
		"two reports a step":   {progress: join(one, one[1:], []facts.Progress{}), want: []string{}},
		"begun again":          {progress: join(one, []facts.Progress{failed}, steps("east", "bread", "b", 20, 1, 9)), want: []string{}, repeats: 1},
		"from a checkpoint":    {progress: join(one, []facts.Progress{failed}, steps("east", "bread", "b", 20, 7, 9)), want: []string{}, resumed: 1},
		"container begun anew": {progress: join(one, steps("east", "bread", "a", 20, 3, 9)), want: []string{}, repeats: 1},
	} {
		for i := range x.progress {
			if name == "two reports a step" && i >= len(one) {
				x.progress[i].Raw += " "
			}
		}
		objects := []facts.Object{job("east", "bread", "")}
		r := Find(&outcome.Run{Facts: &facts.Facts{Objects: objects, Progress: x.progress}}, nil)
		if diff := cmp.Diff(x.want, kinds(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(r.Repeats) != x.repeats || r.Resumed != x.resumed {
			t.Errorf("%s: %d repeats, %d resumed: %+v", name, len(r.Repeats), r.Resumed, r.Repeats)
		}
	}
}

// TestFind_OnePod: records that name a pod without its UID are of that pod.
func TestFind_OnePod(t *testing.T) {
	bare := steps("east", "bread", "a", 0, 1, 6)
	for i := range bare {
		bare[i].PodUID = ""
	}
	objects := []facts.Object{job("east", "bread", ""), pod("east", "bread", "a", 0, 0)}
	if r := Find(&outcome.Run{Facts: &facts.Facts{Objects: objects, Progress: bare}}, nil); len(r.Duplicates) != 0 || r.Judged != 1 {
		t.Errorf("one pod: %+v", r)
	}
	for i := range bare {
		bare[i].Cluster = ""
	}
	if r := Find(&outcome.Run{Facts: &facts.Facts{Objects: objects[1:], Progress: bare}}, nil); len(r.Duplicates) != 0 || r.Judged != 1 {
		t.Errorf("of no cluster: %+v", r)
	}
}

// TestFind_Reservation: a pod that holds a device for another runs none of its
// work.
func TestFind_Reservation(t *testing.T) {
	bare := func(name string) facts.Object {
		o := pod("", "", name, 0, 0)
		o.Owners = nil
		return o
	}
	line := &timeline.Run{Workloads: []timeline.Workload{{ID: "bakery/loaf", Names: []timeline.Name{
		{Entity: "pod", Namespace: "bakery", Name: "loaf", UID: "loaf"}, {Entity: "keeper", Namespace: "bakery", Name: "keeper", UID: "keeper"},
	}}}}
	if r := Find(&outcome.Run{Facts: &facts.Facts{Objects: []facts.Object{bare("loaf"), bare("keeper")}}}, line); r.Judged != 1 || len(r.Unjudged)+len(r.Duplicates) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestFind_Joined: a timeline joins pods of different names in two clusters.
func TestFind_Joined(t *testing.T) {
	objects := []facts.Object{pod("east", "bread", "a", 0, 0), pod("west", "bread-copy", "b", 10, 0)}
	run := &outcome.Run{Facts: &facts.Facts{Objects: objects}}
	line := &timeline.Run{Workloads: []timeline.Workload{{ID: "bakery/order-1", Names: []timeline.Name{{Cluster: "east", UID: "easta"}, {Cluster: "west", UID: "westbread-copy"}}}}}
	if got := kinds(Find(run, line)); len(got) != 1 || got[0] != "active-twice bakery/order-1" {
		t.Errorf("%v", got)
	}
	if got := kinds(Find(run, nil)); len(got) != 0 {
		t.Errorf("nothing says that they are one: %v", got)
	}
	if r := Find(&outcome.Run{}, nil); len(r.Notes) != 1 || r.Judged != 0 {
		t.Errorf("%+v", r)
	}
}

// TestFind_Anew: work of a name that was handed in again after its end may be
// done as often, and no more.
func TestFind_Anew(t *testing.T) {
	f := func(lives int, objects []facts.Object, want ...string) {
		t.Helper()
		run := &outcome.Run{Facts: &facts.Facts{Objects: objects}}
		for i, name := range []string{"a", "b"} {
			at := int64(10 + 40*i)
			run.Facts.Progress = append(run.Facts.Progress, steps("east", "bread", name, at, 1, 3)...)
			run.Facts.Progress = append(run.Facts.Progress, progress("east", "bread", name, "exit", 3, at+5))
		}
		line := &timeline.Run{Workloads: []timeline.Workload{{ID: "bakery/bread", Lives: lives}}}
		if diff := cmp.Diff(append([]string{}, want...), kinds(Find(run, line))); diff != "" {
			t.Errorf("%d lives, %d objects (-want +got):\n%s", lives, len(objects), diff)
		}
	}
	one := []facts.Object{job("east", "bread", `"completions":1,"parallelism":1`)}
	f(1, one, "completed-twice bakery/bread")
	f(2, one)
	both := append([]facts.Object{job("east", "bread", `"completions":1`)}, one...)
	both[0].UID = "another"
	f(2, both)
}

// TestFind_WrongDates: a record with a wrong date makes no pod run for years.
func TestFind_WrongDates(t *testing.T) {
	const year = int64(365 * 24 * 3600)
	run := &outcome.Run{Facts: &facts.Facts{Objects: []facts.Object{job("east", "bread", `"completions":1`)}}}
	run.Facts.Progress = append(steps("east", "bread", "a", 10, 1, 3), progress("east", "bread", "b", "step", 1, -year), progress("east", "bread", "b", "step", 2, year))
	line := &timeline.Run{Start: sec(0), End: sec(100), Workloads: []timeline.Workload{{ID: "bakery/bread"}}}
	r := Find(run, line)
	if diff := cmp.Diff([]string{}, kinds(r)); diff != "" || len(r.Notes) != 1 {
		t.Errorf("(-want +got):\n%s notes %q", diff, r.Notes)
	}
}
