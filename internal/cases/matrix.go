package cases

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// A Declaration is an assertion of a scenario and where it was declared.
type Declaration struct {
	Scenario  string
	Assertion *profile.Assertion
	// From names the source: "review file", "run" or "profile NAME".
	From string
}

// General reports whether the declaration is of a profile, and says nothing of
// the builds: it was not made for this upgrade.
func (d *Declaration) General() bool {
	return strings.HasPrefix(d.From, "profile ") && d.Assertion.Expect == profile.CaseExpect{}
}

// A Kind tells what was declared before a run began from what was written
// later. The zero Kind is invalid.
type Kind int

// The kinds.
const (
	Assertion   Kind = iota + 1
	Observation      // shown, and decides nothing
)

var kindNames = [...]string{Assertion: "assertion", Observation: "observation"}

// String returns the kind as it stands in reports.
func (k Kind) String() string {
	if k < Assertion || k > Observation {
		return fmt.Sprintf("kind(%d)", int(k))
	}
	return kindNames[k]
}

// A Case is one declaration on both builds, under one load.
type Case struct {
	Declaration
	Load   string // the scenario's parameter of that name; empty: none
	LoadOf string // the scenario that this one repeats under load; empty: none
	Kind   Kind
	// Why says why it is an observation; empty for assertions.
	Why string

	Deployed, Candidate Side
}

// A Side is the answer of one build in all repetitions: fails if it fails in
// one of them, else not judged if it could not be judged in one.
type Side struct {
	Result
	Runs, Times int // runs, and how many gave this answer
	// DeclaredAt is when the assertion was declared, as far as these runs
	// know; zero: not known.
	DeclaredAt time.Time
	// Before says that it was declared before each of these runs began.
	Before bool
	// SaidToFail says that the manifests of all these runs said beforehand that
	// it will fail; SaidFaulty, that this or another assertion of the scenario
	// will, that deployed must fail: this build has what the upgrade is to mend.
	SaidToFail, SaidFaulty bool
	// Least and Most are the extents of what fails, in the runs that fail;
	// LateOnce says that in one of them it was reached, too late.
	Least, Most int64
	LateOnce    bool
}

// A group is the runs of one scenario under one load.
type group struct {
	scenario, load      string
	deployed, candidate []*outcome.Run
}

