package compare

import (
	"slices"
	"testing"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/outcome"
)

// TestNameMetrics: the names of metrics are known where no rule reads them.
func TestNameMetrics(t *testing.T) {
	c, err := corpus.Open("../../corpus/testdata/golden-v1")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []Job
	for _, r := range c.Runs() {
		jobs = append(jobs, Job{c, r})
	}
	results := make([]outcome.Run, len(jobs))
	if err := nameMetrics(t.Context(), jobs, results); err != nil {
		t.Fatal(err)
	}
	if got, want := results[0].MetricNames, []string{"depth", "lost_total", "with.dot"}; !slices.Equal(got, want) {
		t.Errorf("names %q; want %q", got, want)
	}
	results[0].MetricNames, results[0].Scrapes.Count = nil, 1
	if err := nameMetrics(t.Context(), jobs, results); err != nil || results[0].MetricNames != nil {
		t.Errorf("metrics that a rule reads are read again: %q, %v", results[0].MetricNames, err)
	}
}
