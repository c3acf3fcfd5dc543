package recordtime

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A Choice is a format chosen for one log: a transport or none, the body
// format most of its records are in, and those that may date a record.
type Choice struct {
	transport *transport
	main      int // index in bodies, -1: none seen
	accept    [len(bodies)]bool
}

// Name returns the choice as transport+body, such as "cri+klog"; a log of
// undated lines is "text".
func (c Choice) Name() string {
	name := "text"
	if c.main >= 0 {
		name = bodies[c.main].name
	}
	if c.transport != nil {
		return c.transport.name + "+" + name
	}
	return name
}

// Transported reports whether records take their times from a transport.
func (c Choice) Transported() bool { return c.transport != nil }

// A Sampler looks at the first lines of a log to choose its format.
type Sampler struct {
	auto       bool
	bodies     [len(bodies)]bool
	transports [len(transports)]bool
	bare       bool // lines without any transport are thought of

	lines int // that are not empty
	dated bool
	nanos int // with a time to the nanosecond first
	// seen counts lines by transport (the last: none) and body.
	seen  [len(transports) + 1][len(bodies)]int
	taken [len(transports)]int
	// objects counts lines by transport that are a JSON object behind it.
	objects [len(transports)]int
}

// NewSampler returns a sampler that chooses among the formats named, or among
// all for "auto" or no names.
func NewSampler(names ...string) (*Sampler, error) {
	s := &Sampler{}
	none := slices.Contains(names, None)
	s.auto = len(names) == 0 || slices.Contains(names, Auto)
	if len(names) > 1 && (s.auto || none) {
		return nil, fmt.Errorf("formats %s: %q and %q stand alone", strings.Join(names, ", "), Auto, None)
	}
	for _, name := range names {
		if !Known(name) {
			return nil, fmt.Errorf("format %q is not known; the formats are %s", name, strings.Join(Names(), ", "))
		}
	}
	anyBody := false
	for i, b := range bodies {
		s.bodies[i] = s.auto || slices.Contains(names, b.name)
		anyBody = anyBody || s.bodies[i]
	}
	anyTransport := false
	for i, t := range transports {
		s.transports[i] = s.auto || slices.Contains(names, t.name)
		anyTransport = anyTransport || s.transports[i]
	}
	if anyTransport && !anyBody {
		for i := range s.bodies {
			s.bodies[i] = true
		}
	}
	s.bare = s.auto || !anyTransport
	return s, nil
}

// NewBodySampler returns a sampler of lines that no transport carries any more:
// it chooses among all body formats.
func NewBodySampler() *Sampler {
	s := &Sampler{auto: true, bare: true}
	for i := range s.bodies {
		s.bodies[i] = true
	}
	return s
}

// Add counts one line.
func (s *Sampler) Add(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	s.lines++
	if nanoseconds(line) {
		s.nanos++
	}
	for i, t := range transports {
		if !s.transports[i] {
			continue
		}
		if p, ok := t.take(line); ok {
			s.taken[i]++
			s.dated = true
			if n := len(p.line); n > 1 && p.line[0] == '{' && p.line[n-1] == '}' {
				s.objects[i]++
			}
			s.count(i, p.line)
		}
	}
	if s.bare {
		s.count(len(transports), line)
	}
}

func (s *Sampler) count(transport int, line []byte) {
	for i, b := range bodies {
		if !s.bodies[i] {
			continue
		}
		if _, ok := b.stamp(line); ok {
			s.seen[transport][i]++
			s.dated = true
			return
		}
	}
}

// Lines returns the number of lines added that are not empty.
func (s *Sampler) Lines() int { return s.lines }

// Dated reports whether a line added has a time in some format.
func (s *Sampler) Dated() bool { return s.dated }

// Choice returns the format that fits the lines added.
func (s *Sampler) Choice() Choice {
	c := Choice{main: -1}
	t := s.choose()
	if t < len(transports) {
		c.transport = &transports[t]
	}
	for i, n := range s.seen[t] {
		if n > 0 && (c.main < 0 || n > s.seen[t][c.main]) {
			c.main = i
		}
	}
	for i, b := range bodies {
		c.accept[i] = s.bodies[i] && (!s.auto || b.strong || i == c.main)
	}
	return c
}

// choose returns an index in transports, or one past it for none.
func (s *Sampler) choose() int {
	best := len(transports)
	for i, t := range transports {
		switch {
		case !s.transports[i]:
		case !s.bare: // one of those named it must be
			if best == len(transports) || s.taken[i] > s.taken[best] {
				best = i
			}
		case t.name == "kubectl":
			if best == len(transports) && s.kubectlFits(i) {
				best = i
			}
		case s.taken[i] > 0 && s.taken[i]*10 >= s.lines*9:
			if best == len(transports) {
				best = i
			}
		}
	}
	return best
}

// kubectlFits reports whether every line begins with a time that kubectl put
// there. A process can begin its own lines with a time, which then must stay.
// Kubectl's has nanoseconds, or a line with a time of its own follows it, or a
// JSON object: no process writes a time before one.
func (s *Sampler) kubectlFits(i int) bool {
	if s.lines == 0 || s.taken[i] != s.lines {
		return false
	}
	own := 0
	for b, n := range s.seen[i] {
		if bodies[b].strong {
			own += n
		}
	}
	return s.nanos*2 >= s.lines || own*10 >= s.lines || s.objects[i]*10 >= s.lines
}
