package logql

import "github.com/stillfires/stillfires/logql/syntax"

// patternStage implements "| pattern "<ip> - <_> …"": captures become labels.
// A line that does not match stays without labels and without an error.
type patternStage struct{ parser *patternParser }

func (s *patternStage) process(e *entry) bool {
	b := e.newBlock()
	s.parser.parse(e.line, func(name string, value []byte) {
		b.add(e.fieldName([]byte(name)), value)
	})
	e.setFields(b)
	return true
}

func (c *compiler) compilePattern(s *syntax.PatternStage) (stage, error) {
	p, err := compilePatternParser(s.Pattern)
	if err != nil {
		return nil, c.errorf(s.PatternPos, "pattern %q: %v", s.Pattern, err)
	}
	return &patternStage{parser: p}, nil
}
