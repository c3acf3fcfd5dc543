package query

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/syntax"
)

// A question is a compiled query.
type question struct {
	*logql.Query
	bare bool // stages without a selector: every stream is meant
}

// anySelector stands in for the selector that was left out. It is never
// compared with a stream.
const anySelector = `{stream="any"} `

// parse reads LogQL, or stages without a selector such as |= "x" | json.
func parse(text string) (*question, error) {
	begin := strings.TrimLeftFunc(text, unicode.IsSpace)
	if strings.HasPrefix(begin, "|") || strings.HasPrefix(begin, "!") {
		return parseBare(text)
	}
	q, err := logql.ParseAndCompile(text)
	if err != nil {
		return nil, explain(text, err)
	}
	return &question{Query: q}, nil
}

func parseBare(text string) (*question, error) {
	if _, err := syntax.ParsePipeline(text); err != nil {
		return nil, explain(text, err)
	}
	q, err := logql.ParseAndCompile(anySelector + text)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		span := syntax.Span{Start: max(0, bad.Span.Start-len(anySelector)), End: max(0, bad.Span.End-len(anySelector))}
		err = syntax.NewError(bad.Phase, text, span, bad.Msg, bad.Hint)
	}
	if err != nil {
		return nil, explain(text, err)
	}
	return &question{Query: q, bare: true}, nil
}

// explain shows where a query is wrong.
func explain(text string, err error) error {
	bad, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return fmt.Errorf("query: %w", err)
	}
	hint := ""
	if plainWords(text) {
		hint = fmt.Sprintf("\nto find lines that contain a text, write: |= %q", strings.TrimSpace(text))
	}
	return fmt.Errorf("query:%w\n  %s%s", bad, strings.ReplaceAll(bad.Caret(), "\n", "\n  "), hint)
}

// plainWords reports whether a text has nothing of a query about it.
func plainWords(text string) bool {
	return strings.TrimSpace(text) != "" && !strings.ContainsAny(text, "{}()[]|=\"`<>")
}

// ordered reports whether a vector stands in the order of its values: there is
// a sort in the query, which what is done with its result does not undo.
func (q *question) ordered() bool {
	found := false
	syntax.Walk(q.Expr(), func(n syntax.Node) bool {
		agg, ok := n.(*syntax.VectorAgg)
		found = found || ok && (agg.Op == syntax.Sort || agg.Op == syntax.SortDesc)
		return true
	})
	return found
}

// kind returns the resultType of Loki's API.
func (q *question) kind(rangeQuery bool) string {
	switch {
	case rangeQuery:
		return kindMatrix
	case q.IsScalar():
		return kindScalar
	}
	return kindVector
}

// usesTime reports whether a template of the query looks at the time of a
// line.
func (q *question) usesTime() bool {
	found := false
	look := func(template string) {
		found = found || strings.Contains(template, "__timestamp__") || strings.Contains(template, "now")
	}
	syntax.Walk(q.Expr(), func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.LineFormat:
			look(n.Template)
		case *syntax.LabelFormat:
			for _, item := range n.Items {
				look(item.Src)
			}
		}
		return true
	})
	return found
}
