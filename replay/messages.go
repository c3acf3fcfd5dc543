package replay

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Bounds of the catalogue: kinds of record kept a run, and bytes of a text.
const (
	maxMessages    = 4096
	maxMessageText = 512
)

// A messageCatalogue groups the records of a run by their constant words, so
// that a rule that lost its match can be shown what was written instead.
type messageCatalogue struct {
	byText map[string]*outcome.Message
	cut    int64
	buf    []byte
}

func newMessageCatalogue() *messageCatalogue {
	return &messageCatalogue{byText: map[string]*outcome.Message{}}
}

// add counts one record.
func (c *messageCatalogue) add(stream logs.Labels, e *logs.Entry) {
	var level string
	c.buf, level = appendWords(c.buf[:0], e.Line)
	if len(c.buf) == 0 {
		return
	}
	if m := c.byText[string(c.buf)]; m != nil {
		m.Count++
		return
	}
	if len(c.byText) >= maxMessages {
		c.cut++
		return
	}
	text := string(c.buf)
	c.byText[text] = &outcome.Message{
		Text: text, Level: level, Count: 1, First: evidence(stream, e.Time, e.Line),
	}
}

// list returns the catalogue ordered by text.
func (c *messageCatalogue) list() []outcome.Message {
	out := make([]outcome.Message, 0, len(c.byText))
	for _, m := range c.byText {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b outcome.Message) int { return cmp.Compare(a.Text, b.Text) })
	return out
}

// appendWords appends the constant words of a line to dst, with everything
// that has a digit in it masked, and returns the level as written.
//
// Of a JSON object it takes the sentences among the top-level values (strings
// with a blank in them), so that a text that moved from one key to another is
// still found; of a console line the part after the level; of any other line
// all of it.
func appendWords(dst, line []byte) ([]byte, string) {
	if len(line) > 0 && line[0] == '{' && line[len(line)-1] == '}' {
		if out, level := appendJSONWords(dst, line); len(out) > 0 {
			return out, level
		}
	}
	rest, level := line, ""
	if cols := bytes.SplitN(line, []byte{'\t'}, 3); len(cols) == 3 && hasDigit(cols[0]) && isLevel(cols[1]) {
		rest, level = cols[2], string(cols[1])
	}
	if i := bytes.Index(rest, []byte("\t{")); i >= 0 {
		dst = appendMasked(dst, rest[:i])
		dst, _ = appendJSONWords(dst, rest[i+1:])
		return dst, level
	}
	return appendMasked(dst, rest), level
}

func appendJSONWords(dst, object []byte) ([]byte, string) {
	level := ""
	// A broken object gives up what it holds before the fault; that is enough
	// here, so its validity is not asked.
	gjson.ParseBytes(object).ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.String {
			return true
		}
		switch key.Str {
		case "ts", "time", "timestamp", "@timestamp", "stacktrace":
			return true
		case "level", "severity":
			level = value.Str
			return true
		case "msg", "message", "logger":
		default:
			if !strings.Contains(value.Str, " ") {
				return true
			}
		}
		text, _, _ := strings.Cut(value.Str, "\n") // the rest is a stack or a document
		dst = appendMasked(dst, []byte(text))
		return len(dst) < maxMessageText
	})
	return dst, level
}

// appendMasked appends the words of text, single blanks between them. A word
// with a digit becomes "#".
func appendMasked(dst, text []byte) []byte {
	for word := range bytes.FieldsSeq(text) {
		if len(dst) >= maxMessageText {
			break
		}
		if len(dst) > 0 {
			dst = append(dst, ' ')
		}
		if hasDigit(word) || len(word) > 64 {
			dst = append(dst, '#')
			continue
		}
		if utf8.Valid(word) {
			dst = append(dst, word...)
		} else { // ToValidUTF8 copies
			dst = append(dst, bytes.ToValidUTF8(word, []byte("\uFFFD"))...)
		}
	}
	return dst
}

func hasDigit(b []byte) bool { return bytes.ContainsAny(b, "0123456789") }

// isLevel reports whether a console column names a level: INFO, ERROR,
// LEVEL(-3) and the like.
func isLevel(col []byte) bool {
	switch strings.ToLower(string(col)) {
	case "debug", "info", "warn", "warning", "error", "dpanic", "panic", "fatal", "trace":
		return true
	}
	return bytes.HasPrefix(bytes.ToUpper(col), []byte("LEVEL("))
}

// maxEvidenceLine bounds the bytes of a line that are shown.
const maxEvidenceLine = 4 << 10

// evidence copies a line so that it is safe to show.
func evidence(stream logs.Labels, ts int64, line []byte) outcome.Evidence {
	return show(stream, ts, line, false)
}

// A seenLine is a copy of a line that may become evidence. Its memory is used
// again when a later line takes its place.
type seenLine struct {
	stream logs.Labels
	time   int64
	line   []byte // at most maxEvidenceLine
	cut    bool
}

func (s *seenLine) set(stream logs.Labels, e *logs.Entry) {
	s.stream, s.time, s.cut = stream, e.Time, len(e.Line) > maxEvidenceLine
	s.line = append(s.line[:0], e.Line[:min(len(e.Line), maxEvidenceLine)]...)
}

func (s *seenLine) evidence() outcome.Evidence { return show(s.stream, s.time, s.line, s.cut) }

func show(stream logs.Labels, ts int64, line []byte, cut bool) outcome.Evidence {
	ev := outcome.Evidence{Stream: stream, Time: ts, Truncated: cut}
	if len(line) > maxEvidenceLine {
		line, ev.Truncated = line[:maxEvidenceLine], true
	}
	ev.Line = strings.ToValidUTF8(string(line), "\uFFFD")
	for len(ev.Line) > maxEvidenceLine { // replacement characters are longer
		_, n := utf8.DecodeLastRuneInString(ev.Line)
		ev.Line, ev.Truncated = ev.Line[:len(ev.Line)-n], true
	}
	return ev
}
