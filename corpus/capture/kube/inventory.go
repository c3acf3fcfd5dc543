package kube

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// inventory records the version of a cluster, and how its API server answered.
type inventory struct {
	c *cluster
}

// nodes records what nodes and devices a cluster has.
type nodes struct {
	c *cluster
}

var nodesResource = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}

// String implements [fmt.Stringer].
func (v *inventory) String() string { return "inventory of " + v.c.name }

// Record implements [capture.Source].
func (v *inventory) Record(ctx context.Context, to capture.Sink) error {
	defer v.c.contact.report(v.c.name, to)
	err := v.version(ctx, to)
	<-ctx.Done()
	return err
}

func (v *inventory) version(ctx context.Context, to capture.Sink) error {
	var info version.Info
	if err := v.c.persist(ctx, access{verbs: "get", resource: schema.GroupResource{Resource: "/version"}}, func() error { return v.c.get(ctx, &info, "/version") }); err != nil || info.GitVersion == "" {
		return err
	}
	return to.Describe(func(m *corpus.Manifest) {
		e := environment(m)
		all := slices.DeleteFunc(append(strings.Split(e.Kubernetes, ", "), info.GitVersion), func(s string) bool { return s == "" })
		slices.Sort(all)
		e.Kubernetes = strings.Join(slices.Compact(all), ", ")
	})
}

// persist tries until the server answers. Being refused is not worth waiting
// for: a capture goes on without an inventory.
func (c *cluster) persist(ctx context.Context, a access, f func() error) error {
	try := c.trier(a)
	var h health
	for {
		err := f()
		if h.saw(err); err == nil || ctx.Err() != nil {
			return h.atEnd()
		}
		if err := try.pause(ctx, err); err != nil {
			return err
		}
	}
}

func environment(m *corpus.Manifest) *corpus.Environment {
	if m.Environment == nil {
		m.Environment = &corpus.Environment{}
	}
	return m.Environment
}

// String implements [fmt.Stringer].
func (v *nodes) String() string { return "nodes of " + v.c.name }

// Record implements [capture.Source].
func (v *nodes) Record(ctx context.Context, to capture.Sink) error {
	what := selection{resource: nodesResource}
	var texts map[string]string
	var devices map[string]*resource.Quantity
	err := v.c.persist(ctx, what.access("list"), func() error {
		texts, devices = map[string]string{}, map[string]*resource.Quantity{}
		return v.c.list(ctx, what, func(u *unstructured.Unstructured) error {
			texts[v.c.name+"/"+u.GetName()] = nodeText(u, devices)
			return nil
		})
	})
	if err != nil || len(texts) == 0 {
		return err
	}
	return to.Describe(func(m *corpus.Manifest) {
		e := environment(m)
		e.Nodes = merged(e.Nodes, texts)
		for name, n := range devices {
			e.Devices = merged(e.Devices, map[string]string{name + " in " + v.c.name: n.String()})
		}
	})
}

// merged adds texts to those that are there, which stay.
func merged(to, from map[string]string) map[string]string {
	if to == nil {
		to = map[string]string{}
	}
	for name, text := range from {
		if _, ok := to[name]; !ok {
			to[name] = text
		}
	}
	return to
}

// nodeText says what a node is, and adds up its devices.
func nodeText(u *unstructured.Unstructured, devices map[string]*resource.Quantity) string {
	text := func(path ...string) string {
		s, _, _ := unstructured.NestedString(u.Object, path...)
		return s
	}
	parts := []string{strings.TrimSpace(text("status", "nodeInfo", "kubeletVersion") + " " + text("status", "nodeInfo", "operatingSystem") + "/" + text("status", "nodeInfo", "architecture"))}
	capacity, _, _ := unstructured.NestedStringMap(u.Object, "status", "capacity")
	for _, name := range slices.Sorted(maps.Keys(capacity)) {
		q, err := resource.ParseQuantity(capacity[name])
		if err != nil || q.IsZero() {
			continue
		}
		switch {
		case name == "cpu":
			parts = append(parts, "cpu "+q.String())
		case name == "memory":
			// Machines of one type differ by some pages.
			parts = append(parts, fmt.Sprintf("memory %dGi", (q.Value()+1<<29)>>30))
		case device(name):
			parts = append(parts, name+" "+q.String())
			if devices[name] == nil {
				devices[name] = &resource.Quantity{Format: resource.DecimalSI}
			}
			devices[name].Add(q)
		}
	}
	return strings.Join(parts, ", ")
}

// device reports whether a resource of a node is one of its devices: those
// have names in the domain of who made them.
func device(name string) bool {
	domain, _, ok := strings.Cut(name, "/")
	return ok && domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io")
}
