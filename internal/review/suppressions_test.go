package review

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/source"
)

const (
	printA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	printB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	printC = "cccccccccccccccccccccccccccccccc"
	rest   = ", reason: r, owner: o, expires: 2027-01-31}\n"
)

func TestParse_Suppressions(t *testing.T) {
	got, err := check("s.yaml", "version: 1\nsuppressions:\n- fingerprint: "+printA+"\n  id: alert-lost\n  scenario: drill\n"+
		"  reason: it is planned\n  owner: sre\n  expires: 2027-01-31\n", ids)
	if err != nil {
		t.Fatal(err)
	}
	want := []analyzer.Suppression{{
		Fingerprint: printA, ID: "alert-lost", Scenario: "drill", Reason: "it is planned", Owner: "sre",
		Expires: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC), Pos: source.Position{File: "s.yaml", Line: 3, Column: 3},
	}}
	if diff := cmp.Diff(want, got.Suppressions); diff != "" {
		t.Errorf("suppressions (-want +got):\n%s", diff)
	}
}

func TestParse_SuppressionErrors(t *testing.T) {
	f := func(text string, kept int, want ...string) {
		t.Helper()
		file, err := check("s.yaml", "version: 1\nsuppressions:\n"+text, ids)
		if err == nil || file == nil {
			t.Fatalf("parse(%q) gives %v, %v; want a file with problems", text, file, err)
		}
		if diff := cmp.Diff(strings.Join(want, "\n"), err.Error()); diff != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", text, diff)
		}
		if len(file.Suppressions) != kept {
			t.Errorf("parse(%q) keeps %d entries; want %d", text, len(file.Suppressions), kept)
		}
	}
	f("- {fingerprint: "+printA+rest+"- {fingerprint: "+printB+", reason: r, ownr: o, expires: 2027-01-31}\n", 1,
		`s.yaml:4:62: unknown key "ownr"; did you mean owner?`)
	f("- {fingerprint: "+printA+", reason: r, expires: 2027-01-31}\n", 0,
		"s.yaml:3:3: a suppression lacks owner; say who answers for it")
	f("- {fingerprint: "+printA+"}\n", 0, "s.yaml:3:3: a suppression lacks reason; say why the finding is accepted",
		"s.yaml:3:3: a suppression lacks owner; say who answers for it",
		"s.yaml:3:3: a suppression lacks expires; write the last day on which it holds, such as 2027-01-31")
	f("- {fingerprint: abc"+rest, 0,
		"s.yaml:3:17: a fingerprint is 32 digits from 0 to 9 and a to f; copy it from the JSON or Markdown report")
	f("- {fingerprint: 12345678901234567890123456789012"+rest, 0, "s.yaml:3:17: fingerprint must be text; put it in quotes")
	f("- {fingerprint: "+printA+", reason: r, owner: o, expires: 2027-02-30}\n", 0,
		`s.yaml:3:81: expires "2027-02-30" is no date; write the last day on which it holds, such as 2027-01-31`)
	f("- {fingerprint: "+printA+", id: alert-lots, reason: r, owner: o, expires: 2027-01-31}\n", 0,
		`s.yaml:3:55: there is no finding "alert-lots"; did you mean alert-lost?`)
	f("- {fingerprint: "+printA+rest+"- {fingerprint: "+printA+rest, 1,
		"s.yaml:4:3: fingerprint "+printA+" is given twice, first in s.yaml:3:3; keep one of them")
	f("- x\n", 0, "s.yaml:3:3: a suppression must be a mapping; write key: value")
	f("  a: b\n", 0, "s.yaml:3:3: suppressions must be a list; write [a, b]")
}

func TestLoadSuppressions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	entry := func(print string) string { return "- {fingerprint: " + print + rest }
	named := write("named.yaml", "version: 1\nsuppressions:\n"+entry(printA))
	more := write("more.yaml", "version: 1\nsuppressions:\n"+entry(printB)+entry(printA)+"- {fingerprint: x"+rest)
	f := func(file *File, paths []string, prints string, problems ...string) {
		t.Helper()
		got, err := LoadSuppressions(file, paths...)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, s := range got.Accepted {
			have = append(have, s.Fingerprint[:1])
		}
		if s := strings.Join(have, ""); s != prints {
			t.Errorf("accepted %q; want %q", s, prints)
		}
		var msgs []string
		for _, p := range got.Problems {
			msgs = append(msgs, strings.ReplaceAll(p.Error(), dir+"/", ""))
		}
		if diff := cmp.Diff(problems, msgs); diff != "" {
			t.Errorf("problems (-want +got):\n%s", diff)
		}
	}
	const short = "more.yaml:5:17: a fingerprint is 32 digits from 0 to 9 and a to f; copy it from the JSON or Markdown report"
	f(nil, nil, "")
	f(&File{SuppressionFile: named}, nil, "a")
	f(nil, []string{named, named, filepath.Join(dir, ".", "named.yaml")}, "a")
	f(nil, []string{more}, "ba", short)
	f(&File{SuppressionFile: named}, []string{more}, "ab", short,
		"more.yaml:4:3: fingerprint "+printA+" is given twice, first in named.yaml:3:3; keep one of them")
	f(&File{Suppressions: []analyzer.Suppression{{Fingerprint: printC}}}, []string{named}, "ca")

	for _, bad := range []string{"", "version: 2\n", "suppressions: []\n", "version: 1\nmore: 1\n", "{", "version: 1\n---\nversion: 1\n"} {
		if got, err := LoadSuppressions(nil, write("bad.yaml", bad)); err == nil {
			t.Errorf("%q gives %+v; want an error", bad, got)
		}
	}
	if _, err := LoadSuppressions(nil, filepath.Join(dir, "none.yaml")); err == nil {
		t.Error("a file that does not exist gives no error")
	}
}
