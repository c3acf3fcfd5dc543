package repair

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/messages"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Written is what both builds wrote, looked up by what it says. It is made once
// for a report, and is not safe for use by several goroutines.
type Written struct {
	probe   *probe
	renames []Rename
	// deployed holds the keys of all texts that the deployed build wrote.
	deployed map[string]bool
	lines    []line           // of the candidate, one of each kind
	byText   map[string][]int // indices of lines, by the key of a text in them
}

// A line is a record with its values.
type line struct {
	outcome.Evidence
	fields []field
}

func newLine(e outcome.Evidence) line { return line{e, fieldsOf(e.Line)} }

// maxSamples bounds the lines of the candidate that are looked at.
const maxSamples = 20_000

// NewWritten looks up what the runs of both builds wrote. Renames are the fields
// that are known to have another name on the candidate. Where the streams have
// no labels, every selector is taken to match.
func NewWritten(deployed, candidate []outcome.Run, renames []Rename, selectorsAssumed bool) *Written {
	w := &Written{probe: newProbe(selectorsAssumed), renames: renames, deployed: map[string]bool{}, byText: map[string][]int{}}
	each(deployed, func(l line) {
		for _, f := range l.fields {
			w.deployed[key(f.value)] = true
		}
	})
	each(candidate, func(l line) {
		if len(w.lines) == maxSamples {
			return
		}
		n := len(w.lines)
		w.lines = append(w.lines, l)
		for _, f := range l.fields {
			if k := key(f.value); k != "" && !slices.Contains(w.byText[k], n) {
				w.byText[k] = append(w.byText[k], n)
			}
		}
	})
	return w
}

// each calls f for the first and the last line of every message, and the first
// with each sentence that a field of it holds, each line once.
func each(runs []outcome.Run, f func(line)) {
	seen := map[string]bool{}
	for i := range runs {
		for j := range runs[i].Messages {
			for _, e := range runs[i].Messages[j].Examples() {
				if e.Line != "" && !seen[e.Line] {
					seen[e.Line] = true
					f(newLine(*e))
				}
			}
		}
	}
}

// spoken returns the text in which a record says what happened: that of the
// field in which loggers write it, else the one with the most words.
func (l *line) spoken() string {
	if !isObject(l.Line) {
		if m := strings.TrimSpace(messages.Said(l.Line)); key(m) != "" {
			return m
		}
	}
	for _, name := range []string{"msg", "message", "note", "event", "error", "err"} {
		for _, f := range l.fields {
			if f.label == name && key(f.value) != "" {
				return f.value
			}
		}
	}
	best, most := "", 1
	for _, f := range l.fields {
		if n := len(constant(wordsOf(f.value))); n > most {
			best, most = f.value, n
		}
	}
	return best
}

// A target is a line of the candidate that a rule should match.
type target struct {
	line
	said  string // what the line of the deployed build said
	says  string // what this line says instead, or the same
	field string // label of the field that says it; empty: the line itself
	// aligned says that it took the place of what the deployed line said,
	// however it reads.
	aligned bool
}

// maxTargets bounds the lines of the candidate that are tried for a rule.
const maxTargets = 6

// targets returns the lines of the candidate that say what the lines of the
// deployed build said that a rule matched: those with the same text in any
// field, and the nearest ones, if they are new and say nothing contrary.
func (w *Written) targets(losses []Loss) (targets []target, contrary bool) {
	seen := map[string]bool{}
	add := func(t target) {
		id := key(t.spoken()) + "\x00" + key(t.says) + "\x00" + t.field
		if len(targets) < maxTargets && !seen[id] {
			seen[id] = true
			targets = append(targets, t)
		}
	}
	for _, loss := range losses {
		for _, near := range loss.Near {
			said, says := sides(near.Diff)
			k := key(says)
			switch {
			case k != key(said) && w.deployed[k]:
				// The deployed build writes it as well, so it replaces nothing.
			case opposed(said, says):
				contrary = true
			default:
				add(target{newLine(near.Evidence), said, says, labelName(near.Field), near.Aligned})
			}
		}
	}
	for _, loss := range losses {
		for _, e := range loss.Deployed {
			l := newLine(e)
			said := l.spoken()
			for _, i := range w.byText[key(said)] {
				c := w.lines[i]
				for _, f := range c.fields {
					if key(f.value) == key(said) && said != "" {
						add(target{line: c, said: said, says: f.value, field: f.label})
						break
					}
				}
			}
		}
	}
	return targets, contrary
}
