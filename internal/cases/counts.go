package cases

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

func judgePanics(s *profile.PanicSelector, run *outcome.Run) Result {
	if run.Records == 0 {
		return notJudged("the run has no log records")
	}
	n := int64(0)
	var lines []string
	for i := range run.Panics {
		p := &run.Panics[i]
		if !profile.Glob(s.Kind, p.Kind) || !profile.Glob(s.Signature, p.Signature) || !profile.Glob(s.Operation, p.Operation) || !profile.Glob(s.Handling, string(p.Handling)) {
			continue
		}
		n += p.Count
		line := fmt.Sprintf("%s panic %s, %s", clock(p.First.Time), short(p.Kind), counted(p.Count, "time", "times"))
		if p.Handling != "" {
			line += ", " + string(p.Handling)
		}
		if p.Operation != "" {
			line += ", in " + short(p.Operation)
		}
		lines = append(lines, line)
	}
	said := fmt.Sprintf("%s, want %s", counted(n, "panic", "panics"), boundsText(s.Count, 0))
	if !within(s.Count, n, 0) {
		return fails("%s", said).with(lines).less(under(s.Count, n)).by(beyond(s.Count, n, 0))
	}
	if bounded(s.Count) {
		if run.PanicsCut > 0 {
			return notJudged("%s, but the run has more panics than are told apart", counted(n, "panic", "panics"))
		}
		if why := holes(run); why != "" {
			return notJudged("%s, but %s", counted(n, "panic", "panics"), why)
		}
	}
	return holds("%s", said).with(lines)
}

// holes says why records may be missing; empty: none is known to be.
func holes(run *outcome.Run) string {
	if run.Incomplete {
		return "the run was closed as incomplete: there may be more"
	}
	for i := range run.Logs {
		if len(run.Logs[i].Gaps) > 0 {
			return "records are known to be missing from its log: there may be more"
		}
	}
	return ""
}

// judgeRestarts takes the highest of what logs, actions and pods tell: each
// may miss some.
func judgeRestarts(s *profile.RestartCount, run *outcome.Run) Result {
	var lines []string
	most := int64(-1)
	told := func(n int64, line string) {
		most = max(most, n)
		lines = append(lines, line)
	}
	n, streams := epochs(s, run)
	if streams > 0 {
		told(n, fmt.Sprintf("%s in %s", counted(n, "restart", "restarts"), counted(streams, "log stream", "log streams")))
	}
	if f := run.Facts; f != nil && len(f.Actions) > 0 {
		choose := s.Action
		if choose == nil {
			choose = &profile.ActionSelector{Action: "restart"}
		}
		n := int64(len(findActions(choose, f)))
		told(n, counted(n, "action", "actions")+" that record a restart")
	}
	if s.Pods != nil {
		pods, missing, ok := at(s.Pods, s.Pods.Moment, run.Facts)
		if !ok {
			return missing
		}
		if len(pods) == 0 {
			return notJudged("no such object was recorded at %q: %s", short(s.Pods.Moment), wanted(s.Pods))
		}
		n := int64(0)
		for _, p := range pods {
			get(p.Raw, "status.containerStatuses.#.restartCount").ForEach(func(_, v gjson.Result) bool {
				n += max(v.Int(), 0)
				return true
			})
		}
		told(n, fmt.Sprintf("restartCount %d in %s", n, counted(int64(len(pods)), "pod", "pods")))
	}
	if most < 0 {
		return notJudged("neither the log's epochs nor actions nor pods were recorded")
	}
	said := fmt.Sprintf("%s, want %s", counted(most, "restart", "restarts"), boundsText(s.Count, 0))
	if !within(s.Count, most, 0) {
		return fails("%s", said).with(lines).less(under(s.Count, most)).by(beyond(s.Count, most, 0))
	}
	switch {
	case run.Incomplete && bounded(s.Count):
		return notJudged("%s, but the run was closed as incomplete: there may be more", counted(most, "restart", "restarts"))
	case len(s.Labels) > 0 && streams == 0:
		return notJudged("no log stream has the labels that it names")
	}
	return holds("%s", said).with(lines)
}

