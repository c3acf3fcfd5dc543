package logqltest

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/syntax"
)

var update = flag.Bool("update", false, "write docs/logql-support.md anew")

const supportFile = "../../docs/logql-support.md"

var (
	rowCounts = regexp.MustCompile(`(?m)^(\|.*\| (?:supported|differs|rejected)) \| [0-9–]+ \| [0-9–]+ \|`)
	allCounts = regexp.MustCompile(`(?m)^[0-9]+ of ([0-9]+) recorded cases .*$`)
)

// plain leaves the counts out of the page.
func plain(page string) string {
	return allCounts.ReplaceAllString(rowCounts.ReplaceAllString(page, "$1 |"), "")
}

// The page must be what the engine says today. The counts are compared where
// the cases are that it was written from.
func TestSupport_Page(t *testing.T) {
	have, err := os.ReadFile(supportFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain(string(have)), plain(Support(&Tally{}))); diff != "" && !*update {
		t.Errorf("%s is not up to date; run make golden (-have +want):\n%s", supportFile, diff)
	}
	cases, corpora := load(t)
	tally := Count(cases, corpora)
	want := Support(tally)
	if *update {
		if err := os.WriteFile(supportFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if m := allCounts.FindStringSubmatch(string(have)); m == nil || m[1] != fmt.Sprint(tally.Cases) {
		t.Skipf("counts not compared: the page was written from other cases than the %d here", tally.Cases)
	}
	if diff := cmp.Diff(string(have), want); diff != "" {
		t.Errorf("%s is not up to date; run make golden (-have +want):\n%s", supportFile, diff)
	}
}

// Each example must use the construct that it stands for.
func TestConstructs_Examples(t *testing.T) {
	names := make(map[string]bool)
	for _, g := range Constructs() {
		for i := range g.Constructs {
			c := &g.Constructs[i]
			if key := g.Title + c.Name; names[key] {
				t.Errorf("%s: %s stands twice", g.Title, c.Name)
			} else {
				names[key] = true
			}
			e, err := syntax.Parse(c.Example)
			if c.Feature == "" {
				continue
			}
			if err != nil {
				t.Errorf("%s: example %s: %v", c.Name, c.Example, err)
			} else if !Features(e)[c.Feature] {
				t.Errorf("%s: the example %s lacks %q; it has %v", c.Name, c.Example, c.Feature, Features(e))
			}
		}
	}
}

// Everything that the engine knows must stand in the table: node types,
// operators, functions of templates.
func TestConstructs_Complete(t *testing.T) {
	listed, shown := make(map[string]bool), make(map[string]bool)
	for _, g := range Constructs() {
		for i := range g.Constructs {
			listed[g.Constructs[i].Feature] = true
			if e, err := syntax.Parse(g.Constructs[i].Example); err == nil {
				for f := range Features(e) {
					shown[f] = true
				}
			}
		}
	}
	for _, name := range nodeTypes(t) {
		if !shown["node "+name] {
			t.Errorf("no construct has an example with a %s", name)
		}
	}
	need := func(kind string, names []string) {
		t.Helper()
		if len(names) < 3 {
			t.Fatalf("only %d names of kind %q", len(names), kind)
		}
		for _, name := range names {
			if !listed[kind+" "+name] {
				t.Errorf("%s %s has no construct", kind, name)
			}
		}
	}
	need("matcher", ops[syntax.MatchOp]())
	need("label filter", ops[syntax.MatchOp]())
	need("line filter", ops[syntax.LineFilterOp]())
	need("comparison", ops[syntax.CompareOp]())
	need("unwrap", append(ops[syntax.UnwrapConv](), ""))
	need("range", ops[syntax.RangeOp]())
	need("vector", ops[syntax.VectorOp]())
	need("binary", ops[syntax.BinaryOp]())
	need("template", logql.TemplateFunctions())
}

// nodeTypes returns the types of the tree that hold a place, as its source
// declares them.
func nodeTypes(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../syntax/ast.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				if id, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 && id.Name == "at" {
					names = append(names, spec.Name.Name)
				}
			}
		}
		return true
	})
	if len(names) < 30 {
		t.Fatalf("found only %d node types", len(names))
	}
	return names
}

// A construct is rejected only where the table says so: in the last group.
func TestConstructs_States(t *testing.T) {
	groups := Constructs()
	for i, g := range groups {
		for j := range g.Constructs {
			state, message := g.Constructs[j].State()
			if rejected := state == StateRejected; rejected != (i == len(groups)-1) {
				t.Errorf("%s: %s is %s: %s", g.Title, g.Constructs[j].Name, state, message)
			}
		}
	}
}

func TestFeatures_Template(t *testing.T) {
	e, err := syntax.Parse("{app=\"x\"} | line_format `{{ if contains \"a\" .b }}{{ .c | ToUpper | trunc 3 }}{{ end }}{{ template }`")
	if err != nil {
		t.Fatal(err)
	}
	if f := Features(e); f["template if"] {
		t.Errorf("a template that does not parse has features %v", f)
	}
	e, err = syntax.Parse("{app=\"x\"} | line_format `{{ if contains \"a\" .b }}{{ .c | ToUpper | trunc 3 }}{{ end }}`")
	if err != nil {
		t.Fatal(err)
	}
	f := Features(e)
	for want := range strings.FieldsSeq("if contains ToUpper trunc") {
		if !f["template "+want] {
			t.Errorf("the template lacks %q; it has %v", want, f)
		}
	}
}
