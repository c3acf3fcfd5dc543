package repair

import (
	"slices"
	"strings"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
)

// labelStage returns other texts for a stage that filters by labels.
func (p *place) labelStage(stage *syntax.LabelFilterStage) []alternative {
	known := p.knownLabels(p.pair())
	var out []alternative
	head := p.rule.Expr[stage.Span().Start:stage.Filter.Span().Start]
	tail := p.rule.Expr[stage.Filter.Span().End:stage.Span().End]
	for _, alt := range p.filter(stage.Filter, known) {
		text := head + alt.text + tail
		if alt.then != "" {
			text += " " + alt.then
		}
		out = append(out, alternative{text: text, kind: alt.kind})
	}
	if s, ok := stage.Filter.(*syntax.LabelString); ok {
		out = append(out, p.labelFormat(stage, s.Matcher, known)...)
		out = append(out, p.plainText(s.Matcher)...)
		out = append(out, p.levelInLine(s.Matcher)...)
	}
	return out
}

// passes reports whether the target passes a filter at this place.
func (p *place) passes(filter string) bool {
	return p.pass(join(p.pieces[:p.at])+" | "+filter, &p.Evidence).passed
}

// filter returns other texts for a filter that the target does not pass.
func (p *place) filter(f syntax.LabelFilter, known passage) []alternative {
	switch f := f.(type) {
	case *syntax.LabelBinary:
		return p.binary(f, known)
	case *syntax.LabelString:
		return p.matcher(f.Matcher, known)
	case *syntax.LabelNumber, *syntax.LabelDuration, *syntax.LabelBytes:
		return p.measure(f, known)
	}
	p.missing = "no line of candidate passes " + f.String()
	return nil
}

// binary mends the sides that the target does not pass: both of "and", one of
// "or".
func (p *place) binary(f *syntax.LabelBinary, known passage) []alternative {
	left, right := p.passes(p.source(f.LHS)), p.passes(p.source(f.RHS))
	var out []alternative
	put := func(side syntax.LabelFilter, alt alternative) alternative {
		text := p.source(f)
		if alt.either && !f.Or {
			alt.text = "(" + alt.text + ")"
		}
		start, end := side.Span().Start-f.Span().Start, side.Span().End-f.Span().Start
		return alternative{text: text[:start] + alt.text + text[end:], kind: alt.kind, then: alt.then}
	}
	switch {
	case f.Or || !left && right:
		for _, alt := range p.filter(f.LHS, known) {
			out = append(out, put(f.LHS, alt))
		}
		if !f.Or {
			return out
		}
		fallthrough
	case left && !right:
		for _, alt := range p.filter(f.RHS, known) {
			out = append(out, put(f.RHS, alt))
		}
		return out
	}
	for _, a := range p.filter(f.LHS, known) {
		for _, b := range p.filter(f.RHS, known) {
			// The right side first: what stands before it stays in place.
			both := put(f.RHS, b)
			start, end := f.LHS.Span().Start-f.Span().Start, f.LHS.Span().End-f.Span().Start
			if a.either {
				a.text = "(" + a.text + ")"
			}
			out = append(out, alternative{text: both.text[:start] + a.text + both.text[end:], kind: a.kind, then: a.then + b.then})
		}
	}
	return out
}

// matcher returns other texts for a comparison with a string.
func (p *place) matcher(m *syntax.Matcher, known passage) []alternative {
	was, is := known.labels.Get(m.Name), p.before.labels.Get(m.Name)
	var out []alternative
	switch m.Op {
	case syntax.MatchEqual, syntax.MatchRegexp:
		if was == "" && m.Name == "__error__" {
			p.missing = "a parser of the query fails on the candidate's lines: they are in another encoding"
			return nil
		}
		if was == "" {
			p.missing = "the lines of candidate have the field " + m.Name
			return nil
		}
		out = p.otherValue(m, was, is)
		out = append(out, p.otherField(m, known)...)
		out = append(out, p.otherText(m, was, known)...)
	case syntax.MatchNotEqual, syntax.MatchNotRegexp:
		if is != "" && m.Name == "__error__" {
			p.missing = "a parser of the query fails on the candidate's lines: they are in another encoding"
			return nil
		}
		if is != "" {
			p.missing = "the lines of candidate hold what " + m.String() + " excludes"
			return nil
		}
		out = p.otherIdentifier(m, was, known)
	}
	if len(out) == 0 {
		p.missing = p.nothingFor(m, was)
	}
	return out
}

