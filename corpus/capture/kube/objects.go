package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// objects records chosen objects as they are at moments, and deletions of them
// with their last state.
type objects struct {
	c *cluster
}

// The moments that every capture of objects has.
const (
	atStart = "start"
	atEnd   = "end"
)

// String implements [fmt.Stringer].
func (o *objects) String() string {
	return strings.Join(o.c.spec.Objects, ", ") + " of " + strings.Join(o.c.namespaces, ", ") + " in " + o.c.name
}

// Record implements [capture.Source].
func (o *objects) Record(ctx context.Context, to capture.Sink) error {
	asked := to.Moments()
	kinds, err := o.kinds(ctx)
	if len(kinds) == 0 {
		return err
	}
	var failed failures
	failed.add(err)
	var wait sync.WaitGroup
	if o.c.spec.Watch {
		for _, s := range o.selections(kinds) {
			wait.Go(func() {
				failed.add(safely(func() error {
					return o.c.watch(ctx, s.selection, &deletions{c: o.c, sink: to, kind: s.kind, known: map[string]string{}})
				}))
			})
		}
	}
	snap := func(ctx context.Context, moment string) {
		if err := o.snapshot(ctx, to, moment, kinds); err != nil {
			if errors.Is(err, context.Canceled) {
				err = errors.New("the capture ended before it was whole")
			}
			failed.add(fmt.Errorf("moment %s: %w", moment, err))
		}
	}
	first := atStart
	if !to.Interrupted().IsZero() {
		first = "resumed-" + to.Now().UTC().Format("20060102T150405Z") // the capture has its start
	}
	snap(ctx, first)
	var ticks <-chan time.Time
	if o.c.spec.Interval > 0 {
		ticker := time.NewTicker(o.c.spec.Interval)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for n := 1; ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case name := <-asked:
			snap(ctx, name)
		case <-ticks:
			snap(ctx, fmt.Sprintf("interval-%d", n))
			n++
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceOf(to))
	defer cancel()
	snap(last, atEnd)
	wait.Wait()
	return failed.err
}

// failures gathers errors of goroutines.
type failures struct {
	mu  sync.Mutex
	err error
}

func (f *failures) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = errors.Join(f.err, err)
}

// kinds looks up the resources that are named. Those that the server lacks are
// errors; the others go on.
func (o *objects) kinds(ctx context.Context) (out []*kind, failed error) {
	for _, arg := range o.c.spec.Objects {
		k, err := o.kindOf(ctx, arg)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case k.secret() && !o.c.spec.Secrets:
			failed = errors.Join(failed, fmt.Errorf("%s are secrets, which are not recorded unless that is asked for", arg))
		default:
			out = append(out, k)
		}
	}
	return out, failed
}

// kindOf looks up one, until the server says what it is or that there is none.
func (o *objects) kindOf(ctx context.Context, arg string) (*kind, error) {
	try := o.c.trier(access{verbs: "get"})
	var h health
	for {
		k, err := o.c.find(ctx, arg)
		h.saw(err)
		switch {
		case err == nil, refused(err), errors.Is(err, errNoKind), apierrors.IsNotFound(err):
			return k, err
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%s: %w", arg, cmp.Or(h.atEnd(), errNever))
		}
		if err := try.pause(ctx, err); err != nil {
			return nil, err
		}
	}
}

type kindSelection struct {
	selection
	kind *kind
}

func (o *objects) selections(kinds []*kind) []kindSelection {
	var out []kindSelection
	for _, k := range kinds {
		if !k.namespaced {
			out = append(out, kindSelection{selection{resource: k.resource}, k})
			continue
		}
		for _, ns := range o.c.namespaces {
			out = append(out, kindSelection{selection{resource: k.resource, namespace: ns}, k})
		}
	}
	return out
}

// snapshot records all objects as they are now.
func (o *objects) snapshot(ctx context.Context, to capture.Sink, moment string, kinds []*kind) error {
	if err := to.Moment(moment, to.Now()); err != nil {
		return err
	}
	var failed error
	for _, s := range o.selections(kinds) {
		err := o.c.list(ctx, s.selection, func(u *unstructured.Unstructured) error {
			text, err := stripped(u)
			if err != nil {
				return err
			}
			return to.Value("objects", corpus.FileKey{Moment: moment, Cluster: o.c.name}, text)
		})
		failed = errors.Join(failed, err)
	}
	return failed
}

// stripped returns an object as JSON, without what a Secret holds.
func stripped(u *unstructured.Unstructured) ([]byte, error) {
	if u.GetKind() == "Secret" {
		u = u.DeepCopy()
		delete(u.Object, "data")
		delete(u.Object, "stringData")
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	}
	return u.MarshalJSON()
}

// deletions takes what a watch tells of objects, and records the end of each.
type deletions struct {
	c     *cluster
	sink  capture.Sink
	kind  *kind
	known map[string]string // UID to namespace and name
}

func (d *deletions) gone(uid, target string, object []byte) error {
	return d.c.saw(d.sink, observation{
		Time: d.sink.Now(), Action: strings.ToLower(d.kind.kind) + "-deleted", Target: target, UID: uid, Object: object,
	})
}

func target(u *unstructured.Unstructured) string {
	if ns := u.GetNamespace(); ns != "" {
		return ns + "/" + u.GetName()
	}
	return u.GetName()
}

// Add, Update, Delete, Replace and Resync implement cache.ReflectorStore.
func (d *deletions) Add(obj any) error {
	return each(obj, func(u *unstructured.Unstructured) error { d.known[string(u.GetUID())] = target(u); return nil })
}

// Update is as Add.
func (d *deletions) Update(obj any) error { return d.Add(obj) }

// Delete records a deletion with the last state.
func (d *deletions) Delete(obj any) error {
	return each(obj, func(u *unstructured.Unstructured) error {
		delete(d.known, string(u.GetUID()))
		text, err := stripped(u)
		if err != nil {
			return err
		}
		return d.gone(string(u.GetUID()), target(u), text)
	})
}

// Replace takes a whole list. What is not in it was deleted while nobody
// watched, and its last state is not known.
func (d *deletions) Replace(list []any, _ string) error {
	before := d.known
	d.known = map[string]string{}
	if err := addAll(list, d.Add); err != nil {
		return err
	}
	for _, uid := range slices.Sorted(maps.Keys(before)) {
		if _, ok := d.known[uid]; !ok {
			if err := d.gone(uid, before[uid], nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// Resync does nothing.
func (d *deletions) Resync() error { return nil }
