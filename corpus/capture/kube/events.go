package kube

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// events records the events of a namespace: each state of each, as an event
// that happens again is counted up. Those that were over when the capture began
// are left out.
type events struct {
	c         *cluster
	namespace string // empty: all
}

var eventsResource = schema.GroupVersionResource{Version: "v1", Resource: "events"}

// String implements [fmt.Stringer].
func (e *events) String() string { return "events of " + e.c.in(e.namespace) }

// Record implements [capture.Source].
func (e *events) Record(ctx context.Context, to capture.Sink) error {
	s := &eventStore{c: e.c, sink: to, since: e.c.since(to), seen: map[string]string{}}
	what := selection{resource: eventsResource, namespace: e.namespace}
	if err := e.c.watch(ctx, what, s); err != nil {
		return err
	}
	// What the watch was about to tell.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceOf(to))
	defer cancel()
	if err := e.c.list(ctx, what, s.put); err != nil {
		return fmt.Errorf("%s: the last ones could not be read: %w", e, err)
	}
	if s.old > 0 {
		to.Note(fmt.Sprintf("%s: %d were over before the capture began, and were left out", e, s.old))
	}
	return nil
}

// An eventStore takes what a watch tells of events.
type eventStore struct {
	c     *cluster
	sink  capture.Sink
	since time.Time         // by this machine's clock
	seen  map[string]string // UID to resource version
	old   int
}

func (s *eventStore) put(u *unstructured.Unstructured) error {
	uid, version := string(u.GetUID()), u.GetResourceVersion()
	before, known := s.seen[uid]
	if known && before == version {
		return nil
	}
	s.seen[uid] = version
	if last := lastTime(u); !last.IsZero() && last.Before(s.c.atServer(s.since).Add(-time.Second)) {
		if !known {
			s.old++
		}
		return nil
	}
	text, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	return s.sink.Value("events", corpus.FileKey{Cluster: s.c.name}, text)
}

// lastTime is when an event happened last; zero if it does not say.
func lastTime(u *unstructured.Unstructured) time.Time {
	var last time.Time
	for _, path := range [][]string{
		{"lastTimestamp"}, {"deprecatedLastTimestamp"}, {"series", "lastObservedTime"}, {"eventTime"}, {"firstTimestamp"}, {"metadata", "creationTimestamp"},
	} {
		text, _, err := unstructured.NestedString(u.Object, path...)
		if err != nil {
			continue
		}
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil && t.After(last) {
			last = t
		}
	}
	return last
}

// Add, Update, Delete, Replace and Resync implement cache.ReflectorStore.
func (s *eventStore) Add(obj any) error { return each(obj, s.put) }

// Update is as Add.
func (s *eventStore) Update(obj any) error { return s.Add(obj) }

// Delete forgets an event: that the server lets it go says nothing.
func (s *eventStore) Delete(obj any) error {
	return each(obj, func(u *unstructured.Unstructured) error { delete(s.seen, string(u.GetUID())); return nil })
}

// Replace takes a whole list.
func (s *eventStore) Replace(list []any, _ string) error { return addAll(list, s.Add) }

// Resync does nothing.
func (s *eventStore) Resync() error { return nil }
