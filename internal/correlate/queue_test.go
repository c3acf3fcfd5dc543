package correlate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/messages"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// A component that does not exist: tasks of a hub are copied to sites, where
// runners execute them.
const queueProfile = `
name: tasks
correlation:
  clusters:
    - {name: hub, holds: [tasks.example/Site]}
    - {name: site, lacks: [tasks.example/Site], logs: {where: 'site-.*'}}
  entities:
    - {name: task, kind: tasks.example/Task, cluster: hub}
    - {name: copy, title: copied task, kind: tasks.example/Task, cluster: site}
    - {name: runner, kind: Pod, labels: {role: runner}, keys: [runner]}
    - {name: helper, kind: Pod}
    - {name: lane, kind: tasks.example/Lane, identifiers: [name, 'label:short']}
    - {name: site, kind: tasks.example/Site}
    - {name: rack, named-by: [{on: runner, path: spec.racks}]}
  links:
    - {from: task, to: copy, by: [{same: name}]}
    - {from: copy, to: runner, by: [{owner: copy}, {on: runner, annotation: task-uid, is: uid}]}
    - {from: task, to: lane, by: [{on: task, path: spec.lane}]}
    - {from: runner, to: rack, by: [{on: runner, path: spec.racks}]}
  chain: [task, copy, runner]
  requests: [rid]
`

// queueFacts are n tasks on the hub, each with a copy and a runner on a site.
func queueFacts(n int) *facts.Facts {
	f := &facts.Facts{}
	add := func(cluster, apiVersion, kind, ns, name, uid, raw string) *facts.Object {
		f.Objects = append(f.Objects, facts.Object{
			Cluster: cluster, APIVersion: apiVersion, Kind: kind, Namespace: ns, Name: name, UID: uid, Raw: raw,
		})
		return &f.Objects[len(f.Objects)-1]
	}
	add("main", "tasks.example/v1", "Site", "", "north-1", "u-site", "{}")
	add("main", "tasks.example/v1", "Lane", "x", "fast-lane", "u-lane", "{}").Labels = map[string]string{"short": "fl-9"}
	for i := range n {
		name := fmt.Sprintf("t-%d", i)
		add("main", "tasks.example/v1", "Task", "x", name, "u-task-"+name, `{"spec":{"lane":"fast-lane"}}`)
		add("far", "tasks.example/v1", "Task", "x", name, "u-copy-"+name, "{}")
		r := add("far", "v1", "Pod", "x", "run-"+name, "u-run-"+name, `{"spec":{"racks":["rack-7","rack-8"]}}`)
		r.Labels = map[string]string{"role": "runner"}
		r.Owners = []facts.Owner{{Kind: "Task", Name: name, UID: "u-copy-" + name}}
	}
	add("far", "v1", "Pod", "x", "aid-1", "u-aid", "{}")
	return f
}

// queueRun is what a run with these lines tells; each task has every line,
// with its name in place of $T. Lines that begin with "hub " are of the hub.
func queueRun(t testing.TB, n int, lines ...string) *outcome.Run {
	t.Helper()
	return queueRunOf(t, queueFacts(n), n, lines...)
}

// queueRunOf is queueRun with other objects.
func queueRunOf(t testing.TB, f *facts.Facts, n int, lines ...string) *outcome.Run {
	t.Helper()
	p, err := profile.Parse("tasks.yaml", []byte(queueProfile))
	if err != nil {
		t.Fatal(err)
	}
	streams := []logs.Labels{logs.New(logs.Label{Name: "where", Value: "main"}), logs.New(logs.Label{Name: "where", Value: "site-a"})}
	c := NewCollector(Learn(p, f), streams)
	catalogue := messages.NewCatalogue()
	ts := int64(0)
	for i := range n {
		for _, line := range lines {
			stream := 1
			if rest, ok := strings.CutPrefix(line, "hub "); ok {
				stream, line = 0, rest
			}
			ts += 1e9
			e := &logs.Entry{Time: ts, Line: []byte(strings.ReplaceAll(line, "$T", fmt.Sprintf("t-%d", i)))}
			tag := catalogue.Add(streams[stream], e)
			c.Add(stream, e, catalogue.Record(), tag)
		}
	}
	run := &outcome.Run{Scenario: "drill"}
	var final []int32
	run.Messages, final, _ = catalogue.Finish()
	run.Correlation = c.Finish(final)
	return run
}

// where lists where things of an entity are named, without messages.
func where(run *outcome.Run, entity string) []string {
	var out []string
	for _, e := range run.Correlation.Entities {
		if e.Name != entity {
			continue
		}
		for _, s := range e.Sightings {
			text := fmt.Sprintf("%s in %s: %d", s.Identifier, s.Field, s.Things)
			if s.InText {
				text += " text"
			}
			if s.Ambiguous {
				text += " ambiguous"
			}
			out = append(out, text)
		}
	}
	return out
}

