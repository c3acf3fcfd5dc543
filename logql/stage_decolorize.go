package logql

// decolorizeStage implements "| decolorize": ANSI colour codes are taken out
// of the line. Line filters after it see the line as it was before.
type decolorizeStage struct{}

func (decolorizeStage) process(e *entry) bool {
	if e.coloured == nil {
		e.coloured = e.line
	}
	plain := decolorize(nil, e.line)
	e.changed = e.changed || len(plain) != len(e.line)
	e.line = plain
	e.changes++
	return true
}
