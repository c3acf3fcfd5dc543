package logql

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

var errTemplateCount = errors.New("the count is negative")

// sized passes on what a function gives that can make text longer. It refuses
// text beyond the limit and takes note of the longest, which loop passes are
// weighed by.
func (r *templateRun) sized(s string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if len(s) > maxTemplateOutput {
		return "", errTemplateOutput
	}
	r.longest = max(r.longest, len(s))
	return s, nil
}

// addStringFuncs adds the functions on text. Those with a capital take the
// text first, as package strings does; the others take it last, so that a
// pipe can end in them.
func (r *templateRun) addStringFuncs(m template.FuncMap) {
	add := func(name string, f any) { m[name] = f }
	add("ToLower", strings.ToLower)
	add("ToUpper", strings.ToUpper)
	add("Replace", func(s, old, with string, n int) (string, error) { return r.sized(replaceText(s, old, with, n)) })
	add("Trim", strings.Trim)
	add("TrimLeft", strings.TrimLeft)
	add("TrimRight", strings.TrimRight)
	add("TrimPrefix", strings.TrimPrefix)
	add("TrimSuffix", strings.TrimSuffix)
	add("TrimSpace", strings.TrimSpace)

	add("lower", strings.ToLower)
	add("upper", strings.ToUpper)
	add("title", titleText)
	add("trunc", truncText)
	add("substr", substrText)
	add("replace", func(old, with, s string) (string, error) { return r.sized(replaceText(s, old, with, -1)) })
	add("trim", strings.TrimSpace)
	add("trimAll", func(cutset, s string) string { return strings.Trim(s, cutset) })
	add("trimPrefix", func(prefix, s string) string { return strings.TrimPrefix(s, prefix) })
	add("trimSuffix", func(suffix, s string) string { return strings.TrimSuffix(s, suffix) })
	add("alignLeft", func(n int, s string) (string, error) { return r.sized(alignLeft(n, s)) })
	add("alignRight", func(n int, s string) (string, error) { return r.sized(alignRight(n, s)) })
	add("indent", func(n int, s string) (string, error) { return r.sized(indentText(n, s)) })
	add("nindent", func(n int, s string) (string, error) { return r.sized(indentText(n, "\n"+s)) })
	add("repeat", func(n int, s string) (string, error) { return r.sized(repeatText(n, s)) })
	add("contains", func(part, s string) bool { return strings.Contains(s, part) })
	add("hasPrefix", func(prefix, s string) bool { return strings.HasPrefix(s, prefix) })
	add("hasSuffix", func(suffix, s string) bool { return strings.HasSuffix(s, suffix) })

	add("fromJson", fromJSON)
	add("default", defaultValue)
	add("b64enc", func(s string) (string, error) { return r.sized(base64.StdEncoding.EncodeToString([]byte(s)), nil) })
	add("b64dec", decodeBase64)
	add("urlencode", func(s string) (string, error) { return r.sized(url.QueryEscape(s), nil) })
	add("urldecode", url.QueryUnescape)

	// The built-in functions again, with a bound.
	add("print", func(args ...any) (string, error) { return r.sized(printed(fmt.Sprint, args)) })
	add("println", func(args ...any) (string, error) { return r.sized(printed(fmt.Sprintln, args)) })
	add("printf", func(format string, args ...any) (string, error) { return r.sized(printfText(format, args...)) })
	add("html", func(args ...any) (string, error) { return r.sized(printed(template.HTMLEscaper, args)) })
	add("js", func(args ...any) (string, error) { return r.sized(printed(template.JSEscaper, args)) })
	add("urlquery", func(args ...any) (string, error) { return r.sized(printed(template.URLQueryEscaper, args)) })
}

func printed(f func(...any) string, args []any) (string, error) {
	n := 0
	for _, a := range args {
		if s, ok := a.(string); ok {
			n += len(s)
		}
	}
	if n > maxTemplateOutput {
		return "", errTemplateOutput
	}
	return f(args...), nil
}

// printfText is the built-in printf. Widths are added up first, as fmt would
// take a million blanks for each verb.
func printfText(format string, args ...any) (string, error) {
	total, n := 0, 0
	for i := 0; i < len(format); i++ {
		if !isDigit(format[i]) {
			n = 0
			if format[i] == '*' {
				// The width is among the arguments.
				total += largestInt(args)
			}
			continue
		}
		n = min(10*n+int(format[i]-'0'), maxTemplateOutput+1)
		if i+1 == len(format) || !isDigit(format[i+1]) {
			total += n
		}
		if total > maxTemplateOutput {
			return "", errTemplateOutput
		}
	}
	return printed(func(args ...any) string { return fmt.Sprintf(format, args...) }, args)
}

