package logql

import "github.com/stillfires/stillfires/logql/syntax"

// dropStage implements "| drop a, b="x"": labels are taken away, all of one
// name or only those with a matching value.
type dropStage struct{ items []labelItem }

// A labelItem is an element of drop or keep.
type labelItem struct {
	ref   nameRef
	match func(value []byte) bool // nil: any value
}

func (s *dropStage) process(e *entry) bool {
	for _, item := range s.items {
		v, ok := e.lookup(item.ref)
		if ok && (item.match == nil || item.match(v)) {
			e.remove(item.ref)
		}
	}
	return true
}

func (c *compiler) compileDrop(s *syntax.DropStage) (stage, error) {
	items, err := c.labelItems(s.Items)
	if err != nil {
		return nil, err
	}
	return &dropStage{items: items}, nil
}

func (c *compiler) labelItems(items []syntax.LabelItem) ([]labelItem, error) {
	var out []labelItem
	for _, item := range items {
		i := labelItem{ref: newNameRef(item.Name)}
		if item.Matcher != nil {
			match, err := c.valueMatcher(item.Matcher)
			if err != nil {
				return nil, err
			}
			i.match = match
		}
		out = append(out, i)
	}
	return out, nil
}

// valueMatcher compiles the condition of a matcher on a value.
func (c *compiler) valueMatcher(m *syntax.Matcher) (func([]byte) bool, error) {
	switch m.Op {
	case syntax.MatchEqual:
		return func(v []byte) bool { return string(v) == m.Value }, nil
	case syntax.MatchNotEqual:
		return func(v []byte) bool { return string(v) != m.Value }, nil
	}
	re, err := compileAnchored(m.Value)
	if err != nil {
		return nil, c.errorf(m.ValuePos, "%v", err)
	}
	if m.Op == syntax.MatchRegexp {
		return re.Match, nil
	}
	return func(v []byte) bool { return !re.Match(v) }, nil
}
