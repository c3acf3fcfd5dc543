package timeline

import (
	"math"

	"github.com/stillfires/stillfires/internal/profile"
)

// Claims tells which claims of the end of work nothing bears out. Logs and
// events say that work ended; whether it ran, other records show.
type claims struct {
	// traced is work of which any evidence shows that it was dispatched, ran or
	// computed, sure that of which more than logs and events do.
	traced, sure map[int]bool
	// gaps: log lines that could be such evidence are known to be missing.
	gaps bool
	// ends is work of whose end there are claims since the loss began; of it,
	// tracedEnds is traced and sureEnds sure.
	ends                 map[int]bool
	tracedEnds, sureEnds int
}

// gatherClaims looks through the evidence of what comes before an end.
func (b *builder) gatherClaims(finished []*source) {
	c := &claims{traced: map[int]bool{}, sure: map[int]bool{}, ends: map[int]bool{}}
	b.claims = c
	claim := func(s *source) {
		for w, hits := range s.of {
			if says(s) && s.hits[hits[len(hits)-1]].at >= b.out.Failure.At {
				c.ends[w] = true
			}
		}
	}
	for _, s := range finished {
		claim(s)
	}
	for i, sources := range b.sources {
		d := &b.m.List[i]
		for _, s := range sources {
			switch d.As {
			case profile.Finished:
				claim(s)
			case profile.Dispatched, profile.Running, profile.Useful:
				c.gaps = c.gaps || len(s.gaps) > 0
				for w := range s.of {
					c.traced[w] = true
					c.sure[w] = c.sure[w] || !says(s)
				}
			}
		}
	}
	for w := range c.ends {
		c.tracedEnds += count1(c.traced[w])
		c.sureEnds += count1(c.sure[w])
	}
}

func count1(is bool) int {
	if is {
		return 1
	}
	return 0
}

// says reports whether a source is words about work, not a state of it.
func says(s *source) bool { return s.kind == "log" || s.kind == "event" }

// unborne reports whether the end of a piece of work is only said: nothing else
// is known of it that is known of other work of whose end the same is said.
// With no trace at all that of most others is enough; where logs and events
// trace it, others must all be known by more.
func (c *claims) unborne(w int) bool {
	if c == nil || c.sure[w] {
		return false
	}
	others := len(c.ends) - count1(c.ends[w])
	traced := c.tracedEnds - count1(c.ends[w] && c.traced[w])
	if others > 1 && c.sureEnds == others {
		return true
	}
	return !c.traced[w] && !c.gaps && 2*traced > others
}

// everDenied is the time up to which the end of work is denied for good.
const everDenied = math.MaxInt64