// nothingFor says what a line of the candidate lacks that a comparison needs.
func (p *place) nothingFor(m *syntax.Matcher, was string) string {
	said := "the field " + m.Name + " is gone: no field of the candidate's lines that say the same holds "
	if p.before.labels.Get(m.Name) != "" {
		said = "no field of the candidate's lines that say the same holds "
	}
	if m.Op == syntax.MatchNotEqual || m.Op == syntax.MatchNotRegexp {
		return said + "such a value (deployed: " + quoted(was) + ")"
	}
	return said + quoted(m.Value)
}

// otherValue returns texts that accept another value of the same field.
func (p *place) otherValue(m *syntax.Matcher, was, is string) []alternative {
	if is == "" {
		return nil
	}
	like := p.rule.Expr[m.ValuePos.Start:m.ValuePos.End]
	with := func(pattern, kind string) alternative {
		return alternative{text: m.Name + "=~" + literal(like, pattern), kind: kind}
	}
	if caller := fileLine.FindStringSubmatch(is); caller != nil && fileLine.MatchString(was) {
		if !strings.HasPrefix(was, caller[1]+":") {
			return []alternative{with(p.both(m, was, is), KindValue)}
		}
		return p.caller(m, caller[1], with)
	}
	switch {
	case isLevel(m.Name):
		if !p.sameMessage() && !p.isNew() {
			return nil
		}
		return append([]alternative{with(p.both(m, was, is), KindLevel)}, p.levelOfMessage(m, is)...)
	case len(constant(wordsOf(was))) > 1:
		known := p.aligned && was == p.said && is == p.says
		if likeness, shared := likeness(was, is); !known &&
			(likeness < leastLikeness || shared == 0 || opposed(was, is) || p.written.deployed[key(is)] && key(is) != key(was)) {
			return nil
		}
		return []alternative{with(p.both(m, was, is), KindWording)}
	}
	if isName(is) {
		return nil // another name is another thing
	}
	return []alternative{with(p.both(m, was, is), KindValue)}
}

// isName reports whether a value is a name or a number alone.
func isName(value string) bool { return len(constant(wordsOf(value))) == 0 }

// levelOfMessage returns texts that accept another level of one message only:
// others of that level may be none of the rule's business.
func (p *place) levelOfMessage(m *syntax.Matcher, is string) []alternative {
	like := p.rule.Expr[m.ValuePos.Start:m.ValuePos.End]
	for _, f := range p.fields {
		if f.value != p.says || f.label == "" || f.label == m.Name || p.before.labels.Get(f.label) != p.says {
			continue
		}
		says := f.label + "=" + literal(like, p.says)
		if varies(p.says) {
			says = f.label + "=~" + literal(like, regexpOf(p.says))
		}
		return []alternative{{
			text: p.source(m) + " or (" + m.Name + "=" + literal(like, is) + " and " + says + ")", kind: KindLevel, either: true,
		}}
	}
	return nil
}

// leastLikeness is how much of two texts must agree for one to stand for the
// other, see [likeness].
const leastLikeness = 0.3

// isNew reports whether the deployed build never wrote what the target says.
func (p *place) isNew() bool { return !p.written.deployed[key(p.says)] }

func isLevel(name string) bool {
	switch strings.ToLower(name) {
	case "level", "lvl", "severity", "detected_level", "loglevel", "log_level":
		return true
	}
	return false
}

// both returns a regexp that accepts what a comparison accepts and a new value.
func (p *place) both(m *syntax.Matcher, was, is string) string {
	if m.Op == syntax.MatchRegexp {
		return m.Value + "|" + p.likeRegexp(m.Value, was, is)
	}
	if varies(is) && varies(was) && strings.ContainsRune(is, ' ') {
		return regexp.QuoteMeta(m.Value) + "|" + regexpOf(is)
	}
	return either(m.Value, is)
}

func varies(text string) bool {
	return slices.ContainsFunc(wordsOf(text), func(w word) bool { return w.varies })
}

