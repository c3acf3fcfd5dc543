package confound

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// manifest adds what the run's manifest tells.
func (d *describer) manifest() {
	for _, name := range names(d.run.Parameters) {
		value := d.run.Parameters[name]
		d.add(facet{
			kind: Parameter, subject: name, family: "parameters of the scenario", value: plain(value), timing: true,
			measured: isLoss(value, d.line),
		})
	}
	if e := d.run.Environment; e != nil {
		if e.Kubernetes != "" {
			d.add(facet{kind: Kubernetes, subject: "version", family: "the versions of Kubernetes", value: e.Kubernetes, timing: true})
		}
		if len(e.Nodes) > 0 {
			d.add(facet{kind: Node, subject: "nodes", family: "nodes of the environment", value: tally(slices.Collect(maps.Values(e.Nodes))), timing: true})
		}
		for _, class := range names(e.Devices) {
			d.add(facet{kind: Device, subject: class, family: "devices of the environment", strict: true, value: e.Devices[class], timing: true})
		}
		for _, name := range names(e.Components) {
			d.add(facet{kind: Component, subject: name, family: "versions of other components", value: e.Components[name], timing: true})
		}
	}
	for i := range d.run.Logs {
		l := &d.run.Logs[i]
		if len(l.Epochs) > 0 && l.Epochs[0].Build < len(d.run.Builds) {
			d.build(processName(l.Labels), &d.run.Builds[l.Epochs[0].Build])
		}
	}
	if len(d.run.Logs) == 0 && len(d.run.Builds) > 0 {
		d.build("", &d.run.Builds[0])
	}
}

// instances are labels whose values are another in every run.
var instances = strings.Fields("pod pod_name instance container_id filename host hostname node node_name uid pod_uid")

// processName names a process by the labels of its log that are the same in
// every run.
func processName(l logs.Labels) string {
	return slices.DeleteFunc(slices.Clone(l), func(x logs.Label) bool { return slices.Contains(instances, x.Name) }).String()
}

// build adds how a process was started. Of streams that one build alone has
// nothing is compared.
func (d *describer) build(of string, b *outcome.BuildInfo) {
	in := ""
	if of != "" {
		in = " of " + of
	}
	if b.Flags != nil {
		for name, value := range flags(b.Flags) {
			d.add(facet{kind: Flag, subject: name + in, family: "flags" + in, strict: true, value: value, timing: true})
		}
		d.families["flags"+in] = true
	}
	if b.Verbosity != "" {
		d.add(facet{kind: Verbosity, subject: "verbosity" + in, family: "verbosities" + in, value: b.Verbosity, timing: true})
	}
	if b.Encoding != "" {
		d.add(facet{kind: Encoding, subject: "encoding" + in, family: "encodings" + in, value: b.Encoding})
	}
}

// flags reads arguments of a command: name to value. What a flag is given
// twice it has both times.
func flags(args []string) map[string]string {
	out := map[string]string{}
	put := func(name, value string) {
		if have, ok := out[name]; ok {
			value = have + " " + value
		}
		out[name] = value
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch name, value, ok := strings.Cut(a, "="); {
		case !strings.HasPrefix(a, "-") || a == "-" || a == "--":
			put("argument", a)
		case ok:
			put("--"+strings.TrimLeft(name, "-"), value)
		case i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			i++
			put("--"+strings.TrimLeft(a, "-"), args[i])
		default:
			put("--"+strings.TrimLeft(a, "-"), "true")
		}
	}
	return out
}

// plain writes a length of time in one way: 60s is 1m.
func plain(value string) string {
	if d, err := time.ParseDuration(value); err == nil {
		return d.String()
	}
	return value
}

// harmless reports whether values differ only in where something listens or
// where a file is.
func harmless(deployed, candidate []string) bool {
	for _, a := range deployed {
		for _, b := range candidate {
			if a != b && !samePlace(a, b) {
				return false
			}
		}
	}
	return true
}

// isPort reports whether a flag or a path in a configuration names a port.
func isPort(subject string) bool {
	name := subject[strings.LastIndexAny(subject, ". ")+1:]
	if flag, _, ok := strings.Cut(subject, " of "); ok && strings.HasPrefix(flag, "--") {
		name = flag
	}
	return strings.HasSuffix(strings.ToLower(name), "port")
}

func samePlace(a, b string) bool {
	if strings.HasPrefix(a, "/") && strings.HasPrefix(b, "/") {
		return a[strings.LastIndexByte(a, '/'):] == b[strings.LastIndexByte(b, '/'):]
	}
	hostA, portA, okA := strings.Cut(a, ":")
	hostB, portB, okB := strings.Cut(b, ":")
	return okA && okB && hostA == hostB && digits(portA) && digits(portB)
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// tally counts values: "5 × a, 1 × b".
func tally(values []string) string {
	counts := countsOf(values)
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var out []string
	for _, k := range keys {
		out = append(out, itoa(counts[k])+" × "+cmp.Or(k, none))
	}
	return strings.Join(out, ", ")
}

func countsOf(values []string) map[string]int {
	counts := map[string]int{}
	for _, v := range values {
		counts[v]++
	}
	return counts
}

// moreOfTheSame reports whether two sides differ in nothing but that one has
// more of what the other has: that there are more is told by itself.
func moreOfTheSame(a, b facet) bool {
	within := func(a, b map[string]int) bool {
		for v, n := range a {
			if b[v] < n {
				return false
			}
		}
		return len(a) == len(b)
	}
	return a.each != nil && b.each != nil && (within(a.each, b.each) || within(b.each, a.each))
}
