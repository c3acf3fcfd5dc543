package rules

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// jqStages makes a filter of jq LogQL: select(…), several of them after each
// other, and then paths that only choose what is printed. LogQL knows fields
// as texts, so a number and a text that reads like it, and an empty text and no
// value, are not told apart.
func jqStages(text string) translation {
	p := jqParser{text: text, labels: map[string]string{}}
	var conditions []*jqTest
	err := p.filter(&conditions)
	var stages []string
	for _, c := range conditions {
		if err != nil {
			break
		}
		var s string
		if s, err = c.logQL(false); err == nil {
			stages = append(stages, "| "+s)
		}
	}
	if err != nil {
		return translation{why: "LogQL has no " + err.Error()}
	}
	var fields []string
	for i, label := range p.order {
		fields = append(fields, label+"="+quote(p.paths[i]))
	}
	extract := "| json"
	if len(fields) > 0 {
		extract += " " + strings.Join(fields, ", ")
	}
	return translation{stages: append([]string{extract, `| __error__=""`}, stages...)}
}

// A jqTest is a condition: an operator over others, or over a path.
type jqTest struct {
	op    string // and, or, not; else a comparison or function
	parts []*jqTest
	label string // of the path
	value jqValue
}

// A jqValue is a literal.
type jqValue struct {
	kind byte // s: text, n: number, w: true, false or null
	text string
}

// maxJQDepth bounds parentheses within others.
const maxJQDepth = 50

// jqParser reads the simple filters of jq.
type jqParser struct {
	text   string
	at     int
	depth  int
	labels map[string]string // by path
	order  []string
	paths  []string
}

var errJQ = errors.New("equal of this filter of jq")

// fail says what of jq LogQL does not have.
func (p *jqParser) fail() error {
	rest := strings.TrimSpace(p.text[min(p.at, len(p.text)):])
	if rest == "" {
		return errJQ
	}
	if len(rest) > 40 {
		rest = strings.ToValidUTF8(rest[:40], "") + "…"
	}
	return fmt.Errorf("%w, from %q on", errJQ, rest)
}

func (p *jqParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take takes a token if it comes next.
func (p *jqParser) take(token string) bool {
	p.space()
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, token) {
		return false
	}
	if last := token[len(token)-1]; nameByte(last) && len(rest) > len(token) && nameByte(rest[len(token)]) {
		return false
	}
	p.at += len(token)
	return true
}

// filter reads select(…) | select(…) | .path
func (p *jqParser) filter(conditions *[]*jqTest) error {
	for i := 0; ; i++ {
		switch {
		case p.take("select"):
			if !p.take("(") {
				return p.fail()
			}
			c, err := p.condition()
			if err != nil {
				return err
			}
			if !p.take(")") {
				return p.fail()
			}
			*conditions = append(*conditions, c)
		case i > 0 && p.projection():
			if p.space(); p.at < len(p.text) {
				return p.fail()
			}
			return nil
		default:
			return p.fail()
		}
		if p.space(); p.at >= len(p.text) {
			return nil
		}
		if !p.take("|") {
			return p.fail()
		}
	}
}

// projection reads a path that only chooses what is printed.
func (p *jqParser) projection() bool {
	start := p.at
	if p.take(".") {
		for p.at < len(p.text) && (nameByte(p.text[p.at]) || p.text[p.at] == '.') {
			p.at++
		}
		return true
	}
	p.at = start
	return false
}

// condition reads a condition and the functions that it is piped into, which
// bind less than "or".
func (p *jqParser) condition() (*jqTest, error) {
	t, err := p.either()
	for err == nil && p.take("|") {
		switch {
		case p.take("not"):
			t = &jqTest{op: "not", parts: []*jqTest{t}}
		case t.op == "truth":
			t, err = p.function(t.label)
		default:
			err = p.fail()
		}
	}
	return t, err
}

func (p *jqParser) either() (*jqTest, error) { return p.chain("or", p.both) }
func (p *jqParser) both() (*jqTest, error)   { return p.chain("and", p.one) }