// likeRegexp returns a regexp for a new text that leaves as much open as the
// regexp did for the text it was written for.
func (p *place) likeRegexp(pattern, was, is string) string {
	if !strings.ContainsRune(is, ' ') {
		return regexp.QuoteMeta(is)
	}
	open := strings.HasSuffix(pattern, ".*") || strings.HasSuffix(pattern, ".+")
	begin := strings.HasPrefix(pattern, ".*") || strings.HasPrefix(pattern, ".+")
	plain := strings.TrimSuffix(strings.TrimSuffix(pattern, ".*"), ".+")
	plain = strings.TrimPrefix(strings.TrimPrefix(plain, ".*"), ".+")
	if !open && !begin || regexp.QuoteMeta(plain) != plain {
		return regexpOf(is)
	}
	i := strings.Index(was, strings.TrimSpace(plain))
	if i < 0 {
		return regexpOf(is)
	}
	part := aligned(was, i, i+len(strings.TrimSpace(plain)), is)
	if part == "" {
		return regexpOf(is)
	}
	out := regexp.QuoteMeta(part)
	if at := strings.Index(is, part); open && at >= 0 && at+len(part) < len(is) || open && at == 0 {
		if rest := is[at+len(part):]; strings.HasPrefix(rest, " ") && strings.HasSuffix(plain, " ") {
			out += " "
		}
		out += ".*"
	}
	if begin || !strings.HasPrefix(is, part) {
		out = ".*" + out
	}
	return out
}

// caller drops the line number of a caller; where others call from that file
// too, the message tells them apart.
func (p *place) caller(m *syntax.Matcher, file string, with func(pattern, kind string) alternative) []alternative {
	anyLine := with(regexp.QuoteMeta(file)+":.*", KindCaller)
	out := []alternative{anyLine}
	says := p.spoken()
	for _, f := range p.fields {
		if f.value != says || f.label == "" || f.label == m.Name {
			continue
		}
		like := p.rule.Expr[m.ValuePos.Start:m.ValuePos.End]
		then := anyLine
		then.then = "| " + f.label + "=" + literal(like, says)
		if varies(says) {
			then.then = "| " + f.label + "=~" + literal(like, regexpOf(says))
		}
		out = append(out, then)
	}
	return out
}

// otherField returns texts that accept the same value in another field.
func (p *place) otherField(m *syntax.Matcher, known passage) []alternative {
	if matchesAnything(m) {
		return nil
	}
	var out []alternative
	for _, l := range p.before.labels {
		if l.Name == m.Name || strings.HasPrefix(l.Name, "__") || known.labels.Get(l.Name) == l.Value {
			continue
		}
		other := l.Name + strings.TrimPrefix(p.source(m), m.Name)
		if p.passes(other) {
			out = append(out, alternative{text: p.source(m) + " or " + other, kind: KindField, either: true})
		}
	}
	return out
}

func matchesAnything(m *syntax.Matcher) bool {
	return m.Op == syntax.MatchRegexp && strings.Trim(m.Value, ".*+()?^$") == ""
}

// otherText returns texts that accept what the target says, in the field in
// which it says it.
func (p *place) otherText(m *syntax.Matcher, was string, known passage) []alternative {
	if len(constant(wordsOf(was))) < 2 || key(was) != key(p.said) || p.sameMessage() {
		return nil
	}
	name := p.field
	if name == "" || name == m.Name || p.before.labels.Get(name) != p.says {
		return nil
	}
	like := p.rule.Expr[m.ValuePos.Start:m.ValuePos.End]
	other := name + "=" + literal(like, p.says)
	if m.Op == syntax.MatchRegexp || varies(p.says) {
		other = name + "=~" + literal(like, p.likeRegexp(m.Value, was, p.says))
	}
	return []alternative{{text: p.source(m) + " or " + other, kind: KindWording, either: true}}
}

