package align

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// hiddenKinds is how many kinds the deployed build must write above a
// verbosity before it is taken for the candidate's setting: a single one may
// just have been removed.
const hiddenKinds = 2

// tooVerbose reports whether a message is above the verbosity of the candidate
// in all the scenarios given, and which that is. Known says that the run tells
// it; else it is the highest that the candidate wrote, where the deployed build
// wrote several kinds above.
func (c *comparison) tooVerbose(k *Kind, in []string) (most int, known, ok bool) {
	if k.Verbosity == 0 {
		return 0, false, false
	}
	known = true
	for _, s := range in {
		v, told := c.candidate.verbosity(s)
		if v >= k.Verbosity || !told && c.above(s, v) < hiddenKinds {
			return 0, false, false
		}
		most, known = max(most, v), known && told
	}
	return most, known, len(in) > 0
}

// above counts the kinds that the deployed build wrote above a verbosity.
func (c *comparison) above(scenario string, verbosity int) int {
	n := 0
	for _, k := range c.deployed.kinds {
		if k.Verbosity > verbosity && k.In(scenario) > 0 {
			n++
		}
	}
	return n
}

// verbosity returns the verbosity in effect in a scenario: as the runs tell
// it, else the highest that was written.
func (b *build) verbosity(scenario string) (most int, told bool) {
	written := 0
	for _, run := range b.of(scenario) {
		for _, info := range run.Builds {
			if v, ok := parseVerbosity(info.Verbosity); ok {
				most, told = max(most, v), true
			}
		}
		for i := range run.Messages {
			written = max(written, run.Messages[i].Verbosity)
		}
	}
	if !told {
		return written, false
	}
	// What was written is the better witness.
	return max(most, written), true
}

// parseVerbosity reads a verbosity such as "2", "debug" or "-v=4".
func parseVerbosity(s string) (int, bool) {
	s = strings.TrimSpace(strings.ToLower(s))
	if i := strings.LastIndexByte(s, '='); i >= 0 {
		s = s[i+1:]
	}
	switch s {
	case "":
		return 0, false
	case "info", "warn", "warning", "error", "panic", "fatal":
		return 0, true
	case "debug":
		return 1, true
	}
	n, err := strconv.Atoi(s)
	return max(n, -n), err == nil
}

// hidden adds that a message which became more verbose is gone where the
// candidate's verbosity is lower.
func (c *comparison) hidden(ch *Change) {
	d, n := ch.Deployed[0], ch.Candidate[0]
	if n.Verbosity <= d.Verbosity {
		return
	}
	for _, s := range c.scenarios {
		f := frequency(s, c.deployed, c.candidate, ch.Deployed, ch.Candidate)
		if len(f.Deployed) == 0 || slices.Min(f.Deployed) == 0 || slices.Max(f.Candidate) > 0 {
			continue
		}
		if v, _ := c.candidate.verbosity(s); v < n.Verbosity {
			ch.Hidden = v
			ch.add(VerbosityHidden)
			return
		}
	}
}

// unparseable returns the streams of which clearly more records are not in
// their own format on the candidate.
func (c *comparison) unparseable() []Unparseable {
	const (
		records = 5
		factor  = 2
		share   = 0.005
	)
	var out []Unparseable
	for _, s := range c.scenarios {
		d, n := c.deployed.of(s), c.candidate.of(s)
		for i := range n[0].Logs {
			log := &n[0].Logs[i]
			u := Unparseable{Scenario: s, Stream: log.Labels.String(), Candidate: unparseable(n[0], i), CandidateRecords: log.Records}
			j := slices.IndexFunc(d[0].Logs, func(o outcome.LogInfo) bool { return o.Labels.String() == u.Stream })
			if j < 0 {
				continue
			}
			u.Deployed, u.DeployedRecords = unparseable(d[0], j), d[0].Logs[j].Records
			was, is := part(u.Deployed, u.DeployedRecords), part(u.Candidate, u.CandidateRecords)
			if u.Candidate-u.Deployed >= records && is >= factor*was && is-was >= share {
				out = append(out, u)
			}
		}
	}
	return out
}

// unparseable returns how many records of a stream are not in its own format.
// The lines of a panic are in none, and are told of as what they are.
func unparseable(run *outcome.Run, stream int) int64 {
	n := run.Logs[stream].Unparseable
	if stream < len(run.PanicLines) {
		n -= min(n, run.PanicLines[stream])
	}
	return n
}

func part(n, of int64) float64 { return float64(n) / float64(max(of, 1)) }
