package analyzer

import (
	"slices"
	"strings"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// ruleNames is what a LogQL rule names of the lines that it reads.
type ruleNames struct {
	labels   map[string]bool // made from fields, outside of its selectors
	paths    map[string]bool // fields as its parsers name them
	literals []string        // texts that its line filters look for
	parses   bool            // it takes lines apart
}

// templateField finds the labels that a template shows, such as {{ .queue }}.
var templateField = regexp.MustCompile(`\.([A-Za-z_][A-Za-z0-9_]*)`)

// namesOf reads a rule; one that is not LogQL, or does not parse, names nothing.
func namesOf(r *rules.Rule) ruleNames {
	n := ruleNames{labels: map[string]bool{}, paths: map[string]bool{}}
	if r.Language != rules.LogQL {
		return n
	}
	expr, err := syntax.Parse(r.Expr)
	if err != nil {
		return n
	}
	syntax.Walk(expr, func(node syntax.Node) bool {
		if _, ok := node.(*syntax.Selector); ok {
			return false // labels of streams are no fields
		}
		n.node(node)
		return true
	})
	for _, texts := range []map[string]string{r.Labels, r.Annotations} {
		for _, text := range texts {
			for _, l := range templateLabels(text) {
				n.labels[l] = true
			}
		}
	}
	return n
}

func (n *ruleNames) node(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.LineFilter:
		for _, o := range node.Operands {
			n.literals = append(n.literals, o.Value)
		}
	case *syntax.JSONStage:
		n.parser(node.Extractions)
	case *syntax.LogfmtStage:
		n.parser(node.Extractions)
	case *syntax.PatternStage, *syntax.RegexpStage, *syntax.UnpackStage:
		n.parses = true
	case *syntax.Matcher:
		n.labels[node.Name] = true
		n.literals = append(n.literals, node.Value)
	case *syntax.LabelNumber:
		n.labels[node.Name] = true
	case *syntax.LabelDuration:
		n.labels[node.Name] = true
	case *syntax.LabelBytes:
		n.labels[node.Name] = true
	case *syntax.LabelIP:
		n.labels[node.Name] = true
	case *syntax.LineFormat:
		n.template(node.Template)
	case *syntax.LabelFormat:
		for _, item := range node.Items {
			if item.Rename {
				n.labels[item.Src] = true
			} else {
				n.template(item.Src)
			}
		}
	case *syntax.KeepStage:
		for _, item := range node.Items {
			n.labels[item.Name] = true
		}
	case *syntax.Unwrap:
		n.labels[node.Label] = true
	case *syntax.Grouping:
		for _, l := range node.Labels {
			n.labels[l] = true
		}
	default:
	}
}

func (n *ruleNames) parser(of []syntax.Extraction) {
	n.parses = true
	for _, e := range of {
		n.paths[e.Path] = true
	}
}

func (n *ruleNames) template(text string) {
	for _, m := range templateField.FindAllStringSubmatch(text, -1) {
		n.labels[m[1]] = true
	}
}

// names reports whether the rule names a field, or one inside of it: as a
// label, as the path of a parser, or in quotes in a text that it looks for.
func (n *ruleNames) names(field string) bool {
	field = strings.TrimSuffix(field, ".*")
	flat := LabelName(field)
	for l := range n.labels {
		if l == flat || strings.HasPrefix(l, flat+"_") {
			return true
		}
	}
	for p := range n.paths {
		if p == field || strings.HasPrefix(p, field+".") || LabelName(p) == flat {
			return true
		}
	}
	quoted := `"` + field[strings.LastIndexByte(field, '.')+1:] + `"`
	return slices.ContainsFunc(n.literals, func(l string) bool { return strings.Contains(strings.ReplaceAll(l, `\`, ""), quoted) })
}

// looksFor reports whether the rule looks for words of a text.
func (n *ruleNames) looksFor(text string) bool {
	return slices.ContainsFunc(n.literals, func(l string) bool {
		return len(l) > 3 && (strings.Contains(text, l) || len(words(l)) > 1 && containsAll(words(text), words(l)))
	})
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(all, w) })
}