// Matrix judges every declaration on the runs of both builds. LoadOf gives the
// scenario that another repeats under load. Cases are ordered by scenario and
// load, assertions first, then as declared.
func Matrix(declared []Declaration, deployed, candidate []outcome.Run, loadOf map[string]string) []Case {
	var out []Case
	for _, g := range groups(deployed, candidate) {
		first := len(out)
		for _, d := range declared {
			if d.Scenario != g.scenario {
				continue
			}
			seen := seenIn(d.Assertion, deployed) || seenIn(d.Assertion, candidate)
			c := Case{
				Declaration: d, Load: g.load, LoadOf: loadOf[d.Scenario],
				Deployed: side(d.Assertion, g.deployed, seen), Candidate: side(d.Assertion, g.candidate, seen),
			}
			c.decideKind()
			out = append(out, c)
		}
		sayFaulty(out[first:])
	}
	slices.SortStableFunc(out, func(a, b Case) int {
		return cmp.Or(cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Load, b.Load), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

// sayFaulty marks the sides of which some manifest said that they have what the
// upgrade is to mend.
func sayFaulty(list []Case) {
	var deployed, candidate bool
	for i := range list {
		if list[i].Assertion.Expect.Deployed == profile.MustFail {
			deployed = deployed || list[i].Deployed.SaidToFail
			candidate = candidate || list[i].Candidate.SaidToFail
		}
	}
	for i := range list {
		list[i].Deployed.SaidFaulty, list[i].Candidate.SaidFaulty = deployed, candidate
	}
}

// Worse reports whether the candidate fails by more than deployed does. Both
// fail. What is only sometimes so on deployed is no measure of it.
func (c *Case) Worse() bool {
	d, n := &c.Deployed, &c.Candidate
	most := d.Most
	if c.Assertion.Restarts != nil {
		most *= 2 // a process that crashes again and again does so a few times more or less
	}
	return n.Least > most || n.Under != d.Under || d.LateOnce && !n.LateOnce
}

func seenIn(a *profile.Assertion, runs []outcome.Run) bool {
	return slices.ContainsFunc(runs, func(r outcome.Run) bool { return Selects(a, &r) })
}

// groups parts the runs by scenario and load. A scenario that was not run on
// one build belongs to every load.
func groups(deployed, candidate []outcome.Run) []group {
	type key struct{ scenario, load string }
	var keys []key
	for _, runs := range [][]outcome.Run{deployed, candidate} {
		for i := range runs {
			if !runs[i].Missing {
				keys = append(keys, key{runs[i].Scenario, load(&runs[i])})
			}
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.scenario, b.scenario), cmp.Compare(a.load, b.load))
	})
	var out []group
	for _, k := range slices.Compact(keys) {
		pick := func(runs []outcome.Run) (of []*outcome.Run) {
			for i := range runs {
				if r := &runs[i]; r.Scenario == k.scenario && (r.Missing || load(r) == k.load) {
					of = append(of, r)
				}
			}
			return of
		}
		out = append(out, group{k.scenario, k.load, pick(deployed), pick(candidate)})
	}
	return out
}

func load(r *outcome.Run) string { return r.Parameters["load"] }

// side judges an assertion on the runs of one build.
func side(a *profile.Assertion, runs []*outcome.Run, seen bool) Side {
	if len(runs) == 0 {
		return Side{Result: notJudged("no run of this scenario under this load was recorded")}
	}
	s := Side{Before: true, SaidToFail: true}
	for _, run := range runs {
		res := Judge(a, run, seen)
		if res.Status == Fails {
			if s.Status != Fails || res.Extent < s.Least {
				s.Least = res.Extent
			}
			s.Most, s.LateOnce = max(s.Most, res.Extent), s.LateOnce || res.Late
		}
		switch {
		case s.Status == res.Status:
			s.Times++
		case s.Status < res.Status:
			s.Result, s.Times = res, 1
		}
		if run.Missing {
			s.Before, s.SaidToFail = false, false
			continue
		}
		s.Runs++
		at := declaredAt(a, run)
		if s.DeclaredAt.IsZero() || at.After(s.DeclaredAt) {
			s.DeclaredAt = at
		}
		began := start(run)
		s.SaidToFail = s.SaidToFail && run.ExpectedAt != 0 && run.ExpectedAt < began && says(run, a.RestatesFailure)
		s.Before = s.Before && !at.IsZero() && began != 0 && at.UnixNano() < began
	}
	if s.Runs > 1 {
		s.Reason += fmt.Sprintf(" (in %d of %d repetitions)", s.Times, s.Runs)
	}
	return s
}

// declaredAt returns when an assertion was declared for a run: when it was
// written, or when the run's manifest said the same in words.
func declaredAt(a *profile.Assertion, run *outcome.Run) time.Time {
	at := a.DeclaredAt
	if run.ExpectedAt == 0 {
		return at
	}
	said := time.Unix(0, run.ExpectedAt).UTC()
	if (says(run, a.Restates) || says(run, a.RestatesFailure)) && (at.IsZero() || said.Before(at)) {
		return said
	}
	return at
}

// says reports whether a run's manifest holds one of the phrases.
func says(run *outcome.Run, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return holdsPhrase(run.Expected, phrase) })
}

// holdsPhrase reports whether a text holds a phrase, as whole words and
// whatever the case.
func holdsPhrase(text, phrase string) bool {
	text, phrase = strings.ToLower(text), strings.ToLower(strings.TrimSpace(phrase))
	if phrase == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(phrase)
		if (i == 0 || !word(text[i-1])) && (end == len(text) || !word(text[end])) {
			return true
		}
		from = i + 1
	}
}

func word(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// decideKind tells assertions from observations. What must hold is said of
// the candidate, so its runs decide: an assertion may be written because of
// what was seen on deployed, but not of what was seen on the candidate.
func (c *Case) decideKind() {
	s := &c.Candidate
	if s.Runs == 0 {
		s = &c.Deployed
	}
	switch {
	case s.Before:
		c.Kind = Assertion
	case s.DeclaredAt.IsZero():
		c.Kind, c.Why = Observation, "nothing says when it was declared"
	default:
		c.Kind = Observation
		c.Why = "declared " + s.DeclaredAt.UTC().Format(time.RFC3339) + ", after the run began"
	}
}
