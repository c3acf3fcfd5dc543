package repair

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/messages"
)

// A field is one value in a line: of a JSON object, of a logfmt pair, or, with
// an empty label, a part of the line itself.
type field struct {
	label string // as LogQL's parsers name it
	value string
}

// Bounds on what is looked at of one line.
const (
	maxFields    = 128
	maxFieldSize = 1024 // bytes
	maxNesting   = 4    // of JSON objects
)

// fieldsOf returns the values in a line, in the order in which they stand.
func fieldsOf(line string) []field {
	var out []field
	add := func(label, value string) {
		if value = strings.TrimSpace(value); len(value) > maxFieldSize {
			value = strings.ToValidUTF8(value[:maxFieldSize], "")
		}
		if value != "" && len(out) < maxFields {
			out = append(out, field{label, value})
		}
	}
	if isObject(line) {
		objectFields(gjson.Parse(line), "", maxNesting, add)
		return out
	}
	// Console encoders separate columns by tabs and end with an object.
	for column := range strings.SplitSeq(line, "\t") {
		if isObject(column) {
			objectFields(gjson.Parse(column), "", maxNesting, add)
			continue
		}
		add("", column)
		pairs(column, add)
	}
	add("", messages.Said(line))
	return out
}

func isObject(text string) bool { return strings.HasPrefix(text, "{") && gjson.Valid(text) }

func objectFields(object gjson.Result, prefix string, depth int, add func(label, value string)) {
	object.ForEach(func(key, value gjson.Result) bool {
		switch {
		case value.IsObject():
			if depth > 0 {
				objectFields(value, prefix+key.Str+"_", depth-1, add)
			}
		case value.IsArray():
		default:
			add(labelName(prefix+key.Str), value.String())
		}
		return true
	})
}

// pairs calls add for each key=value and key="quoted value" of a text.
func pairs(text string, add func(label, value string)) {
	for {
		before, rest, ok := strings.Cut(text, "=")
		if !ok {
			return
		}
		key := before[strings.LastIndexAny(before, " \t[(,")+1:]
		if inside, after, quoted := strings.Cut(strings.TrimPrefix(rest, `"`), `"`); strings.HasPrefix(rest, `"`) && quoted {
			add(labelName(key), inside)
			text = after
			continue
		}
		end := strings.IndexAny(rest, " \t")
		if end < 0 {
			end = len(rest)
		}
		add(labelName(key), rest[:end])
		text = rest[end:]
	}
}

// labelName returns the name that LogQL's json stage gives a field.
func labelName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}
