package query

import (
	"context"
	"errors"

	"github.com/stillfires/stillfires/internal/logs"
)

// A logRun is what a query looks at in one go: a run of a corpus, or single
// logs.
type logRun struct {
	name    string      // for people
	extra   logs.Labels // added to the labels of answers, to tell runs apart
	streams []logs.Labels
	// first and last are the times of the first and last record, if it was
	// asked for them.
	first, last int64
	// open begins to read. With passesOver set it leaves out what keep cuts
	// away, unless keep is nil.
	open       func(ctx context.Context, keep func(text []byte) []byte) (entries, error)
	passesOver bool
	// text names files whose lines are the records, where they can be counted
	// without a look at times.
	text []string
}

// Entries is a cursor over records in time order. Scan goes to the next one
// and reports false at the end or on a fault, which Err then returns. The
// entry is valid until the next Scan.
type entries interface {
	Scan() bool
	Stream() int // index into logRun.streams
	Entry() *logs.Entry
	Err() error
	Close() error
}

// addLabels adds the labels that tell runs apart. A label of that name that is
// there already stays; the other is then called run_<name>.
func (r *logRun) addLabels(ls logs.Labels) logs.Labels {
	if len(r.extra) == 0 {
		return ls
	}
	out := append(make([]logs.Label, 0, len(ls)+len(r.extra)), ls...)
	for _, l := range r.extra {
		if _, ok := ls.Lookup(l.Name); ok {
			l.Name = "run_" + l.Name
		}
		out = append(out, l)
	}
	return logs.New(out...)
}

// A logSource is all runs that a query is asked of.
type logSource struct {
	runs    []*logRun
	assumed bool // stream labels are not known: selectors are taken to match
	// common are the labels that all streams share.
	common logs.Labels
	notes  []string
	late   func() string // a remark at the end; nil: none
	remove func()        // deletes what was made on the way
}

// prefix names a run in remarks, where there are several.
func (s *logSource) prefix(r *logRun) string {
	if len(s.runs) < 2 {
		return ""
	}
	return r.name + ": "
}

// openLogs finds the logs that the options name.
func openLogs(ctx context.Context, opt *Options, q *question, when *when) (*logSource, error) {
	var src *logSource
	var err error
	switch {
	case opt.Corpus != "" && len(opt.Files) > 0:
		return nil, errors.New("a corpus and log files were given; ask them one after the other")
	case opt.Corpus != "" && len(opt.Labels) > 0:
		return nil, errors.New("--labels is for log files: the streams of a corpus have their labels")
	case opt.Corpus != "":
		src, err = openCorpus(opt)
	case opt.Build != "" || opt.Scenario != "" || opt.Repetition != 0:
		return nil, errors.New("--build, --scenario and --repetition choose runs of a corpus; name it with --corpus DIR")
	default:
		src, err = openFiles(ctx, opt, q, when)
	}
	if err != nil {
		return nil, err
	}
	src.common = commonLabels(src.runs)
	return src, nil
}

func commonLabels(runs []*logRun) logs.Labels {
	var common []logs.Label
	first := true
	for _, r := range runs {
		for _, ls := range r.streams {
			if first {
				common, first = append(common, ls...), false
				continue
			}
			kept := common[:0]
			for _, l := range common {
				if v, ok := ls.Lookup(l.Name); ok && v == l.Value {
					kept = append(kept, l)
				}
			}
			common = kept
		}
	}
	return logs.New(common...)
}
