package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stillfires/stillfires/corpus/capture"
)

// podLogs records the logs of the pods of a namespace.
type podLogs struct {
	c         *cluster
	namespace string // empty: all
}

// String implements [fmt.Stringer].
func (p *podLogs) String() string {
	return "logs of pods" + selected(p.c.spec.Selector) + " of " + p.c.in(p.namespace)
}

// Record implements [capture.Source].
func (p *podLogs) Record(ctx context.Context, to capture.Sink) error {
	watching, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := &podStore{c: p.c, sink: to, ctx: watching, stop: stop, since: p.c.since(to), followers: map[string]*follower{}, pods: map[string]*pod{}}
	err := p.c.watch(watching, selection{resource: podsResource, namespace: p.namespace, labels: p.c.spec.Selector}, s)
	if cause := context.Cause(watching); err == nil && ctx.Err() == nil && cause != nil {
		err = cause
	}
	stop(nil)
	s.wait.Wait()
	if s.err != nil && err == nil {
		err = s.err
	}
	if err == nil && len(s.followers) == 0 {
		to.Note(fmt.Sprintf("%s: there were none", p))
	}
	return err
}

func selected(selector string) string {
	if selector == "" {
		return ""
	}
	return " with " + selector
}

// A podStore takes what a watch tells of pods, and hands it to followers.
type podStore struct {
	c     *cluster
	sink  capture.Sink
	ctx   context.Context // of the followers
	stop  context.CancelCauseFunc
	since time.Time // by this machine's clock

	wait      sync.WaitGroup
	followers map[string]*follower
	pods      map[string]*pod // by namespace and name
	listed    bool            // those that there were at the beginning are known

	mu  sync.Mutex
	err error // of the first follower that failed
}

func (p *pod) key() string { return p.Metadata.Namespace + "/" + p.Metadata.Name }

// put takes the state of a pod.
func (s *podStore) put(u *unstructured.Unstructured, gone bool) {
	p, err := podOf(u)
	if err != nil {
		s.sink.Note(fmt.Sprintf("%s: pod %s/%s could not be understood: %v", s.c.name, u.GetNamespace(), u.GetName(), err))
		return
	}
	if before := s.pods[p.key()]; before != nil && before.Metadata.UID != p.Metadata.UID {
		s.look(before, true) // its end went unseen
	}
	s.pods[p.key()] = p
	if gone {
		delete(s.pods, p.key())
	}
	s.look(p, gone)
	s.c.images.saw(s.c, p)
}

// look hands the state of a pod's containers on.
func (s *podStore) look(p *pod, gone bool) {
	s.c.spec.eachContainer(p, func(c *container, status []containerStatus) {
		l := lookAt(p, c, status)
		l.gone = gone
		key := strings.Join([]string{p.Metadata.Namespace, p.Metadata.Name, c.Name}, "/")
		f := s.followers[key]
		if f == nil {
			if gone || l.current.id == "" {
				return // there is no log yet, or any more
			}
			f = s.c.follower(l, s.sink, s.since)
			f.young = s.listed
			s.followers[key] = f
			s.wait.Go(func() { s.follow(f) })
		}
		f.mail.put(l)
	})
}

func (s *podStore) follow(f *follower) {
	err := safely(func() error { return f.run(s.ctx) })
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var again *denial
	if s.err == nil || !errors.As(err, &again) {
		s.err = errors.Join(s.err, err)
	}
	s.stop(err)
}

// safely turns a panic into an error: the rest of a capture goes on.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	return f()
}

// Add, Update, Delete and Replace implement cache.ReflectorStore.
func (s *podStore) Add(obj any) error {
	return each(obj, func(u *unstructured.Unstructured) error { s.put(u, false); return nil })
}

// Update is as Add.
func (s *podStore) Update(obj any) error { return s.Add(obj) }

// Delete says that a pod is gone.
func (s *podStore) Delete(obj any) error {
	return each(obj, func(u *unstructured.Unstructured) error { s.put(u, true); return nil })
}

// Replace takes a whole list, as at the beginning, and after a watch was
// interrupted for long.
func (s *podStore) Replace(list []any, _ string) error {
	defer func() { s.listed = true }()
	there := map[string]bool{}
	for _, obj := range list {
		if err := each(obj, func(u *unstructured.Unstructured) error {
			there[u.GetNamespace()+"/"+u.GetName()] = true
			s.put(u, false)
			return nil
		}); err != nil {
			return err
		}
	}
	for key, p := range s.pods {
		if !there[key] {
			delete(s.pods, key)
			s.look(p, true)
		}
	}
	return nil
}

// Resync does nothing.
func (s *podStore) Resync() error { return nil }

// each calls f with an object of a watch.
func each(obj any, f func(*unstructured.Unstructured) error) error {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("the server sent a %T", obj)
	}
	return f(u)
}

// addAll calls add with each object of a list.
func addAll(list []any, add func(any) error) error {
	for _, obj := range list {
		if err := add(obj); err != nil {
			return err
		}
	}
	return nil
}

// A selection is a resource and what of it is wanted.
type selection struct {
	resource  schema.GroupVersionResource
	namespace string // empty: all, or the resource has none
	labels    string
	name      string // of the one object; empty: all
}

func (s *selection) access(verbs string) access {
	return access{verbs: verbs, resource: s.resource.GroupResource(), namespace: s.namespace}
}