func largestInt(args []any) int {
	most := 0
	for _, a := range args {
		if n, ok := a.(int); ok {
			most = max(most, min(n, maxTemplateOutput), min(-n, maxTemplateOutput))
		}
	}
	return most
}

// titleText sets the first letter of every word in title case.
func titleText(s string) string {
	prev := ' '
	return strings.Map(func(r rune) rune {
		begins := endsWord(prev)
		prev = r
		if begins {
			return unicode.ToTitle(r)
		}
		return r
	}, s)
}

// endsWord reports whether the letter after r begins a word.
func endsWord(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return !isNameByte[r]
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return false
	}
	return unicode.IsSpace(r)
}

// truncText keeps the first n characters of s, or with n below 0 the last -n.
func truncText(n int, s string) string {
	chars := []rune(s)
	switch {
	case n < 0 && len(chars)+n > 0:
		return string(chars[len(chars)+n:])
	case n >= 0 && len(chars) > n:
		return string(chars[:n])
	}
	return s
}

// substrText keeps the characters from start to end. A negative start means
// the beginning, an end that is negative or too large the end.
func substrText(start, end int, s string) string {
	chars := []rune(s)
	if end < 0 || end > len(chars) {
		if start < 0 && end < 0 {
			return ""
		}
		end = len(chars)
	}
	start = max(start, 0)
	if start >= end {
		return ""
	}
	return string(chars[start:end])
}

func replaceText(s, old, with string, n int) (string, error) {
	hits := strings.Count(s, old)
	if n >= 0 {
		hits = min(hits, n)
	}
	if grow := len(with) - len(old); grow > 0 && hits > (maxTemplateOutput-len(s))/grow {
		return "", errTemplateOutput
	}
	return strings.Replace(s, old, with, n), nil
}

// alignLeft makes s n characters wide: blanks are added at its end, or
// characters cut there.
func alignLeft(n int, s string) (string, error) {
	pad, err := padding(n, s)
	if err != nil || pad >= 0 {
		return s + strings.Repeat(" ", max(pad, 0)), err
	}
	if n < 0 {
		return s, nil
	}
	return string([]rune(s)[:n]), nil
}

// alignRight is alignLeft at the other end.
func alignRight(n int, s string) (string, error) {
	pad, err := padding(n, s)
	if err != nil || pad >= 0 {
		return strings.Repeat(" ", max(pad, 0)) + s, err
	}
	if n < 0 {
		return s, nil
	}
	return string([]rune(s)[-pad:]), nil
}

// padding returns how many characters s lacks to be n wide.
func padding(n int, s string) (int, error) {
	if n > maxTemplateOutput {
		return 0, errTemplateOutput
	}
	return n - utf8.RuneCountInString(s), nil
}

// indentText puts n blanks before every line of s.
func indentText(n int, s string) (string, error) {
	switch {
	case n < 0:
		return "", errTemplateCount
	case n > maxTemplateOutput:
		return "", errTemplateOutput
	}
	pad := strings.Repeat(" ", n)
	s, err := replaceText(s, "\n", "\n"+pad, -1)
	if err != nil {
		return "", err
	}
	return pad + s, nil
}

func repeatText(n int, s string) (string, error) {
	switch {
	case n < 0:
		return "", errTemplateCount
	case len(s) > 0 && n > maxTemplateOutput/len(s):
		return "", errTemplateOutput
	}
	return strings.Repeat(s, n), nil
}

// fromJSON returns the value of a JSON document, nothing when it is broken.
func fromJSON(s string) any {
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		return nil
	}
	return v
}

// defaultValue returns given, or d when given is absent or empty.
func defaultValue(d any, given ...any) any {
	if len(given) == 0 || given[0] == nil {
		return d
	}
	if truth, ok := template.IsTrue(given[0]); ok && !truth {
		return d
	}
	return given[0]
}

// decodeBase64 returns the decoded text, or what is wrong with it: as in the
// library that Loki uses, that is no error.
func decodeBase64(s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
