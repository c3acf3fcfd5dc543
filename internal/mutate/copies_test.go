package mutate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/review"
	"github.com/stillfires/stillfires/internal/shared"
	"github.com/stillfires/stillfires/rules"
)

// remain are the findings that a build may have against itself: they are about
// an expectation or about one side alone.
var remain = []string{
	"alert-never-fired", "alert-noisy", "alert-persists", "alert-not-reproduced", "panic-persists",
	"panic-not-reproduced", "alert-flaky", "match-flaky", "window-too-short",
	"not-evaluated", "uncovered-error", "sensitive-data",
}

// differs reports whether a finding says that the builds differ.
func differs(f *analyzer.Finding) bool {
	return f.Severity >= analyzer.Warn && !slices.Contains(remain, f.ID) && !strings.HasPrefix(f.ID, "lint/")
}

// A recording is one folder of recorded runs.
type recording struct {
	name        string
	folder      string
	description string
	rules       string
	step        time.Duration
}

func recorded(t testing.TB, name string) recording {
	t.Helper()
	folder := shared.Folder(t, "corpora", name)
	return recording{
		name: name, folder: folder, description: "../../corpus/testdata/import/" + name + ".yaml",
		rules: filepath.Join(folder, "rules"), step: 5 * time.Second,
	}
}

// quick returns the scenarios to compare with an expectation: all of them with
// none, and else those that take little time; what rules do is the same.
func (r recording) quick(e analyzer.Expect) []string {
	if e == analyzer.ExpectNone || r.name != "kueue-multikueue" {
		return nil
	}
	return []string{"ordinary-reconnect"}
}

// builds returns the builds of each scenario.
func (r recording) builds(t testing.TB) map[string][]string {
	t.Helper()
	m := map[string][]string{}
	paths, err := filepath.Glob(filepath.Join(r.folder, "*", "*", "manifest.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no runs below %s: %v", r.folder, err)
	}
	for _, p := range paths {
		build := filepath.Dir(p)
		scenario := filepath.Base(filepath.Dir(build))
		m[scenario] = append(m[scenario], filepath.Base(build))
	}
	return m
}

// replace returns text with parts of it replaced. hint begins each candidate, or
// stands back bytes after its beginning; f returns what replaces the candidate
// and how long that is in text, or 0.
func replace(text, hint string, back int, f func(s string) (string, int)) string {
	var b strings.Builder
	done := 0
	for from := 0; ; {
		i := strings.Index(text[from:], hint)
		if i < 0 {
			b.WriteString(text[done:])
			return b.String()
		}
		i += from
		from = i + len(hint)
		start := i - back
		if start < done || start > 0 && isWord(text[start-1]) {
			continue
		}
		if with, n := f(text[start:]); n > 0 {
			b.WriteString(text[done:start])
			b.WriteString(with)
			done, from = start+n, max(from, start+n)
		}
	}
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.' || c == '_'
}

var stampKlog = regexp.MustCompile(`(?m)^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)`)

// shifted moves every time by whole seconds.
func shifted(tr tree, by time.Duration) tree {
	out := tree{}
	for name, text := range tr {
		if strings.HasSuffix(name, ".log") && stampKlog.MatchString(text[:min(len(text), 1000)]) {
			text = stampKlog.ReplaceAllStringFunc(text, func(s string) string {
				at, err := time.Parse("0102 15:04:05", s[1:])
				if err != nil {
					return s
				}
				return s[:1] + at.Add(by).Format("0102 15:04:05")
			})
		}
		text = replace(text, "202", 0, func(s string) (string, int) {
			const n = len("2006-01-02T15:04:05")
			if len(s) < n || s[4] != '-' {
				return "", 0
			}
			layout := "2006-01-02" + s[10:11] + "15:04:05"
			at, err := time.Parse(layout, s[:n])
			if err != nil {
				return "", 0
			}
			return at.Add(by).Format(layout), n
		})
		// Times from 2023 to 2027 in seconds or milliseconds.
		out[name] = replace(text, "17", 0, func(s string) (string, int) {
			n := 0
			for n < len(s) && s[n] >= '0' && s[n] <= '9' {
				n++
			}
			at, err := strconv.ParseInt(s[:n], 10, 64)
			switch {
			case err == nil && n == 10:
				return strconv.FormatInt(at+int64(by.Seconds()), 10), n
			case err == nil && n == 13:
				return strconv.FormatInt(at+by.Milliseconds(), 10), n
			}
			return "", 0
		})
	}
	return out
}

