package repair

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/internal/messages"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql/syntax"
)

// spellings are how loggers write levels, one way a row.
var spellings = []map[string]string{
	{"debug": "DEBUG", "info": "INFO", "warn": "WARN", "error": "ERROR", "fatal": "FATAL", "panic": "PANIC"},
	{"debug": "debug", "info": "info", "warn": "warn", "error": "error", "fatal": "fatal", "panic": "panic"},
	{"warn": "WARNING", "fatal": "CRITICAL"},
	{"warn": "warning", "fatal": "critical"},
	{"debug": "Debug", "info": "Info", "warn": "Warn", "error": "Error", "fatal": "Fatal", "panic": "Panic"},
	{"debug": "DBG", "info": "INF", "warn": "WRN", "error": "ERR", "fatal": "FTL", "panic": "PNC"},
	{"info": "I", "warn": "W", "error": "E", "fatal": "F"}, // klog
}

// A written level is a level as it stands in a line.
type writtenLevel struct {
	level string // as in [messages.Record]
	text  string // the part of the line that tells it; empty: a letter that klog writes
}

func levelIn(line string) writtenLevel {
	var r messages.Record
	r.Parse([]byte(line))
	l := writtenLevel{level: r.Level}
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Role != messages.Level || !f.Top {
			continue
		}
		for _, text := range []string{`"` + string(f.Name) + `":"` + string(f.Raw) + `"`, string(f.Name) + "=" + string(f.Raw)} {
			if strings.Contains(line, text) {
				l.text = text
				return l
			}
		}
	}
	for _, row := range spellings[:len(spellings)-1] {
		for _, around := range []string{"\t", " "} {
			if text := around + row[r.Level] + around; row[r.Level] != "" && r.Encoding != outcome.Klog && strings.Contains(line, text) {
				l.text = text
				return l
			}
		}
	}
	return l
}

// otherLevel returns what a line filter that looks for a level as it is written
// must look for in the target: another level of the same message, or the same
// in another encoding. Of regexps the results are regexps.
func (p *place) otherLevel(op syntax.LineFilterOp, wanted string) []string {
	was, is := levelIn(p.pair().Line), levelIn(p.Line)
	if was.level == "" || is.level == "" || was == is || !p.isNew() && !p.sameMessage() {
		return nil
	}
	var out []string
	for _, text := range rewrittenLevel(op, wanted, was, is) {
		if p.holds(op, text) && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// holds reports whether the target passes a line filter for a text.
func (p *place) holds(op syntax.LineFilterOp, text string) bool {
	if op == syntax.LineContains {
		return strings.Contains(p.before.line, text)
	}
	re, err := regexp.Compile("(?s)" + text)
	return err == nil && re.MatchString(p.before.line)
}

// rewrittenLevel returns a text with one level in place of another.
func rewrittenLevel(op syntax.LineFilterOp, text string, was, is writtenLevel) []string {
	var out []string
	if was.text != "" && is.text != "" {
		from, to := was.text, is.text
		if op == syntax.LineMatches {
			from, to = plainPattern(from), plainPattern(to)
		}
		if strings.Contains(text, from) {
			out = append(out, strings.Replace(text, from, to, 1))
		}
	}
	letters := len(spellings) - 1 // mean nothing anywhere but in klog
	for i, row := range spellings {
		word := row[was.level]
		at := wordAt(text, word)
		if at < 0 {
			continue
		}
		others := []map[string]string{row}
		if i < letters {
			others = append(others, spellings[:letters]...)
		}
		for _, other := range others {
			if to := other[is.level]; to != "" && to != word {
				out = append(out, text[:at]+to+text[at+len(word):])
			}
		}
	}
	return out
}

// plainPattern returns a regexp for a text, tabs as people write them.
func plainPattern(text string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(text), "\t", `\t`)
}

// wordAt returns where a word stands in a text that is no part of another; -1:
// nowhere.
func wordAt(text, word string) int {
	for from := 0; word != "" && from < len(text); {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return i
		}
		from = i + len(word)
	}
	return -1
}

// levelInLine looks for a level in the line in place of the field that held it,
// where the line has no such field any more, as when its encoding changed.
func (p *place) levelInLine(m *syntax.Matcher) []alternative {
	if !isLevel(m.Name) || p.before.labels.Get(m.Name) != "" || m.Op != syntax.MatchEqual || !p.sameMessage() {
		return nil
	}
	was, is := levelIn(p.pair().Line), levelIn(p.Line)
	if was.level != is.level || was.text == "" || is.text == "" || !strings.Contains(was.text, m.Value) {
		return nil
	}
	pattern := plainPattern(was.text) + "|" + plainPattern(is.text)
	return []alternative{{text: "|~ " + literal("`", pattern), kind: KindText}}
}
