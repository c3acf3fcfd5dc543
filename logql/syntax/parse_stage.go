package syntax

import (
	"fmt"
	"strings"
)

// stage reads what follows a "|" that stood at start, other than unwrap.
func (p *parser) stage(start int) Stage {
	t := p.tok
	keyword := ""
	if t.kind == tWord {
		keyword = strings.ToLower(t.text)
	}
	if reserved[keyword] && comparesLabel(p.peek().kind) {
		p.badLabel("a label name")
		return nil
	}
	switch keyword {
	case "json":
		p.advance()
		list := p.extractions()
		return &JSONStage{p.from(start), list}
	case "logfmt":
		return p.logfmt(start)
	case "pattern":
		return p.patternStage(start)
	case "regexp":
		return p.regexpStage(start)
	case "unpack":
		p.advance()
		return &UnpackStage{p.from(start)}
	case "line_format":
		p.advance()
		s := p.string("a template in quotes after line_format")
		return &LineFormat{p.from(start), s.str, s.pos}
	case "label_format":
		return p.labelFormat(start)
	case "decolorize":
		p.advance()
		return &Decolorize{p.from(start)}
	case "drop":
		items := p.labelItems()
		return &DropStage{p.from(start), items}
	case "keep":
		items := p.labelItems()
		return &KeepStage{p.from(start), items}
	}
	if t.kind != tLParen && !t.label() {
		p.noStage()
		return nil
	}
	f := p.labelFilter()
	return &LabelFilterStage{p.from(start), f}
}

// comparesLabel reports whether a token compares a label and cannot follow
// the keyword of a stage. != and !~ can: they also begin a line filter.
func comparesLabel(k kind) bool {
	switch k {
	case tEq, tEqTilde, tEqEq, tGT, tGTE, tLT, tLTE:
		return true
	}
	return false
}

// noStage refuses a pipe that no stage follows.
func (p *parser) noStage() {
	const want = "a stage or a label filter after |"
	switch p.tok.kind {
	case tEOF, tRParen, tRange:
		p.fail(p.prev.pos, "leave out the pipe or write a stage after it, such as json", "nothing follows this |")
	case tPipe, tPipeEq, tPipeTilde, tPipeGT:
		p.unexpected(want, "write one | before each stage, and none before |= |~ |>")
	case tString:
		p.unexpected(want, `a line filter is written |= "…"`)
	default:
		p.unexpected(want, "")
	}
}

// extractions reads the list of json and logfmt: label="path", label.
func (p *parser) extractions() []Extraction {
	var list []Extraction
	switch p.tok.kind {
	case tWord:
	case tSub:
		p.fail(p.tok.pos, "flags of logfmt are written --strict and --keep-empty", "a parser is not followed by a minus")
		return nil
	case tFlag:
		p.fail(p.tok.pos, "--strict and --keep-empty are for logfmt", "json takes no flags")
		return nil
	default:
		return nil
	}
	for {
		name := p.label("a label name")
		x := Extraction{Label: name.text, Path: name.text, PathPos: name.pos}
		if p.accept(tEq) {
			s := p.string("a path in quotes after =")
			x.Path, x.PathPos = s.str, s.pos
		}
		x.at = p.from(name.pos.Start)
		list = append(list, x)
		if !p.accept(tComma) {
			return list
		}
	}
}

// logfmt reads logfmt [--strict] [--keep-empty] [label="key", …].
func (p *parser) logfmt(start int) Stage {
	s := &LogfmtStage{}
	p.advance()
	for p.tok.kind == tFlag {
		switch p.tok.text {
		case "--strict":
			s.Strict = true
		case "--keep-empty":
			s.KeepEmpty = true
		default:
			p.unexpected("--strict or --keep-empty", "")
		}
		p.advance()
	}
	s.Extractions = p.extractions()
	s.at = p.from(start)
	return s
}

func (p *parser) patternStage(start int) Stage {
	p.advance()
	s := p.string("a pattern in quotes after pattern")
	if problem, hint := checkPattern(s.str); problem != "" {
		p.fail(s.pos, hint, "the pattern %s", problem)
	}
	return &PatternStage{p.from(start), s.str, s.pos}
}

// checkPattern says what is wrong with the pattern of a parser stage.
func checkPattern(pattern string) (problem, hint string) {
	named := make(map[string]bool)
	last := -1 // where the last capture ended
	for i := 0; i < len(pattern); {
		n := captureLen(pattern[i:])
		if n == 0 {
			i++
			continue
		}
		name := pattern[i+1 : i+n-1]
		switch {
		case i == last:
			return "has two captures side by side at <" + name + ">", "put the text that separates them in between"
		case name != "_" && named[name]:
			return "captures <" + name + "> twice", "give each capture its own name, or use <_>"
		}
		if name != "_" {
			named[name] = true
		}
		i += n
		last = i
	}
	if len(named) == 0 {
		return "captures nothing", `name a part of the line, for example "<level> <_>"`
	}
	return "", ""
}