// epochs counts the restarts that the chosen streams show and nobody asked for.
func epochs(s *profile.RestartCount, run *outcome.Run) (restarts, streams int64) {
	for i := range run.Logs {
		l := &run.Logs[i]
		chosen := true
		for name, want := range s.Labels {
			chosen = chosen && l.Labels.Get(name) != "" && profile.Glob(want, l.Labels.Get(name))
		}
		if !chosen {
			continue
		}
		streams++
		restarts += int64(run.Restarts(l))
	}
	return restarts, streams
}

func judgeManual(m *profile.ManualActions, run *outcome.Run) Result {
	if run.Facts == nil || len(run.Facts.Actions) == 0 {
		return notJudged("no actions were recorded")
	}
	from, until := int64(0), int64(0)
	for _, mark := range []struct {
		at *profile.Record
		to *int64
	}{{m.After, &from}, {m.Until, &until}} {
		if mark.at == nil {
			continue
		}
		hits, missing, ok := find(mark.at, run)
		if !ok {
			return missing
		}
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.time == 0 || mark.to == &until && h.time < from })
		if len(hits) == 0 {
			return notJudged("what the stretch begins after, or ends with, was not recorded")
		}
		*mark.to = hits[0].time
	}
	actors := m.Actors
	if len(actors) == 0 {
		actors = []string{"operator"}
	}
	var lines []string
	unknown := 0
	for i := range run.Facts.Actions {
		a := &run.Facts.Actions[i]
		if a.Time < from || m.After != nil && a.Time == from || until != 0 && a.Time > until || globsAny(m.Except, a.Action) {
			continue
		}
		switch {
		case a.Actor == "":
			unknown++
		case globsAny(actors, a.Actor):
			lines = append(lines, actionLine(a))
		}
	}
	n := int64(len(lines))
	said := fmt.Sprintf("%s, want %s", counted(n, "manual action", "manual actions"), boundsText(m.Count, 0))
	switch {
	case !within(m.Count, n, 0):
		return fails("%s", said).with(lines).less(under(m.Count, n)).by(beyond(m.Count, n, 0))
	case unknown > 0 && bounded(m.Count):
		return notJudged("%s, but nothing says who did %d more", counted(n, "manual action", "manual actions"), unknown)
	}
	return holds("%s", said).with(lines)
}

func judgeExecutions(e *profile.ExecutionCount, run *outcome.Run) Result {
	hits, missing, ok := find(e.Of, run)
	if !ok {
		return missing
	}
	runs := map[string]int64{}
	lines := map[string][]string{}
	for _, h := range hits {
		if h.count > 0 {
			runs[h.subject] += h.count
			lines[h.subject] = append(lines[h.subject], h.line)
		}
	}
	if len(runs) == 0 {
		return notJudged("nothing was executed: no such record")
	}
	var bad []string
	wrong := 0
	most := int64(0)
	for _, subject := range slices.Sorted(maps.Keys(runs)) {
		most = max(most, runs[subject])
		if !within(e.Count, runs[subject], 1) {
			wrong++
			bad = append(bad, lines[subject]...)
		}
	}
	work := counted(int64(len(runs)), "piece of work", "pieces of work")
	if wrong > 0 {
		return fails("%d of %s not executed %s", wrong, work, boundsText(e.Count, 1)).with(bad).less(under(e.Count, most)).by(int64(wrong))
	}
	if bounded(e.Count) {
		if run.Incomplete {
			return notJudged("%s executed up to %s, but the run was closed as incomplete: there may be more", work, counted(most, "time", "times"))
		}
	}
	return holds("%s, each executed %s", work, cmp.Or(boundsText(e.Count, 1), "once"))
}
