package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/outcome"
)

// archived is domes with surveys whose end is also logged.
var archived = strings.Replace(domes, "finished: [", "finished: [{cluster: desk, log: {query: '|= \"archived\"'}}, ", 1)

// TestBuild_Claims: that work ended is not believed of words alone where of
// other work more than words is known.
func TestBuild_Claims(t *testing.T) {
	others := []string{"moon", "sun", "star"}
	f := func(name, want string, change func(*night)) {
		t.Helper()
		n := newNight()
		n.survey("comet")
		for i, s := range append(others, "comet") {
			n.survey(s)
			n.act(15+float64(i)/10, "ask", "sky/"+s)
			n.lines = append(n.lines, outcome.Mark{Stream: site("desk-1"), Time: ns(90 + float64(i)), Line: "archived survey sky/" + s})
		}
		for _, s := range others {
			n.came(33, "plan came plan-"+s+"-7 sky")
		}
		change(n)
		p := parse(t, archived)
		for _, q := range Queries(p.Milestones) {
			m := outcome.Marks{MarkQuery: q}
			for _, l := range n.lines {
				if strings.Contains(q.Query, "archived") == strings.Contains(l.Line, "archived") {
					m.Lines = append(m.Lines, l)
				}
			}
			n.Marks = append(n.Marks, m)
		}
		r := Build(&n.Run, p.Milestones, p.Correlation)
		if got, _, _ := strings.Cut(outcomes(&r, "exposing"), ","); got != "sky/comet "+want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
	frames := func(n *night, of ...string) {
		for _, s := range of {
			n.frame(40, s, "p-"+s)
		}
	}
	f("only words of all work", "recovered", func(n *night) { n.came(33, "plan came plan-comet-7 sky") })
	f("its own frames", "recovered", func(n *night) { frames(n, append(others, "comet")...) })
	f("no trace of it, traces of others", "open", func(*night) {})
	f("no frame of it, of all others", "open", func(n *night) {
		n.came(33, "plan came plan-comet-7 sky")
		frames(n, others...)
	})
	f("no frame of it, of some others", "recovered", func(n *night) {
		n.came(33, "plan came plan-comet-7 sky")
		frames(n, others[:2]...)
	})
	f("no trace of it, but the log lacks lines", "recovered", func(n *night) {
		n.Logs[1].Gaps = []outcome.Gap{{From: ns(31), To: ns(40)}}
	})
	f("an object bears it out", "recovered", func(n *night) {
		frames(n, others...)
		n.object("dawn", "desk", "Survey", "comet", "", fmt.Sprintf(`{"status":{"conditions":[{"type":"Archived","status":"True","lastTransitionTime":%q}]}}`, stamp(91)))
	})
}
