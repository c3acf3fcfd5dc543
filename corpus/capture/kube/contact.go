package kube

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
)

// A contact is what the answers of an API server tell of its clock, and when
// there were none.
type contact struct {
	mu sync.Mutex

	// The server's clock minus that of this machine is above low and below
	// high, by all answers since the last step.
	low, high time.Duration
	answers   int
	steps     int // times that no difference fitted all answers

	lostAt time.Time // of the first request without an answer since the last that had one
	tries  int
	lost   []outage
	more   int // outages that are not in lost
}

type outage struct {
	from, to time.Time
	tries    int
}

const maxOutages = 50

// A listener watches requests and answers go by.
type listener struct {
	next    http.RoundTripper
	contact *contact
}

// RoundTrip implements [http.RoundTripper].
func (l *listener) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := time.Now()
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			l.contact.failed(sent)
		}
		return nil, err
	}
	l.contact.answered(sent, time.Now(), resp.Header.Get("Date"))
	return resp, nil
}

func (c *contact) failed(sent time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tries++; c.lostAt.IsZero() {
		c.lostAt = sent
	}
}

// answered takes the Date of an answer, which is the server's time in whole
// seconds at some moment between sent and got.
func (c *contact) answered(sent, got time.Time, date string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lostAt.IsZero() {
		if len(c.lost) < maxOutages {
			c.lost = append(c.lost, outage{c.lostAt, got, c.tries})
		} else {
			c.more++
		}
		c.lostAt, c.tries = time.Time{}, 0
	}
	d, err := http.ParseTime(date)
	if err != nil {
		return
	}
	low, high := d.Sub(got.Round(0)), d.Add(time.Second).Sub(sent.Round(0))
	if c.answers > 0 && max(low, c.low) < min(high, c.high) {
		low, high = max(low, c.low), min(high, c.high)
	} else if c.answers > 0 {
		c.steps++
	}
	c.low, c.high = low, high
	c.answers++
}

// skew returns the server's clock minus this machine's, and how far that may
// be off; ok is false if no answer told.
func (c *contact) skew() (ahead, off time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return (c.low + c.high) / 2, (c.high - c.low) / 2, c.answers > 0
}

// report tells the readers of reports of the clock and of outages.
func (c *contact) report(cluster string, to capture.Sink) {
	if ahead, off, ok := c.skew(); ok {
		to.Note(fmt.Sprintf("%s: the clock of the API server %s", cluster, clockText(ahead, off)))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.steps > 0 {
		to.Note(fmt.Sprintf("%s: the clock of the API server, or of this machine, was set %d times during the capture", cluster, c.steps))
	}
	for _, o := range c.lost {
		to.Note(fmt.Sprintf("%s: the API server gave no answer from %s to %s (%d tries)", cluster, stampOf(o.from), stampOf(o.to), o.tries))
	}
	if c.more > 0 {
		to.Note(fmt.Sprintf("%s: the API server gave no answer %d more times", cluster, c.more))
	}
	if !c.lostAt.IsZero() {
		to.Note(fmt.Sprintf("%s: the API server gave no answer from %s to the end (%d tries)", cluster, stampOf(c.lostAt), c.tries))
	}
}

// clockText says how a clock differs from this machine's.
func clockText(ahead, off time.Duration) string {
	ahead, off = ahead.Round(time.Millisecond), off.Round(time.Millisecond)
	switch {
	case ahead.Abs() <= off:
		return fmt.Sprintf("agrees with this machine's to %s", (ahead.Abs() + off))
	case ahead > 0:
		return fmt.Sprintf("is %s ahead of this machine's, give or take %s", ahead, off)
	}
	return fmt.Sprintf("is %s behind this machine's, give or take %s", -ahead, off)
}

func stampOf(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func shortHash(s string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}