// TestNames: one thing, named in every form that records use.
func TestNames(t *testing.T) {
	f := func(line, entity string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, where(queueRun(t, 2, line), entity)); diff != "" {
			t.Errorf("%s names of %s (-want +got):\n%s", line, entity, diff)
		}
	}
	f(`hub {"msg":"a","task":"x/$T"}`, "task", "namespace/name in task: 2")
	f(`hub {"msg":"a","task":"x/$T"}`, "copy") // the hub names its own
	f(`{"msg":"a","task":"x/$T"}`, "copy", "namespace/name in task: 2")
	f(`hub {"msg":"a","task":{"name":"$T","namespace":"x"}}`, "task", "namespace/name in task: 2")
	f(`hub {"msg":"a","namespace":"x","taskName":"$T"}`, "task", "namespace/name in namespace+taskName: 2")
	f(`hub {"msg":"a","namespace":"y","taskName":"$T"}`, "task", "name in taskName: 2 ambiguous")
	f(`hub {"msg":"task x/$T waits"}`, "task", "namespace/name in msg: 2 text")
	f(`hub {"msg":"a","err":"task \"$T\": conflict"}`, "task", "name in err: 2 text")
	f(`hub {"msg":"a","tasks":["x/other","x/$T"],"more":[1,{"a":"b"}]}`, "task", "namespace/name in tasks: 2")
	f(`hub {"msg":"a","ids":["u-task-$T"]}`, "task", "uid in ids: 2")
	f(`hub {"msg":"a","o":{"meta":{"uid":"u-task-$T"}}}`, "task", "uid in o.meta.uid: 2")
	f(`hub {"msg":"a","u":"u-copy-$T"}`, "copy", "uid in u: 2") // a UID is one of any cluster
	f(`hub I0101 00:00:00.000001 1 a.go:12] "Took" task="x/$T"`, "task", "namespace/name in task: 2")
	f(`hub level=info msg=took task=x/$T`, "task", "namespace/name in task: 2")
	f("hub 2026-01-01T00:00:00Z\tINFO\ttook\t{\"task\": \"x/$T\"}", "task", "namespace/name in task: 2")
	f(`hub took x/$T at last`, "task", "namespace/name in message: 2 text")
	f(`hub {"msg":"a","lane":"fl-9"}`, "lane", "label:short in lane: 1")
	f(`{"msg":"a","rack":"rack-7"}`, "rack", "name in rack: 1")
	f(`{"msg":"a","pod":"x/run-$T"}`, "runner", "namespace/name in pod: 2")
	f(`{"msg":"a","pod":"x/run-$T"}`, "helper")
	f(`{"msg":"a","pod":"x/other-$T"}`, "runner")
	f(`{"msg":"xx/$Tx u-task-$T-b"}`, "copy")
	f(`{"broken":"x/$T`, "copy", "namespace/name in message: 2 text")
}

// joins lists how a link is made.
func joins(run *outcome.Run, from, to string) (made int, ways []string) {
	for _, l := range run.Correlation.Links {
		if l.From != from || l.To != to {
			continue
		}
		made = l.Made
		for _, w := range l.Ways {
			ways = append(ways, fmt.Sprintf("%s %s: %s, %s: %d", w.By, w.Key, w.From.Field, w.To.Field, w.Pairs))
		}
	}
	return made, ways
}

func TestLinks(t *testing.T) {
	f := func(from, to string, lines []string, wantMade int, want ...string) {
		t.Helper()
		made, ways := joins(queueRun(t, 3, lines...), from, to)
		if diff := cmp.Diff(want, ways); diff != "" || made != wantMade {
			t.Errorf("%s -> %s by %q: %d made (-want +got):\n%s", from, to, lines, made, diff)
		}
	}
	f("copy", "runner", []string{`{"msg":"started","task":"x/$T","runner":"x/run-$T"}`}, 3, "record : task, runner: 3")
	f("copy", "runner", []string{`{"msg":"took","rid":"r-$T","task":"x/$T"}`, `{"msg":"started","rid":"r-$T","u":"u-run-$T"}`}, 3,
		"request rid: task, u: 3")
	f("copy", "runner", []string{`{"msg":"took","rid":"r-$T-1","task":"x/$T"}`, `{"msg":"started","rid":"r-$T-2","u":"u-run-$T"}`}, 0)
	f("copy", "runner", []string{`{"msg":"took","task":"x/$T"}`, `{"msg":"started","u":"u-run-$T"}`}, 0)
	f("task", "copy", []string{`hub {"msg":"sent","task":"x/$T"}`, `{"msg":"took","id":"x/$T"}`}, 3, "name : task, id: 3")
	f("task", "copy", []string{`hub {"msg":"sent","task":"x/$T"}`}, 0)
	f("task", "lane", []string{`hub {"msg":"queued","task":"x/$T","lane":"x/fast-lane"}`}, 3, "record : task, lane: 3")
	f("runner", "rack", []string{`{"msg":"placed","runner":"run-$T","rack":"rack-8"}`}, 3, "record : runner, rack: 3")
}

