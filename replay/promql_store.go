package replay

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/util/annotations"
)

// maxStoredSamples bounds the memory of one run's series: a sample takes 16
// bytes, so at most 1 GiB.
const maxStoredSamples = 64 << 20

var errManySamples = errors.New("the rules select more than 64Mi samples of the run; select fewer series, or import fewer metrics")

// A metricStore holds the series of one run in memory, for Prometheus's engine
// to read. Only series that some rule selects are in it: the engine's own
// database would keep more, on disk, for a run that is read once.
//
// It implements storage.Queryable. It is not for concurrent use.
type metricStore struct {
	series  []*storedSeries
	byText  map[string]int
	byName  map[string][]int
	samples int
	dropped int // samples not younger than the one before them
}

type storedSeries struct {
	labels labels.Labels
	times  []int64 // milliseconds, rising
	values []float64
}

func newMetricStore() *metricStore {
	return &metricStore{byText: map[string]int{}, byName: map[string][]int{}}
}

// number returns the series that has the labels.
func (m *metricStore) number(ls labels.Labels) int {
	key := ls.String()
	if i, ok := m.byText[key]; ok {
		return i
	}
	i := len(m.series)
	m.byText[key] = i
	m.series = append(m.series, &storedSeries{labels: ls})
	name := ls.Get(model.MetricNameLabel)
	m.byName[name] = append(m.byName[name], i)
	return i
}

// append adds a sample. One that is not younger than the series' last is
// dropped, as Prometheus does.
func (m *metricStore) append(series int, ms int64, v float64) error {
	s := m.series[series]
	if n := len(s.times); n > 0 && ms <= s.times[n-1] {
		m.dropped++
		return nil
	}
	if m.samples >= maxStoredSamples {
		return errManySamples
	}
	m.samples++
	s.times = append(s.times, ms)
	s.values = append(s.values, v)
	return nil
}

// selected returns the series that fit the matchers.
func (m *metricStore) selected(matchers []*labels.Matcher) []int {
	candidates, all := m.byName[metricName(matchers)], metricName(matchers) == ""
	var out []int
	if all {
		for i, s := range m.series {
			if matchesAll(s.labels, matchers) {
				out = append(out, i)
			}
		}
		return out
	}
	for _, i := range candidates {
		if matchesAll(m.series[i].labels, matchers) {
			out = append(out, i)
		}
	}
	return out
}

func matchesAll(ls labels.Labels, matchers []*labels.Matcher) bool {
	for _, m := range matchers {
		if !m.Matches(ls.Get(m.Name)) {
			return false
		}
	}
	return true
}

// Querier implements storage.Queryable.
func (m *metricStore) Querier(mint, maxt int64) (storage.Querier, error) {
	return &metricQuerier{store: m, from: mint, to: maxt}, nil
}

type metricQuerier struct {
	store    *metricStore
	from, to int64
}

// Select implements storage.Querier. Series are always ordered by labels.
func (q *metricQuerier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	set := &seriesSet{at: -1}
	for _, i := range q.store.selected(matchers) {
		s := q.store.series[i]
		first := sort.Search(len(s.times), func(i int) bool { return s.times[i] >= q.from })
		end := sort.Search(len(s.times), func(i int) bool { return s.times[i] > q.to })
		if first < end {
			set.series = append(set.series, &storedSeries{s.labels, s.times[first:end], s.values[first:end]})
		}
	}
	slices.SortFunc(set.series, func(a, b *storedSeries) int { return labels.Compare(a.labels, b.labels) })
	return set
}

// LabelValues implements storage.Querier.
func (q *metricQuerier) LabelValues(_ context.Context, name string, _ *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	var out []string
	for _, i := range q.store.selected(matchers) {
		if v := q.store.series[i].labels.Get(name); v != "" {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil, nil
}

// LabelNames implements storage.Querier.
func (q *metricQuerier) LabelNames(_ context.Context, _ *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	var out []string
	for _, i := range q.store.selected(matchers) {
		q.store.series[i].labels.Range(func(l labels.Label) { out = append(out, l.Name) })
	}
	slices.Sort(out)
	return slices.Compact(out), nil, nil
}

// Close implements storage.Querier.
func (*metricQuerier) Close() error { return nil }

// A seriesSet implements storage.SeriesSet.
type seriesSet struct {
	series []*storedSeries
	at     int
}

func (s *seriesSet) Next() bool                        { s.at++; return s.at < len(s.series) }
func (s *seriesSet) At() storage.Series                { return s.series[s.at] }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// Labels implements storage.Series.
func (s *storedSeries) Labels() labels.Labels { return s.labels }

// Iterator implements storage.Series.
func (s *storedSeries) Iterator(reuse chunkenc.Iterator) chunkenc.Iterator {
	it, ok := reuse.(*sampleIterator)
	if !ok {
		it = &sampleIterator{}
	}
	it.series, it.at = s, -1
	return it
}

// A sampleIterator implements chunkenc.Iterator over plain numbers.
type sampleIterator struct {
	series *storedSeries
	at     int
}

func (it *sampleIterator) kind() chunkenc.ValueType {
	if it.at >= len(it.series.times) {
		return chunkenc.ValNone
	}
	return chunkenc.ValFloat
}

func (it *sampleIterator) Next() chunkenc.ValueType {
	if it.at < len(it.series.times) {
		it.at++
	}
	return it.kind()
}

// millis is milliseconds since the epoch. Vet takes a method Seek(int64) for a
// mistaken io.Seeker.
type millis = int64

func (it *sampleIterator) Seek(t millis) chunkenc.ValueType {
	it.at = max(it.at, 0)
	times := it.series.times[min(it.at, len(it.series.times)):]
	it.at += sort.Search(len(times), func(i int) bool { return times[i] >= t })
	return it.kind()
}

func (it *sampleIterator) At() (int64, float64) {
	return it.series.times[it.at], it.series.values[it.at]
}

func (it *sampleIterator) AtT() int64 { return it.series.times[it.at] }
func (*sampleIterator) AtST() int64   { return 0 }
func (*sampleIterator) Err() error    { return nil }

// AtHistogram is never called: no sample is a native histogram.
func (*sampleIterator) AtHistogram(*histogram.Histogram) (int64, *histogram.Histogram) {
	return 0, nil
}

// AtFloatHistogram is never called likewise.
func (*sampleIterator) AtFloatHistogram(*histogram.FloatHistogram) (int64, *histogram.FloatHistogram) {
	return 0, nil
}
