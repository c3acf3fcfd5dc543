package corpus

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseDescription(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := ParseDescription("d.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseDescription(%q) gave %v; want %q in it", text, err, want)
		}
	}
	const logs = "\nlogs:\n- {files: a, labels: {a: b}}\n"
	f("version: 2"+logs, "d.yaml:1:10: version is 2")
	f("version: 1", "d.yaml: names no logs")
	f("version: 1\nignore: [a, \"[\"]"+logs, `d.yaml:2:13: ignore: pattern "["`)
	f("version: 1\nrun: /x"+logs, `d.yaml:2:6: run: pattern "/x"`)
	f("version: 1\nlogz: []", `d.yaml:2:1: unknown key "logz"; did you mean logs?`)
	f("version: 1\nlogs:\n- {files: a}", "d.yaml:3:3: logs[0]: gives no labels")
	f("version: 1\nlogs:\n- {labels: {a: b}}", "d.yaml:3:3: logs[0]: give either files or epochs")
	f("version: 1\nlogs:\n- {files: ../a, labels: {a: b}}", `pattern "../a"`)
	f("version: 1\nlogs:\n- {files: \"{a\", labels: {a: b}}", "{ without }")
	f("version: 1\nlogs:\n- {files: \"{a}{a}\", labels: {a: b}}", "{a} is no name, or is there twice")
	f("version: 1\nlogs:\n- {files: \"a[b\", labels: {a: b}}", "[ without ]")
	f("version: 1\nlogs:\n- {files: a, labels: {a-b: b}}", `label name "a-b"`)
	f("version: 1\nlogs:\n- {files: a, order: size, labels: {a: b}}", `order "size"`)
	f("version: 1\ntime: {format: jsno}"+logs, `format "jsno" is not known`)
	f("version: 1\ntime: {timezone: Mars/North}"+logs, `timezone "Mars/North"`)
	f("version: 1\ntime: {timezone: Local}"+logs, `timezone "Local" differs from machine to machine`)
	f("version: 1\ntime: {format: none}"+logs, "go together")
	f("version: 1\nscenario: {fromFile: {file: m, start: a}}"+logs, "d.yaml:2:22: fromFile: start and end")
	f("version: 1\ntime: {year: 20}"+logs, "year 20")
	f("version: 1\nfiles: [{files: x, as: video}]"+logs, `as "video"`)
}

func TestPattern(t *testing.T) {
	f := func(text, name, want string) {
		t.Helper()
		p, err := compilePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		got := "no"
		if m := p.match(name); m != nil {
			got = ""
			for _, k := range sortedKeys(m) {
				got += k + "=" + m[k] + " "
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s on %s = %s; want %s", text, name, got, want)
		}
	}
	f("manager-{cluster}.stderr.log[.gz]", "manager-worker.stderr.log.gz", "cluster=worker")
	f("manager-{cluster}.stderr.log[.gz]", "manager-worker.stderr.log", "cluster=worker")
	f("manager-{cluster}.stderr.log[.gz]", "x/manager-worker.stderr.log", "no")
	f("{scenario}/{build}", "a/b", "build=b scenario=a")
	f("{scenario}/{build}", "a/b/c", "no")
	f("{a}-{b}", "x-y-z", "a=x b=y-z")
	f("**/x", "x", "")
	f("**/x", "a/b/x", "")
	f("a/**", "a/b/c", "")
	f("a/**", "b/c", "no")
	f("*.log", "a.log", "")
	f("*.log", "a/b.log", "no")
	f("a?c", "abc", "")
	f("ä.*", "ä.x", "")
	f("a.c", "abc", "no")
}

func TestNaturalCompare(t *testing.T) {
	names := []string{"p-10", "p-9", "p-1", "p-01x", "q-1", "p", "p-2.gz"}
	slices.SortFunc(names, naturalCompare)
	if diff := cmp.Diff([]string{"p", "p-1", "p-01x", "p-2.gz", "p-9", "p-10", "q-1"}, names); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func FuzzParseDescription(f *testing.F) {
	f.Add(oneLog)
	f.Add(twoRuns)
	f.Add("version: 1\nlogs: [{files: \"**/{a}[.gz]\", labels: {a: \"{a}\"}}]")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDescription("d.yaml", []byte(text))
		if err != nil && d != nil {
			t.Error("a description and an error")
		}
		if p, err := compilePattern(text); err == nil {
			p.match("a/b/c.log")
		}
	})
}
