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

// layers says what each package may import of this module, by folder. A
// folder stands for the folders below it too, unless they have a line of
// their own. ARCHITECTURE.md explains the order.
var layers = []struct {
	folder string
	may    []string
}{
	{"internal/source", nil},
	{"internal/logs", nil},
	{"internal/panics", nil},
	{"internal/outcome", []string{"internal/logs"}},
	{"logql/syntax", nil},
	{"logql/logqltest", []string{"logql", "logql/syntax", "internal/logs"}},
	{"logql", []string{"logql/syntax", "internal/logs"}},
	{"corpus", []string{"corpus", "internal/source", "internal/logs"}},
	{"rules", []string{"internal/source", "logql/syntax"}},
	{"replay", []string{"rules", "logql", "logql/syntax", "internal/logs", "internal/outcome"}},
	{"analyzer/report", []string{"analyzer", "rules", "internal/outcome", "internal/logs", "internal/source"}},
	{"analyzer", []string{"rules", "logql/syntax", "internal/outcome", "internal/logs", "internal/source"}},
	{"internal/review", []string{"rules", "analyzer", "internal/source"}},
	{"internal/compare", []string{"corpus", "rules", "replay", "analyzer", "internal/review", "internal/outcome", "internal/source", "internal/logs"}},
	{"cmd", []string{""}},
	{"tools", []string{""}},
	{"", nil}, // this folder
}

// pure packages neither read nor write nor ask the time.
var pure = []string{"analyzer", "internal/outcome", "logql/syntax", "logql"}

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
	seen := map[string]bool{}
	goFiles(t, func(file, folder string, imports []string) {
		i := slices.IndexFunc(layers, func(l struct {
			folder string
			may    []string
		}) bool {
			return under(folder, l.folder) && (l.folder != "" || folder == "")
		})
		if i < 0 {
			t.Errorf("%s: folder %s has no line in the import table", file, folder)
			return
		}
		layer := layers[i]
		seen[layer.folder] = true
		for _, imported := range imports {
			rel, inModule := strings.CutPrefix(imported, module+"/")
			if !inModule || under(rel, layer.folder) && layer.folder != "" && !strings.HasSuffix(file, "_test.go") && rel == folder {
				continue
			}
			ok := slices.ContainsFunc(layer.may, func(may string) bool {
				return may == "" || rel == may
			})
			if !ok && !under(rel, layer.folder) && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s imports %s; %s may import %v", file, rel, layer.folder, layer.may)
			}
		}
	})
	for _, l := range layers {
		if !seen[l.folder] && l.folder != "internal/panics" {
			t.Errorf("the import table has a line for %q, which holds no Go file", l.folder)
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
