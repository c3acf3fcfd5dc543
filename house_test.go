// Package stillfires_test holds the rules of the house that no compiler
// checks: which package may import which, and what must never be imported.
package stillfires_test

import (
	"bufio"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/stillfires/stillfires"

// layers says what each package may import of this module, by folder; "all"
// is anything. Tests may import what they like. ARCHITECTURE.md explains the
// order.
var layers = []struct{ folder, may string }{
	{"internal/source", ""},
	{"internal/suggest", ""},
	{"internal/prose", ""},
	{"internal/logs", ""},
	{"internal/logs/recordtime", ""},
	{"internal/facts", ""},
	{"internal/outcome", "internal/facts internal/logs"},
	{"internal/panics", ""},
	{"internal/messages", "internal/logs internal/logs/recordtime internal/outcome"},
	{"internal/contrary", ""},
	{"internal/align", "internal/contrary internal/facts internal/logs internal/messages internal/outcome"},
	{"internal/profile", "internal/facts internal/source internal/strictyaml internal/suggest internal/yamlpos"},
	{"internal/correlate", "internal/facts internal/logs internal/messages internal/outcome internal/profile"},
	{"internal/cases", "internal/facts internal/outcome internal/profile internal/prose"},
	{"internal/timeline", "internal/facts internal/logs internal/outcome internal/profile internal/prose"},
	{"internal/execution", "internal/prose internal/facts internal/outcome internal/profile internal/timeline"},
	{"internal/acceptance", "internal/execution internal/outcome internal/profile internal/source internal/timeline internal/prose"},
	{"internal/confound", "internal/facts internal/logs internal/outcome internal/profile internal/timeline internal/prose"},
	{"internal/capacity", "internal/execution internal/facts internal/outcome internal/profile internal/timeline internal/prose"},
	{"internal/repair", "analyzer rules logql logql/syntax internal/align internal/contrary internal/logs internal/messages internal/outcome internal/source"},
	{"internal/metrics", ""},
	{"internal/strictyaml", "internal/source internal/suggest internal/yamlpos"},
	{"internal/yamlpos", "internal/source"},
	{"internal/demo", ""},
	{"internal/feed", "internal/logs"},
	{"internal/shared", ""},

	{"logql/syntax", ""},
	{"logql", "logql/syntax internal/logs"},
	{"logql/logqltest", "logql logql/syntax internal/logs"},
	{"logql/logqltest/cmd/conformance", "logql/logqltest"},
	{"logql/logqltest/loggen", ""},
	{"logql/logqltest/cmd/loggen", "logql/logqltest/loggen"},

	{"corpus", "internal/source internal/logs internal/metrics internal/facts internal/profile internal/logs/recordtime internal/strictyaml internal/suggest"},
	{"rules", "logql/syntax internal/source internal/suggest internal/yamlpos"},
	{"replay", "internal/correlate internal/facts internal/feed internal/messages internal/panics internal/profile rules logql logql/syntax internal/source internal/logs internal/metrics internal/outcome"},
	{"analyzer", "rules logql/syntax internal/acceptance internal/align internal/capacity internal/confound internal/execution internal/cases internal/contrary internal/correlate internal/facts internal/outcome internal/panics internal/profile internal/logs internal/messages internal/source internal/suggest internal/timeline internal/prose"},
	{"analyzer/report", "analyzer rules internal/acceptance internal/align internal/capacity internal/confound internal/execution internal/cases internal/correlate internal/facts internal/outcome internal/profile internal/logs internal/messages internal/source internal/panics internal/timeline"},
	{"internal/review", "rules analyzer internal/cases internal/profile internal/source internal/strictyaml internal/suggest internal/yamlpos"},
	{"internal/compare", "corpus rules replay analyzer internal/align internal/cases internal/correlate internal/facts internal/profile internal/repair internal/review internal/outcome internal/source internal/suggest internal/logs internal/timeline"},
	{"internal/query", "internal/feed corpus logql logql/syntax internal/logs internal/suggest"},
	{"cmd/stillfires", "all"},
	{"tools/acceptance", "all"},
}

// pure packages neither read nor write nor ask the time.
var pure = []string{
	"analyzer", "internal/align", "internal/cases", "internal/contrary", "internal/correlate", "internal/acceptance", "internal/capacity", "internal/confound", "internal/execution", "internal/facts", "internal/messages",
	"internal/outcome", "internal/panics", "internal/repair", "internal/timeline", "logql/syntax", "logql",
}

var impure = []string{"os", "net", "net/http", "os/exec", "syscall"}

// goFiles calls f for each Go file of the module with its folder and imports.
func goFiles(t *testing.T, f func(file, folder string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imported)
		}
		folder := path.Dir(filepath.ToSlash(p))
		if folder == "." {
			folder = ""
		}
		f(filepath.ToSlash(p), folder, imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func under(folder, parent string) bool {
	return parent == "" || folder == parent || strings.HasPrefix(folder, parent+"/")
}

func TestImportTable(t *testing.T) {
	may := map[string]string{}
	for _, l := range layers {
		may[l.folder] = l.may
	}
	seen := map[string]bool{}
	goFiles(t, func(file, folder string, imports []string) {
		if folder == "" || strings.HasSuffix(file, "_test.go") {
			return
		}
		seen[folder] = true
		allowed, ok := may[folder]
		if !ok {
			t.Errorf("%s: folder %s has no line in the import table", file, folder)
			return
		}
		for _, imported := range imports {
			rel, inModule := strings.CutPrefix(imported, module+"/")
			if inModule && allowed != "all" && !slices.Contains(strings.Fields(allowed), rel) {
				t.Errorf("%s imports %s; %s may import: %s", file, rel, folder, allowed)
			}
		}
	})
	for _, l := range layers {
		if !seen[l.folder] {
			t.Errorf("the import table has a line for %s, which holds no Go file", l.folder)
		}
	}
}

func TestPurePackages(t *testing.T) {
	goFiles(t, func(file, folder string, imports []string) {
		if strings.HasSuffix(file, "_test.go") || !slices.Contains(pure, folder) {
			return
		}
		for _, imported := range imports {
			if slices.Contains(impure, imported) {
				t.Errorf("%s imports %s; %s does no I/O", file, imported, folder)
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "time.Now(") {
			t.Errorf("%s asks the time; %s has no clock", file, folder)
		}
	})
}

// The LogQL of this project is its own: the projects below are AGPL-3.0.
func TestNoAGPL(t *testing.T) {
	banned := []string{"github.com/grafana/loki", "github.com/grafana/grafana", "github.com/grafana/mimir", "github.com/grafana/tempo"}
	for _, name := range []string{"go.mod", "go.sum", "tools/lint/go.mod", "tools/lint/go.sum"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			for _, b := range banned {
				for field := range strings.FieldsSeq(lines.Text()) {
					if field == b || strings.HasPrefix(field, b+"/") {
						t.Errorf("%s names %s", name, field)
					}
				}
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	goFiles(t, func(file, _ string, imports []string) {
		for _, imported := range imports {
			for _, b := range banned {
				if under(imported, b) {
					t.Errorf("%s imports %s", file, imported)
				}
			}
		}
	})
}

// topLevel is what the repository shows first.
var topLevel = []string{
	".ci", ".git", ".gitignore", ".golangci.yml",
	"ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md",
	"analyzer", "bin", "cmd", "corpus", "docs", "go.mod", "go.sum", "house_test.go",
	"internal", "logql", "replay", "rules", "tools",
}

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(topLevel, e.Name()) && e.Name() != "bench.txt" {
			t.Errorf("%s is new at the top level; add it to the list with a reason or move it", e.Name())
		}
	}
}