// captureLen returns the length of the capture <name> at the start of s, 0 if
// there is none.
func captureLen(s string) int {
	if len(s) < 3 || s[0] != '<' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 1 && isDigit(rune(c)):
		case c == '>' && i > 1:
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

func (p *parser) regexpStage(start int) Stage {
	p.advance()
	s := p.string("a regexp in quotes after regexp")
	if p.err == nil {
		p.checkCaptures(s)
	}
	return &RegexpStage{p.from(start), s.str, s.pos}
}

// checkCaptures refuses a regexp that yields no labels.
func (p *parser) checkCaptures(t token) {
	re := p.checkRegexp(t)
	if re == nil {
		return
	}
	found := false
	for _, name := range re.SubexpNames() {
		if name == "" {
			continue
		}
		found = true
		if isDigit(rune(name[0])) {
			p.fail(t.pos, "begin the name with a letter", "the regexp captures %q, which cannot name a label", name)
		}
	}
	if !found {
		p.fail(t.pos, `name a group: (?P<level>\w+)`, "the regexp captures nothing by name")
	}
}

// labelFormat reads label_format dst=src, dst="template".
func (p *parser) labelFormat(start int) Stage {
	s := &LabelFormat{}
	p.advance()
	for {
		dst := p.label("a label name")
		item := LabelFormatItem{Dst: dst.text}
		if p.tok.kind != tEq {
			p.unexpected(fmt.Sprintf("= after the label %s", shorten(dst.text)), `label_format sets labels: dst=src, dst="{{.template}}"`)
		}
		p.advance()
		src := p.tok
		item.SrcPos = src.pos
		if src.kind == tString {
			item.Src = src.str
			p.advance()
		} else {
			item.Rename, item.Src = true, src.text
			p.label("a label name or a template in quotes after =")
		}
		item.at = p.from(dst.pos.Start)
		s.Items = append(s.Items, item)
		if !p.accept(tComma) {
			break
		}
	}
	s.at = p.from(start)
	return s
}

// labelItems reads the list of drop and keep.
func (p *parser) labelItems() []LabelItem {
	var items []LabelItem
	p.advance()
	for {
		name := p.label("a label name")
		item := LabelItem{Name: name.text}
		if op := matchOpOf(p.tok.kind); op != 0 { // drop x != "y" is a matcher, not a line filter
			p.advance()
			m := &Matcher{Name: name.text, Op: op}
			p.matcherValue(m)
			m.at = p.from(name.pos.Start)
			item.Matcher = m
		}
		item.at = p.from(name.pos.Start)
		items = append(items, item)
		if !p.accept(tComma) {
			return items
		}
	}
}

// unwrap reads unwrap x, unwrap duration(x) and the label filters after it.
// The pipe before it stood at start.
func (p *parser) unwrap(start int) *Unwrap {
	p.advance()
	u := &Unwrap{}
	name := p.tok
	if name.label() && p.peek().kind == tLParen {
		switch strings.ToLower(name.text) {
		case "duration":
			u.Conv = UnwrapDuration
		case "duration_seconds":
			u.Conv = UnwrapDurationSeconds
		case "bytes":
			u.Conv = UnwrapBytes
		default:
			p.fail(name.pos, "write unwrap label, or one of duration(label), duration_seconds(label), bytes(label)", "unwrap has no conversion %q", name.text)
		}
		p.advance()
		p.advance()
		name = p.label("a label name")
		p.expect(tRParen, `")" after the label`, "")
	} else {
		name = p.label("a label name after unwrap")
	}
	u.Label, u.LabelPos = name.text, name.pos
	u.at = p.from(start)
	p.unwrapFilters(u)
	return u
}

func (p *parser) unwrapFilters(u *Unwrap) {
	for p.err == nil && (p.tok.kind == tPipe || lineFilterOpOf(p.tok.kind) != 0) {
		const hint = "put it before unwrap"
		start := p.tok.pos.Start
		if p.tok.kind != tPipe {
			p.fail(p.tok.pos, hint, "a line filter cannot follow unwrap, only label filters can")
			return
		}
		p.advance()
		if p.tok.kind == tWord && !p.tok.label() {
			p.fail(p.tok.pos, hint, "%s cannot follow unwrap, only label filters can", p.tok.text)
			return
		}
		s, ok := p.stage(start).(*LabelFilterStage)
		if !ok {
			return
		}
		u.Filters = append(u.Filters, s)
		u.at = p.from(u.Pos.Start)
	}
}
