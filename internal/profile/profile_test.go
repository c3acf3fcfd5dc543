package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShipped(t *testing.T) {
	all, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
		if p.About == "" || p.Match.reason(Recorded{}) != "" {
			t.Errorf("%s: about %q; it must not fit nothing", p.Name, p.About)
		}
		if got, err := Load(p.Name); err != nil || got.Name != p.Name {
			t.Errorf("Load(%q): %v", p.Name, err)
		}
	}
	if diff := cmp.Diff([]string{"kai-binder", "kueue-multikueue"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_Errors(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%q): %v; want %q", name, err, want)
		}
	}
	f("kueue-multikeue", "did you mean kueue-multikueue?")
	f("zzz", "shipped are kai-binder, kueue-multikueue")
	f("absent.yaml", "absent.yaml")
	path := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(path, []byte("name: own\nmatch: {kinds: [g/K]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := Load(path); err != nil || p.Name != "own" || p.Path != path {
		t.Errorf("Load(%s) = %+v, %v", path, p, err)
	}
}

const faulty = `name: a b
match: {component: ['('], kinds: [Pod]}
`

const links = `name: p
correlation:
  clusters: [{name: hub}]
  entities:
    - {name: task, kind: q.example/Task, cluster: hubb}
    - {name: task, kind: q.example/Other}
    - {name: run, identifiers: [uuid]}
  links:
    - {from: task, to: rum, by: [{owner: run}]}
    - {from: task, to: run, by: [{on: task, label: x, is: size}, {same: name, owner: run}, {on: pod, path: a}]}
    - {from: run, to: task}
  chain: [run, run]
notifications:
  require:
    - {name: queue}
    - {name: task, entities: [taks]}
  sensitive: [{name: x}]
`

func TestParse_Faults(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		_, err := Parse("p.yaml", []byte(text))
		got := Problems(err)
		if len(got) != len(want) {
			t.Errorf("%d problems, want %d:\n%v", len(got), len(want), err)
			return
		}
		for i, p := range got {
			if !strings.HasPrefix(p.Error(), want[i]) {
				t.Errorf("problem %d is %q; want %q", i, p.Error(), want[i])
			}
		}
	}
	f("name: p\nmach: {}\n", `p.yaml:2:1: unknown key "mach"; did you mean match?`)
	f(faulty, "p.yaml:2:21: match.component[0]: ")
	f("name: a b\nmatch: {kinds: [Pod]}\n",
		`p.yaml:1:7: "a b" cannot be the name of a profile`, `p.yaml:2:17: "Pod" names no kind of an API group`)
	f(links,
		`p.yaml:5:51: there is no cluster "hubb"; did you mean hub?`,
		`p.yaml:6:7: the entity "task" is declared twice`,
		`p.yaml:7:7: the entity "run" has no kind`,
		`p.yaml:7:33: unknown identifier "uuid"`,
		`p.yaml:9:24: there is no entity "rum"; did you mean run?`,
		`p.yaml:9:34: there is no end of this link "run"; did you mean rum?`,
		`p.yaml:10:34: unknown property "size"`,
		`p.yaml:10:66: a way is one of`,
		`p.yaml:10:92: there is no end of this link "pod"`,
		`p.yaml:11:7: the link from "run" to "task" has no way`,
		`p.yaml:12:16: no link joins "run" and "run"`,
		`p.yaml:15:7: nothing tells by what the context "queue" is recognised`,
		`p.yaml:16:31: there is no entity "taks"; did you mean task?`,
		`p.yaml:17:15: a sensitive form of text has no name or no match`)
}

func TestChoose(t *testing.T) {
	all, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	f := func(r Recorded, want, note string) {
		t.Helper()
		p, got := Choose(all, r)
		name := ""
		if p != nil {
			name = p.Name
		}
		if name != want || !strings.Contains(got, note) || (note == "") != (got == "") {
			t.Errorf("Choose(%v) = %q, %q; want %q, %q", r, name, got, want, note)
		}
	}
	f(Recorded{}, "", "")
	f(Recorded{Components: []string{"", "nginx"}, Kinds: []string{"/Pod", "batch/Job"}}, "", "")
	f(Recorded{Components: []string{"kueue manager (cmd/kueue), MultiKueue"}}, "kueue-multikueue", "the component is")
	f(Recorded{Kinds: []string{"scheduling.run.ai/BindRequest", "/Pod"}}, "kai-binder", "objects of kind scheduling.run.ai/BindRequest")
	f(Recorded{Components: []string{"kueue"}, Kinds: []string{"scheduling.run.ai/BindRequest"}}, "", "kai-binder and kueue-multikueue fit")
}

func FuzzParse(f *testing.F) {
	f.Add(links)
	f.Add(faulty)
	f.Add(faultyMilestones)
	for _, name := range []string{"kueue-multikueue", "kai-binder"} {
		text, err := shipped.ReadFile("profiles/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("p.yaml", []byte(text))
		if err == nil && p.Name == "" {
			t.Error("a profile without a name was read")
		}
	})
}
