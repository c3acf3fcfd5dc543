package rules

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// loadMarkdown loads the fenced blocks of a runbook that are marked as logql
// or promql. Each holds one query, named for the heading above it and numbered
// among the queries of headings of that name.
func loadMarkdown(p *part) found {
	m := markdown{found: found{budget: p.budget, nothing: true}, file: p.file, count: map[string]int{}}
	base := filepath.Base(p.name)
	m.heading = strings.TrimSuffix(base, filepath.Ext(base))
	text := string(p.file.Text)
	for at := len(text) - len(strings.TrimPrefix(text, "\ufeff")); at < len(text); {
		end := lineEnd(text, at)
		m.line(text, at, end)
		at = end
	}
	if m.query {
		m.unclosed()
	}
	return m.found
}

// lineEnd returns the offset after the line that begins at at.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// markdown is a runbook that is being read, line by line.
type markdown struct {
	found
	file    *yamlpos.File
	heading string
	count   map[string]int // queries by heading
	before  string         // the line before, which an underline makes a heading
	lists   []int          // columns at which the text of the open list items begins
	comment bool           // within <!-- -->

	// The open fence, if any.
	fence    byte // ` or ~; 0: none is open
	length   int
	indent   int // columns before it
	quotes   int // marks of block quotes before it
	query    bool
	language Language
	start    int // offset of the fence
	body     []byte
	places   yamlpos.Places
}

// line reads text[at:end], a line with its end.
func (m *markdown) line(text string, at, end int) {
	line := strings.TrimRight(text[at:end], "\r\n")
	if m.fence != 0 {
		if !m.closes(line) && !m.reopens(line) {
			m.keep(line, at)
			return
		}
		if !m.reopens(line) {
			m.close()
			return
		}
		m.unclosed()
	}
	if m.commented(line) {
		return
	}
	rest, indent, quotes, literal := m.content(line)
	if !literal && m.opens(rest) {
		m.indent, m.quotes, m.start = indent, quotes, at+len(line)-len(rest)
		m.before = ""
		return
	}
	m.title(rest, literal)
}

// commented follows HTML comments, which are not shown. It reports whether the
// line is part of one.
func (m *markdown) commented(line string) bool {
	if !m.comment && !strings.HasPrefix(strings.TrimSpace(line), "<!--") {
		return false
	}
	after := line
	if !m.comment {
		_, after, _ = strings.Cut(line, "<!--")
	}
	m.comment = !strings.Contains(after, "-->")
	return true
}

// content takes block quotes and list markers off the beginning of a line. It
// returns what follows, the columns before it and the marks of quotes. A line
// is literal if it is indented so far that it is code.
func (m *markdown) content(line string) (rest string, indent, quotes int, literal bool) {
	rest = line
	spaces := func() (n int) {
		for rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
			step := 1
			if rest[0] == '\t' {
				step = 4 - indent%4
			}
			n, indent, rest = n+step, indent+step, rest[1:]
		}
		return n
	}
	spaces()
	for strings.HasPrefix(rest, ">") {
		rest, indent, quotes = rest[1:], 0, quotes+1
		rest = strings.TrimPrefix(rest, " ")
		spaces()
	}
	if rest == "" {
		return rest, indent, quotes, false
	}
	for len(m.lists) > 0 && m.lists[len(m.lists)-1] > indent {
		m.lists = m.lists[:len(m.lists)-1]
	}
	for {
		base := 0
		if len(m.lists) > 0 {
			base = m.lists[len(m.lists)-1]
		}
		if indent-base >= 4 {
			return rest, indent, quotes, true
		}
		n := listMarker(rest)
		if n == 0 {
			return rest, indent, quotes, false
		}
		rest, indent = rest[n:], indent+n
		after := spaces()
		if after > 4 { // code within the item
			m.lists = append(m.lists, indent-after+1)
			return rest, indent, quotes, true
		}
		m.lists = append(m.lists, indent)
	}
}

// listMarker returns the length of the marker of a list item that a text
// begins with, or 0.
func listMarker(text string) int {
	n := 0
	for n < len(text) && n < 9 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	switch {
	case n >= len(text):
		return 0
	case n == 0 && strings.IndexByte("-*+", text[0]) < 0, n > 0 && text[n] != '.' && text[n] != ')':
		return 0
	}
	if n++; n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return 0
	}
	return n
}

// fenceOf returns the mark, its length and the info string of a line that
// begins with a fence.
func fenceOf(rest string) (mark byte, length int, info string) {
	if rest == "" || rest[0] != '`' && rest[0] != '~' {
		return 0, 0, ""
	}
	mark = rest[0]
	for length < len(rest) && rest[length] == mark {
		length++
	}
	info = strings.TrimSpace(rest[length:])
	if length < 3 || mark == '`' && strings.Contains(info, "`") {
		return 0, 0, ""
	}
	return mark, length, info
}

