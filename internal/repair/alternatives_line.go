package repair

import (
	"slices"
	"strings"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
)

// leastText is the shortest text, in bytes, that a line is told by.
const leastText = 6

// lineFilter returns other texts for a line filter: beside what is looked for,
// the same part of the new wording.
func (p *place) lineFilter(f *syntax.LineFilter) []alternative {
	switch f.Op {
	case syntax.LineContains, syntax.LineMatches, syntax.LinePattern:
	default:
		p.missing = "the lines of candidate hold what " + f.String() + " excludes"
		return nil
	}
	var out []alternative
	for _, o := range f.Operands {
		if o.IP || !p.matchesKnown(f, o) {
			continue
		}
		members := p.otherMember(f.Op, o.Value)
		for _, alt := range members {
			out = append(out, alternative{text: p.orText(f, o, alt.text), kind: alt.kind})
		}
		if len(members) == 0 {
			for _, text := range p.newTexts(f.Op, o.Value) {
				out = append(out, alternative{text: p.orText(f, o, text), kind: p.textKind()})
			}
		}
		out = append(out, p.patterns(f, o)...)
		if f.Op == syntax.LineContains && len(f.Operands) == 1 {
			out = append(out, p.callerText(f, o)...)
		}
	}
	if len(out) == 0 {
		p.missing = "no line of candidate says the same without " + f.String()
	}
	return out
}

func (p *place) textKind() string {
	if p.sameMessage() {
		return KindField
	}
	return KindWording
}

// matchesKnown reports whether an operand is what let the line of the deployed
// build pass.
func (p *place) matchesKnown(f *syntax.LineFilter, o syntax.LineOperand) bool {
	line := p.knownLabels(p.pair()).line
	switch f.Op {
	case syntax.LineContains:
		return strings.Contains(line, o.Value)
	case syntax.LineMatches:
		re, err := regexp.Compile("(?s)" + o.Value)
		return err == nil && re.MatchString(line)
	}
	return true
}

// newTexts returns the parts of the target's text that stand for a text of a
// line filter: as long as that was, and all that is constant.
func (p *place) newTexts(op syntax.LineFilterOp, wanted string) []string {
	var out []string
	add := func(text string) {
		// In the line quotes and control characters may be escapes.
		text = longestPlain(text)
		if len(text) >= leastText && strings.Contains(p.before.line, text) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	start, end := span(p.said, wanted, op)
	if start >= end && op == syntax.LineContains {
		start, end = span(p.said, unescaped(wanted), op)
	}
	if start < end && len(constant(wordsOf(p.said[start:end]))) == 0 {
		return nil // a number or a name has no successor in words
	}
	if start < end {
		add(aligned(p.said, start, end, p.says))
		words := wordsOf(p.says)
		add(withoutNames(p.says, words, 0, len(words)))
		return out
	}
	if op == syntax.LineContains {
		return p.newMember(wanted)
	}
	return nil
}

// unescaped returns a text as it was before JSON escaped its quotes and
// backslashes.
func unescaped(text string) string {
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(text)
}

// newMember returns the part of the target's line that stands for a member of a
// JSON object that a filter looks for as it is written: "msg":"Watch ended.
func (p *place) newMember(wanted string) []string {
	_, value, ok := strings.Cut(wanted, `":"`)
	if !ok || p.field == "" {
		return nil
	}
	open := strings.TrimSuffix(value, `"`)
	start, end := span(p.said, open, syntax.LineContains)
	part := aligned(p.said, start, end, p.says)
	if start > 0 || len(part) < leastText || !strings.HasPrefix(p.says, part) {
		return nil
	}
	part = `"` + p.field + `":"` + part
	if open != value && strings.Contains(p.before.line, part+`"`) {
		part += `"`
	}
	if !strings.Contains(p.before.line, part) {
		return nil
	}
	return []string{part}
}

// span returns which part of a text a filter's text is about; nothing where the
// filter is about something else in the line.
func span(said, wanted string, op syntax.LineFilterOp) (start, end int) {
	if op == syntax.LineMatches {
		if re, err := regexp.Compile(wanted); err == nil {
			if at := re.FindStringIndex(said); at != nil {
				return at[0], at[1]
			}
		}
		return 0, 0
	}
	if op == syntax.LinePattern {
		longest := ""
		for _, part := range capture.Split(wanted, -1) {
			if part = strings.TrimSpace(part); len(part) > len(longest) {
				longest = part
			}
		}
		wanted = longest
	}
	if i := strings.Index(said, wanted); i >= 0 && wanted != "" {
		return i, i + len(wanted)
	}
	return 0, 0
}

// capture is a part of a pattern that may be anything.
var capture = regexp.MustCompile(`<[A-Za-z_][A-Za-z0-9_]*>`)

// longestPlain returns the longest part of a text without quotes, backslashes
// and control characters.
func longestPlain(text string) string {
	best := ""
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		if part = strings.TrimSpace(part); len(part) > len(best) {
			best = part
		}
	}
	return best
}

