package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/rules"
)

func marked(t testing.TB, src *Source, opt Options) *Result {
	t.Helper()
	res, err := NewPlan(nil, opt).Run(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestMarks(t *testing.T) {
	f := func(query, labels string, want ...string) {
		t.Helper()
		src := record(t, `1 level=info msg="gate opens" gate=north`, `2 {"msg":"gate opens"}`, `3 level=error msg="gate opens" gate=south`, `3 level=error msg="gate opens" gate=south`, `9 end`)
		res := marked(t, src, Options{Marks: []outcome.MarkQuery{{Query: query, Labels: strings.Fields(labels)}}})
		m := res.Marks[0]
		var got []string
		for _, l := range m.Lines {
			text := fmt.Sprintf("%d %s", l.Time/1e9, l.Line)
			if len(l.Labels) > 0 {
				text += " " + l.Labels.String()
			}
			got = append(got, text)
		}
		if m.Why != "" {
			got = append(got, "not run: "+m.Why)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
	north, south := `1 level=info msg="gate opens" gate=north`, `3 level=error msg="gate opens" gate=south`
	f(`{app="web"} |= "gate"`, "", north, `2 {"msg":"gate opens"}`, south) // an exact repeat is dropped, as Loki does
	f(`{app="api"} |= "gate"`, "")
	f(`|= "gate" | logfmt | gate="south"`, "gate level", south+` {gate="south", level="error"}`)
	f(`  |= "north"`, "gate", north) // no stage makes the label
	f(`!= "gate"`, "", "9 end")
	f(`{app="web"} |= "gate" | line_format "changed"`, "", north, `2 {"msg":"gate opens"}`, south)
	f(`count_over_time({app="web"}[5m])`, "", "not run: it yields values, and lines are wanted")
	f(`{app="web"} |=`, "", "not run: "+func() string {
		return marked(t, record(t, "1 x"), Options{Marks: []outcome.MarkQuery{{Query: `{app="web"} |=`}}}).Marks[0].Why
	}())
}

// TestMarks_Bounds: what does not fit is counted, from when on.
func TestMarks_Bounds(t *testing.T) {
	var lines []string
	for i := range maxMarks + 3 {
		lines = append(lines, fmt.Sprintf("%d gate %d", i+1, i))
	}
	m := marked(t, record(t, lines...), Options{Interval: 1e12, Marks: []outcome.MarkQuery{{Query: `|= "gate"`}}}).Marks[0]
	if len(m.Lines) != maxMarks || m.Cut != 3 || m.CutAt != (maxMarks+1)*1e9 {
		t.Errorf("%d lines, %d cut from %d on", len(m.Lines), m.Cut, m.CutAt)
	}
	m = marked(t, record(t, "1 gate"+strings.Repeat("x", maxMarkLine)), Options{Marks: []outcome.MarkQuery{{Query: `|= "gate"`}}}).Marks[0]
	if len(m.Lines) != 1 || len(m.Lines[0].Line) != maxMarkLine {
		t.Errorf("a long line: %d bytes", len(m.Lines[0].Line))
	}
}

func TestMetricMarks(t *testing.T) {
	one, ten := 0.5, 10.0
	above, below := &profile.MetricSource{Name: "done", Above: &one}, &profile.MetricSource{Name: "waiting", Below: &ten}
	f := func(name string, s *profile.MetricSource, want string, scrapes ...string) {
		t.Helper()
		for _, withRules := range []bool{false, true} {
			src := record(t, "1 start", "99 end")
			src.Scrapes = scrape(t, scrapes...)
			plan := NewPlan(nil, Options{MetricMarks: []*profile.MetricSource{s}})
			if withRules {
				plan = NewPlan([]rules.Rule{promAlert("down", "up == 0")}, Options{MetricMarks: []*profile.MetricSource{s}})
			}
			if !plan.NeedsMetrics() {
				t.Error("the plan asks for no metrics")
			}
			res, err := plan.Run(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range res.MetricMarks[0].Marks {
				got = append(got, fmt.Sprintf("%d-%d %s %g", m.Since/1e9, m.Time/1e9, m.Labels.Get("job"), m.Value))
			}
			if res.MetricMarks[0].Key != s.Key() || strings.Join(got, ", ") != want || res.Scrapes.Count != int64(len(scrapes)) {
				t.Errorf("%s: %s in %d scrapes; want %s", name, strings.Join(got, ", "), res.Scrapes.Count, want)
			}
		}
	}
	f("it rises", above, "15-20 a 1", "10 a done 0", "15 a done 0", "20 a done 1", "25 a done 2")
	f("it rises twice", above, "10-15 a 1, 20-25 a 3", "10 a done 0", "15 a done 1", "20 a done 0", "25 a done 3")
	f("it appears", above, "15-20 a 1", "10 a x 0", "15 a x 0", "20 a done 1", "25 a done 1")
	f("it is there from the beginning", above, "0-10 a 1", "10 a done 1", "15 a done 1")
	f("it goes and comes back", above, "10-15 a 1, 20-25 a 1", "10 a x 0", "15 a done 1", "20 a x 0", "25 a done 1")
	f("scrapes fail meanwhile", above, "10-30 a 1", "10 a done 0", "15 a down", "20 a down", "30 a done 1")
	f("a scrape fails while it is above", above, "10-15 a 1", "10 a done 0", "15 a done 1", "20 a down", "30 a done 1")
	f("no number", above, "15-20 a 1", "10 a done 0", "15 a done NaN", "20 a done 1")
	f("another target", above, "10-20 b 1", "10 b done 0", "19 a done 0", "20 b done 1")
	f("it falls", below, "15-20 a 9", "10 a waiting 30", "15 a waiting 10", "20 a waiting 9")
	f("it begins low", below, "", "10 a x 1", "15 a waiting 2", "20 a waiting 2")
	fits, err := profile.NewPattern("nor.*")
	if err != nil {
		t.Fatal(err)
	}
	f("of some series", &profile.MetricSource{Name: "done", Above: &one, Match: map[string]profile.Pattern{"gate": fits}},
		"10-15 a 2", `10 a done{gate="north"} 0; done{gate="south"} 0`, `15 a done{gate="north"} 2; done{gate="south"} 1`)
}
