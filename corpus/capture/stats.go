package capture

import (
	"slices"
	"time"
)

// stats is what a session counts, under its lock.
type stats struct {
	sources, streams int
	lines, bytes     int64
	values, scrapes  int64
	gaps             int
	problems         []string
}

// maxProblems bounds what is kept for a terminal; the journal has all.
const maxProblems = 100

func (s *stats) problem(text string) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, text)
	}
}

// Stats says how a capture is getting on.
type Stats struct {
	Elapsed  time.Duration
	Sources  int // that are recording
	Streams  int
	Lines    int64
	Bytes    int64 // of everything
	Values   int64
	Scrapes  int64
	Gaps     int
	Problems []string // what went wrong, in order, the first hundred
}

// Stats returns how the capture is getting on.
func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Stats{
		Elapsed: s.opts.Now().Sub(s.start), Sources: s.stats.sources, Streams: s.stats.streams, Lines: s.stats.lines, Bytes: s.stats.bytes,
		Values: s.stats.values, Scrapes: s.stats.scrapes, Gaps: s.stats.gaps, Problems: slices.Clone(s.stats.problems),
	}
	for _, st := range s.streams {
		lines, bytes := st.counted.lines.Load(), st.counted.bytes.Load()
		out.Lines += lines
		out.Bytes += bytes
	}
	return out
}
