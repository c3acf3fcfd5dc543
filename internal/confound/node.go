package confound

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
)

// nodes adds what the nodes of a cluster are, whatever they are called.
func (d *describer) nodes(cluster string, nodes []*facts.Object) {
	family := "nodes" + in(cluster)
	of := " of the nodes" + in(cluster)
	d.add(facet{kind: Node, subject: "number" + of, family: family, value: itoa(len(nodes)), timing: true})
	tallies := map[string][]string{}
	note := func(what, value string) { tallies[what] = append(tallies[what], value) }
	for _, n := range nodes {
		info := gjson.Get(n.Raw, "status.nodeInfo")
		note("kubelet", info.Get("kubeletVersion").String())
		note("kernel", info.Get("kernelVersion").String())
		note("operating system", info.Get("osImage").String())
		note("container runtime", info.Get("containerRuntimeVersion").String())
		note("architecture", info.Get("architecture").String())
		note("machine type", n.Labels["node.kubernetes.io/instance-type"])
		note("readiness", gjson.Get(n.Raw, `status.conditions.#(type=="Ready").status`).String())
		note("cordon", strconv.FormatBool(gjson.Get(n.Raw, "spec.unschedulable").Bool()))
		var taints []string
		for _, t := range gjson.Get(n.Raw, "spec.taints").Array() {
			taints = append(taints, t.Get("key").String()+":"+t.Get("effect").String())
		}
		note("taints", strings.Join(taints, " "))
		gjson.Get(n.Raw, "status.allocatable").ForEach(func(key, value gjson.Result) bool {
			if key.String() == "ephemeral-storage" || strings.HasPrefix(key.String(), "hugepages-") {
				return true
			}
			note(key.String(), rounded(value.String()))
			return len(tallies) < 200
		})
	}
	for _, what := range names(tallies) {
		kind := Node
		if strings.Contains(what, "/") {
			kind = Device
		}
		x := facet{kind: kind, subject: what + of, family: family, strict: true, value: tally(tallies[what]), timing: true}
		if kind == Node && len(tallies[what]) == len(nodes) {
			x.each = countsOf(tallies[what])
		}
		d.add(x)
	}
}

// rounded writes bytes in whole GiB: no two machines of a kind have the same.
func rounded(quantity string) string {
	for suffix, perGiB := range map[string]int64{"Ki": 1 << 20, "Mi": 1 << 10} {
		if text, ok := strings.CutSuffix(quantity, suffix); ok {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= perGiB {
				return strconv.FormatInt((n+perGiB/2)/perGiB, 10) + "Gi"
			}
		}
	}
	return quantity
}
