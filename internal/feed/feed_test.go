package feed

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
)

// A counter is entries that reuse their memory, as a reader does.
type counter struct {
	n, last int
	entry   logs.Entry
	err     error
}

func (c *counter) Scan() bool {
	c.n++
	c.entry.Time = int64(c.n)
	c.entry.Line = fmt.Appendf(c.entry.Line[:0], "line %d", c.n)
	return c.n <= c.last
}
func (c *counter) Stream() int        { return c.n % 3 }
func (c *counter) Entry() *logs.Entry { return &c.entry }
func (c *counter) Err() error         { return c.err }

func TestEach(t *testing.T) {
	kept, next := 0, int64(1)
	err := Each(t.Context(), &counter{last: 10_000},
		func(int, *logs.Entry) bool { kept++; return kept%2 == 1 },
		func(stream int, e *logs.Entry) bool {
			if e.Time != next || string(e.Line) != fmt.Sprintf("line %d", next) || stream != int(next%3) {
				t.Fatalf("got stream %d, %d %q; want record %d", stream, e.Time, e.Line, next)
			}
			next += 2
			return true
		})
	if err != nil || kept != 10_000 || next != 10_001 {
		t.Errorf("error %v, %d records read, next %d", err, kept, next)
	}
}

func TestEach_Stops(t *testing.T) {
	all := func(int, *logs.Entry) bool { return true }
	seen := 0
	if err := Each(t.Context(), &counter{last: 1 << 40}, all, func(int, *logs.Entry) bool { seen++; return seen < 10 }); err != nil || seen != 10 {
		t.Errorf("stopped by work: %v after %d records", err, seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Each(ctx, &counter{last: 1 << 40}, all, func(int, *logs.Entry) bool { cancel(); return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	fault := errors.New("damaged")
	if err := Each(t.Context(), &counter{last: 5, err: fault}, all, all); !errors.Is(err, fault) {
		t.Errorf("a fault of the entries: error %v", err)
	}
}
