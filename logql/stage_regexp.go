package logql

import (
	resyntax "regexp/syntax"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
)

// regexpStage implements "| regexp "(?P<name>…)"": named groups become labels.
// A line that does not match stays without labels and without an error.
type regexpStage struct {
	re    *regexp.Regexp
	names [][]byte // by group; nil: not named
	// needs are texts of which every match holds at least one; none: unknown.
	needs []lineText
}

func (s *regexpStage) process(e *entry) bool {
	for i := range s.needs {
		if e.mayHold(e.line, &s.needs[i]) {
			return s.parse(e)
		}
	}
	return len(s.needs) > 0 || s.parse(e)
}

// parse is process for a line that may match.
func (s *regexpStage) parse(e *entry) bool {
	at := s.re.FindSubmatchIndex(e.line)
	if at == nil {
		return true
	}
	b := e.newBlock()
	for i, name := range s.names {
		if name == nil {
			continue
		}
		var value []byte
		if at[2*i] >= 0 {
			value = e.line[at[2*i]:at[2*i+1]]
		}
		b.add(e.fieldName(name), value)
	}
	e.setFields(b)
	return true
}

func (c *compiler) compileRegexp(s *syntax.RegexpStage) (stage, error) {
	re, err := regexp.Compile(s.Regexp)
	if err != nil {
		return nil, c.errorf(s.RegexpPos, "%v", err)
	}
	r := &regexpStage{re: re}
	if tree, err := resyntax.Parse(s.Regexp, resyntax.Perl); err == nil {
		r.needs = requiredLineTexts(tree, true)
	}
	for _, name := range re.SubexpNames() {
		var label []byte
		if name != "" {
			label = appendLabelName(nil, []byte(name))
		}
		r.names = append(r.names, label)
	}
	return r, nil
}
