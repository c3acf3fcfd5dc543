package api

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
	"github.com/stillfires/stillfires/logql/syntax"
)

// A Loki records the entries that a selector chooses, each set of labels as a
// stream. With To it is done when it has those before it; without, it goes on
// until the capture ends.
type Loki struct {
	Query string `yaml:"query"` // a selector, perhaps with filters
	From  string `yaml:"from"`  // a time, now (the default), or how long before the capture
	To    string `yaml:"to"`    // likewise; empty: follow

	// Settle is how old entries are when they are asked for: what is written
	// meanwhile for the same time is found too.
	Settle   time.Duration `yaml:"settle"`
	Interval time.Duration `yaml:"interval"` // between requests that follow
	// Recheck is how long the stretches are that are asked for again, for what
	// came later than Settle.
	Recheck time.Duration `yaml:"recheck"`

	Limit    int    `yaml:"limit"`    // entries of one answer
	MaxLimit int    `yaml:"maxLimit"` // where more entries have one time
	Client   Client `yaml:",inline"`

	UserAgent string `yaml:"-"` // of the program

	firstWait time.Duration // of tests
	maxBody   int64         // of tests
	keepEvery time.Duration // of tests: how often the cursor is kept
}

// Bounds of what is asked for and held.
const (
	maxBody      = 64 << 20      // bytes of an answer
	maxStreams   = 1000          // of one source
	longestRange = 6 * time.Hour // of one request
	keepEvery    = 2 * time.Second
)

// Sources returns what records.
func (l *Loki) Sources() ([]capture.Source, error) {
	own := *l
	from, err1 := parseWhen("from", l.From)
	to, err2 := parseWhen("to", l.To)
	var err3, err4, err5 error
	own.Settle, err3 = between("settle", l.Settle, 5*time.Second, 100*time.Millisecond)
	own.Interval, err4 = between("interval", l.Interval, 5*time.Second, 100*time.Millisecond)
	own.Recheck, err5 = between("recheck", l.Recheck, time.Minute, time.Second)
	parsers, err6 := checkQuery(l.Query)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	if own.Limit == 0 {
		own.Limit = 1000
	}
	if own.MaxLimit == 0 {
		own.MaxLimit = max(5000, own.Limit)
	}
	switch now := time.Now(); {
	case own.Limit < 1 || own.Limit > own.MaxLimit || own.MaxLimit > 1_000_000:
		return nil, fmt.Errorf("limit %d and maxLimit %d: want 1 ≤ limit ≤ maxLimit ≤ 1000000", own.Limit, own.MaxLimit)
	case to.set && !from.set:
		return nil, errors.New("to: needs from")
	case to.set && !from.resolve(now).Before(to.resolve(now)):
		return nil, fmt.Errorf("from %s is not before to %s", l.From, l.To)
	}
	srv, err := l.Client.server(l.UserAgent)
	if err != nil {
		return nil, err
	}
	if l.firstWait > 0 {
		srv.firstWait = l.firstWait
	}
	own.maxBody, own.keepEvery = cmp.Or(own.maxBody, maxBody), cmp.Or(own.keepEvery, keepEvery)
	return []capture.Source{&lokiSource{spec: &own, srv: srv, from: from, to: to, parsers: parsers}}, nil
}

// checkQuery holds a query to one that chooses entries and leaves them as they
// are. It reports whether filters need labels that are read out of lines.
func checkQuery(query string) (parsers bool, err error) {
	if query == "" {
		return false, errors.New(`query: is missing; want a selector such as {app="kueue"}`)
	}
	e, err := syntax.Parse(query)
	if err != nil {
		return false, fmt.Errorf("query: %w", err)
	}
	q, ok := e.(*syntax.LogQuery)
	if !ok {
		return false, errors.New("query: makes numbers; want a selector that chooses entries, perhaps with filters")
	}
	for _, st := range q.Stages {
		switch st.(type) {
		case *syntax.LineFilter, *syntax.LabelFilterStage:
		case *syntax.JSONStage, *syntax.LogfmtStage, *syntax.PatternStage, *syntax.RegexpStage:
			parsers = true
		default:
			return false, fmt.Errorf("query: %s changes entries, and a corpus keeps what was written; want a selector and filters", query[st.Span().Start:st.Span().End])
		}
	}
	return parsers, nil
}
