package confound

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/timeline"
)

const second = int64(time.Second)

// show says what differs, in words.
func show(r Result) []string {
	out := []string{}
	for _, d := range r.Differences {
		text := fmt.Sprintf("%s: %s: %s | %s", d.Kind, d.Subject, strings.Join(d.Deployed, ", "), strings.Join(d.Candidate, ", "))
		if d.Decisive {
			text += " decisive"
		} else if d.Timing {
			text += " timing"
		}
		out = append(out, text)
	}
	return append(out, r.Notes...)
}

func one(r *outcome.Run) []Run { return []Run{{Run: r}} }

// mill is a run of a mill's controller.
func mill(change func(*outcome.Run)) *outcome.Run {
	r := &outcome.Run{
		Parameters: map[string]string{"wheels": "3", "wait": "60s"},
		Environment: &outcome.Environment{
			Kubernetes: "v1.33.1", Nodes: map[string]string{"a": "small", "b": "small"}, Devices: map[string]string{"grinder": "4"}, Components: map[string]string{"store": "3.5"},
		},
		Builds: []outcome.BuildInfo{{Name: "x", Version: "v2", Image: "mill.example/ctl:v2", Flags: []string{"--wheels=3", "--bind", "127.0.0.1:80", "--token=abc", "-v", "2"}, Verbosity: "2", Encoding: "json"}},
		Logs:   []outcome.LogInfo{{Labels: logs.New(logs.Label{Name: "app", Value: "mill"}, logs.Label{Name: "pod", Value: "mill-x"}), Epochs: []outcome.Epoch{{}}}},
		Facts:  &facts.Facts{Moments: []string{"before", "after"}},
	}
	change(r)
	return r
}

func nothing(*outcome.Run) {}

func object(api, kind, name, raw string) facts.Object {
	return facts.Object{Moment: "before", APIVersion: api, Kind: kind, Namespace: "mill", Name: name, Raw: raw}
}

func with(objects ...facts.Object) func(*outcome.Run) {
	return func(r *outcome.Run) { r.Facts.Objects = objects }
}

func deployment(spec string) facts.Object {
	return object("apps/v1", "Deployment", "ctl", `{"spec":`+spec+`}`)
}

func node(name, kubelet, memory, more string) facts.Object {
	return facts.Object{Moment: "before", APIVersion: "v1", Kind: "Node", Name: name, Raw: fmt.Sprintf(
		`{"spec":{%s},"status":{"allocatable":{"cpu":"8","memory":%q,"nvidia.com/gpu":"2"},"nodeInfo":{"kubeletVersion":%q},"conditions":[{"type":"Ready","status":"True"}]}}`, more, memory, kubelet)}
}

