package query

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/suggest"
)

// openCorpus finds the runs of a corpus that the options choose.
func openCorpus(opt *Options) (*logSource, error) {
	c, err := corpus.Open(opt.Corpus)
	if err != nil {
		return nil, err
	}
	infos, err := choose(c, opt)
	if err != nil {
		return nil, err
	}
	src := &logSource{remove: func() {}}
	for _, info := range infos {
		run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
		if err != nil {
			return nil, err
		}
		r := corpusRun(run)
		if len(infos) > 1 {
			r.extra = logs.New(logs.Label{Name: "build", Value: info.Build}, logs.Label{Name: "scenario", Value: info.Scenario},
				logs.Label{Name: "repetition", Value: strconv.Itoa(info.Repetition)})
		}
		if run.Manifest.Completeness.State == corpus.Incomplete {
			src.notes = append(src.notes, fmt.Sprintf("%s: the run is incomplete: %s", r.name, printable(strings.Join(run.Manifest.Completeness.Reasons, "; "))))
		}
		if r.last == 0 && r.first == 0 {
			src.notes = append(src.notes, r.name+": the run has no record")
			continue
		}
		src.runs = append(src.runs, r)
	}
	if len(src.runs) == 0 {
		return nil, fmt.Errorf("%s: there is no record in the runs chosen", opt.Corpus)
	}
	return src, nil
}

// corpusRun returns a run of a corpus as a query looks at it.
func corpusRun(run *corpus.Run) *logRun {
	r := &logRun{name: run.String(), passesOver: true}
	r.open = func(_ context.Context, keep func([]byte) []byte) (entries, error) {
		e, err := run.EntriesWhere(keep, allStreams(run)...)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	begun := false
	for i := range run.Manifest.Streams {
		s := &run.Manifest.Streams[i]
		r.streams = append(r.streams, s.LabelSet())
		if s.First == nil || s.Last == nil {
			continue
		}
		first, last := s.First.UnixNano(), s.Last.UnixNano()
		if !begun {
			r.first, r.last, begun = first, last, true
		}
		r.first, r.last = min(r.first, first), max(r.last, last)
	}
	return r
}

func allStreams(run *corpus.Run) []int {
	all := make([]int, len(run.Manifest.Streams))
	for i := range all {
		all[i] = i
	}
	return all
}

// choose returns the runs that match the filters, and says what there is where
// none does.
func choose(c *corpus.Corpus, opt *Options) ([]corpus.RunInfo, error) {
	runs := c.Runs()
	keep := func(flag, want string, of func(corpus.RunInfo) string) error {
		if want == "" {
			return nil
		}
		var have []string
		for _, r := range runs {
			have = append(have, of(r))
		}
		slices.Sort(have)
		have = slices.Compact(have)
		runs = slices.DeleteFunc(runs, func(r corpus.RunInfo) bool { return of(r) != want })
		if len(runs) > 0 {
			return nil
		}
		hint := suggest.Hint(want, have)
		if hint != "" {
			hint = "; " + hint
		}
		return fmt.Errorf("%s: --%s %q: the corpus has none%s; there are: %s", opt.Corpus, flag, want, hint, strings.Join(have, ", "))
	}
	if err := keep("build", opt.Build, func(r corpus.RunInfo) string { return r.Build }); err != nil {
		return nil, err
	}
	if err := keep("scenario", opt.Scenario, func(r corpus.RunInfo) string { return r.Scenario }); err != nil {
		return nil, err
	}
	n := ""
	if opt.Repetition != 0 {
		n = strconv.Itoa(opt.Repetition)
	}
	return runs, keep("repetition", n, func(r corpus.RunInfo) string { return strconv.Itoa(r.Repetition) })
}
