package analyzer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/messages"
)

// A wording is a text that a person wrote into a record: the value of a
// field, a quoted part, or the whole line.
type wording struct {
	field string // path of the JSON field or logfmt key; empty: part of the line
	text  string
	words []string // lower case, each once, in order
}

// key is equal for texts that differ only in names and numbers.
func (w *wording) key() string { return strings.Join(w.words, " ") }

// Bounds on what is looked at of one line.
const (
	maxWordings    = 64
	maxWordingSize = 1024 // bytes
	maxDepth       = 4    // of nested JSON objects
)

// wordings returns the texts in a line that hold at least one word, in the
// order in which they stand.
func wordings(line string) []wording {
	var out []wording
	add := func(field, text string) {
		text = strings.TrimSpace(text)
		if len(text) > maxWordingSize {
			text = strings.ToValidUTF8(text[:maxWordingSize], "")
		}
		if w := words(text); len(w) > 0 && len(out) < maxWordings {
			out = append(out, wording{field, text, w})
		}
	}
	if isObject(line) {
		eachString(gjson.Parse(line), "", maxDepth, add)
		return out
	}
	// Console encoders separate columns by tabs and end with an object.
	for column := range strings.SplitSeq(line, "\t") {
		if isObject(column) {
			eachString(gjson.Parse(column), "", maxDepth, add)
			continue
		}
		add("", column)
		quoted(column, add)
	}
	if m := message(line); !slices.ContainsFunc(out, func(w wording) bool { return w.text == m }) {
		add("", m)
	}
	return out
}

// message returns what the logging call of a record said.
func message(line string) string {
	return strings.TrimSpace(messages.Said(line))
}

// isObject reports whether text is a JSON object.
func isObject(text string) bool {
	return strings.HasPrefix(text, "{") && gjson.Valid(text)
}

// eachString calls add for every string in an object, arrays left out.
func eachString(object gjson.Result, prefix string, depth int, add func(field, text string)) {
	object.ForEach(func(key, value gjson.Result) bool {
		switch {
		case value.Type == gjson.String:
			add(prefix+key.Str, value.Str)
		case value.IsObject() && depth > 0:
			eachString(value, prefix+key.Str+".", depth-1, add)
		}
		return true
	})
}

// quoted calls add for every part of text in double quotes, with the key
// before it: msg="…".
func quoted(text string, add func(field, text string)) {
	for {
		before, rest, ok := strings.Cut(text, `"`)
		if !ok {
			return
		}
		inside, after, ok := strings.Cut(rest, `"`)
		if !ok {
			return
		}
		key := ""
		if k, ok := strings.CutSuffix(before, "="); ok {
			key = k[strings.LastIndexAny(k, " \t")+1:]
		}
		add(key, inside)
		text = after
	}
}

// words returns the words of a text in lower case, each once. What holds a
// digit is a name, a number or a time, not a word; nor is a single letter.
func words(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
		w = strings.ToLower(w)
		if len(w) < 2 || seen[w] || strings.ContainsFunc(w, unicode.IsDigit) {
			continue
		}
		seen[w] = true
		out = append(out, w)
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// fewKeys is how many keys say something of a record: nearly all have a time,
// a level and a message.
const fewKeys = 4

// keysOf returns the top-level keys of a record that is a JSON object, ordered,
// and its level; empty for any other, and where the keys are too few to tell
// records apart.
func keysOf(line string) string {
	if !isObject(line) {
		return ""
	}
	var keys []string
	gjson.Parse(line).ForEach(func(key, value gjson.Result) bool {
		name := key.Str
		if name == "level" || name == "severity" {
			name += "=" + value.Str
		}
		keys = append(keys, name)
		return true
	})
	if len(keys) < fewKeys {
		return ""
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x00")
}