func TestCompare(t *testing.T) {
	pods := func(image string) string {
		return fmt.Sprintf(`{"replicas":2,"template":{"spec":{"containers":[{"name":"c","image":%q,"args":["--qps=20"]}]}}}`, image)
	}
	config := func(text string) facts.Object {
		return object("v1", "ConfigMap", "settings", fmt.Sprintf(`{"data":{"mill.yaml":%q}}`, text))
	}
	owned := object("mill.example/v1", "Sack", "s", `{"spec":{"weight":1}}`)
	owned.Owners = []facts.Owner{{Kind: "Sack"}}
	for name, x := range map[string]struct {
		d, c func(*outcome.Run)
		want []string
	}{
		"itself": {nothing, nothing, []string{}},
		"the build": {nothing, func(r *outcome.Run) {
			r.Builds[0].Version, r.Builds[0].Image, r.Builds[0].Commit = "v3", "mill.example/ctl:v3", "f00"
			r.Logs[0].Labels = logs.New(logs.Label{Name: "app", Value: "mill"}, logs.Label{Name: "pod", Value: "mill-y"})
		}, []string{}},
		"parameter":      {nothing, func(r *outcome.Run) { r.Parameters = map[string]string{"wheels": "4", "wait": "1m"} }, []string{"parameter: wheels: 3 | 4 decisive"}},
		"one more":       {nothing, func(r *outcome.Run) { r.Parameters = map[string]string{"wheels": "3", "wait": "1m", "wind": "low"} }, []string{"the parameter wind of the scenario is known of one build only"}},
		"none recorded":  {nothing, func(r *outcome.Run) { r.Parameters = nil }, []string{"parameters of the scenario were recorded on deployed only"}},
		"kubernetes":     {nothing, func(r *outcome.Run) { r.Environment.Kubernetes = "v1.34.0" }, []string{"kubernetes: version: v1.33.1 | v1.34.0 timing"}},
		"names of nodes": {nothing, func(r *outcome.Run) { r.Environment.Nodes = map[string]string{"y": "small", "z": "small"} }, []string{}},
		"nodes":          {nothing, func(r *outcome.Run) { r.Environment.Nodes = map[string]string{"y": "small", "z": "big"} }, []string{"node: nodes: 2 × small | 1 × big, 1 × small timing"}},
		"devices":        {nothing, func(r *outcome.Run) { r.Environment.Devices = map[string]string{"sieve": "4"} }, []string{"device: grinder: 4 | none timing", "device: sieve: none | 4 timing"}},
		"component":      {nothing, func(r *outcome.Run) { r.Environment.Components = map[string]string{"store": "3.6"} }, []string{"component: store: 3.5 | 3.6 timing"}},
		"flags": {nothing, func(r *outcome.Run) {
			r.Builds[0].Flags = []string{"-wheels=5", "--bind=127.0.0.1:80", "--token=abc", "--v=2"}
		}, []string{`flag: --wheels of {app="mill"}: 3 | 5 timing`}},
		"ports":           {nothing, func(r *outcome.Run) { r.Builds[0].Flags[2] = "127.0.0.1:81" }, []string{`flag: --bind of {app="mill"}: 127.0.0.1:80 | 127.0.0.1:81`}},
		"secrets":         {nothing, func(r *outcome.Run) { r.Builds[0].Flags[3] = "--token=abd" }, []string{`flag: --token of {app="mill"}: value 1 (not shown) | value 2 (not shown) timing`}},
		"verbosity":       {nothing, func(r *outcome.Run) { r.Builds[0].Verbosity = "5" }, []string{`verbosity: verbosity of {app="mill"}: 2 | 5 timing`}},
		"encoding":        {nothing, func(r *outcome.Run) { r.Builds[0].Encoding = "console" }, []string{`encoding: encoding of {app="mill"}: json | console`}},
		"image of itself": {with(deployment(pods("mill.example/ctl:v2"))), with(deployment(pods("mill.example/ctl:v2"))), []string{}},
		"image":           {with(deployment(pods("other.example/side:1"))), with(deployment(pods("other.example/side:2"))), []string{"image: container c of Deployment mill/ctl: other.example/side:1 | other.example/side:2 timing"}},
		"replicas":        {with(deployment(`{"replicas":2}`)), with(deployment(`{"replicas":3}`)), []string{"replicas: Deployment mill/ctl: 2 | 3 timing"}},
		"manifest": {with(object("mill.example/v1", "Wheel", "w", `{"metadata":{"uid":"1"},"spec":{"stones":[{"name":"a","size":1}],"clusterIP":"1"}}`)),
			with(object("mill.example/v1", "Wheel", "w", `{"metadata":{"uid":"2"},"spec":{"stones":[{"name":"b","size":1},{"name":"a","size":2}],"clusterIP":"2"}}`)),
			[]string{"manifest: Wheel mill/w, spec.stones.a.size: 1 | 2 timing"}},
		"another version": {with(object("mill.example/v1", "Wheel", "w", `{"spec":{"size":1}}`)), with(object("mill.example/v2", "Wheel", "w", `{"spec":{"size":2}}`)),
			[]string{"manifest: Wheel mill/w: mill.example/v1 | mill.example/v2", "Wheel objects of mill.example/v1 on deployed and Wheel objects of mill.example/v2 on candidate were not compared"}},
		"one object more": {with(object("mill.example/v1", "Wheel", "w", `{}`)), with(object("mill.example/v1", "Wheel", "w", `{}`), object("mill.example/v1", "Wheel", "x", `{}`)), []string{"manifest: Wheel mill/x: none | mill.example/v1"}},
		"made as it goes": {with(), with(owned, object("v1", "Pod", "p", `{"spec":{"x":1}}`), object("v1", "Secret", "p", `{"data":{"x":"1"}}`)), []string{}},
		"config": {with(config("qps: 20\nport: 1\ntoken: a\n")), with(config("# faster\nqps: 50\nport: 1\ntoken: b\n")),
			[]string{"configuration: ConfigMap mill/settings, mill.yaml, qps: 20 | 50 timing", "configuration: ConfigMap mill/settings, mill.yaml, token: value 1 (not shown) | value 2 (not shown) timing"}},
		"settings": {with(facts.Object{Moment: "before", APIVersion: "mill.example/v1", Kind: "Settings", Raw: `{"kind":"Settings","apiVersion":"mill.example/v1","qps":20,"web":{"port":80,"certDir":"/a/certs"}}`}),
			with(facts.Object{Moment: "before", APIVersion: "mill.example/v2", Kind: "Settings", Raw: `{"kind":"Settings","apiVersion":"mill.example/v2","qps":50,"web":{"port":81,"certDir":"/b/certs"}}`}),
			[]string{"configuration: Settings, qps: 20 | 50 timing", "configuration: Settings, web.certDir: /a/certs | /b/certs", "configuration: Settings, web.port: 80 | 81"}},
		"node objects": {with(node("a", "v1.33", "16000000Ki", ""), node("b", "v1.33", "16000000Ki", "")), with(node("c", "v1.33", "16000400Ki", ""), node("d", "v1.34", "16000000Ki", `"unschedulable":true`)),
			[]string{"node: cordon of the nodes: 2 × false | 1 × false, 1 × true timing", "node: kubelet of the nodes: 2 × v1.33 | 1 × v1.33, 1 × v1.34 timing"}},
		"a node more": {with(node("a", "v1.33", "1Gi", ""), node("b", "v1.34", "1Gi", "")), with(node("a", "v1.33", "1Gi", ""), node("b", "v1.34", "1Gi", ""), node("c", "v1.34", "1Gi", "")),
			[]string{"node: number of the nodes: 2 | 3 timing", "device: nvidia.com/gpu of the nodes: 2 × 2 | 3 × 2 timing"}},
		"another node more": {with(node("a", "v1.33", "1Gi", "")), with(node("a", "v1.33", "1Gi", ""), node("b", "v1.34", "1Gi", "")),
			[]string{"node: kubelet of the nodes: 1 × v1.33 | 1 × v1.33, 1 × v1.34 timing", "node: number of the nodes: 1 | 2 timing", "device: nvidia.com/gpu of the nodes: 1 × 2 | 2 × 2 timing"}},
		"fewer nodes": {with(node("a", "v1.33", "1Gi", "")), with(), []string{"nodes were recorded on deployed only"}},
	} {
		if diff := cmp.Diff(x.want, show(Compare("", one(mill(x.d)), one(mill(x.c))))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestCompare_Repetitions: what varies in one build alone is a difference, and
// what varies in both alike is no decisive one.
func TestCompare_Repetitions(t *testing.T) {
	load := func(n string) Run {
		return Run{Run: mill(func(r *outcome.Run) { r.Parameters = map[string]string{"load": n} })}
	}
	got := show(Compare("", []Run{load("1"), load("1")}, []Run{load("1"), load("9")}))
	if diff := cmp.Diff([]string{"parameter: load: 1 | 1, 9 decisive"}, got); diff != "" {
		t.Errorf("one varies (-want +got):\n%s", diff)
	}
	got = show(Compare("", []Run{load("1"), load("9")}, []Run{load("9"), load("1")}))
	if diff := cmp.Diff([]string{"parameter: load: 1, 9 | 1, 9 timing"}, got); diff != "" {
		t.Errorf("both vary (-want +got):\n%s", diff)
	}
	if got := Compare("", nil, []Run{load("1")}); len(got.Notes) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestCompare_Drill(t *testing.T) {
	drill := func(seconds float64, done, during int) []Run {
		l := &timeline.Run{Failure: timeline.Milestone{State: timeline.Reached, At: 1000 * second}}
		l.Restored = timeline.Milestone{State: timeline.Reached, At: 1000*second + int64(seconds*float64(second))}
		for range done {
			l.Workloads = append(l.Workloads, timeline.Workload{Finished: 900 * second})
		}
		for range during {
			l.Workloads = append(l.Workloads, timeline.Workload{Affected: timeline.SubmittedDuring, Finished: 2000 * second})
		}
		cut := fmt.Sprintf("%ds", int(seconds+4)/5*5)
		return []Run{{mill(func(r *outcome.Run) { r.Parameters = map[string]string{"cut": cut} }), l}}
	}
	said := func(runs []Run, cut string) []Run {
		runs[0].Run.Parameters["cut"] = cut
		return runs
	}
	for name, x := range map[string]struct {
		d, c []Run
		want []string
	}{
		"alike":    {drill(25.2, 250, 7), drill(25.9, 249, 7), []string{}},
		"rounding": {drill(24.9, 0, 7), drill(25.1, 0, 7), []string{}},
		"declared": {drill(25, 0, 7), said(drill(25, 0, 7), "165s"), []string{"parameter: cut: 25s | 2m45s decisive"}},
		"both not": {said(drill(25, 0, 7), "165s"), said(drill(25, 0, 7), "165s"), []string{}},
		"longer":   {drill(25, 0, 7), drill(165, 0, 7), []string{"loss: length of the loss: 25.0 s | 165.0 s decisive"}},
		"history":  {drill(25, 0, 7), drill(25, 250, 7), []string{"history: work that was finished before the loss: 0 | 250 decisive"}},
		"work":     {drill(25, 0, 7), drill(25, 0, 12), []string{"work: work that was handed in during the loss: 7 | 12 decisive"}},
	} {
		if diff := cmp.Diff(x.want, show(Compare("", x.d, x.c))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
