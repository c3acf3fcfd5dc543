package review

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// ids are the findings that the tests may name.
var ids = []string{"alert-lost", "alert-noisy", "window-too-short"}

const sample = `version: 1
corpus: ./corpus
deployed: v0.17.0
candidate: ../other:main
rules: ['rules/*.yaml', /etc/rules]
interval: 30s
defaults: {expect: must-stay-silent}
scenarios:
  reconnect:
    must-fire: [WorkerUnreachable, 'Watch*']
    must-stay-silent: [g/Orphaned]
    must-clear: []
    expect: none
  empty: {}
severities: {alert-noisy: info, window-too-short: break}
`

// check parses a text. The error holds the file's problems too.
func check(name, text string, ids []string) (*File, error) {
	f, err := parse(name, []byte(text), ids)
	if err == nil && len(f.Problems) > 0 {
		return f, ErrorList(f.Problems)
	}
	return f, err
}

func TestParse(t *testing.T) {
	got, err := parse("dir/s.yaml", []byte(sample), ids)
	if err != nil {
		t.Fatal(err)
	}
	pos := func(line, column int) source.Position {
		return source.Position{File: "dir/s.yaml", Line: line, Column: column}
	}
	want := &File{
		Path: "dir/s.yaml", Corpus: "dir/corpus", Deployed: "v0.17.0", Candidate: "other:main",
		Corpora: []NamedCorpus{{"./corpus", "dir/corpus"}, {"../other", "other"}},
		Rules:   []string{"dir/rules/*.yaml", "/etc/rules"}, Interval: 30 * time.Second, Default: analyzer.MustStaySilent,
		Scenarios: []Scenario{
			{Name: "reconnect", Pos: pos(9, 3), HasDefault: true, Rules: []Expectation{
				{"WorkerUnreachable", analyzer.MustFire, pos(10, 17)},
				{"Watch*", analyzer.MustFire, pos(10, 36)},
				{"g/Orphaned", analyzer.MustStaySilent, pos(11, 24)},
			}},
			{Name: "empty", Pos: pos(14, 3)},
		},
		Severities: map[string]analyzer.Severity{"alert-noisy": analyzer.Info, "window-too-short": analyzer.Break},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parse (-want +got):\n%s", diff)
	}
}

func TestParse_Defaults(t *testing.T) {
	got, err := parse("s.yaml", []byte("version: 1\n"), ids)
	if err != nil {
		t.Fatal(err)
	}
	if got.Deployed != "deployed" || got.Candidate != "candidate" || got.Interval != 0 || got.Default != analyzer.ExpectNone {
		t.Errorf("defaults are %+v", got)
	}
}