// otherIdentifier returns texts that ask for another field in place of one that
// only had to be there. What only has to be there proves nothing by itself, so
// the other field must hold a value that deployed had under the first name, or
// bear the same last name and hold a value of the same form.
func (p *place) otherIdentifier(m *syntax.Matcher, was string, known passage) []alternative {
	var out []alternative
	for _, l := range p.before.labels {
		if l.Name == m.Name || l.Value == "" || strings.HasPrefix(l.Name, "__") || known.labels.Get(l.Name) != "" {
			continue
		}
		if l.Value != was && !(lastName(l.Name) == lastName(m.Name) && form(l.Value) == form(was)) {
			continue
		}
		other := l.Name + strings.TrimPrefix(p.source(m), m.Name)
		out = append(out, alternative{text: p.source(m) + " or " + other, kind: KindField, either: true})
	}
	return out
}

// lastName returns the last part of a flattened name: uid of object_uid.
func lastName(name string) string {
	return strings.ToLower(name[strings.LastIndexByte(name, '_')+1:])
}

// form returns a value with its digits and letters masked, runs kept short.
func form(value string) string {
	var b strings.Builder
	last := rune(-1)
	for _, r := range value {
		switch {
		case r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			r = 'x'
		}
		if r != 'x' || last != 'x' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// measure returns texts for a comparison with a number whose field has another
// name on the candidate: the only one that deployed lacks and that passes.
func (p *place) measure(f syntax.LabelFilter, known passage) []alternative {
	source := p.source(f)
	name := source[:strings.IndexFunc(source+" ", func(r rune) bool { return !isLetter(byte(min(r, 0x80))) })]
	if p.before.labels.Get(name) != "" {
		p.missing = "no line of candidate passes " + f.String()
		return nil
	}
	var out []alternative
	for _, l := range p.before.labels {
		if strings.HasPrefix(l.Name, "__") || known.labels.Get(l.Name) != "" {
			continue
		}
		other := l.Name + strings.TrimPrefix(source, name)
		if p.passes(other + ` and __error__=""`) {
			out = append(out, alternative{text: source + " or " + other, kind: KindField, either: true})
		}
	}
	if len(out) != 1 {
		p.missing = "the field " + name + " is gone: no field of the candidate's lines that say the same holds such a number"
		return nil
	}
	return out
}

// labelFormat gives the field its former name, where the query uses the name
// elsewhere too.
func (p *place) labelFormat(stage *syntax.LabelFilterStage, m *syntax.Matcher, known passage) []alternative {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(m.Name) + `\b`)
	if len(word.FindAllString(p.rule.Expr, 2)) < 2 || p.before.labels.Get(m.Name) != "" || m.Op != syntax.MatchEqual && m.Op != syntax.MatchRegexp || matchesAnything(m) {
		return nil
	}
	var out []alternative
	for _, l := range p.before.labels {
		if strings.HasPrefix(l.Name, "__") || known.labels.Get(l.Name) == l.Value || !p.passes(l.Name+strings.TrimPrefix(p.source(m), m.Name)) {
			continue
		}
		text := "| label_format " + m.Name + "=`{{if ." + m.Name + "}}{{." + m.Name + "}}{{else}}{{." + l.Name + "}}{{end}}` " + p.source(stage)
		out = append(out, alternative{text: text, kind: KindField})
	}
	return out
}

// plainText looks for a text in the line in place of the field that held it,
// where the line has no such field any more, as when its encoding changed.
func (p *place) plainText(m *syntax.Matcher) []alternative {
	if p.before.labels.Get(m.Name) != "" || m.Op != syntax.MatchEqual && m.Op != syntax.MatchRegexp {
		return nil
	}
	words := wordsOf(p.says)
	text := longestPlain(withoutNames(p.says, words, 0, len(words)))
	if plain := strings.TrimSpace(strings.TrimSuffix(m.Value, ".*")); m.Op == syntax.MatchRegexp && regexp.QuoteMeta(plain) == plain {
		text = longestPlain(plain) // what varies after it may be a name
	}
	pair := p.pair()
	if len(constant(words)) < 2 || len(text) < leastText || !p.sameMessage() ||
		!strings.Contains(p.before.line, text) || !strings.Contains(pair.Line, text) || key(p.knownLabels(pair).labels.Get(m.Name)) != key(p.said) {
		return nil
	}
	return []alternative{{text: "|= " + literal(p.rule.Expr[m.ValuePos.Start:m.ValuePos.End], text), kind: KindText}}
}
