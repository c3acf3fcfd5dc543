package kube

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stillfires/stillfires/corpus/capture"
)

// leases records who leads.
type leases struct {
	c         *cluster
	namespace string
	name      string // empty: all in the namespace
}

var leasesResource = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}

// String implements [fmt.Stringer].
func (l *leases) String() string {
	if l.name != "" {
		return "lease " + l.name + " of " + l.c.in(l.namespace)
	}
	return "leases of " + l.c.in(l.namespace)
}

// Record implements [capture.Source].
func (l *leases) Record(ctx context.Context, to capture.Sink) error {
	return l.c.watch(ctx, selection{resource: leasesResource, namespace: l.namespace, name: l.name}, &leaseStore{c: l.c, sink: to, holders: map[string]string{}})
}

// A leaseStore takes what a watch tells of leases.
type leaseStore struct {
	c       *cluster
	sink    capture.Sink
	holders map[string]string // by namespace and name
}

// Add records a change of the holder.
func (s *leaseStore) Add(obj any) error { return each(obj, s.put) }

func (s *leaseStore) put(u *unstructured.Unstructured) error {
	holder, _, _ := unstructured.NestedString(u.Object, "spec", "holderIdentity")
	before, known := s.holders[target(u)]
	if known && before == holder {
		return nil
	}
	s.holders[target(u)] = holder
	o := observation{Time: s.sink.Now(), Action: "leader-changed", Target: target(u), Detail: map[string]any{"from": before, "to": holder}}
	switch {
	case !known:
		o.Action, o.Detail = "leader-seen", map[string]any{"to": holder}
	case holder == "":
		o.Action = "leader-released"
	}
	if n, ok, _ := unstructured.NestedInt64(u.Object, "spec", "leaseTransitions"); ok {
		o.Detail["transitions"] = n
	}
	// The server's own time of the change is better than that of hearing of it.
	for _, key := range []string{"acquireTime", "renewTime"} {
		text, _, _ := unstructured.NestedString(u.Object, "spec", key)
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil && known && holder != "" {
			o.Time = t
			break
		}
	}
	return s.c.saw(s.sink, o)
}

// Update, Delete, Replace and Resync implement cache.ReflectorStore.
func (s *leaseStore) Update(obj any) error { return s.Add(obj) }

// Delete records that nobody leads.
func (s *leaseStore) Delete(obj any) error {
	return each(obj, func(u *unstructured.Unstructured) error {
		before := s.holders[target(u)]
		delete(s.holders, target(u))
		if before == "" {
			return nil
		}
		return s.c.saw(s.sink, observation{Time: s.sink.Now(), Action: "leader-released", Target: target(u), Detail: map[string]any{"from": before, "to": ""}})
	})
}

// Replace takes a whole list.
func (s *leaseStore) Replace(list []any, _ string) error { return addAll(list, s.Add) }

// Resync does nothing.
func (s *leaseStore) Resync() error { return nil }
