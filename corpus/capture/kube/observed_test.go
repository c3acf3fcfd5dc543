package kube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/corpus"
)

// values returns the values of a file of a run.
func (r *recorded) values(t testing.TB, kind string, key corpus.FileKey) []object {
	t.Helper()
	f, err := r.run.OpenFile(corpus.FilePath(kind, key))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []object
	for line := range bytes.Lines(text) {
		var o object
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}

func named(kind, name string, more object) object {
	o := object{"kind": kind, "apiVersion": "v1", "metadata": object{"name": name, "namespace": "lamps", "uid": "uid-" + kind + "-" + name}}
	maps.Copy(o, more)
	return o
}

func event(name string, count int, last time.Time) object {
	at := last.UTC().Format(time.RFC3339)
	return named("Event", name, object{"reason": "Dimmed", "message": "it is dim", "type": "Warning", "count": count, "firstTimestamp": at, "lastTimestamp": at})
}

func TestEvents(t *testing.T) {
	a, spec := one(t)
	spec.Without, spec.Since = []string{Logs, Nodes}, time.Minute
	now := time.Now()
	a.do(func() {
		a.set("events", event("over", 1, now.Add(-time.Hour)))
		a.set("events", event("one", 1, now))
	})
	r := capturing(t, nil, spec)
	eventually(t, "an event", func() bool { return r.session.Stats().Values == 1 })
	a.do(func() { a.set("events", event("one", 2, now)) })
	eventually(t, "its next state", func() bool { return r.session.Stats().Values == 2 })
	a.do(func() { a.oldest = a.version + 1 })
	a.server.CloseClientConnections() // all are listed again, and none is kept twice
	a.do(func() { a.set("events", event("two", 1, now)); a.oldest = 0 })
	eventually(t, "another", func() bool { return r.session.Stats().Values == 3 })
	run := r.finish()
	var got []string
	for _, e := range run.values(t, "events", corpus.FileKey{Cluster: "one"}) {
		got = append(got, fmt.Sprint(e["metadata"].(object)["name"], " ", e["count"]))
	}
	if diff := cmp.Diff([]string{"one 1", "one 2", "two 1"}, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(joined(run.m.Notes), "1 were over before the capture began") {
		t.Errorf("notes %q", run.m.Notes)
	}
}

func TestObjects(t *testing.T) {
	a, spec := one(t)
	spec.Without, spec.Watch, spec.Secrets = []string{Logs, Nodes, Events}, true, true
	spec.Objects = []string{"jobs", "Workload.kueue.x-k8s.io", "workloads.v1beta1.kueue.x-k8s.io", "secret", "nonsense", "things.example.org"}
	a.do(func() {
		for i := range 3 {
			a.set("jobs", named("Job", fmt.Sprint("job-", i), object{"apiVersion": "batch/v1", "spec": object{"parallelism": i}}))
		}
		s := named("Secret", "s", object{"data": object{"key": "aGlkZGVu"}, "stringData": object{"k": "hidden"}})
		s["metadata"].(object)["annotations"] = object{"kubectl.kubernetes.io/last-applied-configuration": "hidden"}
		a.set("secrets", s)
	})
	r := capturing(t, nil, spec)
	eventually(t, "the start", func() bool { return r.session.Stats().Values == 4 })
	time.Sleep(50 * time.Millisecond)
	a.do(func() { a.remove("jobs", "lamps/job-1") })
	eventually(t, "the deletion", func() bool { return r.session.Stats().Values == 5 })
	if err := r.session.Ask("cut"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the moment", func() bool { return r.session.Stats().Values == 8 })
	run := r.finish()
	var moments []string
	for _, m := range run.m.Moments {
		moments = append(moments, m.Name)
	}
	if diff := cmp.Diff([]string{"start", "cut", "end"}, moments); diff != "" {
		t.Error(diff)
	}
	for moment, want := range map[string][]string{"start": {"Job job-0", "Job job-1", "Job job-2", "Secret s"}, "end": {"Job job-0", "Job job-2", "Secret s"}} {
		var got []string
		for _, o := range run.values(t, "objects", corpus.FileKey{Moment: moment, Cluster: "one"}) {
			got = append(got, fmt.Sprint(o["kind"], " ", o["metadata"].(object)["name"]))
			if text, err := json.Marshal(o); err != nil || strings.Contains(string(text), "hidden") || strings.Contains(string(text), "aGlkZGVu") {
				t.Errorf("%v %s", err, text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", moment, diff)
		}
	}
	actions := run.values(t, "actions", corpus.FileKey{Name: "observed", Cluster: "one"})
	if len(actions) != 1 || actions[0]["action"] != "job-deleted" || actions[0]["target"] != "lamps/job-1" || actions[0]["object"].(object)["spec"].(object)["parallelism"] != 1.0 {
		t.Errorf("actions %v", actions)
	}
	reasons := joined(run.m.Completeness.Reasons)
	if !strings.Contains(reasons, `nonsense: no such resource in context "one"`) || !strings.Contains(reasons, `things.example.org: no such resource in context "one", which has no API group "example.org"`) {
		t.Errorf("reasons %q", reasons)
	}
}

// A list of several pages, of which one is forgotten by the server and others
// are not answered at once, holds each object once.
func TestObjects_Pages(t *testing.T) {
	a, spec := one(t)
	spec.Without, spec.Objects = []string{Logs, Nodes, Events}, []string{"jobs"}
	a.do(func() {
		for i := range 1200 {
			a.set("jobs", named("Job", fmt.Sprintf("job-%04d", i), object{"apiVersion": "batch/v1"}))
		}
	})
	var n counter
	a.fault = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/namespaces/lamps/jobs") {
			return false
		}
		switch n.add("list") {
		case 1, 4:
			fail(w, http.StatusInternalServerError, "InternalError", "weather")
		case 3:
			fail(w, http.StatusGone, "Expired", "the continue parameter is too old")
		default:
			return false
		}
		return true
	}
	r := capturing(t, nil, spec)
	eventually(t, "the start", func() bool { return r.session.Stats().Values == 1200 })
	run := r.finish()
	if run.m.Completeness.State != "complete" {
		t.Errorf("%+v", run.m.Completeness)
	}
	for _, moment := range []string{"start", "end"} {
		names := map[any]bool{}
		values := run.values(t, "objects", corpus.FileKey{Moment: moment, Cluster: "one"})
		for _, o := range values {
			names[o["metadata"].(object)["name"]] = true
		}
		if len(values) != 1200 || len(names) != 1200 {
			t.Errorf("%s: %d objects with %d names", moment, len(values), len(names))
		}
	}
}

// Moments at an interval, and those of a capture that is resumed.
func TestObjects_Moments(t *testing.T) {
	a, spec := one(t)
	spec.Without, spec.Objects, spec.Interval = []string{Logs, Nodes, Events}, []string{"jobs"}, time.Second
	a.do(func() { a.set("jobs", named("Job", "job", object{"apiVersion": "batch/v1"})) })
	r := capturing(t, nil, spec)
	eventually(t, "an interval", func() bool { return r.session.Stats().Values == 2 })
	r.stop()
	if err := r.session.Leave(); err != nil {
		t.Fatal(err)
	}
	spec.Interval = 0
	r = capturing(t, r, spec)
	eventually(t, "the resumption", func() bool { return r.session.Stats().Values == 1 })
	run := r.finish()
	var got []string
	for _, m := range run.m.Moments {
		got = append(got, regexp.MustCompile(`\d{8}T.*`).ReplaceAllString(m.Name, "TIME"))
	}
	if diff := cmp.Diff([]string{"start", "interval-1", "end", "resumed-TIME"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLeases(t *testing.T) {
	a, spec := one(t)
	spec.Without, spec.Leases = []string{Logs, Nodes, Events}, []string{"lamps/leader"}
	lease := func(holder string) {
		a.do(func() {
			a.set("leases", named("Lease", "leader", object{"spec": object{"holderIdentity": holder, "leaseTransitions": 1, "renewTime": time.Now().UTC().Format(time.RFC3339Nano)}}))
			a.set("leases", named("Lease", "other", object{"spec": object{"holderIdentity": holder}}))
		})
	}
	lease("a")
	r := capturing(t, nil, spec)
	for i, holder := range []string{"a", "a", "b", ""} {
		lease(holder)
		eventually(t, holder, func() bool { return r.session.Stats().Values >= int64(max(1, i)) })
	}
	run := r.finish()
	var got []string
	for _, o := range run.values(t, "actions", corpus.FileKey{Name: "observed", Cluster: "one"}) {
		got = append(got, fmt.Sprint(o["actor"], " ", o["action"], " ", o["target"], " ", o["detail"].(object)["to"]))
	}
	want := []string{"observer leader-seen lamps/leader a", "observer leader-changed lamps/leader b", "observer leader-released lamps/leader "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestInventory(t *testing.T) {
	a, spec := one(t)
	spec.Without = []string{Events}
	a.do(func() {
		for _, name := range []string{"n1", "n2"} {
			n := named("Node", name, object{"status": object{
				"nodeInfo": object{"kubeletVersion": "v1.35.4", "operatingSystem": "linux", "architecture": "amd64"},
				"capacity": object{"cpu": "64", "memory": "263716212Ki", "nvidia.com/gpu": "8", "pods": "110", "hugepages-2Mi": "0", "attachable.kubernetes.io/x": "3"},
			}})
			delete(n["metadata"].(object), "namespace")
			a.set("nodes", n)
		}
	})
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	run := r.finish()
	want := &corpus.Environment{
		Kubernetes: "v1.35.4",
		Nodes:      map[string]string{"one/n1": "v1.35.4 linux/amd64, cpu 64, memory 251Gi, nvidia.com/gpu 8", "one/n2": "v1.35.4 linux/amd64, cpu 64, memory 251Gi, nvidia.com/gpu 8"},
		Devices:    map[string]string{"nvidia.com/gpu in one": "16"},
	}
	if diff := cmp.Diff(want, run.m.Environment); diff != "" {
		t.Error(diff)
	}
	build := corpus.Build{
		Name: "deployed", Component: "manager", Version: "v2", Image: "example.com/lamp:v2", Digest: "sha256:0123",
		Flags: []string{"--v=4", "--logging-format=json", "--token=(left out)"}, Verbosity: "4", LogEncoding: "json",
	}
	if diff := cmp.Diff([]corpus.Build{build}, run.m.Builds); diff != "" {
		t.Error(diff)
	}
	if !regexp.MustCompile(`one: the clock of the API server agrees with this machine's to \d+`).MatchString(joined(run.m.Notes)) {
		t.Errorf("notes %q", run.m.Notes)
	}
}

// What is not allowed ends one part, and is said so that it can be mended.
func TestDenied(t *testing.T) {
	a, spec := one(t)
	spec.Without = nil
	a.pod("lamp-1").start().write("a1")
	a.fault = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/log") || strings.HasSuffix(r.URL.Path, "/nodes") {
			fail(w, http.StatusForbidden, "Forbidden", `User "u" cannot do that`)
			return true
		}
		return false
	}
	a.do(func() { a.set("events", event("one", 1, time.Now())) })
	r := capturing(t, nil, spec)
	eventually(t, "refusals", func() bool { return len(r.session.Stats().Problems) == 2 })
	run := r.finish()
	if n := len(run.values(t, "events", corpus.FileKey{Cluster: "one"})); n != 1 {
		t.Errorf("%d events", n)
	}
	reasons := joined(run.m.Completeness.Reasons)
	for _, want := range []string{
		`context "one": not allowed to get pods/log in namespace lamps (User "u" cannot do that). To allow it: kubectl --context "one" create role stillfires-capture-pods-log --verb=get --resource=pods/log --namespace lamps;`,
		`context "one": not allowed to list nodes in all namespaces (User "u" cannot do that). To allow it: kubectl --context "one" create clusterrole stillfires-capture-nodes --verb=list --resource=nodes;`,
		"docs/capture-kubernetes.md",
	} {
		if !strings.Contains(reasons, want) {
			t.Errorf("no %q in %s", want, reasons)
		}
	}
}

// The documented roles allow what a capture of everything asks for, and no
// more.
func TestDocumentedRoles(t *testing.T) {
	a, spec := one(t)
	spec.Without, spec.Watch = nil, true
	spec.Objects, spec.Leases = []string{"jobs", "workloads.kueue.x-k8s.io"}, []string{"lamps"}
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	p.restart()
	p.write("b1")
	r.lines(2)
	a.server.CloseClientConnections()
	p.write("b2")
	r.lines(3)
	r.finish()

	text, err := os.ReadFile("../../../docs/capture-kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		dec := yaml.NewDecoder(bytes.NewReader(block[1]))
		for {
			var role struct {
				Rules []struct {
					APIGroups []string `yaml:"apiGroups"`
					Resources []string
					Verbs     []string
				}
			}
			if err := dec.Decode(&role); err != nil {
				break
			}
			for _, rule := range role.Rules {
				for _, v := range rule.Verbs {
					documented[fmt.Sprintf("%s %s %q", v, rule.Resources[0], rule.APIGroups[0])] = true
				}
			}
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(a.asked))); diff != "" {
		t.Errorf("documented and asked for (-documented +asked):\n%s", diff)
	}
}

func TestSpec_Check(t *testing.T) {
	config := kubeconfig(t, map[string]*api{"one": newAPI(t), "two": newAPI(t)})
	for want, change := range map[string]func(*Spec){
		`context "one": selector "a=(": `:   func(s *Spec) { s.Selector = "a=(" },
		"label pod tells streams apart":     func(s *Spec) { s.Labels = map[string]string{"pod": "x"} },
		"choose one":                        func(s *Spec) { s.AllNamespaces, s.Namespaces = true, []string{"x"} },
		"secrets are not recorded unless":   func(s *Spec) { s.Objects = []string{"Secrets.v1."} },
		`without "pods": want one of logs,`: func(s *Spec) { s.Without = []string{"pods"} },
		`"a/b"`:                             func(s *Spec) { s.Cluster = "a/b" },
		`lease "/x": want namespace/name`:   func(s *Spec) { s.Leases = []string{"/x"} },
		"no objects are named":              func(s *Spec) { s.Watch = true },
		"want a second or more":             func(s *Spec) { s.Interval, s.Objects = 1, []string{"pods"} },
		"there is no such context in the kubeconfig; there are: one, two": func(s *Spec) { s.Context = "three" },
	} {
		s := lamps(config)
		change(&s)
		if _, err := Sources([]Spec{s}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %q", err, want)
		}
	}
	x, y := lamps(config), lamps(config)
	x.Cluster, y.Cluster, y.Context = "same", "same", "two"
	if _, err := Sources([]Spec{x, y}, Options{}); err == nil || !strings.Contains(err.Error(), `are both called "same"`) {
		t.Error(err)
	}
}