func TestParse_Errors(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		_, err := check("s.yaml", text, ids)
		if err == nil {
			t.Errorf("parse(%q) gives no error; want %q", text, want)
			return
		}
		if _, ok := errors.AsType[ErrorList](err); !ok {
			t.Fatalf("parse(%q) gives %T; want an ErrorList", text, err)
		}
		if diff := cmp.Diff(strings.Join(want, "\n"), err.Error()); diff != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", text, diff)
		}
	}
	f("", "s.yaml:1:1: the review file is empty; begin with version: 1")
	f("# nothing\n", "s.yaml:1:1: the review file is empty; begin with version: 1")
	f("version: 1\n---\nversion: 1\n", "s.yaml:2:1: a review file is one document")
	f("version: 1\na: b: c\n", "s.yaml:2:5: invalid YAML: mapping values are not allowed in this context")
	f("- a\n", "s.yaml:1:1: the review file must be a mapping; write key: value")
	f("corpus: x\n", "s.yaml:1:1: the version is missing; begin with version: 1")
	f("version: 2\n", "s.yaml:1:10: unknown version of the review file; write version: 1")
	f("version: 1\ncorpsu: x\nzzzz: 1\ncandidate: [a]\n",
		`s.yaml:2:1: unknown key "corpsu"; did you mean corpus?`,
		`s.yaml:3:1: unknown key "zzzz"; known are version, corpus, deployed, candidate, digests, rules, patterns, interval, defaults, scenarios, severities, suppressions, profile, notifications, capacity, acceptance, manual`,
		"s.yaml:4:12: candidate must be text")
	f("version: 1\ncorpus: x\ncorpus: y\n", `s.yaml:3:1: key "corpus" is given twice, first in line 2`)
	f("version: 1\ndeployed: 1.20\n", "s.yaml:2:11: deployed must be text; put it in quotes")
	f("version: 1\ndeployed: 'x:'\n", "s.yaml:2:11: deployed names no build; write BUILD or DIR:BUILD")
	f("version: 1\ncorpus:\n", "s.yaml:2:8: corpus is empty; give it a value or leave it out")
	f("version: 1\nrules: x\n", "s.yaml:2:8: rules must be a list; write [a, b]")
	f("version: 1\nrules: []\n", "s.yaml:2:8: rules is empty; name rule files, folders or globs, or leave it out")
	f("version: 1\ninterval: 5\n", "s.yaml:2:11: interval must be text; put it in quotes")
	f("version: 1\ninterval: 0s\n", `s.yaml:2:11: interval "0s" is not a duration above zero; write a duration such as 30s or 1m`)
	f("version: 1\ndefaults: {expect: must-fir}\n", `s.yaml:2:20: unknown expectation "must-fir"; did you mean must-fire?`)
	f("version: 1\ndefaults: {expect: yes it must}\n", `s.yaml:2:20: unknown expectation "yes it must"; write none, must-fire, must-stay-silent, must-clear`)
	f("version: 1\nscenarios:\n  a:\n    must-be-silent: [x]\n", `s.yaml:4:5: unknown key "must-be-silent"; did you mean must-stay-silent?`)
	f("version: 1\nscenarios:\n  a:\n", "s.yaml:3:5: a scenario must be a mapping; write key: value")
	f("version: 1\nscenarios:\n  a: {must-fire: [x, y], must-clear: [y, x]}\n",
		`s.yaml:3:39: "y" is given twice in scenario "a", first in line 3; keep one of them`,
		`s.yaml:3:42: "x" is given twice in scenario "a", first in line 3; keep one of them`)
	f("version: 1\nscenarios:\n  a: {must-fire: [x]}\n  a: {}\n", `s.yaml:4:3: key "a" is given twice, first in line 3`)
	f("version: 1\nseverities: {alert-nosy: info, alert-lost: brek, zz: warn}\n",
		`s.yaml:2:14: there is no finding "alert-nosy"; did you mean alert-noisy?`,
		`s.yaml:2:44: unknown severity "brek"; did you mean break?`,
		`s.yaml:2:50: there is no finding "zz"; the findings are listed in docs/findings`)
}