// patterns returns the filter with another level, or with a regexp of which a
// literal part is that of the target's text.
func (p *place) patterns(f *syntax.LineFilter, o syntax.LineOperand) []alternative {
	if f.Op == syntax.LinePattern {
		return nil
	}
	var out []alternative
	add := func(text, kind string) {
		alt := alternative{text: p.orText(f, o, text), kind: kind}
		if f.Op == syntax.LineMatches {
			alt.text = p.orPattern(f, o, text)
		}
		out = append(out, alt)
	}
	for _, text := range p.otherLevel(f.Op, o.Value) {
		add(text, KindLevel)
	}
	if f.Op != syntax.LineMatches {
		return out
	}
	was, is := levelIn(p.pair().Line), levelIn(p.Line)
	for _, pattern := range append([]string{o.Value}, rewrittenLevel(f.Op, o.Value, was, is)...) {
		for _, part := range literalParts(pattern) {
			start, end := span(p.said, part, syntax.LineContains)
			if start >= end {
				continue
			}
			if other := longestPlain(aligned(p.said, start, end, p.says)); len(other) >= leastText {
				if text := strings.Replace(pattern, part, regexp.QuoteMeta(other), 1); p.holds(f.Op, text) {
					add(text, p.textKind())
				}
			}
		}
	}
	return out
}

// literalParts returns the parts of a regexp of several words that stand for
// themselves, but for one that is all of it.
func literalParts(pattern string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(pattern, func(r rune) bool { return strings.ContainsRune(`\.+*?()|[]{}^$`, r) }) {
		if part = strings.TrimSpace(part); len(constant(wordsOf(part))) > 1 && part != pattern {
			out = append(out, part)
		}
	}
	return out
}

// orPattern returns the filter with a regexp added to its operand o.
func (p *place) orPattern(f *syntax.LineFilter, o syntax.LineOperand, pattern string) string {
	source := p.source(f)
	return source[:o.Span().Start-f.Span().Start] + literal(p.source(o), o.Value+"|"+pattern) + source[o.Span().End-f.Span().Start:]
}

// orText returns the line filter with a text added to its operand o.
func (p *place) orText(f *syntax.LineFilter, o syntax.LineOperand, text string) string {
	source := p.source(f)
	like := p.source(o)
	end := o.Span().End - f.Span().Start
	switch f.Op {
	case syntax.LineMatches:
		start := o.Span().Start - f.Span().Start
		return source[:start] + literal(like, o.Value+"|"+regexp.QuoteMeta(text)) + source[end:]
	case syntax.LinePattern:
		return source[:end] + " or " + literal(like, "<_>"+text+"<_>") + source[end:]
	}
	return source[:end] + " or " + literal(like, text) + source[end:]
}

// fileLine is a place in source code as loggers write it.
var fileLine = regexp.MustCompile(`^(.*[A-Za-z_]\.[a-z]{1,4}):(\d+)$`)

// callerText drops the line number of a caller that a filter looks for, and
// asks for the message instead.
func (p *place) callerText(f *syntax.LineFilter, o syntax.LineOperand) []alternative {
	m := fileLine.FindStringSubmatch(strings.Trim(o.Value, `"`))
	if m == nil || !strings.Contains(p.before.line, m[1]+":") {
		return nil
	}
	like := p.source(o)
	short := f.Op.String() + " " + literal(like, m[1]+":")
	out := []alternative{{text: short, kind: KindCaller}}
	if text := p.constantMessage(); text != "" {
		out = append(out, alternative{text: short + " |= " + literal(like, text), kind: KindCaller})
	}
	return out
}

// constantMessage returns the constant part of the message of the target, if
// the line of the deployed build has it too.
func (p *place) constantMessage() string {
	says := p.spoken()
	words := wordsOf(says)
	text := longestPlain(withoutNames(says, words, 0, len(words)))
	if len(text) < leastText || !strings.Contains(p.Line, text) || !strings.Contains(p.pair().Line, text) {
		return ""
	}
	return text
}
