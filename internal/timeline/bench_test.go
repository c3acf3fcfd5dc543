package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/outcome"
)

// tenants have work of one name in a namespace each.
func tenants(count int) *night {
	n := newNight()
	for i := range count {
		n.act(12, "ask", fmt.Sprintf("sky-%d/comet", i))
	}
	for i := range count {
		n.came(33, fmt.Sprintf(`{"level":"info","msg":"plan came","plan":"plan-comet-7","namespace":"sky-%d","name":"comet"}`, i))
	}
	return n
}

func BenchmarkBuild_OneName(b *testing.B) {
	p := parse(b, domes)
	n := tenants(5000)
	for _, q := range Queries(p.Milestones) {
		n.Marks = append(n.Marks, outcome.Marks{MarkQuery: q, Lines: n.lines})
	}
	for b.Loop() {
		r := Build(&n.Run, p.Milestones, p.Correlation)
		for i := range r.Workloads {
			if m := r.at(&r.Workloads[i], "sent"); m.State != Reached {
				b.Fatalf("%s: %+v", r.Workloads[i].ID, m)
			}
		}
	}
}

// crowd is a night with much work: every third piece of it is stuck.
func crowd(surveys, frames int) *night {
	n := newNight()
	objects := n.Facts.Objects
	n.Facts.Objects = nil
	for i := range surveys {
		name := fmt.Sprintf("comet-%d", i)
		n.survey(name)
		n.act(12, "ask", "sky/"+name)
		if i%3 == 0 {
			continue
		}
		n.came(33, fmt.Sprintf(`{"level":"info","logger":"dome","msg":"plan came","plan":"plan-%s-7","namespace":"sky"}`, name))
		o := n.object("dawn", "dome", "Mount", "m-"+name, "", `{"status":{"target":"t","conditions":[{"type":"Still","status":"True","lastTransitionTime":"`+stamp(36)+`"}]}}`)
		o.Labels["plan"] = "plan-" + name + "-7"
		for j := range frames {
			n.frame(40+float64(j), name, "p-"+name)
		}
	}
	n.Facts.Objects = append(n.Facts.Objects, objects...)
	return n
}

func BenchmarkBuild(b *testing.B) {
	p := parse(b, domes)
	for _, surveys := range []int{50, 500, 5000} {
		n := crowd(surveys, 20)
		for _, q := range Queries(p.Milestones) {
			n.Marks = append(n.Marks, outcome.Marks{MarkQuery: q, Lines: n.lines})
		}
		b.Run(fmt.Sprintf("work=%d", surveys), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := Build(&n.Run, p.Milestones, p.Correlation)
				if c := Compare("storm", p.Milestones, []Run{r}, []Run{r}); c.Deployed.Affected != surveys || c.Deployed.Open != (surveys+2)/3 {
					b.Fatalf("%d affected, %d open", c.Deployed.Affected, c.Deployed.Open)
				}
			}
		})
	}
}

// TestLearn_Wide: a label that everything has joins everything; that is told,
// and takes no forever.
func TestLearn_Wide(t *testing.T) {
	n := newNight()
	for i := range 3000 {
		for _, cluster := range []string{"desk", "dome"} {
			n.object("dawn", cluster, "Plan", "plan-x-7", "", "{}").UID = fmt.Sprintf("%s-%d", cluster, i)
		}
		n.object("dawn", "desk", "Survey", fmt.Sprintf("x-%d", i), "", "{}")
	}
	r := n.build(t)
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "the link of plan and dome-plan joins more things than can be followed") {
		t.Errorf("%q", r.Notes)
	}
}
