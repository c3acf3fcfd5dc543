package align

import (
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
)

// What counts as beyond noise. With repetitions the spread between them is the
// noise. With one run of each build nobody knows it, so the factor is wide and
// more records are asked for.
const (
	knownFactor, knownRecords     = 2, 10
	unknownFactor, unknownRecords = 5, 20
	// absentRecords are enough where there is none on the other build.
	absentRecords = 10
	// A kind of fewer records, in one run, may be there by chance.
	fewRecords = 3
	// Sentences in fields, such as errors, come and go more easily.
	fewSentences = 5
)

// A Frequency is how often both builds wrote a message in one scenario.
type Frequency struct {
	Scenario string
	// Records in each repetition, ordered by repetition.
	Deployed, Candidate []int64
	// Known says that a build ran the scenario more than once, so that its
	// noise is known.
	Known bool
}

// frequency returns how often kinds were written in a scenario.
func frequency(scenario string, deployed, candidate *build, d, c []*Kind) Frequency {
	f := Frequency{Scenario: scenario, Deployed: deployed.records(scenario, d), Candidate: candidate.records(scenario, c)}
	f.Known = len(f.Deployed) > 1 || len(f.Candidate) > 1
	return f
}

// records returns the records of kinds in each run of a scenario.
func (b *build) records(scenario string, kinds []*Kind) []int64 {
	var out []int64
	for _, run := range b.runs {
		if run.Scenario != scenario || run.Missing {
			continue
		}
		var n int64
		for _, k := range kinds {
			for _, c := range k.Counts {
				if c.Scenario == scenario && c.Repetition == run.Repetition {
					n += c.Records
				}
			}
		}
		out = append(out, n)
	}
	return out
}

// seconds returns the shortest and the longest run of a scenario.
func (b *build) seconds(scenario string) (least, most float64) {
	for i, run := range b.of(scenario) {
		s := max(float64(run.Last-run.First)/1e9, 1)
		if i == 0 {
			least, most = s, s
		}
		least, most = min(least, s), max(most, s)
	}
	return max(least, 1), max(most, 1)
}

func (b *build) of(scenario string) []*outcome.Run {
	var out []*outcome.Run
	for _, run := range b.runs {
		if run.Scenario == scenario && !run.Missing {
			out = append(out, run)
		}
	}
	return out
}

// beyondNoise reports whether the counts differ by more than chance explains,
// also when set against the length of the runs.
func (f *Frequency) beyondNoise(deployed, candidate *build) bool {
	dLeast, dMost := deployed.seconds(f.Scenario)
	cLeast, cMost := candidate.seconds(f.Scenario)
	return exceeds(f.Deployed, f.Candidate, f.Known, cLeast/dMost) || exceeds(f.Candidate, f.Deployed, f.Known, dLeast/cMost)
}

// exceeds reports whether even the lowest count of high is far above the
// highest of low. Shorter is how much shorter the runs of low are: fewer
// records are no wonder then.
func exceeds(high, low []int64, known bool, shorter float64) bool {
	if len(high) == 0 || len(low) == 0 {
		return false
	}
	factor, records := float64(unknownFactor), int64(unknownRecords)
	if known {
		factor, records = max(knownFactor, spread(high), spread(low)), knownRecords
	}
	h, l := slices.Min(high), slices.Max(low)
	if l == 0 {
		records = min(records, absentRecords)
	}
	return h-l >= records && float64(h)*min(shorter, 1) >= factor*float64(l)
}

// spread is the highest count over the lowest; a count of none counts as one.
func spread(counts []int64) float64 {
	return float64(max(slices.Max(counts), 1)) / float64(max(slices.Min(counts), 1))
}

// steady returns the scenarios in which a kind is in every repetition, of
// those that both builds ran. One that comes and goes between repetitions of
// one build says nothing by being absent on the other.
func steady(k *Kind, own *build, scenarios []string) []string {
	var out []string
	for _, s := range scenarios {
		if n := own.records(s, []*Kind{k}); len(n) > 0 && slices.Min(n) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// weak reports whether a kind is so rare that chance may have made it: few
// records in a single run.
func weak(k *Kind) bool { return k.Count < fewRecords && len(k.Counts) < 2 }
