package rules

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// A template is an expression that names variables.
type template struct {
	text     string
	places   yamlpos.Places
	vars     variables
	language Language
	// builtIn returns the values of what Grafana sets itself; nil: those of a
	// dashboard.
	builtIn func(name string) (string, bool)
	dollars bool   // a doubled dollar sign is one, as in provisioning files
	owner   string // what has no variables but those; "": a dashboard
}

// filled is a template with values in place of its variables.
type filled struct {
	text   string
	places yamlpos.Places
	used   []*variable // that have a value, in order
	empty  *variable   // whose value matches the empty text
	reason string      // why it could not be filled
}

// A reference is a place in a template that names a variable.
type reference struct {
	start, end   int
	name, format string
	braced       bool
}

// nextReference finds "$name", "${name:format}", "${name.field:format}" or
// "[[name:format]]" from an offset on.
func nextReference(text string, from int) (reference, bool) {
	for i := from; i < len(text); i++ {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "${"):
			if r, ok := bracedReference(rest[2:], "}"); ok {
				r.start, r.end = i, i+2+r.end
				return r, true
			}
		case strings.HasPrefix(rest, "[["):
			if r, ok := bracedReference(rest[2:], "]]"); ok {
				r.start, r.end = i, i+2+r.end
				return r, true
			}
		case rest[0] == '$':
			if n := wordLength(rest[1:]); n > 0 {
				return reference{start: i, end: i + 1 + n, name: rest[1 : 1+n]}, true
			}
		}
	}
	return reference{}, false
}

// bracedReference reads what follows an opening brace; end counts from there.
func bracedReference(text, closing string) (reference, bool) {
	n := wordLength(text)
	if n == 0 {
		return reference{}, false
	}
	inner, _, ok := strings.Cut(text, closing)
	if !ok || len(inner) > 200 {
		return reference{}, false
	}
	rest := inner[n:]
	if rest != "" && rest[0] != ':' && rest[0] != '.' {
		return reference{}, false
	}
	r := reference{name: inner[:n], end: len(inner) + len(closing), braced: true}
	if field, format, ok := strings.Cut(rest, ":"); ok && field == "" {
		r.format = format
	} else if rest != "" {
		r.format = rest // a field of a value, which has no known format
	}
	return r, true
}

// wordLength returns how many bytes of a text are a name.
func wordLength(text string) int {
	n := 0
	for n < len(text) && text[n] != ':' && text[n] < 0x80 && nameByte(text[n]) {
		n++
	}
	return n
}

// fill puts values in. With a choice one variable has that value and not its
// default.
func (t *template) fill(c *choice) filled {
	f := filled{}
	var b strings.Builder
	copied := 0
	keep := func(to int) {
		if to > copied {
			for _, p := range t.places.Shift(copied) {
				if p.Offset < to-copied {
					p.Offset += b.Len()
					f.places = append(f.places, p)
				}
			}
			b.WriteString(t.text[copied:to])
			copied = to
		}
	}
	for at := 0; f.reason == ""; {
		r, ok := nextReference(t.text, at)
		if !ok {
			break
		}
		at = r.end
		if t.dollars && r.start > copied && t.text[r.start-1] == '$' {
			r.start--
		}
		value, ok := t.value(r, c, &f)
		if !ok {
			continue
		}
		keep(r.start)
		if value != "" {
			f.places = append(f.places, yamlpos.Place{Offset: b.Len(), At: t.places.At(r.start), Still: true})
		}
		b.WriteString(value)
		copied = r.end
		if b.Len() > maxExpr {
			f.reason = fmt.Sprintf("with the values of its variables the expression is longer than %d bytes", maxExpr)
		}
	}
	keep(len(t.text))
	if f.text = b.String(); f.reason == "" && strings.TrimSpace(f.text) == "" {
		f.reason = "with the values of its variables the expression is empty"
	}
	if len(f.places) == 0 {
		f.places = t.places
	}
	return f
}

// value returns what stands for a reference. It reports false for one that
// stays as it is: no variable has that name.
func (t *template) value(r reference, c *choice, f *filled) (string, bool) {
	v := t.vars.named(r.name)
	if v == nil {
		return t.undeclared(r, f)
	}
	values, isAll := v.current, v.isAll
	if c != nil && c.variable == v {
		values, isAll = c.values, c.all
	} else if !v.known || v.kind == "adhoc" || v.kind == "datasource" {
		f.reason = fmt.Sprintf("the value of the variable $%s is not known: %s", v.name, v.unresolved())
		return "", true
	}
	if isAll && v.all == "" && len(values) == 0 {
		f.reason = fmt.Sprintf("the variable $%s stands for all its values, which are not known; give it a custom value for All", v.name)
		return "", true
	}
	if !slices.Contains(f.used, v) {
		f.used = append(f.used, v)
	}
	text, why := "", ""
	switch {
	case isAll && v.all != "" && r.format == "text":
		text = "All"
	case isAll && v.all != "":
		text = v.all
	case v.kind == "interval" && len(values) == 1 && strings.HasPrefix(values[0], "$__auto"):
		text, _ = t.global("__interval")
	case len(values) > maxOptions:
		why = "it has too many values"
	default:
		text, why = formatValues(values, r.format, v.multi || v.includeAll, t.language)
	}
	if why != "" {
		f.reason = fmt.Sprintf("the variable $%s cannot be put in: %s", v.name, why)
		return "", true
	}
	if f.empty == nil && (text == "" || isAll && (text == ".*" || text == "|" || strings.HasSuffix(text, "|.*"))) {
		f.empty = v
	}
	return text, true
}