// languageOfInfo returns the language that the info string of a fence names,
// or 0. Its first word is the language, be it within braces.
func languageOfInfo(info string) Language {
	word, _, _ := strings.Cut(strings.TrimLeft(info, "{. \t"), " ")
	word, _, _ = strings.Cut(word, "{")
	word, _, _ = strings.Cut(word, ",")
	switch strings.ToLower(strings.TrimRight(word, "}:;\t")) {
	case "logql":
		return LogQL
	case "promql":
		return PromQL
	}
	return 0
}

// opens opens a fence if the line begins with one.
func (m *markdown) opens(rest string) bool {
	mark, length, info := fenceOf(rest)
	if mark == 0 {
		return false
	}
	m.fence, m.length, m.language = mark, length, languageOfInfo(info)
	m.query = m.language != 0
	m.body, m.places = nil, nil
	return true
}

// closes reports whether a line closes the open fence.
func (m *markdown) closes(line string) bool {
	rest := strings.TrimLeft(line, " \t")
	for range m.quotes {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, ">"), " \t")
	}
	mark, length, info := fenceOf(rest)
	return mark == m.fence && length >= m.length && info == ""
}

// reopens reports whether a line opens a query while one is open: the fence
// that should have closed that one is missing.
func (m *markdown) reopens(line string) bool {
	if !m.query {
		return false
	}
	mark, _, info := fenceOf(strings.TrimLeft(line, "> \t"))
	return mark == m.fence && languageOfInfo(info) != 0
}

// keep adds a line of the open block, without the indentation of its fence.
func (m *markdown) keep(line string, at int) {
	if !m.query {
		return
	}
	rest := line
	for range m.quotes {
		trimmed := strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(trimmed, ">") {
			break
		}
		rest = strings.TrimPrefix(trimmed[1:], " ")
	}
	for i := 0; i < m.indent && rest != "" && (rest[0] == ' ' || rest[0] == '\t'); i++ {
		if rest[0] == '\t' {
			i += 3
		}
		rest = rest[1:]
	}
	m.places = append(m.places, yamlpos.Place{Offset: len(m.body), At: at + len(line) - len(rest)})
	m.body = append(append(m.body, rest...), '\n')
}

// name names the query of the open block.
func (m *markdown) name() string {
	m.count[m.heading]++
	return fmt.Sprintf("%s %d", m.heading, m.count[m.heading])
}

// close ends the open block.
func (m *markdown) close() {
	query := m.query
	m.fence, m.query = 0, false
	if !query {
		return
	}
	m.nothing = false
	*m.budget -= work(string(m.body))
	if *m.budget < 0 {
		m.fault(m.file.Errorf(m.start, m.start+3, "the file is too large: the rest is not read"), "split it")
		return
	}
	body := string(m.body)
	start := skipRemarks(body)
	d := &draft{rule: Rule{Kind: Query, Name: m.name(), Expr: strings.TrimRight(body[start:], " \t\r\n")}}
	if d.rule.Expr == "" {
		before := len(m.problems)
		m.fault(m.file.Errorf(m.start, m.start+m.length, "the block holds no query"), "write one query; lines that begin with # are comments")
		m.breaks(d.rule, before)
		return
	}
	if strings.Contains(strings.ReplaceAll(d.rule.Expr, "\r", ""), "\n\n") {
		d.hint = "write one query a block"
	}
	d.declared, d.declaredBy = m.language, "the block is marked so"
	d.place(m.file, m.places.Shift(start))
	m.drafts = append(m.drafts, d)
}

// unclosed reports the open block.
func (m *markdown) unclosed() {
	m.nothing = false
	before := len(m.problems)
	m.fault(m.file.Errorf(m.start, m.start+m.length, "the block is not closed"), "end it with a line "+strings.Repeat(string(m.fence), min(m.length, 10)))
	m.breaks(Rule{Kind: Query, Name: m.name()}, before)
	m.fence, m.query = 0, false
}

// title notes a heading.
func (m *markdown) title(rest string, literal bool) {
	before := m.before
	m.before = ""
	if literal {
		return
	}
	text := strings.TrimSpace(rest)
	switch {
	case before != "" && text != "" && (strings.Trim(text, "=") == "" || strings.Trim(text, "-") == ""):
		m.heading = before
		return
	case strings.HasPrefix(text, "#"):
		level := len(text) - len(strings.TrimLeft(text, "#"))
		if inner := text[level:]; level <= 6 && (inner == "" || inner[0] == ' ' || inner[0] == '\t') {
			inner = strings.TrimSpace(inner)
			if closed := strings.TrimRight(inner, "#"); closed == "" || strings.HasSuffix(closed, " ") {
				inner = strings.TrimSpace(closed)
			}
			if inner != "" {
				m.heading = strings.ReplaceAll(inner, "`", "")
			}
			return
		}
	}
	m.before = text
}
