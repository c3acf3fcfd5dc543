package logql

import "github.com/stillfires/stillfires/logql/syntax"

// keepStage implements "| keep a, b="x"": all labels but these are taken
// away. The labels that tell of an error stay.
type keepStage struct{ items []labelItem }

func (s *keepStage) process(e *entry) bool {
	b := e.newBlock()
	e.scratch = e.appendLabels(e.scratch[:0])
	for _, l := range e.scratch {
		if s.keeps(l) || string(l.name) == errorLabel || string(l.name) == detailsLabel {
			b.add(l.name, l.value)
		}
	}
	e.do(op{kind: opOnly, block: b})
	return true
}

func (s *keepStage) keeps(l label) bool {
	for _, item := range s.items {
		if item.ref.name == string(l.name) && (item.match == nil || item.match(l.value)) {
			return true
		}
	}
	return false
}

func (c *compiler) compileKeep(s *syntax.KeepStage) (stage, error) {
	items, err := c.labelItems(s.Items)
	if err != nil {
		return nil, err
	}
	return &keepStage{items: items}, nil
}
