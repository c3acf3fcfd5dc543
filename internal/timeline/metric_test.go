package timeline

import (
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// counted frames: the camera counts what it exposes.
const camera = `name: camera
milestones:
  work: {submitted: [{action: {action: ask}}]}
  failure: [{action: {action: storm}}]
  restored: [{action: {action: calm}}]
  list:
    - {name: exposing, as: useful, by: [{metric: {name: frames_total, match: {dome: 'd.*'}, labels: [survey], above: 0}}]}
`

// TestBuild_Metric: a milestone is as uncertain as scrapes are far apart.
func TestBuild_Metric(t *testing.T) {
	p := parse(t, camera)
	series := func(survey string) logs.Labels {
		return logs.FromMap(map[string]string{"survey": survey, "dome": "d1"})
	}
	f := func(marks []outcome.MetricMark, scrapes int64, state State, after, resolution float64, reason Reason) {
		t.Helper()
		n := newNight()
		n.act(15, "ask", "comet")
		n.Scrapes = outcome.Scrapes{Count: scrapes, First: ns(1), Last: ns(299)}
		n.MetricMarks = []outcome.MetricMarks{{Key: Metrics(p.Milestones)[0].Key(), Series: len(marks), Marks: marks}}
		r := Build(&n.Run, p.Milestones, nil)
		m := r.Workloads[0].Milestones[0]
		if m.State != state || m.Reason != reason {
			t.Fatalf("%+v; want %s %s", m, state, reason)
		}
		if state != Missing && (time.Duration(m.At-r.Restored.At).Seconds() != after || m.Resolution.Seconds() != resolution || m.Kind != "metric") {
			t.Errorf("%+v; want %g s ± %g", m, after, resolution)
		}
	}
	mark := func(survey string, since, at float64) outcome.MetricMark {
		m := outcome.MetricMark{Time: ns(at), Value: 1, Labels: series(survey)}
		if since != 0 {
			m.Since = ns(since)
		}
		return m
	}
	f([]outcome.MetricMark{mark("comet", 40, 45)}, 60, Reached, 15, 5, "")
	f([]outcome.MetricMark{mark("comet", 40, 105)}, 60, Reached, 75, 65, "") // scrapes had failed: it computed before they went on
	f([]outcome.MetricMark{mark("comet", 0, 50)}, 60, Reached, 20, 50, "")
	f([]outcome.MetricMark{mark("moon", 40, 45)}, 60, Missing, 0, 0, CaptureEnded)
	f(nil, 60, Missing, 0, 0, NoEvidence)
	f(nil, 0, Missing, 0, 0, NoEvidence)
}

func TestSeriesText(t *testing.T) {
	m := outcome.MetricMark{Value: 2, Labels: logs.FromMap(map[string]string{"b": "x\ny", "a": strings.Repeat("z", 500)})}
	if got := seriesText("frames", &m); !strings.HasPrefix(got, `metric frames{a="zzz`) || len(got) > maxShown+3 {
		t.Error(got)
	}
}
