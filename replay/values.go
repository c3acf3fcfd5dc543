package replay

import (
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/metrics"
	"github.com/stillfires/stillfires/internal/source"
)

// Types of other packages that stand in the API of this one, beside [Outcome],
// [Result] and [Entries].
type (
	// Labels is a set of labels, sorted by name, each name once.
	Labels = logs.Labels
	// Entry is one record of a log stream.
	Entry = logs.Entry
	// Scrape is the samples that one target gave at one time.
	Scrape = metrics.Scrape
	// Family is a metric with its type and help.
	Family = metrics.Family
	// Problem is a fault at a place in a file that a user can mend.
	Problem = source.Error
)