// With anchors a short file can spell very many entries.
func TestParse_AliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("version: 1\nscenarios:\n  s: &s {must-fire: [x")
	for i := range 2000 {
		fmt.Fprintf(&b, ", a%d", i)
	}
	b.WriteString("]}\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "  s%d: *s\n", i)
	}
	_, err := parse("s.yaml", []byte(b.String()), ids)
	if err == nil || !strings.Contains(err.Error(), "the file has more than 100000 entries; split the review") {
		t.Errorf("err = %.200v; want one about too many entries", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "stillfires.yaml")
	if err := os.WriteFile(path, []byte(sample), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "corpus"); f.Corpus != want {
		t.Errorf("Corpus = %q; want %q", f.Corpus, want)
	}
	if _, err := Load(filepath.Join(dir, "no.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load of a file that is not there gives %v", err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("#", maxBytes+1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("Load of a large file gives %v", err)
	}
}

func TestResolve(t *testing.T) {
	set := &rules.Set{Rules: []rules.Rule{
		{Kind: rules.Alert, Name: "WorkerUnreachable", Group: "g"},
		{Kind: rules.Alert, Name: "WatchEnded", Group: "g"},
		{Kind: rules.Alert, Name: "Orphaned", Group: "g"},
		{Kind: rules.Query, Name: "WatchLines"},
		{Kind: rules.Alert, Name: "Other", Group: "h"},
	}}
	file, err := parse("s.yaml", []byte(sample), ids)
	if err != nil {
		t.Fatal(err)
	}
	f := func(file *File, declared []Declared, scenario, want string, notes ...string) {
		t.Helper()
		r := file.Resolve(set, []string{"reconnect", "empty", "third"}, declared)
		if len(r.Problems) > 0 {
			t.Errorf("problems: %v", r.Problems)
		}
		var got []string
		for i := range set.Rules {
			got = append(got, r.Expect(i, scenario).String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("scenario %s: %s; want %s", scenario, strings.Join(got, " "), want)
		}
		if diff := cmp.Diff(notes, r.Notes); diff != "" {
			t.Errorf("notes (-want +got):\n%s", diff)
		}
	}
	f(file, nil, "reconnect", "must-fire must-fire must-stay-silent none none")
	f(file, nil, "empty", "must-stay-silent must-stay-silent must-stay-silent none must-stay-silent")
	f(file, nil, "third", "must-stay-silent must-stay-silent must-stay-silent none must-stay-silent")
	f(nil, nil, "reconnect", "none none none none none")
	f(nil, []Declared{{Scenario: "reconnect", Rule: "Wa*", Expect: analyzer.MustClear}, {Scenario: "reconnect", Rule: "WatchLines", Expect: analyzer.MustFire}}, "reconnect",
		"none must-clear none must-fire none")
	f(file, []Declared{{Scenario: "reconnect", Rule: "Other", Expect: analyzer.MustFire}, {Scenario: "reconnect", Rule: "WatchEnded", Expect: analyzer.MustFire}, {Scenario: "third", Rule: "Other", Expect: analyzer.MustFire}}, "reconnect",
		"must-fire must-fire must-stay-silent none must-fire")
	f(file, []Declared{{Scenario: "reconnect", Rule: "WatchEnded", Expect: analyzer.MustClear}, {Scenario: "reconnect", Rule: "WatchEnded", Expect: analyzer.MustClear}}, "reconnect",
		"must-fire must-fire must-stay-silent none none",
		`scenario "reconnect", rule "WatchEnded": the review file says must-fire and the run was declared must-clear; the review file holds`)
	f(nil, []Declared{{Scenario: "reconnect", Rule: "Other", Expect: analyzer.MustClear}, {Scenario: "reconnect", Rule: "Other", Expect: analyzer.MustFire}}, "reconnect",
		"none none none none must-clear",
		`scenario "reconnect", rule "Other": one run was declared must-clear and another must-fire; the first holds`)
}

func TestResolve_Unmatched(t *testing.T) {
	set := &rules.Set{
		Rules:  []rules.Rule{{Kind: rules.Alert, Name: "Other", Group: "h"}},
		Broken: []rules.Broken{{Kind: rules.Alert, Name: "Bad", Group: "h", Pos: source.Position{File: "r.yaml", Line: 5, Column: 30}}},
	}
	var file *File
	lost := Declared{Scenario: "empty", Rule: "Othr", Expect: analyzer.MustFire}
	bad := Declared{Scenario: "third", Rule: "Bad", Expect: analyzer.MustClear}
	r := file.Resolve(set, []string{"empty", "third"}, []Declared{
		lost, {Scenario: "left out", Rule: "Othr", Expect: analyzer.MustFire}, bad, lost,
		{Scenario: "third", Rule: "Other", Expect: analyzer.MustFire},
	})
	lost.Reason = `no rule is named "Othr"; did you mean Other?`
	bad.Reason = `rule "Bad" is named here, but it is not valid (r.yaml:5:30)`
	if diff := cmp.Diff([]Declared{lost, bad}, r.Unmatched); diff != "" {
		t.Errorf("unmatched (-want +got):\n%s", diff)
	}
	if len(r.Notes)+len(r.Problems) > 0 {
		t.Errorf("notes %q, problems %v; want none", r.Notes, r.Problems)
	}
}

// A name means every rule that has it; group/name means those of the group.
func TestResolve_SameName(t *testing.T) {
	set := &rules.Set{Rules: []rules.Rule{
		{Kind: rules.Alert, Name: "Down", Group: "g", Pos: source.Position{File: "a.yaml", Line: 1}},
		{Kind: rules.Alert, Name: "Down", Group: "h", Pos: source.Position{File: "a.yaml", Line: 9}},
		{Kind: rules.Alert, Name: "Down", Group: "h", Pos: source.Position{File: "b.yaml", Line: 1}},
		{Kind: rules.Query, Name: "Down"},
	}}
	f := func(entries, want string, problems ...string) {
		t.Helper()
		file, err := check("s.yaml", "version: 1\nscenarios:\n  s: {"+entries+"}\n", ids)
		if err != nil {
			t.Fatal(err)
		}
		r := file.Resolve(set, []string{"s"}, nil)
		var got, gotProblems []string
		for i := range set.Rules {
			got = append(got, r.Expect(i, "s").String())
		}
		for _, p := range r.Problems {
			gotProblems = append(gotProblems, p.Error())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s; want %s", entries, strings.Join(got, " "), want)
		}
		if diff := cmp.Diff(problems, gotProblems); diff != "" {
			t.Errorf("%s: problems (-want +got):\n%s", entries, diff)
		}
	}
	f("must-fire: [Down]", "must-fire must-fire must-fire must-fire")
	f("must-fire: [h/Down]", "none must-fire must-fire none")
	f("must-fire: ['*/Down']", "must-fire must-fire must-fire none")
	f("must-fire: [g/Down], must-clear: [h/Down]", "must-fire must-clear must-clear none")
	f("must-fire: [Down], must-clear: [g/Down]", "must-fire must-fire must-fire must-fire",
		`s.yaml:3:39: rule "Down" is under must-clear by "g/Down" and under must-fire by "Down" in line 3; keep one of them`)
}

func TestResolve_Problems(t *testing.T) {
	set := &rules.Set{Rules: []rules.Rule{
		{Kind: rules.Alert, Name: "WatchEnded", Group: "g"},
		{Kind: rules.Alert, Name: "WatchStarted", Group: "g"},
	}, Broken: []rules.Broken{{Kind: rules.Alert, Name: "Bad", Group: "g", Pos: source.Position{File: "r.yaml", Line: 5, Column: 30}}}}
	file, err := parse("s.yaml", []byte(`version: 1
severities: {alert-lots: info}
scenarios:
  reconect: {}
  other:
    must-fire: ['Watch*', Zzz*]
    must-stay-silent: [WatchEnded, WatchStartd, '[', Bad]
    must-claer: [WatchEnded]
`), ids)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range file.Resolve(set, []string{"reconnect", "other"}, nil).Problems {
		got = append(got, p.Error())
	}
	want := []string{
		`s.yaml:2:14: there is no finding "alert-lots"; did you mean alert-lost?`,
		`s.yaml:4:3: no run has the scenario "reconect"; did you mean reconnect?`,
		`s.yaml:6:27: pattern "Zzz*" matches no rule`,
		`s.yaml:7:24: rule "WatchEnded" is under must-stay-silent by "WatchEnded" and under must-fire by "Watch*" in line 6; keep one of them`,
		`s.yaml:7:36: no rule is named "WatchStartd"; did you mean WatchStarted?`,
		`s.yaml:7:49: pattern "[" is not valid; close its brackets`,
		`s.yaml:7:54: rule "Bad" is named here, but it is not valid (r.yaml:5:30)`,
		`s.yaml:8:5: unknown key "must-claer"; did you mean must-clear?`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("version: 1\nscenarios: &a {x: {must-fire: &l [a]}, <<: {y: {must-clear: *l}}}\n"))
	f.Add([]byte("version: 1\nseverities: {zz: 5}\ndefaults: {expect: [}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<13 {
			return
		}
		file, err := parse("s.yaml", text, ids)
		if (file == nil) == (err == nil) {
			t.Fatalf("parse gives %v and %v", file, err)
		}
		var list ErrorList
		if err != nil && (!errors.As(err, &list) || len(list) == 0) {
			t.Fatalf("err = %v; want an ErrorList", err)
		}
		if file != nil {
			list = ErrorList(file.Problems)
		}
		for _, e := range list {
			if e.Pos.Line < 1 || e.Pos.Column < 1 || e.Msg == "" {
				t.Errorf("error without a place or text: %+v", e)
			}
		}
	})
}

func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("z", 4000)
	set := &rules.Set{Rules: []rules.Rule{{Kind: rules.Alert, Name: long, Group: long}}}
	for _, text := range []string{
		long + ": x", "corpus: [" + long + "]", "interval: " + long, "defaults: {expect: " + long + "}", "defaults: {" + long + ": x}",
		"scenarios: {" + long + ": {must-fire: [" + long + ", " + long + "]}}",
		"scenarios: {" + long + ": {must-fire: [" + long + "], must-clear: ['*" + long + "', " + long + "x]}}",
		"scenarios: {" + long + ": {" + long + ": []}}", "severities: {" + long + ": " + long + "}", "severities: {alert-lost: " + long + "}",
	} {
		file, err := check("s.yaml", "version: 1\n"+text+"\n", ids)
		var list ErrorList
		errors.As(err, &list)
		if file != nil {
			r := file.Resolve(set, []string{"s"}, []Declared{{Scenario: long, Rule: long, Expect: analyzer.MustStaySilent}, {Scenario: "s", Rule: long + "x"}})
			list = append(list, r.Problems...)
			for _, n := range r.Notes {
				list = append(list, &source.Error{Msg: n})
			}
			for _, d := range r.Unmatched {
				list = append(list, &source.Error{Msg: d.Reason})
			}
		}
		if len(list) == 0 {
			t.Errorf("no error in %.200q", strings.ReplaceAll(text, long, "z…z"))
		}
		for _, e := range list {
			if n := strings.Count(e.Msg+e.Hint, "z"); n > 300 {
				t.Errorf("%d characters are quoted in %v; want at most 300", n, e)
			}
		}
	}
}