// undeclared handles a name that no variable of the dashboard has: one that
// Grafana sets, or a text that only looks like a reference, as $1 in
// label_replace and $x in a template.
func (t *template) undeclared(r reference, f *filled) (string, bool) {
	if value, ok := t.global(r.name); ok {
		return value, true
	}
	switch {
	case r.name == "__from" || r.name == "__to":
		f.reason = fmt.Sprintf("$%s is the time that whoever looks has chosen", r.name)
	case strings.HasPrefix(r.name, "__"):
		f.reason = fmt.Sprintf("the value of $%s is not known outside Grafana", r.name)
	case r.name[0] >= '0' && r.name[0] <= '9':
	case inMatcher(t.text, r.start) && t.owner != "":
		f.reason = fmt.Sprintf("%s has no variables, but its query names $%s", t.owner, r.name)
	case inMatcher(t.text, r.start):
		f.reason = fmt.Sprintf("the dashboard has no variable $%s", r.name)
	}
	return "", f.reason != ""
}

func (t *template) global(name string) (string, bool) {
	if t.builtIn != nil {
		return t.builtIn(name)
	}
	return dashboardBuiltIn(name)
}

// dashboardBuiltIn returns what Grafana sets itself: as for a dashboard that
// shows one hour, with a point for each minute, of metrics scraped every 15 s.
func dashboardBuiltIn(name string) (string, bool) {
	switch name {
	case "__interval", "__auto", "__auto_interval":
		return "1m", true
	case "__interval_ms":
		return "60000", true
	case "__rate_interval":
		return "75s", true
	case "__rate_interval_ms":
		return "75000", true
	case "__range":
		return "3600s", true
	case "__range_s":
		return "3600", true
	case "__range_ms":
		return "3600000", true
	}
	return "", false
}

// inMatcher reports whether the byte at i stands in a string that something is
// compared with, and that is no template: there a name that no variable has is
// a mistake. It reports true outside of strings too, but not within braces of
// a template.
func inMatcher(text string, i int) bool {
	for at := 0; at < len(text); at++ {
		switch c := text[at]; c {
		case '#':
			at = skipComment(text, at)
			if at >= i {
				return false
			}
		case '"', '\'', '`':
			end := skipString(text, at)
			if i <= end {
				before := strings.TrimRight(text[:at], " \t\r\n")
				return !strings.Contains(text[at:min(end, len(text))], "{{") && (strings.HasSuffix(before, "=") || strings.HasSuffix(before, "~"))
			}
			at = end
		}
		if at >= i {
			return true
		}
	}
	return true
}

// formatValues writes the values of a variable as a format says. multi tells
// that several could be chosen: values then stand in a regular expression.
func formatValues(values []string, format string, multi bool, language Language) (text, why string) {
	one := len(values) == 1
	switch format {
	case "":
		return defaultFormat(values, multi, language)
	case "raw", "csv":
		return strings.Join(values, ","), ""
	case "pipe":
		return strings.Join(values, "|"), ""
	case "glob":
		if one {
			return values[0], ""
		}
		return "{" + strings.Join(values, ",") + "}", ""
	case "regex":
		if one {
			return escapeRegex(values[0], `\`), ""
		}
		return "(" + joinEscaped(values, `\`) + ")", ""
	case "text":
		return strings.Join(values, " + "), ""
	case "percentencode":
		if one {
			return url.PathEscape(values[0]), ""
		}
		return url.PathEscape("{" + strings.Join(values, ",") + "}"), ""
	case "json":
		var v any = values
		if one && !multi {
			v = values[0]
		}
		b, err := json.Marshal(v)
		if err != nil {
			return "", err.Error()
		}
		return string(b), ""
	case "doublequote":
		return quoteAll(values, `"`), ""
	case "singlequote":
		return quoteAll(values, `'`), ""
	}
	return "", fmt.Sprintf("the format %q is not known here", format)
}

func quoteAll(values []string, quote string) string {
	var out []string
	for _, v := range values {
		out = append(out, quote+strings.ReplaceAll(v, quote, `\`+quote)+quote)
	}
	return strings.Join(out, ",")
}

// defaultFormat writes values as the data source does when no format is given:
// as they are if only one can be chosen, else for a regular expression within
// double quotes.
func defaultFormat(values []string, multi bool, language Language) (text, why string) {
	if !multi {
		v := strings.Join(values, ",")
		if strings.ContainsAny(v, `\'`) {
			return "", "its value holds a single quote or a backslash, which data sources escape; write it with a format, as ${name:raw}"
		}
		return v, ""
	}
	switch {
	case len(values) == 1:
		return escapeRegex(values[0], `\\`), ""
	case language == PromQL:
		return "(" + joinEscaped(values, `\\`) + ")", ""
	}
	return joinEscaped(values, `\\`), ""
}

func joinEscaped(values []string, escape string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = escapeRegex(v, escape)
	}
	return strings.Join(out, "|")
}

// escapeRegex puts an escape before what is special in a regular expression.
func escapeRegex(value, escape string) string {
	var b strings.Builder
	for i := range len(value) {
		if strings.IndexByte(`\^$*+?.()|[]{}`, value[i]) >= 0 {
			b.WriteString(escape)
		}
		b.WriteByte(value[i])
	}
	return b.String()
}
