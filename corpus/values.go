package corpus

import (
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/metrics"
	"github.com/stillfires/stillfires/internal/profile"
)

// Types of other packages that stand in the API of this one.
type (
	// Labels is a set of labels, sorted by name, each name once.
	Labels = logs.Labels
	// Label is one name and value.
	Label = logs.Label
	// Entry is one record of a log stream.
	Entry = logs.Entry
	// Scrape is the samples that one target gave at one time.
	Scrape = metrics.Scrape
	// Family is a metric with its type and help.
	Family = metrics.Family
	// Assertion says what the evidence of a scenario must show.
	Assertion = profile.Assertion
	// Facts is what a run recorded beside logs and metrics.
	Facts = facts.Facts
)

// NewLabels returns the labels given as a set. Of two with one name the last
// stays.
func NewLabels(ls ...Label) Labels { return logs.New(ls...) }
