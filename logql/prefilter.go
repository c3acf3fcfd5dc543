package logql

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	logqlsyntax "github.com/stillfires/stillfires/logql/syntax"

	"github.com/stillfires/stillfires/internal/logs"
)

// A Prefilter finds, in a block of text, the lines that a query may keep. It
// may find more than the query keeps, never less, and looks at bytes alone: no
// line is parsed and no time is read. It is immutable.
type Prefilter struct {
	finders []finder // a line is found if it holds one of the texts
	// exact says that the query keeps just the lines that are found, or with
	// negative set just the others.
	exact, negative bool
}

// Prefilter returns what can be told of the lines that q keeps of streams with
// the given labels, or nil when any line may be kept. It holds for log queries
// on entries without structured metadata, whose line is the raw text.
func (q *Query) Prefilter(streams []logs.Labels) *Prefilter {
	p := q.prefilter(streams)
	if p != nil && p.negative {
		return nil // it finds the lines that the query does not keep
	}
	return p
}

func (q *Query) prefilter(streams []logs.Labels) *Prefilter {
	query, ok := q.expr.(*logqlsyntax.LogQuery)
	if !ok {
		return nil
	}
	var best requirement
	var by parsers // what stands before the stage in hand
	for i, s := range query.Stages {
		var r requirement
		switch s := s.(type) {
		case *logqlsyntax.LineFilter:
			r = lineRequirement(s)
			if p := exactFilter(s); p != nil && i == 0 && len(query.Stages) == 1 {
				return p
			}
		case *logqlsyntax.JSONStage:
			by.json = true
			// What a path yields may be an object, and is not looked for.
			by.opaque = by.opaque || len(s.Extractions) > 0
		case *logqlsyntax.LogfmtStage:
			by.logfmt = true
			by.opaque = by.opaque || len(s.Extractions) > 0
		case *logqlsyntax.LabelFilterStage:
			if (by.json || by.logfmt) && !by.opaque {
				r = by.labelRequirement(s.Filter, streams)
			}
		case *logqlsyntax.DropStage, *logqlsyntax.KeepStage, *logqlsyntax.Decolorize,
			*logqlsyntax.PatternStage, *logqlsyntax.RegexpStage, *logqlsyntax.UnpackStage,
			*logqlsyntax.LineFormat, *logqlsyntax.LabelFormat:
			// What follows may look at something else than the raw line.
			return best.prefilter()
		}
		if r.better(&best) {
			best = r
		}
	}
	return best.prefilter()
}

// A requirement is a list of texts of which a line must hold at least one. A
// field's value may be written with escapes, so the line may hold one of
// escapes in their place.
type requirement struct {
	texts   [][]byte // none: nothing is required
	escapes [][]byte
}

// escapedCost is how much longer a text must be to make up for the lines with
// an escape.
const escapedCost = 4

func (r *requirement) better(other *requirement) bool {
	return r.strength() > other.strength()
}

// strength is higher the fewer lines are likely to meet the requirement.
func (r *requirement) strength() int {
	if len(r.texts) == 0 {
		return -escapedCost - maxRequired
	}
	n := 4*shortest(r.texts) - len(r.texts)
	if len(r.escapes) > 0 {
		n -= 4 * escapedCost
	}
	return n
}

func (r *requirement) prefilter() *Prefilter {
	if len(r.texts) == 0 || len(r.texts)+len(r.escapes) > maxRequired || shortest(r.texts) == 0 {
		return nil
	}
	p := &Prefilter{}
	for _, text := range slices.Concat(r.texts, r.escapes) {
		p.finders = append(p.finders, newFinder(text))
	}
	return p
}

// or is what a line must hold that meets a or b.
func (r requirement) or(other requirement) requirement {
	if len(r.texts) == 0 || len(other.texts) == 0 {
		return requirement{}
	}
	escapes := r.escapes
	for _, e := range other.escapes {
		if !slices.ContainsFunc(escapes, func(have []byte) bool { return bytes.Equal(have, e) }) {
			escapes = append(slices.Clip(escapes), e)
		}
	}
	return requirement{slices.Concat(r.texts, other.texts), escapes}
}