// chain reads conditions that are joined by a word.
func (p *jqParser) chain(word string, next func() (*jqTest, error)) (*jqTest, error) {
	first, err := next()
	if err != nil {
		return nil, err
	}
	parts := []*jqTest{first}
	for p.take(word) {
		more, err := next()
		if err != nil {
			return nil, err
		}
		parts = append(parts, more)
	}
	if len(parts) == 1 {
		return first, nil
	}
	return &jqTest{op: word, parts: parts}, nil
}

// one reads a condition in parentheses, a comparison, or a path by itself.
func (p *jqParser) one() (*jqTest, error) {
	if p.take("(") {
		if p.depth++; p.depth > maxJQDepth {
			return nil, errJQ
		}
		t, err := p.condition()
		if err == nil && !p.take(")") {
			err = p.fail()
		}
		p.depth--
		if err == nil && t.op == "truth" {
			t = &jqTest{op: "and", parts: []*jqTest{t}} // no path any more
		}
		return t, err
	}
	label, err := p.path()
	if err != nil {
		return nil, err
	}
	for _, op := range []string{"==", "!=", ">=", "<=", ">", "<"} {
		if p.take(op) {
			v, err := p.literal()
			return &jqTest{op: op, label: label, value: v}, err
		}
	}
	return &jqTest{op: "truth", label: label}, nil
}

// function reads a function of the text at a path.
func (p *jqParser) function(label string) (*jqTest, error) {
	for _, f := range []string{"test", "contains", "startswith", "endswith"} {
		if !p.take(f) {
			continue
		}
		if !p.take("(") {
			return nil, p.fail()
		}
		v, err := p.literal()
		if err == nil && (v.kind != 's' || !p.take(")")) {
			err = p.fail()
		}
		return &jqTest{op: f, label: label, value: v}, err
	}
	return nil, p.fail()
}

// path reads a path such as .a.b["c"][0] and returns its label.
func (p *jqParser) path() (string, error) {
	p.space()
	if p.at >= len(p.text) || p.text[p.at] != '.' {
		return "", p.fail()
	}
	var steps strings.Builder
	name := ""
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case strings.HasPrefix(rest, "?"):
			p.at++
			continue
		case strings.HasPrefix(rest, `."`), strings.HasPrefix(rest, `["`), strings.HasPrefix(rest, `.["`):
			open := strings.IndexByte(rest, '"')
			end := skipString(rest, open)
			if end >= len(rest) {
				return "", p.fail()
			}
			key, err := strconv.Unquote(rest[open : end+1])
			if err != nil || key == "" {
				return "", p.fail()
			}
			n := end + 1
			if strings.Contains(rest[:open], "[") {
				if !strings.HasPrefix(rest[n:], "]") {
					return "", p.fail()
				}
				n++
			}
			steps.WriteString("[" + strconv.Quote(key) + "]")
			name, p.at = key, p.at+n
			continue
		case strings.HasPrefix(rest, "["):
			end := strings.IndexByte(rest, ']')
			if end < 2 || steps.Len() == 0 {
				return "", p.fail()
			}
			if _, err := strconv.ParseUint(rest[1:end], 10, 31); err != nil {
				return "", p.fail()
			}
			steps.WriteString(rest[:end+1])
			p.at += end + 1
			continue
		case rest[0] == '.':
			key, n := pathName(rest[1:])
			if n == 0 {
				return "", p.fail()
			}
			steps.WriteString("[" + strconv.Quote(key) + "]")
			name, p.at = key, p.at+1+n
			continue
		}
		break
	}
	if steps.Len() == 0 {
		return "", p.fail()
	}
	return p.label(steps.String(), name), nil
}

// label returns the label for a path. Equal paths share one.
func (p *jqParser) label(path, name string) string {
	if l, ok := p.labels[path]; ok {
		return l
	}
	b := []byte(fieldPrefix + name)
	for i, c := range b {
		if !nameByte(c) || c == ':' || c >= 0x80 {
			b[i] = '_'
		}
	}
	l := string(b)
	if slices.Contains(p.order, l) {
		l += "_" + strconv.Itoa(len(p.order)+1)
	}
	p.labels[path] = l
	p.order, p.paths = append(p.order, l), append(p.paths, path)
	return l
}

