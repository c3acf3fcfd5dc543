package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A kind is a resource of the server.
type kind struct {
	resource   schema.GroupVersionResource
	kind       string
	namespaced bool
}

func (k *kind) secret() bool {
	return k.resource.Group == "" && k.resource.Resource == "secrets"
}

// find looks up a resource by what kubectl takes for one: its name in the
// singular or plural, its kind or a short name, perhaps with version and group.
func (c *cluster) find(ctx context.Context, arg string) (*kind, error) {
	name, rest, dotted := strings.Cut(strings.ToLower(arg), ".")
	if !dotted {
		return c.findIn(ctx, arg, name, nil)
	}
	gvr, gr := schema.ParseResourceArg(strings.ToLower(arg))
	if gvr != nil {
		k, err := c.findIn(ctx, arg, gvr.Resource, []schema.GroupVersion{gvr.GroupVersion()})
		if err == nil || !apierrors.IsNotFound(err) && !errors.Is(err, errNoKind) {
			return k, err
		}
	}
	if rest == "v1" || rest == "v1." {
		return c.findIn(ctx, arg, name, []schema.GroupVersion{{Version: "v1"}})
	}
	var group metav1.APIGroup
	if err := c.get(ctx, &group, "/apis", gr.Group); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("%s: %w in %s, which has no API group %q; kubectl%s api-resources lists what there is", arg, errNoKind, c.where(), gr.Group, c.flag())
		}
		return nil, err
	}
	return c.findIn(ctx, arg, gr.Resource, versionsOf(&group))
}

var errNoKind = errors.New("no such resource")

// findIn looks in some versions of groups; nil: in all that the server
// prefers.
func (c *cluster) findIn(ctx context.Context, arg, name string, in []schema.GroupVersion) (*kind, error) {
	if in == nil {
		in = []schema.GroupVersion{{Version: "v1"}}
		var groups metav1.APIGroupList
		if err := c.get(ctx, &groups, "/apis"); err != nil {
			return nil, err
		}
		for i := range groups.Groups {
			in = append(in, versionsOf(&groups.Groups[i])[:1]...)
		}
	}
	for _, gv := range in {
		path := []string{"/apis", gv.Group, gv.Version}
		if gv.Group == "" {
			path = []string{"/api", gv.Version}
		}
		var list metav1.APIResourceList
		if err := c.get(ctx, &list, path...); err != nil {
			if len(in) == 1 {
				return nil, err
			}
			continue // an aggregated API that is down must not hide the others
		}
		for i := range list.APIResources {
			if r := &list.APIResources[i]; called(r, name) {
				return &kind{resource: gv.WithResource(r.Name), kind: r.Kind, namespaced: r.Namespaced}, nil
			}
		}
	}
	return nil, fmt.Errorf("%s: %w in %s; kubectl%s api-resources lists what there is", arg, errNoKind, c.where(), c.flag())
}

// versionsOf returns the versions of a group, the preferred one first.
func versionsOf(g *metav1.APIGroup) []schema.GroupVersion {
	out := []schema.GroupVersion{{Group: g.Name, Version: g.PreferredVersion.Version}}
	for _, v := range g.Versions {
		if v.Version != g.PreferredVersion.Version {
			out = append(out, schema.GroupVersion{Group: g.Name, Version: v.Version})
		}
	}
	return out
}

func called(r *metav1.APIResource, name string) bool {
	return !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "list") &&
		(r.Name == name || r.SingularName == name || strings.ToLower(r.Kind) == name || slices.Contains(r.ShortNames, name))
}

// get reads a path of the server that all accounts may read.
func (c *cluster) get(ctx context.Context, into any, path ...string) error {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	text, err := c.any.Get().AbsPath(path...).SetHeader("Accept", "application/json").DoRaw(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