var lineStamp = regexp.MustCompile(`"(?:ts|time)": ?"([^"]+)"|^(\d{4}-\d\d-\d\dT\S+)`)

// stampOf returns the time that a record of a log bears; empty: none.
func stampOf(line string) string {
	m := lineStamp.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// reordered turns records around that follow one another at one time. Lines
// without a time belong to the record before them, and hold it where it is.
func reordered(tr tree) tree {
	out := tree{}
	for name, text := range tr {
		if !strings.Contains(name, ".log") && !strings.HasSuffix(name, "progress.ndjson") {
			out[name] = text
			continue
		}
		lines := strings.SplitAfter(text, "\n")
		for from := 0; from < len(lines); {
			to := from + 1
			at := stampOf(lines[from])
			for at != "" && to < len(lines) && stampOf(lines[to]) == at {
				to++
			}
			if to == len(lines) || to < len(lines) && stampOf(lines[to]) == "" {
				to = max(to-1, from+1) // the last one has lines of its own, or no line end
			}
			slices.Reverse(lines[from:to])
			from = to
		}
		out[name] = strings.Join(lines, "")
	}
	return out
}

// uidForm is the form of a UID.
const uidForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

// isUID reports whether s begins with a UID and nothing that goes on.
func isUID(s string) bool {
	if len(s) < len(uidForm) || len(s) > len(uidForm) && isWord(s[len(uidForm)]) {
		return false
	}
	for i := range len(uidForm) {
		hex := s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'f'
		if hex != (uidForm[i] == 'x') || !hex && s[i] != '-' {
			return false
		}
	}
	return true
}

const hexDigits, otherDigits = "0123456789abcdef", "8d47f0a2c16e953b"

// otherUIDs renames every UID, the same everywhere.
func otherUIDs(tr tree) tree {
	return tr.all(func(text string) string {
		return replace(text, "-", 8, func(s string) (string, int) {
			if !isUID(s) {
				return "", 0
			}
			b := []byte(s[:len(uidForm)])
			for i, c := range b {
				if d := strings.IndexByte(hexDigits, c); d >= 0 {
					b[i] = otherDigits[d]
				}
			}
			return string(b), len(b)
		})
	})
}

// uids returns the UIDs that the run speaks of.
func uids(tr tree) []string {
	seen := map[string]bool{}
	for _, text := range tr {
		replace(text, "-", 8, func(s string) (string, int) {
			if isUID(s) {
				seen[s[:len(uidForm)]] = true
			}
			return "", 0
		})
	}
	return slices.Sorted(maps.Keys(seen))
}

var podName = regexp.MustCompile(`"pod": ?"([^"]+)"`)

// podNames returns the names of the pods that the run speaks of.
func podNames(tr tree) []string {
	var names []string
	for _, text := range tr {
		for _, m := range podName.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// otherName turns the last part of a name into another of the same length.
func otherName(name string) string {
	b := []byte(name)
	for i := strings.LastIndexByte(name, '-') + 1; i < len(b); i++ {
		switch c := b[i]; {
		case c >= 'a' && c <= 'z':
			b[i] = 'a' + (c-'a'+13)%26
		case c >= '0' && c <= '9':
			b[i] = '0' + (c-'0'+5)%10
		}
	}
	return string(b)
}

// otherPods renames every pod, the same everywhere. Names that hold the pod's
// name and say more are renamed with it.
func otherPods(tr tree) tree {
	names := podNames(tr)
	if len(names) == 0 {
		return tr
	}
	// A name that holds another comes first.
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, n := range names {
		pairs = append(pairs, n, otherName(n))
	}
	with := strings.NewReplacer(pairs...)
	return tr.all(with.Replace)
}

// copies are the copies that differ in nothing that matters.
var copies = []struct {
	name string
	make func(tree) tree
	// renamed returns the names that a rule must not know to be asked.
	renamed func(tree) []string
}{
	// Later than what shipped profiles were written: there, what was an
	// observation of the deployed run is an assertion.
	{"shifted", func(tr tree) tree { return shifted(tr, 27*time.Hour) }, nil},
	// Rules are evaluated at other moments of their interval.
	{"out of step", func(tr tree) tree { return shifted(tr, 3637*time.Second) }, nil},
	{"reordered", reordered, nil},
	{"pods", otherPods, podNames},
	{"uids", otherUIDs, uids},
}

// copied imports the copies of a build in each scenario, as builds named for
// them. It returns the corpus, and what was renamed in each.
func copied(t *testing.T, r recording, build string, scenarios []string) (string, map[string][]string) {
	t.Helper()
	root := t.TempDir()
	names, differ := map[string][]string{}, map[string]bool{}
	for _, scenario := range scenarios {
		tr := readTree(t, filepath.Join(r.folder, scenario, build))
		for _, c := range copies {
			changed := c.make(tr)
			differ[c.name] = differ[c.name] || !changed.same(tr)
			changed.write(t, filepath.Join(root, scenario, c.name))
			if c.renamed != nil {
				names[c.name] = append(names[c.name], c.renamed(tr)...)
			}
		}
	}
	for _, c := range copies {
		if !differ[c.name] {
			t.Errorf("the copy %s is no other", c.name)
		}
	}
	return importRuns(t, r.description, root), names
}

func (tr tree) same(other tree) bool {
	for name, text := range tr {
		if other[name] != text {
			return false
		}
	}
	return len(tr) == len(other)
}

// without writes the rules that name none of names to a folder of its own.
func (r recording) without(t *testing.T, names []string) string {
	t.Helper()
	if len(names) == 0 {
		return r.rules
	}
	set, err := rules.Load([]string{r.rules}, rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, rule := range set.Rules {
		for _, n := range names {
			left[rule.Name] = left[rule.Name] || strings.Contains(rule.Expr, n)
		}
	}
	dir := t.TempDir()
	paths, err := filepath.Glob(filepath.Join(r.rules, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(p)), []byte(leaveOut(string(text), left)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var ruleStart = regexp.MustCompile(`(?m)^ +- (?:alert|name): (\S+)$`)

// leaveOut cuts rules out of a rule file by name.
func leaveOut(text string, left map[string]bool) string {
	at := ruleStart.FindAllStringSubmatchIndex(text, -1)
	for i := range slices.Backward(at) {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if left[text[at[i][2]:at[i][3]]] {
			text = text[:at[i][0]] + text[end:]
		}
	}
	return text
}

// expecting returns a review file by which every alert is expected to do one
// thing.
func expecting(t testing.TB, e analyzer.Expect) *review.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stillfires.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, "version: 1\ndefaults: {expect: %s}\n", e), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := review.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func run(t testing.TB, o compare.Options) *analyzer.Report {
	t.Helper()
	rep, err := compare.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range rep.Problems {
		t.Error(p)
	}
	// Who accepts one finding must accept no other.
	first := map[string]*analyzer.Finding{}
	for i := range rep.Findings {
		f := &rep.Findings[i]
		if other := first[f.Fingerprint]; other != nil {
			t.Errorf("one fingerprint:\n%s\n%s", tell(other), tell(f))
		}
		first[f.Fingerprint] = f
	}
	return rep
}

// tell names a finding in a line.
func tell(f *analyzer.Finding) string {
	about := f.Subject
	if f.Rule != nil {
		about = strings.Trim(f.Rule.Name+" "+f.Subject, " ")
	}
	return fmt.Sprintf("%s %s %q in %q: %s", f.Severity, f.ID, about, f.Scenario, f.Message)
}

// noDifference fails for each finding that says the builds differ.
func noDifference(t *testing.T, rep *analyzer.Report) {
	t.Helper()
	for i := range rep.Findings {
		if f := &rep.Findings[i]; differs(f) {
			t.Error(tell(f))
		}
	}
}
