package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/stillfires/stillfires/internal/metrics"
)

// A MetricSpec describes files of scraped metrics: what target they are of,
// and how they are written.
type MetricSpec struct {
	Files  oneOrMany                    `yaml:"files"`  // patterns in the run's directory
	Labels map[string]string            `yaml:"labels"` // of the target, such as job and instance
	Map    map[string]map[string]string `yaml:"map"`    // capture to value to label value
	Format string                       `yaml:"format"` // auto, text or series-ndjson
	// Time is when a scrape was taken that does not say so itself.
	Time       string `yaml:"time"`
	AllowEmpty bool   `yaml:"allowEmpty"` // lets a file hold nothing

	patterns []*pattern
}

func (m *MetricSpec) check() error {
	for name := range m.Labels {
		if err := CheckLabelName(name); err != nil {
			return err
		}
		if name == model.MetricNameLabel {
			return fmt.Errorf("label %s is the metric's name; it cannot be given", name)
		}
	}
	if !slices.Contains([]string{"", "auto", formatMetricsText, formatMetricsJSON}, m.Format) {
		return fmt.Errorf("format %q: want auto, %s or %s", m.Format, formatMetricsText, formatMetricsJSON)
	}
	for _, text := range m.Files {
		p, err := compilePattern(text)
		if err != nil {
			return err
		}
		m.patterns = append(m.patterns, p)
	}
	if len(m.patterns) == 0 {
		return errors.New("names no files")
	}
	return nil
}

// A metricPlan is one file of metrics of a run.
type metricPlan struct {
	spec   *MetricSpec
	name   string // below the root
	labels labels.Labels
	time   *int64 // given, ms
}

// takeMetrics puts a file of metrics into its run; it reports false for a file
// that is none.
func (p *planner) takeMetrics(dir, name, rest string, captures map[string]string) bool {
	for i := range p.desc.Metrics {
		spec := &p.desc.Metrics[i]
		for _, pat := range spec.patterns {
			m := pat.match(rest)
			if m == nil {
				continue
			}
			r := p.runOf(dir, captures)
			if r == nil {
				return true
			}
			plan, err := newMetricPlan(spec, name, merged(captures, m))
			if err != nil {
				p.fail(name, err)
				return true
			}
			r.metrics = append(r.metrics, plan)
			return true
		}
	}
	return false
}

func newMetricPlan(spec *MetricSpec, name string, captures map[string]string) (*metricPlan, error) {
	plan := &metricPlan{spec: spec, name: name}
	target := map[string]string{}
	for label, text := range spec.Labels {
		value, err := expand(text, captures, spec.Map)
		if err == nil && value == "" {
			err = fmt.Errorf("label %s has no value", label)
		}
		if err != nil {
			return nil, fmt.Errorf("labels: %w", err)
		}
		target[label] = value
	}
	plan.labels = labels.FromMap(target)
	if spec.Time == "" {
		return plan, nil
	}
	text, err := expand(spec.Time, captures, nil)
	if err != nil {
		return nil, fmt.Errorf("time: %w", err)
	}
	ms, err := parseMoment(text)
	if err != nil {
		return nil, err
	}
	plan.time = &ms
	return plan, nil
}

// A metricChain reads the files of one target one after the other, in the
// order of their times.
type metricChain struct {
	job    *runJob
	target *metricTarget
	files  []*metricPlan
	source *metricSource // that is open
	last   int64
}

// writeMetrics merges the scrapes of all targets of the run by their times.
func (j *runJob) writeMetrics() (err error) {
	if len(j.plan.metrics) == 0 {
		return nil
	}
	chains, numbers, err := j.metricChains()
	if err != nil {
		return err
	}
	defer func() {
		for _, c := range chains {
			err = errors.Join(err, c.close())
		}
	}()
	w, err := newMetricsWriter(j.out, numbers, chains)
	if err != nil {
		return err
	}
	if err := j.mergeScrapes(w, chains); err != nil {
		return errors.Join(err, w.abort())
	}
	w.file.info.Source = path.Base(j.plan.metrics[0].name)
	return w.close()
}

func (j *runJob) mergeScrapes(w *metricsWriter, chains []*metricChain) error {
	var live []*metricChain
	for _, c := range chains {
		more, err := c.next()
		if err != nil {
			return err
		}
		if more {
			live = append(live, c)
		}
	}
	for len(live) > 0 {
		first := 0
		for i, c := range live {
			if c.source.scrape.Time < live[first].source.scrape.Time {
				first = i
			}
		}
		c := live[first]
		if err := w.write(&c.source.scrape, c.source.families); err != nil {
			return fmt.Errorf("%s:%d: %w", c.source.name, c.source.lines.n, err)
		}
		more, err := c.next()
		if err != nil {
			return err
		}
		if !more {
			live = slices.Delete(live, first, first+1)
		}
		if err := j.im.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// metricChains sorts the run's files of metrics by target.
func (j *runJob) metricChains() ([]*metricChain, *seriesNumbers, error) {
	numbers := newSeriesNumbers()
	byTarget := map[string]*metricChain{}
	var chains []*metricChain
	for _, f := range j.plan.metrics {
		key := f.labels.String()
		c := byTarget[key]
		if c == nil {
			c = &metricChain{job: j, target: &metricTarget{labels: f.labels, numbers: numbers, known: map[string]int{}}}
			byTarget[key] = c
			chains = append(chains, c)
		}
		c.files = append(c.files, f)
	}
	slices.SortFunc(chains, func(a, b *metricChain) int { return labels.Compare(a.target.labels, b.target.labels) })
	for i, c := range chains {
		c.target.number = i
		if err := c.order(); err != nil {
			return nil, nil, err
		}
	}
	return chains, numbers, nil
}

// order sorts the files of a target by the time of their first scrape.
func (c *metricChain) order() error {
	if len(c.files) < 2 {
		return nil
	}
	first := map[*metricPlan]int64{}
	scratch := &metricTarget{labels: c.target.labels, numbers: newSeriesNumbers(), known: map[string]int{}}
	for _, f := range c.files {
		s, err := c.job.openMetrics(f, scratch)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		err = s.next()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if err = errors.Join(err, s.lines.close()); err != nil {
			return err
		}
		first[f] = s.scrape.Time
	}
	slices.SortFunc(c.files, func(a, b *metricPlan) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), naturalCompare(a.name, b.name), strings.Compare(a.name, b.name))
	})
	return nil
}

