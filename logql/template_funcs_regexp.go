package logql

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/grafana/regexp"
)

// Bounds of what a template does with regexps.
const (
	maxTemplateRegexps = 64      // that are kept from line to line
	maxTemplateMatches = 1 << 20 // of one regexp in one text
)

var errTemplateMatches = fmt.Errorf("regexp matches more than %d times", maxTemplateMatches)

// A templateRegexps holds the regexps of a template, which are the same for
// almost every line.
type templateRegexps map[string]*regexp.Regexp

func (r *templateRun) addRegexpFuncs(m template.FuncMap) {
	c := make(templateRegexps)
	m["regexReplaceAll"] = func(expr, s, with string) (string, error) { return r.sized(c.replace(expr, s, with, true)) }
	m["regexReplaceAllLiteral"] = func(expr, s, with string) (string, error) { return r.sized(c.replace(expr, s, with, false)) }
	m["count"] = func(expr, s string) (int, error) {
		matches, _, err := c.find(expr, s)
		return len(matches), err
	}
}

// find returns where expr matches in s.
func (c templateRegexps) find(expr, s string) ([][]int, *regexp.Regexp, error) {
	re := c[expr]
	if re == nil {
		var err error
		if re, err = regexp.Compile(expr); err != nil {
			return nil, nil, err
		}
		if len(c) >= maxTemplateRegexps {
			clear(c)
		}
		c[expr] = re
	}
	matches := re.FindAllStringSubmatchIndex(s, maxTemplateMatches+1)
	if len(matches) > maxTemplateMatches {
		return nil, nil, errTemplateMatches
	}
	return matches, re, nil
}

// replace replaces what expr matches in s. With expand set, $1 and ${name} in
// the replacement stand for what the groups matched.
func (c templateRegexps) replace(expr, s, with string, expand bool) (string, error) {
	matches, re, err := c.find(expr, s)
	if err != nil {
		return "", err
	}
	groups := 0
	if expand {
		groups = strings.Count(with, "$")
	}
	var out []byte
	last := 0
	for _, m := range matches {
		out = append(out, s[last:m[0]]...)
		// No group is longer than the match.
		if len(out)+len(with)+groups*(m[1]-m[0]) > maxTemplateOutput {
			return "", errTemplateOutput
		}
		if expand {
			out = re.ExpandString(out, with, s, m)
		} else {
			out = append(out, with...)
		}
		last = m[1]
	}
	return string(append(out, s[last:]...)), nil
}
