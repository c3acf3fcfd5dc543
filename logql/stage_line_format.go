package logql

import "github.com/stillfires/stillfires/logql/syntax"

// lineFormatStage implements "| line_format "template"": the line is replaced
// by what the template gives. Where the template fails the line stays.
type lineFormatStage struct{ template *lineTemplate }

func (s *lineFormatStage) process(e *entry) bool {
	line, err := e.execute(s.template)
	if err != nil {
		e.fail(errTemplate, err)
		return true
	}
	e.rewrite(line)
	return true
}

// execute runs a template on the entry. The result lasts as long as the line.
func (e *entry) execute(t *lineTemplate) ([]byte, error) {
	n := len(e.arena.buf)
	out, err := t.execute(e.arena.buf, &templateEnv{
		line: e.line,
		ts:   e.in.Time,
		get: func(name string) (string, bool) {
			v, ok := e.lookup(newNameRef(name))
			return string(v), ok
		},
		labels: func() map[string]string { return e.labels().Map() },
	})
	if err != nil {
		return nil, err
	}
	e.arena.buf = out
	return out[n:len(out):len(out)], nil
}

func (c *compiler) compileLineFormat(s *syntax.LineFormat) (stage, error) {
	t, err := compileTemplate(s.Template)
	if err != nil {
		return nil, c.errorf(s.TemplatePos, "template: %v", err)
	}
	return &lineFormatStage{template: t}, nil
}
