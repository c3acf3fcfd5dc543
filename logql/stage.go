package logql

import "github.com/stillfires/stillfires/logql/syntax"

// A stage is a compiled step of a pipeline. Stages are immutable and serve
// many runs at once; what they need while a line passes stands in the entry.
type stage interface {
	// process changes e and reports whether it stays in the pipeline.
	process(e *entry) bool
}

// A needyStage is a parser that does the same whatever labels are needed, as
// long as the line is well formed.
type needyStage interface {
	stage
	// broken reports whether the line is not well formed.
	broken(e *entry) bool
}

// A pipelineStage is a stage with its text. Stages with equal keys do the
// same, so that pipelines that begin with the same keys share their work.
type pipelineStage struct {
	key   string
	stage stage
	// need is set for a needyStage. Those with equal keys and unequal needs do
	// the same on well formed lines.
	need string
}

// A labelNeed says which labels the rest of a metric query looks at. Loki
// tells its parsers, which skip work; that shows where a line is malformed.
type labelNeed struct {
	all   bool     // no limit: every field is taken
	names []string // otherwise: these only, sorted
	asks  bool     // the query names __error__
}

// none reports whether no label is needed, so that parsers are skipped.
func (n *labelNeed) none() bool { return !n.all && len(n.names) == 0 }

// satisfied reports whether b holds every needed label: then the parser has
// stopped before it met what is wrong with the line.
func (n *labelNeed) satisfied(b *block) bool {
	if n.all {
		return false
	}
	for _, name := range n.names {
		if b.find(newNameRef(name)) < 0 {
			return false
		}
	}
	return true
}

// passStage does nothing: a parser whose fields nobody looks at.
type passStage struct{}

func (passStage) process(*entry) bool { return true }

// compileStage compiles one stage of a pipeline.
func (c *compiler) compileStage(s syntax.Stage, need *labelNeed) (stage, error) {
	switch s := s.(type) {
	case *syntax.LineFilter:
		return c.compileLineFilter(s)
	case *syntax.JSONStage:
		return c.compileJSON(s, need)
	case *syntax.LogfmtStage:
		return c.compileLogfmt(s, need)
	case *syntax.PatternStage:
		return c.compilePattern(s)
	case *syntax.RegexpStage:
		return c.compileRegexp(s)
	case *syntax.UnpackStage:
		return compileUnpack(need), nil
	case *syntax.LabelFilterStage:
		return c.compileLabelFilterStage(s)
	case *syntax.LineFormat:
		return c.compileLineFormat(s)
	case *syntax.LabelFormat:
		return c.compileLabelFormat(s)
	case *syntax.Decolorize:
		return decolorizeStage{}, nil
	case *syntax.DropStage:
		return c.compileDrop(s)
	case *syntax.KeepStage:
		return c.compileKeep(s)
	}
	panic("logql: unknown stage " + s.String())
}