// literal reads a text, a number, true, false or null.
func (p *jqParser) literal() (jqValue, error) {
	p.space()
	rest := p.text[p.at:]
	if strings.HasPrefix(rest, `"`) {
		end := skipString(rest, 0)
		if end >= len(rest) || strings.Contains(rest[:end], `\(`) {
			return jqValue{}, p.fail()
		}
		text, err := strconv.Unquote(rest[:end+1])
		if err != nil {
			return jqValue{}, p.fail()
		}
		p.at += end + 1
		return jqValue{'s', text}, nil
	}
	n := 0
	for n < len(rest) && (nameByte(rest[n]) || strings.IndexByte("+-.", rest[n]) >= 0) {
		n++
	}
	word := rest[:n]
	_, err := strconv.ParseFloat(word, 64)
	switch {
	case word == "true" || word == "false" || word == "null":
		p.at += n
		return jqValue{'w', word}, nil
	case n > 0 && err == nil && strings.IndexByte("0123456789-.", word[0]) >= 0:
		p.at += n
		return jqValue{'n', word}, nil
	}
	return jqValue{}, p.fail()
}

// logQL writes a test, or its opposite, as a label filter.
func (t *jqTest) logQL(not bool) (string, error) {
	switch t.op {
	case "not":
		return t.parts[0].logQL(!not)
	case "and", "or":
		word := t.op
		if not {
			word = map[string]string{"and": "or", "or": "and"}[t.op]
		}
		var parts []string
		for _, part := range t.parts {
			s, err := part.logQL(not)
			if err != nil {
				return "", err
			}
			parts = append(parts, s)
		}
		return "(" + strings.Join(parts, " "+word+" ") + ")", nil
	}
	return t.compare(not)
}

// compare writes a comparison or function of one field.
func (t *jqTest) compare(not bool) (string, error) {
	equal, like := "=", "=~"
	if not {
		equal, like = "!=", "!~"
	}
	l, v := t.label, t.value
	switch t.op {
	case "!=":
		return (&jqTest{op: "==", label: l, value: v}).compare(!not)
	case "truth":
		return (&jqTest{op: "nothing", label: l}).compare(!not)
	case "nothing": // null, false or not there
		return l + like + `"|false"`, nil
	case "==":
		switch {
		case v.kind == 'n':
			// A field that is no number equals none.
			if not {
				return fmt.Sprintf("(%s!~%s or %s!=%s)", l, quote(jqNumber), l, v.text), nil
			}
			return fmt.Sprintf("(%s=~%s and %s==%s)", l, quote(jqNumber), l, v.text), nil
		case v.text == "null" && v.kind == 'w':
			return l + equal + `""`, nil
		}
		return l + equal + quote(v.text), nil
	case ">", ">=", "<", "<=":
		if v.kind != 'n' {
			return "", fmt.Errorf("%w: %s with %q", errJQ, t.op, v.text)
		}
		return t.order(not)
	}
	return t.ask(like)
}

// jqNumber matches numbers as JSON writes them.
const jqNumber = `-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?`

// order writes a comparison with a number. In jq null is below true and false,
// these are below all numbers, and all else is above.
func (t *jqTest) order(not bool) (string, error) {
	op := t.op
	if not {
		op = map[string]string{">": "<=", ">=": "<", "<": ">=", "<=": ">"}[op]
	}
	l, number := t.label, quote(jqNumber)
	if op[0] == '<' {
		return fmt.Sprintf(`(%s=~"|true|false" or %s=~%s and %s%s%s)`, l, l, number, l, op, t.value.text), nil
	}
	return fmt.Sprintf(`(%s!~"|true|false" and (%s!~%s or %s%s%s))`, l, l, number, l, op, t.value.text), nil
}

// ask writes a function of a text.
func (t *jqTest) ask(like string) (string, error) {
	text := quoteMeta(t.value.text)
	const any = "(?s:.*)" // with an anchor: see labelFilter
	switch t.op {
	case "test":
		if _, err := syntax.Parse(t.value.text, syntax.Perl); err != nil {
			return "", fmt.Errorf("%w: RE2 does not take the regexp: %s", errJQ, regexpMessage(err))
		}
		return t.label + like + quote(anywhere(t.value.text)), nil
	case "contains":
		return t.label + like + quote(any+text+any), nil
	case "startswith":
		return t.label + like + quote("^"+text+any), nil
	}
	return t.label + like + quote(any+text+"$"), nil
}
