package logql

import (
	"fmt"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/internal/logs"
)

func (p *replacePlan) key() string {
	e := p.expr
	return fmt.Sprintf("label_replace %q %q %q %q", e.Dst, e.Replacement, e.Src, e.Regexp)
}

// A replaceNode computes label_replace(v, dst, replacement, src, regexp): in
// series whose label src matches the whole regexp, dst becomes the
// replacement with $1 or $name filled in. An empty result removes dst.
type replaceNode struct {
	arg                   *sharedNode
	dst, src, replacement string
	re                    *regexp.Regexp
	sets                  *labelSets
	known                 map[*labelSet]*labelSet
	out                   []point
}

func newReplaceNode(p *replacePlan, arg *sharedNode, sets *labelSets) evaluator {
	return &replaceNode{
		arg:         arg,
		dst:         p.expr.Dst,
		src:         p.expr.Src,
		replacement: p.expr.Replacement,
		re:          p.re,
		sets:        sets,
		known:       make(map[*labelSet]*labelSet),
	}
}

func (n *replaceNode) eval(k int) ([]point, error) {
	in, err := n.arg.eval(k)
	if err != nil {
		return nil, err
	}
	n.out = n.out[:0]
	for _, p := range in {
		set := n.known[p.set]
		if set == nil {
			set = n.replace(p.set)
			n.known[p.set] = set
		}
		n.out = append(n.out, point{set, p.value})
	}
	return n.out, nil
}

// forget implements [forgetter].
func (n *replaceNode) forget() { clear(n.known) }

func (n *replaceNode) replace(set *labelSet) *labelSet {
	src := set.labels.Get(n.src)
	at := n.re.FindStringSubmatchIndex(src)
	if at == nil {
		return set
	}
	value := string(n.re.ExpandString(nil, n.replacement, src, at))
	out := make(logs.Labels, 0, len(set.labels)+1)
	for _, l := range withoutEmpty(set.labels) {
		if l.Name != n.dst {
			out = append(out, l)
		}
	}
	if value != "" {
		out = logs.New(append(out, logs.Label{Name: n.dst, Value: value})...)
	}
	return n.sets.internLabels(out)
}