// openMetrics opens a file; it is nil if the file may be empty and is.
func (j *runJob) openMetrics(f *metricPlan, target *metricTarget) (*metricSource, error) {
	shown := path.Join(filepath.ToSlash(j.im.root), f.name)
	s, err := openMetrics(j.im.fsys, f, shown, target, j.im.opts.Limits)
	if f.spec.AllowEmpty && errors.Is(err, errEmpty) {
		return nil, nil
	}
	return s, err
}

// next goes to the target's next scrape; it reports false at the end.
func (c *metricChain) next() (bool, error) {
	for {
		if c.source == nil {
			if len(c.files) == 0 {
				return false, nil
			}
			s, err := c.job.openMetrics(c.files[0], c.target)
			if err != nil {
				return false, err
			}
			c.files = c.files[1:]
			if s == nil {
				continue
			}
			c.source, s.last, s.count = s, c.last, 0
		}
		err := c.source.next()
		if !errors.Is(err, io.EOF) {
			if err == nil && c.source.scrape.Time < c.last {
				err = fmt.Errorf("%s: its scrape of %s is older than one of %s of another file of the same target; give the files labels that tell their targets apart",
					c.source.name, formatMillis(c.source.scrape.Time), formatMillis(c.last))
			}
			c.last = c.source.scrape.Time
			return err == nil, err
		}
		if err := c.close(); err != nil {
			return false, err
		}
	}
}

func (c *metricChain) close() error {
	if c.source == nil {
		return nil
	}
	s := c.source
	c.source = nil
	return s.lines.close()
}

func formatMillis(ms int64) string { return formatTime(time.UnixMilli(ms).UnixNano()) }

// A metricsWriter writes metrics.om.zst.
type metricsWriter struct {
	file     *fileWriter
	numbers  *seriesNumbers
	texts    [][]byte // of series by number
	targets  []string
	families map[describedBy]metrics.Family
	line     []byte
}

// describedBy is a family as one target describes it.
type describedBy struct {
	target int
	name   string
}

func newMetricsWriter(run *RunWriter, numbers *seriesNumbers, chains []*metricChain) (*metricsWriter, error) {
	file, err := run.file(File{Path: MetricsFile})
	if err != nil {
		return nil, err
	}
	w := &metricsWriter{file: file, numbers: numbers, families: map[describedBy]metrics.Family{}}
	for _, c := range chains {
		w.targets = append(w.targets, string(appendTarget(nil, c.target.labels)))
	}
	return w, nil
}

// appendTarget writes the labels of a target, {} if it has none.
func appendTarget(dst []byte, ls labels.Labels) []byte {
	n := len(dst)
	if dst = appendSeries(dst, ls); len(dst) == n {
		dst = append(dst, "{}"...)
	}
	return dst
}

func (w *metricsWriter) write(s *metrics.Scrape, families []metrics.Family) error {
	up := 0
	if s.Up {
		up = 1
	}
	w.line = fmt.Appendf(w.line[:0], "# scrape ts=%s up=%d target=%s", formatMillis(s.Time), up, w.targets[s.Target])
	if err := w.file.line(w.line); err != nil {
		return err
	}
	for _, f := range families {
		key := describedBy{s.Target, f.Name}
		had, ok := w.families[key]
		if ok && had == f {
			continue
		}
		w.families[key] = f
		if err := w.numbers.keep(familySize(&f) - familySize(&had)); err != nil {
			return err
		}
		if err := w.family(f); err != nil {
			return err
		}
	}
	for _, x := range s.Samples {
		for len(w.texts) <= x.Series {
			w.texts = append(w.texts, appendSeries(nil, w.numbers.labels[len(w.texts)]))
		}
		w.line = append(append(w.line[:0], w.texts[x.Series]...), ' ')
		w.line = appendStamp(append(appendValue(w.line, x.Value), ' '), x.Time)
		if err := w.file.line(w.line); err != nil {
			return err
		}
	}
	return nil
}

func (w *metricsWriter) family(f metrics.Family) error {
	name := string(appendFamilyName(nil, f.Name))
	for _, l := range []struct{ word, text string }{{"TYPE", f.Type}, {"UNIT", f.Unit}, {"HELP", f.Help}} {
		if l.text == "" {
			continue
		}
		w.line = fmt.Appendf(w.line[:0], "# %s %s %s", l.word, name, l.text)
		if err := w.file.line(w.line); err != nil {
			return err
		}
	}
	return nil
}

func (w *metricsWriter) close() error {
	err := w.file.line([]byte("# EOF"))
	return errors.Join(err, w.file.close())
}

func (w *metricsWriter) abort() error { return w.file.file.Close() }
