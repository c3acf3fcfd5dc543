package analyzer

import (
	"slices"
	"strings"
)

// panicUnseen: no alert saw a panic, in one of the ways in which it was
// handled at least. Where both builds panic in the same ways and none is seen
// on either, panic-persists says so: nothing differs.
var panicUnseen = check{
	ID:       "panic-unseen",
	Doc:      "no alert that fired saw a panic, in one of the ways in which it was handled at least",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		var out []Finding
		all := c.panicViews()
		for i := range all {
			v := &all[i]
			missed := v.missed()
			if len(missed) == 0 || v.unseenAlike() {
				continue
			}
			out = append(out, v.finding("panic "+short(v.Title())+": no alert that fired saw it where it was "+
				strings.Join(missed, ", or ")+v.seenText(c)))
		}
		return out
	},
}

// missed returns the modes of which no alert that fired saw a line, with the
// builds that showed them.
func (v *Panic) missed() []string {
	var names []string
	roles := map[string][]string{}
	for _, side := range []struct {
		role string
		*PanicSide
	}{{"deployed", &v.Deployed}, {"candidate", &v.Candidate}} {
		for i := range side.Modes {
			m := &side.Modes[i]
			if len(m.Alerts) > 0 {
				continue
			}
			if roles[m.Name()] == nil {
				names = append(names, m.Name())
			}
			roles[m.Name()] = append(roles[m.Name()], side.role)
		}
	}
	for i, n := range names {
		names[i] = n + " on " + strings.Join(roles[n], " and ")
	}
	return names
}

// unseenAlike reports whether both builds panicked in the same ways and the
// same of them were not seen.
func (v *Panic) unseenAlike() bool {
	unseen := func(s *PanicSide) []string {
		var out []string
		for i := range s.Modes {
			if len(s.Modes[i].Alerts) == 0 {
				out = append(out, s.Modes[i].Name())
			}
		}
		slices.Sort(out)
		return out
	}
	d := unseen(&v.Deployed)
	return len(d) > 0 && slices.Equal(d, unseen(&v.Candidate))
}

// seenText says which rules saw the panic, in which mode.
func (v *Panic) seenText(c *comparison) string {
	var parts []string
	told := map[string]bool{}
	add := func(m *PanicMode, where string) {
		text := ""
		if len(m.Alerts) > 0 {
			text = "where it was " + m.Name() + where + ", " + listed(m.Alerts) + " fired on it"
		} else if len(m.Rules) > 0 {
			text = "where it was " + m.Name() + where + ", only " + listed(m.Rules) + " had a line of it: no alert, not fired, or firing without it, too"
		}
		if text != "" && !told[text] {
			told[text] = true
			parts = append(parts, text)
		}
	}
	for _, m := range slices.Concat(v.Deployed.Modes, v.Candidate.Modes) {
		add(&m, "")
	}
	for _, o := range c.panicViews() {
		if o.Signature != v.Signature || o.Scenario == v.Scenario {
			continue
		}
		for _, m := range slices.Concat(o.Deployed.Modes, o.Candidate.Modes) {
			if slices.Contains(v.Other, m.Name()) {
				add(&m, " in "+short(o.Scenario))
			}
		}
	}
	if len(parts) == 0 {
		return "; no rule had a line of it"
	}
	return "; " + strings.Join(parts, "; ")
}

// listed names at most four rules.
func listed(names []string) string {
	const most = 4
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += " and " + count(int64(more), "more", "more")
	}
	return short(text)
}