func TestChains(t *testing.T) {
	run := queueRun(t, 3,
		`hub {"msg":"sent","task":"x/$T"}`, `{"msg":"took","task":"x/$T"}`, `{"msg":"t-1 runs","task":"x/t-1","runner":"x/run-t-1"}`)
	want := outcome.Chains{Steps: []string{"task", "copied task", "runner"}, Known: []int{3, 3, 3}, Walked: []int{3, 3, 1}}
	if diff := cmp.Diff(want, run.Correlation.Chains); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	objects := run.Correlation.Links[1].Objects
	if diff := cmp.Diff([]outcome.ObjectWay{{Text: "owner reference to the copied task", Pairs: 3}}, objects); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestLosses compares logs of the invented component.
func TestLosses(t *testing.T) {
	sent := `hub {"level":"info","msg":"sent","task":"x/$T","uid":"u-task-$T"}`
	took := `{"level":"info","msg":"took","task":"x/$T"}`
	runs := `{"level":"info","msg":"runs","task":"x/$T","runner":"x/run-$T"}`
	all := []string{sent, took, runs}
	f := func(n int, deployed, candidate []string, want ...string) {
		t.Helper()
		d, c := queueRun(t, n, deployed...), queueRun(t, n, candidate...)
		var got []string
		for _, l := range Losses("drill", []*outcome.Run{d}, []*outcome.Run{c}) {
			got = append(got, l.Subject)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d tasks, from %q to %q (-want +got):\n%s", n, deployed, candidate, diff)
		}
		if got := Losses("drill", []*outcome.Run{d}, []*outcome.Run{d}); len(got) > 0 {
			t.Errorf("against itself: %+v", got)
		}
	}
	noUID := strings.Replace(sent, `,"uid":"u-task-$T"`, "", 1)
	f(5, all, []string{noUID, took, runs}, "task uid")
	f(1, all, []string{noUID, took, runs}, "task uid") // the same message, without it
	f(5, []string{noUID, took, runs}, all)
	// Other forms of a name are the same name.
	f(5, all, []string{sent, took, `{"level":"info","msg":"runs x/$T as run-$T"}`})
	f(5, all, []string{sent, took, `{"level":"info","msg":"runs","what":{"namespace":"x","name":"$T"},"who":"u-run-$T"}`}, "runner name")
	// The runner is still named, but by no record with the task.
	f(5, all, []string{sent, took, `{"level":"info","msg":"runs","runner":"x/run-$T"}`}, "copy -> runner")
	// A request joins them as well.
	f(5, all, []string{sent, strings.Replace(took, "{", `{"rid":"r-$T",`, 1), `{"level":"info","msg":"runs","rid":"r-$T","runner":"x/run-$T"}`})
	// Neither is an error that did not occur a loss, nor one that did a replacement.
	f(5, append(all[:2:2], `{"level":"error","msg":"late","runner":"x/run-$T","task":"x/$T"}`), all[:2])
	f(5, all, []string{sent, took, `{"level":"error","msg":"late x","err":"pod run-t-1 of x/t-1"}`}, "runner name", "copy -> runner")
	// Too few to tell, and the message was not written.
	f(2, all, all[:2])
}

// TestSummarise_Kinds: records of one message with other keys name the same
// things.
func TestSummarise_Kinds(t *testing.T) {
	line := `{"level":"info","msg":"runs","task":"x/$T","runner":"x/run-$T"}`
	run := queueRun(t, 3, line, strings.Replace(line, "{", `{"again":true,`, 1))
	s := Summarise([]*outcome.Run{run, run}, []*outcome.Run{run})
	for _, row := range s.Identifiers {
		for _, f := range row.Deployed.Fields {
			if f.Things > row.Deployed.Known {
				t.Errorf("%s of %s: field %s names %d of %d", row.Identifier, row.Entity, f.Field, f.Things, row.Deployed.Known)
			}
		}
	}
	for _, row := range s.Links {
		for _, w := range row.Deployed.Ways {
			if w.Pairs > row.Deployed.Known {
				t.Errorf("%s to %s: %d of %d pairs are joined by %s", row.From, row.To, w.Pairs, row.Deployed.Known, w.From.Field)
			}
		}
	}
}

// TestLosses_Objects: the reference is gone by which the objects showed a link.
func TestLosses_Objects(t *testing.T) {
	line := `{"level":"info","msg":"runs","task":"x/$T","runner":"x/run-$T"}`
	told := func(n int, change func(*facts.Object)) (out []string) {
		f := queueFacts(n)
		for i := range f.Objects {
			change(&f.Objects[i])
		}
		for _, l := range Losses("drill", []*outcome.Run{queueRun(t, n, line)}, []*outcome.Run{queueRunOf(t, f, n, line)}) {
			out = append(out, l.Subject+": "+l.Field)
		}
		return out
	}
	if diff := cmp.Diff([]string{"copy -> runner in objects: owner reference to the copied task"}, told(5, func(o *facts.Object) { o.Owners = nil })); diff != "" {
		t.Errorf("no owners (-want +got):\n%s", diff)
	}
	if got := told(5, func(o *facts.Object) {
		if len(o.Owners) > 0 {
			o.Annotations = map[string]string{"task-uid": o.Owners[0].UID}
			o.Owners = nil
		}
	}); len(got) > 0 {
		t.Errorf("an annotation shows it now, but %q is lost", got)
	}
	if got := told(2, func(o *facts.Object) { o.Owners = nil }); len(got) > 0 {
		t.Errorf("two are too few to tell, but %q is lost", got)
	}
	if got := told(5, func(o *facts.Object) {
		if o.Kind == "Pod" {
			o.Kind = "Other"
		}
	}); len(got) > 0 && strings.Contains(strings.Join(got, ""), "in objects") {
		t.Errorf("no runner was recorded, but %q is lost", got)
	}
}

func TestLearn_Nothing(t *testing.T) {
	p, err := profile.Parse("tasks.yaml", []byte(queueProfile))
	if err != nil {
		t.Fatal(err)
	}
	if k := Learn(p, nil); k != nil || NewCollector(k, nil) != nil || NewCollector(nil, nil).Alerts(nil) != nil {
		t.Error("without facts something is known")
	}
	if k := Learn(p, &facts.Facts{Objects: []facts.Object{{Kind: "Pod"}}}); NewCollector(k, nil) != nil {
		t.Error("a pod without a name is known")
	}
	if Losses("s", nil, nil) != nil || Summarise(nil, nil) != nil {
		t.Error("without runs something is lost")
	}
}

func add(c *Collector, line []byte, message int32) {
	var rec messages.Record
	rec.Parse(line)
	c.Add(0, &logs.Entry{Line: line}, &rec, message)
}

// TestBounds: a log that names things in ever new fields does not grow what is
// kept, and says so.
func TestBounds(t *testing.T) {
	p, err := profile.Parse("tasks.yaml", []byte(queueProfile))
	if err != nil {
		t.Fatal(err)
	}
	c := NewCollector(Learn(p, queueFacts(2)), []logs.Labels{{}})
	for i := range maxSightings + 100 {
		add(c, fmt.Appendf(nil, `{"msg":"a","k%d":"x/t-1","r%d":"x/run-t-1","rid":"%d"}`, i, i, i), 0)
	}
	out := c.Finish(nil)
	if len(c.sightings) > maxSightings || len(c.ways) > maxWays || len(out.Notes) == 0 {
		t.Errorf("%d sightings, %d ways, notes %q", len(c.sightings), len(c.ways), out.Notes)
	}
	for _, e := range out.Entities {
		if len(e.Sightings) > 4*keptSightings {
			t.Errorf("%s: %d sightings", e.Name, len(e.Sightings))
		}
	}
}

func FuzzCollector(f *testing.F) {
	f.Add(`{"msg":"a","task":"x/t-1","rid":"1"}`)
	f.Add(`hub took x/t-1 at last`)
	f.Add("{\"namespace\":\"x\",\"a\":{\"name\":\"t-1\",\"kind\":\"Task\"},\"\xff\":\"u-run-t-0\"}")
	p, err := profile.Parse("tasks.yaml", []byte(queueProfile))
	if err != nil {
		f.Fatal(err)
	}
	k := Learn(p, queueFacts(2))
	f.Fuzz(func(t *testing.T, line string) {
		c := NewCollector(k, []logs.Labels{{}})
		add(c, []byte(line), 0)
		add(c, []byte(line), 1)
		for _, e := range c.Finish(nil).Entities {
			if e.Named > e.Known {
				t.Errorf("%d of %d", e.Named, e.Known)
			}
		}
	})
}
