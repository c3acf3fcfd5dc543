package capacity

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/profile"
)

// classes turns resources of nodes into classes of device.
type classes []profile.DeviceClass

func classesOf(declared *profile.Capacity) classes {
	var list classes
	if declared != nil {
		list = append(list, declared.Devices...)
	}
	return append(list, profile.DefaultDevices()...)
}

// isDevice reports whether the resource is a device on some node.
func (l classes) isDevice(resource string) bool {
	return slices.ContainsFunc(l, func(d profile.DeviceClass) bool { return d.Resource.Fits(resource) })
}

// of returns the class of a resource of a node with these labels.
func (l classes) of(resource string, labels map[string]string) (Class, bool) {
	for i := range l {
		d := &l[i]
		if !d.Resource.Fits(resource) || !fit(d.Labels, labels) {
			continue
		}
		return Class{Name: className(d, resource, labels), Kind: d.Kind}, true
	}
	return Class{}, false
}

// className names the class: what was declared, or the resource with what
// tells its devices apart from others of that name.
func className(d *profile.DeviceClass, resource string, labels map[string]string) string {
	switch {
	case d.Name != "":
		return d.Name
	case d.Profile != "":
		product := labels[d.Profile]
		if i := strings.LastIndex(product, "-MIG-"); i >= 0 {
			return resource + " (MIG " + short(product[i+len("-MIG-"):]) + ")"
		}
	case d.Replicas != "" && labels[d.Replicas] != "":
		return resource + " (share of " + short(labels[d.Replicas]) + ")"
	}
	return resource
}

// kindOf returns the kind of a class that is only named; empty: nobody knows.
func (l classes) kindOf(name string) string {
	for i := range l {
		if l[i].Name == name {
			return l[i].Kind
		}
	}
	c, _ := l.of(name, nil)
	return c.Kind
}

func fit(want map[string]profile.Pattern, labels map[string]string) bool {
	for name, p := range want {
		if v, ok := labels[name]; !ok || !p.Fits(v) {
			return false
		}
	}
	return true
}

// resourcesOf returns the device resources among the numbers at a path of an
// object, ordered by name.
func (l classes) resourcesOf(raw, path string) map[string]Amount {
	out := map[string]Amount{}
	gjson.Get(raw, path).ForEach(func(key, value gjson.Result) bool {
		if n, ok := quantity(value.String()); ok && l.isDevice(key.String()) {
			out[key.String()] = n
		}
		return len(out) < maxResources
	})
	return out
}

const maxResources = 1000

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// quantity reads a count as Kubernetes writes it: devices are whole numbers,
// for which 2k is allowed.
func quantity(text string) (Amount, bool) {
	factor := int64(1)
	if rest, ok := strings.CutSuffix(text, "k"); ok {
		text, factor = rest, 1000
	}
	var d profile.Decimal
	if err := d.UnmarshalText([]byte(text)); err != nil {
		return Amount{}, false
	}
	return Exactly(d.Rat()).Times(Units(factor)), true
}
