package query

import (
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
)

// A line is one line of an answer.
type line struct {
	time   int64
	dated  bool // time is known
	labels logs.Labels
	text   []byte // valid until emit returns

	hash uint64 // of the stream
	seq  int
}

// A lineSink hands on the lines of a log query in the order of the answer:
// forward as they come, lines of one time in the order of their streams'
// hashes as in Loki; backward all at the end.
type lineSink struct {
	emit func(*line) error

	hashes   []uint64
	limit    int // 0: none
	backward bool
	labels   bool // are asked for

	matches int
	emitted int
	cut     bool // there are more lines than the limit
	kept    []line
	err     error
}

func newLineSink(r *logRun, limit int, backward, labels bool) *lineSink {
	s := &lineSink{limit: limit, backward: backward, labels: labels}
	for _, ls := range r.streams {
		s.hashes = append(s.hashes, ls.Hash())
	}
	return s
}

// stopped reports whether more input cannot change the answer.
func (s *lineSink) stopped() bool { return s.err != nil || s.cut && !s.backward }

// Vector implements logql.Sink. A log query has none.
func (s *lineSink) Vector(int, int64, []logql.Sample) {}

// Match implements logql.Sink.
func (s *lineSink) Match(_, _ int, m *logql.Match) {
	s.matches++
	x := line{time: m.Entry.Time, dated: m.Entry.Time != 0, text: m.Line, hash: s.hashes[m.Stream], seq: s.matches}
	if s.labels {
		x.labels = m.Labels()
	}
	if !s.backward && len(s.hashes) == 1 {
		s.hand(&x)
		return
	}
	if !s.backward && len(s.kept) > 0 && s.kept[0].time != x.time {
		s.handAll()
	}
	x.text = slices.Clone(x.text)
	s.kept = append(s.kept, x)
	if s.backward && s.limit > 0 && len(s.kept) > 2*s.limit+64 {
		s.sort()
		clear(s.kept[s.limit+1:])
		s.kept = s.kept[:s.limit+1]
	}
}

func (s *lineSink) sort() {
	slices.SortFunc(s.kept, func(a, b line) int {
		time, seq := cmp.Compare(a.time, b.time), cmp.Compare(a.seq, b.seq)
		if s.backward {
			time, seq = -time, -seq
		}
		return cmp.Or(time, cmp.Compare(a.hash, b.hash), seq)
	})
}

func (s *lineSink) handAll() {
	s.sort()
	for i := range s.kept {
		s.hand(&s.kept[i])
	}
	clear(s.kept)
	s.kept = s.kept[:0]
}

func (s *lineSink) hand(x *line) {
	switch {
	case s.err != nil:
	case s.limit > 0 && s.emitted == s.limit:
		s.cut = true
	default:
		s.emitted++
		s.err = s.emit(x)
	}
}

// close hands on what is left.
func (s *lineSink) close() error {
	s.handAll()
	return s.err
}
