package align

import (
	"testing"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// unread is a run with one stream of which records could not be read, of them
// lines of panics.
func unread(unparseable, ofPanics int64) []outcome.Run {
	r := runOf("drill", 1)
	r.Logs = []outcome.LogInfo{{Labels: logs.FromMap(map[string]string{"app": "web"}), Records: 1000, Unparseable: unparseable}}
	r.PanicLines = []int64{ofPanics}
	return []outcome.Run{r}
}

// TestUnparseable: the lines of a panic are no records that cannot be read.
func TestUnparseable(t *testing.T) {
	f := func(unparseable, ofPanics int64, want int) {
		t.Helper()
		r := Compare(unread(0, 0), unread(unparseable, ofPanics))
		if len(r.Unparseable) != want {
			t.Errorf("%d unparseable, %d of panics: %+v; want %d", unparseable, ofPanics, r.Unparseable, want)
		}
	}
	f(40, 0, 1)
	f(40, 10, 1)
	f(40, 40, 0)
	f(10, 40, 0)
	f(4, 0, 0)
}

// TestBroken: records that begin as JSON and cannot be read are no new
// message; a line of text is.
func TestBroken(t *testing.T) {
	f := func(text string, want int) {
		t.Helper()
		candidate := runOf("drill", 1)
		candidate.Messages = append(candidate.Messages, outcome.Message{Text: text, Encoding: outcome.Text, Count: 30})
		if r := Compare(runs(), []outcome.Run{candidate}); len(r.Changes) != want {
			t.Errorf("%q: %v; want %d changes", text, told(r), want)
		}
	}
	f(`{"level":"<*>","msg":"Pod scheduled","po`, 0)
	f(`cannot open the database <*>`, 1)
}

// TestMoved_AnyObject: an event says what a message said if one of the objects
// that it is about is one that the message named.
func TestMoved_AnyObject(t *testing.T) {
	f := func(want Class, objects ...string) {
		t.Helper()
		candidate := runOf("drill", 1)
		candidate.Facts = &facts.Facts{}
		for _, o := range objects {
			candidate.Facts.Events = append(candidate.Facts.Events, facts.Event{Message: "Volume was attached", Object: facts.Ref{Namespace: "a", Name: o}})
		}
		deployed := runOf("drill", 1, `info volume volume.go "Volume was attached" 20 claim=claim-1,claim-2`)
		deployed.Facts = &facts.Facts{}
		r := Compare([]outcome.Run{deployed}, []outcome.Run{candidate})
		if len(r.Changes) != 1 || r.Changes[0].Classes[0] != want {
			t.Errorf("events of %v: %v; want %s", objects, told(r), want)
		}
	}
	f(Moved, "claim-1")
	f(Moved, "claim-9", "claim-2")
	f(Removed, "claim-9", "claim-8")
	f(Removed)
}