func lineRequirement(f *logqlsyntax.LineFilter) requirement {
	var all requirement
	for i, o := range f.Operands {
		var r requirement
		switch {
		case o.IP:
		case f.Op == logqlsyntax.LineContains && o.Value != "":
			r.texts = [][]byte{[]byte(o.Value)}
		case f.Op == logqlsyntax.LineMatches:
			r.texts = requiredByPattern(o.Value)
		}
		if i == 0 {
			all = r
		} else {
			all = all.or(r)
		}
	}
	return all
}

func requiredByPattern(pattern string) [][]byte {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	return requiredTexts(tree)
}

// parsers are the parsers from which a label may come.
type parsers struct {
	json, logfmt bool
	opaque       bool // one gives labels that tell nothing of the line
}

// labelRequirement returns what the raw line holds where a parsed field passes
// the filter. A label that a stream has itself tells nothing of the line.
func (by parsers) labelRequirement(f logqlsyntax.LabelFilter, streams []logs.Labels) requirement {
	switch f := f.(type) {
	case *logqlsyntax.LabelBinary:
		l, r := by.labelRequirement(f.LHS, streams), by.labelRequirement(f.RHS, streams)
		switch {
		case f.Or:
			return l.or(r)
		case l.better(&r):
			return l
		}
		return r
	case *logqlsyntax.LabelString:
		return by.matcherRequirement(f.Matcher, streams)
	default:
		return requirement{}
	}
}

func (by parsers) matcherRequirement(m *logqlsyntax.Matcher, streams []logs.Labels) requirement {
	if strings.HasPrefix(m.Name, "__") {
		return requirement{} // __error__ and its kind are not in the line
	}
	for _, ls := range streams {
		if _, ok := ls.Lookup(m.Name); ok {
			return requirement{}
		}
	}
	var r requirement
	switch m.Op {
	case logqlsyntax.MatchEqual:
		if m.Value != "" && !strings.ContainsRune(m.Value, utf8.RuneError) && utf8.ValidString(m.Value) {
			r = by.written(m.Name, m.Value)
		}
	case logqlsyntax.MatchRegexp:
		if r.texts = requiredByPattern(m.Value); r.texts != nil {
			r.escapes = [][]byte{{'\\'}}
		}
	case logqlsyntax.MatchNotEqual, logqlsyntax.MatchNotRegexp:
	}
	return r
}

// exactFilter returns a prefilter that decides as the filter does, if its
// operands are texts.
func exactFilter(f *logqlsyntax.LineFilter) *Prefilter {
	if f.Op != logqlsyntax.LineContains && f.Op != logqlsyntax.LineNotContains || len(f.Operands) > maxRequired {
		return nil
	}
	p := &Prefilter{exact: true, negative: f.Op == logqlsyntax.LineNotContains}
	for _, o := range f.Operands {
		if o.IP || o.Value == "" || strings.Contains(o.Value, "\n") {
			return nil
		}
		p.finders = append(p.finders, newFinder([]byte(o.Value)))
	}
	return p
}

// written returns how a parser's field with the given value can stand in a
// line.
func (by parsers) written(name, value string) (r requirement) {
	if by.json {
		text := strconv.Quote(value)
		if text != `"`+value+`"` || bareInJSON(value) {
			text = value
		}
		r.texts = append(r.texts, []byte(text))
		r.escapes = append(r.escapes, jsonEscape(name, value))
	}
	if by.logfmt {
		// Other characters of a key become "_", so a name that has one may be
		// written in several ways.
		if strings.Contains(name, "_") {
			r.texts = append(r.texts, []byte(value))
			r.escapes = append(r.escapes, []byte{'\\'})
		} else {
			// Keys are not escaped, and only a value in quotes is.
			r.texts = append(r.texts, []byte(name+"="+value))
			r.escapes = append(r.escapes, []byte(name+`="`))
		}
	}
	return r
}

// jsonEscape returns what a JSON line holds where a key or value is written
// with escapes. Letters and digits can only be written as \u and four digits;
// other characters have escapes of their own.
func jsonEscape(name, value string) []byte {
	for _, c := range name + value {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(" _-.:,;()=", c) {
			return []byte{'\\'}
		}
	}
	// The characters of a key that a name writes as "_" may be any.
	if strings.Contains(name, "_") {
		return []byte{'\\'}
	}
	return []byte(`\u`)
}

// bareInJSON reports whether a value may stand in JSON without quotes.
func bareInJSON(value string) bool {
	return value == "true" || value == "false" || strings.ContainsAny(value[:1], "-0123456789")
}
