package analyzer

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// did says what the rule did on one build: "fires on deployed (12:01:05–12:03:20)".
func (c *cell) did(h *half) string {
	o := h.outcome()
	alert := c.isAlert()
	switch {
	case o == nil:
		return "has no run on " + h.role
	case o.State == outcome.Pending:
		return "is undecided on " + h.role
	case sameState(o.State) != outcome.Fired && alert:
		return "silent on " + h.role
	case sameState(o.State) != outcome.Fired:
		return "nothing on " + h.role
	case alert:
		return "fires on " + h.role + firing(o)
	}
	return "matches " + amount(c.rule, o) + " on " + h.role
}

// firing says when an alert fired, in brackets.
func firing(o *outcome.Outcome) string {
	if len(o.Firing) == 0 {
		return ""
	}
	first, last := o.Firing[0].From, o.Firing[len(o.Firing)-1].To
	s := " (" + clock(first)
	if last != first {
		s += "–" + clock(last)
	}
	if n := len(o.Firing); n > 1 {
		s += fmt.Sprintf(", %d times", n)
	}
	return s + ")"
}

// amount says how much a query matched.
func amount(r *rules.Rule, o *outcome.Outcome) string {
	if o.Lines == 0 && o.Series > 0 || r.Language == rules.PromQL {
		return count(int64(o.Series), "series", "series")
	}
	return count(o.Lines, "line", "lines")
}

// count returns "1 line" or "7 lines".
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// clock returns the time of day, UTC, with what is there of its second.
func clock(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04:05") }

// lasting prints a duration as rules write it: "4m", not "4m0s".
func lasting(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// number prints a value as a person would.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// fired says in how many repetitions a rule fired: "in 2 of 3 repetitions".
func (h *half) fired() string {
	n := 0
	for _, o := range h.outcomes {
		if sameState(o.State) == outcome.Fired {
			n++
		}
	}
	return fmt.Sprintf("in %d of %s on %s", n, count(int64(len(h.outcomes)), "repetition", "repetitions"), h.role)
}

// moments says that it depends on the moment of evaluation whether a rule does
// something.
func (c *cell) moments() string {
	at := func(h *half) string {
		m := h.moments()
		return fmt.Sprintf("at %d of %d on %s", m.Yes, m.Of, h.role)
	}
	return " on one build only, but that depends on the moment of its interval at which it is evaluated: " + at(&c.deployed) + ", " + at(&c.candidate)
}

// fires returns the verb of a rule that did what it is for.
func (c *cell) fires() string {
	if c.isAlert() {
		return "fires"
	}
	return "matches"
}
