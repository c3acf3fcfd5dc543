package logql

import (
	"errors"

	"github.com/stillfires/stillfires/logql/syntax"
)

// ErrUnsupported is wrapped by errors for queries that are valid LogQL but
// whose answer this engine cannot give exactly. The text says
// "unsupported: …" and what is meant.
var ErrUnsupported = errors.New("unsupported")

// A Query is a compiled query. It is immutable and may be used by many sets
// at once.
type Query struct {
	expr      syntax.Expr
	root      plan
	plans     []*pipelinePlan
	pipelines []Pipeline
}

// ParseAndCompile parses and compiles a query. Errors are [*syntax.Error]
// with a place in text.
func ParseAndCompile(text string) (*Query, error) {
	expr, err := syntax.Parse(text)
	if err != nil {
		return nil, err
	}
	return compileText(text, expr)
}

// Expr returns the tree that the query was compiled from.
func (q *Query) Expr() syntax.Expr { return q.expr }

// String returns the query as LogQL.
func (q *Query) String() string { return q.expr.String() }

// IsLog reports whether the query yields log lines; otherwise it yields
// samples.
func (q *Query) IsLog() bool {
	_, ok := q.expr.(*syntax.LogQuery)
	return ok
}

// IsScalar reports whether the query is a number, such as "1 + 2". Its vectors
// hold one sample without labels.
func (q *Query) IsScalar() bool {
	n, ok := q.root.(*numberPlan)
	return ok && !n.vector
}

// Pipelines returns the log pipelines of the query in the order in which they
// stand in its text: one for a log query, one a range aggregation for a
// metric query, none for "vector(1)". Callers must not change the result.
func (q *Query) Pipelines() []Pipeline { return q.pipelines }

// A Pipeline is a stream selector and the stages that its lines pass.
type Pipeline struct {
	Selector *syntax.Selector
	Steps    []Step // the selector first, then each stage, unwrap and its filters included
}

// A Step is one element of a pipeline as it stands in the query.
type Step struct {
	Text string      // as printed by syntax, for a stage with its leading "|"
	Span syntax.Span // in the query text
}

// A StageCount says what is left of a pipeline's input after one [Step].
type StageCount struct {
	Lines   int64 // lines left
	Errors  int64 // of these, lines that carry __error__
	Streams int   // of the first step: streams selected; else 0
}
