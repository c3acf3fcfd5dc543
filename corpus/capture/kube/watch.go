package kube

import (
	"context"
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
// ctx is done. Only a refusal ends it earlier.
func (c *cluster) watch(ctx context.Context, s selection, to cache.ReflectorStore) error {
	client := c.client(&s)
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			ctx, cancel := context.WithTimeout(ctx, maxWait)
			defer cancel()
			s.narrow(&o)
			return client.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			s.narrow(&o)
			return client.Watch(ctx, o)
		},
	}
	p := c.pace
	r := cache.NewReflectorWithOptions(lw, &unstructured.Unstructured{}, to, cache.ReflectorOptions{
		Name:    s.resource.Resource,
		Backoff: &wait.Backoff{Duration: p.First, Cap: p.Most, Factor: 2, Jitter: 0.2, Steps: 1 << 30},
	})
	try := c.trier(s.access("list,watch"))
	for ctx.Err() == nil {
		began := time.Now()
		err := r.ListAndWatchWithContext(ctx)
		if err == nil && time.Since(began) > p.Most {
			try.ok()
		}
		if err == nil {
			err = errTorn
			try.worked = true
		}
		if ctx.Err() != nil {
			break
		}
		if err := try.pause(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// list calls take with all objects of a selection.
func (c *cluster) list(ctx context.Context, s selection, take func(*unstructured.Unstructured) error) error {
	const page = 500
	o := metav1.ListOptions{Limit: page}
	s.narrow(&o)
	taken := map[types.UID]bool{}
	for {
		list, err := c.listPage(ctx, &s, o)
		if apierrors.IsResourceExpired(err) && o.Continue != "" {
			// The next page is of a state that the server has forgotten.
			o.Continue, o.Limit = "", 0
			continue
		}
		if err != nil {
			if refused(err) {
				err = &denial{c, s.access("list"), err}
			}
			return err
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

func (c *cluster) listPage(ctx context.Context, s *selection, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	return c.client(s).List(ctx, o)
}
