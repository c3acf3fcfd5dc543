package logql

// decolorizeStage implements "| decolorize": ANSI colour codes are taken out
// of the line.
type decolorizeStage struct{}

func (decolorizeStage) process(e *entry) bool {
	plain := decolorize(nil, e.line)
	e.changed = e.changed || len(plain) != len(e.line)
	e.line = plain
	return true
}
