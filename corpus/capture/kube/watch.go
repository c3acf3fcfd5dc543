package kube

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// client returns what lists and watches a selection.
func (c *cluster) client(s *selection) dynamic.ResourceInterface {
	r := c.dynamic.Resource(s.resource)
	if s.namespace == "" {
		return r
	}
	return r.Namespace(s.namespace)
}

func (s *selection) narrow(o *metav1.ListOptions) {
	o.LabelSelector = s.labels
	if s.name != "" {
		o.FieldSelector = fields.OneTermEqualSelector("metadata.name", s.name).String()
	}
}

// watch tells a store of all objects of a selection and of their changes until
// ctx is done. A refusal ends it earlier. It is an error too if the server has
// not answered at all, or not any more at the end: changes are then missing.
func (c *cluster) watch(ctx context.Context, s selection, to cache.ReflectorStore) error {
	client := c.client(&s)
	var h health
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			ctx, cancel := context.WithTimeout(ctx, maxWait)
			defer cancel()
			s.narrow(&o)
			list, err := client.List(ctx, o)
			c.told(&h, s.access("list"), err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			s.narrow(&o)
			w, err := client.Watch(ctx, o)
			c.told(&h, s.access("watch"), err)
			return w, err
		},
	}
	p := c.pace
	r := cache.NewReflectorWithOptions(lw, &unstructured.Unstructured{}, to, cache.ReflectorOptions{
		Name:    s.resource.Resource,
		Backoff: &wait.Backoff{Duration: p.First, Cap: p.Most, Factor: 2, Jitter: 0.2, Steps: 1 << 30},
	})
	try := c.trier(s.access("list,watch"))
	for {
		began := time.Now()
		err := r.ListAndWatchWithContext(ctx)
		if ctx.Err() != nil {
			return h.atEnd()
		}
		if err == nil {
			err = errTorn
			if time.Since(began) > p.Most {
				try.rest()
			}
		}
		try.last = h.lastAsked()
		if err := try.pause(ctx, err); err != nil {
			return err
		}
	}
}

// told notes what came of a request.
func (c *cluster) told(h *health, a access, err error) {
	h.saw(err)
	h.mu.Lock()
	h.asked = a
	h.mu.Unlock()
	if err == nil {
		c.grants.add(a)
	}
}

// lastAsked is what was asked for last.
func (h *health) lastAsked() access {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// health knows whether a server answers.
type health struct {
	mu     sync.Mutex
	worked bool
	asked  access    // what was asked for last; see told
	since  time.Time // of the failures at the end
	last   error     // the last one of them
}

func (h *health) saw(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil:
		h.worked, h.last = true, nil
	case errors.Is(err, context.Canceled):
	case h.last == nil:
		h.since, h.last = time.Now(), err
	default:
		h.last = err
	}
}

// atEnd says what is missing when there is no more time.
func (h *health) atEnd() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.last == nil && h.worked:
		return nil
	case h.last == nil:
		return errNever
	case h.worked:
		return fmt.Errorf("there was no answer any more from %s on: %w", stampOf(h.since), h.last)
	}
	return fmt.Errorf("%w: %w", errNever, h.last)
}

// list calls take with all objects of a selection.
func (c *cluster) list(ctx context.Context, s selection, take func(*unstructured.Unstructured) error) error {
	const page = 500
	o := metav1.ListOptions{Limit: page}
	s.narrow(&o)
	taken := map[types.UID]bool{}
	try := c.trier(s.access("list"))
	var last error
	for tries := 0; ; {
		list, err := c.listPage(ctx, &s, o)
		if errors.Is(err, context.Canceled) && last != nil {
			return last // what was wrong until there was no more time
		}
		last = err
		switch tries++; {
		case err == nil:
			tries = 0
			try.ok()
		case apierrors.IsResourceExpired(err) && o.Continue != "":
			// The next page is of a state that the server has forgotten.
			o.Continue, o.Limit = "", 0
			continue
		case refused(err) && ctx.Err() == nil:
			if err := try.pause(ctx, err); err != nil {
				return err
			}
			continue
		case apierrors.IsNotFound(err), tries >= listTries, ctx.Err() != nil:
			return err
		default:
			if err := try.pause(ctx, err); err != nil {
				return err
			}
			continue
		}
		for i := range list.Items {
			u := &list.Items[i]
			if uid := u.GetUID(); uid == "" || !taken[uid] {
				taken[uid] = true
				if err := take(u); err != nil {
					return err
				}
			}
		}
		if o.Continue = list.GetContinue(); o.Continue == "" {
			return nil
		}
	}
}

// listTries is how often a page is asked for: what an overloaded server does
// not answer is not missing yet.
const listTries = 6

func (c *cluster) listPage(ctx context.Context, s *selection, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	return c.client(s).List(ctx, o)
}
