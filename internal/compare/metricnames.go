package compare

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/stillfires/stillfires/internal/outcome"
)

// maxMetricNames bounds the metrics of a run whose names are known.
const maxMetricNames = 20_000

// nameMetrics notes which metrics the runs scraped, where no rule reads them: a
// message may have become one. Of runs whose metrics were read for rules they
// are known.
func nameMetrics(ctx context.Context, jobs []Job, results []outcome.Run) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, job := range jobs {
		if results[i].Scrapes.Count > 0 {
			continue
		}
		g.Go(func() (err error) {
			results[i].MetricNames, err = metricNames(ctx, job)
			return err
		})
	}
	return g.Wait()
}

// metricNames returns the names of the metrics of a run, ordered; none where
// there are too many.
func metricNames(ctx context.Context, job Job) (names []string, err error) {
	run, err := job.Corpus.OpenRun(job.Run.Build, job.Run.Scenario, job.Run.Repetition)
	if err != nil || !run.HasMetrics() {
		return nil, err
	}
	scrapes, err := run.Scrapes()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, scrapes.Close()) }()
	seen := map[string]bool{}
	series := 0
	for scrapes.Scan() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, s := range scrapes.Scrape().Samples {
			for ; series <= s.Series; series++ {
				seen[scrapes.Series(series).Get("__name__")] = true
			}
		}
	}
	if err := scrapes.Err(); err != nil || len(seen) > maxMetricNames {
		return nil, err
	}
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}
