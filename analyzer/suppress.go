package analyzer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/source"
)

// A Suppression accepts one finding, known by its fingerprint, until a day.
// The finding stays in the report but counts for no verdict.
type Suppression struct {
	Fingerprint string // of the finding: 32 hexadecimal digits
	// ID and Scenario say what the finding is about. They are checks on a
	// fingerprint that says nothing to a reader; empty: not given.
	ID, Scenario  string
	Reason, Owner string
	// Expires is the beginning (UTC) of the last day on which it holds.
	Expires time.Time
	Pos     source.Position
}

// Day returns the last day on which s holds, as 2027-01-31.
func (s *Suppression) Day() string { return s.Expires.Format(time.DateOnly) }

// expired reports whether s no longer holds at a time. It holds for ever at
// the zero time: then nobody said what day it is.
func (s *Suppression) expired(now time.Time) bool {
	return !now.IsZero() && !now.Before(s.Expires.AddDate(0, 0, 1))
}

// contradicts says in what s is wrong about the finding with its fingerprint;
// empty where it is right.
func (s *Suppression) contradicts(f *Finding) string {
	switch {
	case s.ID != "" && s.ID != f.ID:
		return "the finding with this fingerprint is " + f.ID + ", not " + s.ID
	case s.Scenario != "" && s.Scenario != f.Scenario:
		return "the finding with this fingerprint is in scenario " + short(f.Scenario) + ", not in " + short(s.Scenario)
	}
	return ""
}

// Accepted reports whether the finding was accepted, so that it counts for no
// verdict.
func (f *Finding) Accepted() bool { return f.Suppressed != nil }

// Acceptable reports whether a suppression can accept the finding.
func (f *Finding) Acceptable() bool {
	return f.ID != suppressionExpired.ID && f.ID != suppressionUnused.ID
}

// Accepted returns how many findings were accepted.
func (r *Report) Accepted() int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Accepted() {
			n++
		}
	}
	return n
}

// An approval is what became of one suppression.
type approval struct {
	*Suppression
	found string // names the finding with the fingerprint; empty: there is none
	wrong string // see contradicts
}

// approvals indexes the suppressions by fingerprint.
func approvals(list []Suppression) map[string]*approval {
	m := make(map[string]*approval, len(list))
	for i := range list {
		s := &list[i]
		if m[s.Fingerprint] == nil {
			m[s.Fingerprint] = &approval{Suppression: s}
		}
	}
	return m
}

// accept marks a finding as accepted if a suppression that has not expired
// says so.
func (c *comparison) accept(f *Finding) {
	a := c.accepted[f.Fingerprint]
	if a == nil {
		return
	}
	a.found, a.wrong = named(f), a.contradicts(f)
	if a.wrong == "" && !a.expired(c.in.Now) {
		f.Suppressed = a.Suppression
	}
}

// named says which finding f is: "alert-lost of DispatchConfirmed in drill".
func named(f *Finding) string {
	name := f.ID
	switch {
	case f.Rule != nil:
		name += " of " + short(f.Rule.Name)
	case f.Subject != "":
		name += " of " + short(f.Subject)
	}
	if f.Scenario != "" {
		name += " in " + short(f.Scenario)
	}
	return name
}

// suppressions returns a finding for each suppression of which message says
// something.
func (c *comparison) suppressions(message func(*approval) string) []Finding {
	var out []Finding
	for i := range c.in.Suppressions {
		s := &c.in.Suppressions[i]
		a := c.accepted[s.Fingerprint]
		if a.Suppression != s {
			continue // given twice
		}
		if m := message(a); m != "" {
			out = append(out, Finding{Scenario: s.Scenario, Pos: s.Pos, Subject: s.Fingerprint, Message: m})
		}
	}
	return out
}

// covers reports whether this comparison looked at all that a suppression may
// be about.
func (c *comparison) covers(s *Suppression) bool {
	if s.Scenario != "" && c.in.Partial == OtherScenarios {
		return slices.Contains(c.in.Scenarios, s.Scenario)
	}
	return c.in.Partial == NothingLeftOut
}

// whose names owner and reason of a suppression for a message.
func (s *Suppression) whose() string {
	return fmt.Sprintf("%s: %s", short(s.Owner), short(strings.TrimSpace(s.Reason)))
}
