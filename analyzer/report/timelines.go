package report

import (
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/timeline"
)

// The wire structs of recoveries. Lengths of time are seconds.
type (
	jsonTimeline struct {
		Scenario   string             `json:"scenario"`
		Goal       *string            `json:"goal"`
		Declared   []jsonDeclared     `json:"milestones"`
		Deployed   jsonTimelineSide   `json:"deployed"`
		Candidate  jsonTimelineSide   `json:"candidate"`
		Stages     []jsonTimelineStep `json:"stages"`
		Happenings []jsonHappening    `json:"happenings"`
	}
	// A jsonHappening is what happened in a run beside the recovery.
	jsonHappening struct {
		Role       string   `json:"role"`
		Repetition int      `json:"repetition"`
		Kind       string   `json:"kind"`
		Name       string   `json:"name"`
		Detail     *string  `json:"detail"`
		From       string   `json:"from"`
		To         string   `json:"to"`
		After      *float64 `json:"after"`
		Until      *float64 `json:"until"`
	}
	jsonDeclared struct {
		Name   string   `json:"name"`
		Title  string   `json:"title"`
		Owner  *string  `json:"owner"`
		As     *string  `json:"as"`
		Hint   *string  `json:"hint"`
		Shared bool     `json:"shared"`
		After  []string `json:"after"`
	}
	jsonTimelineSide struct {
		Affected    int            `json:"affected"`
		Recovered   int            `json:"recovered"`
		KeptRunning int            `json:"keptRunning"`
		Failed      int            `json:"failed"`
		Open        int            `json:"open"`
		Unknown     int            `json:"unknown"`
		Submitted   int            `json:"submitted"`
		Completed   int            `json:"completed"`
		Comparable  int            `json:"comparable"`
		Units       int64          `json:"units"`
		QueueAge    *jsonSpan      `json:"queueAge"`
		Deadlines   []jsonDeadline `json:"deadlines"`
		Slowest     *jsonHeld      `json:"slowest"`
		Runs        []jsonRecovery `json:"runs"`
	}
	jsonDeadline struct {
		Milestone string  `json:"milestone"`
		Within    float64 `json:"within"`
		Owner     *string `json:"owner"`
		Met       int     `json:"met"`
		Of        int     `json:"of"`
		Unknown   int     `json:"unknown"`
	}
	jsonHeld struct {
		Stage    string   `json:"stage"`
		From     *string  `json:"from"`
		Workload *string  `json:"workload"`
		Took     jsonSpan `json:"took"`
		Share    float64  `json:"share"`
	}
	// A jsonSpan is a length of time; a censored one is longer than it says.
	jsonSpan struct {
		Seconds  float64 `json:"seconds"`
		Censored bool    `json:"censored"`
	}
	jsonRecovery struct {
		Repetition   int             `json:"repetition"`
		Unlike       *string         `json:"unlike"`
		Start        *string         `json:"start"`
		End          *string         `json:"end"`
		Losses       int             `json:"losses"`
		Failure      jsonMilestone   `json:"failure"`
		Restored     jsonMilestone   `json:"restored"`
		Shared       []jsonMilestone `json:"shared"`
		Workloads    []jsonWorkload  `json:"workloads"`
		Others       int             `json:"others"`
		Skews        []jsonSkew      `json:"skews"`
		Suspects     []jsonSuspicion `json:"suspects"`
		Actions      []jsonAction    `json:"actions"`
		Manual       int             `json:"manualActions"`
		Unattributed int             `json:"unattributedActions"`
		Notes        []string        `json:"notes"`
	}
	jsonSkew struct {
		Workload *string       `json:"workload"`
		Before   jsonMilestone `json:"before"`
		After    jsonMilestone `json:"after"`
		By       float64       `json:"by"`
	}
	jsonMilestone struct {
		Name       string   `json:"name"`
		State      string   `json:"state"`
		Reason     *string  `json:"reason"`
		Detail     *string  `json:"detail"`
		At         *string  `json:"at"`
		Arrived    *string  `json:"arrived"`
		After      *float64 `json:"after"`
		Resolution *float64 `json:"resolution"`
		Kind       *string  `json:"kind"`
		Clock      *string  `json:"clock"`
		Evidence   *string  `json:"evidence"`
	}
	jsonWorkload struct {
		ID          string          `json:"id"`
		Affected    string          `json:"affected"`
		KeptRunning bool            `json:"keptRunning"`
		Submitted   *string         `json:"submitted"`
		Finished    *string         `json:"finished"`
		Failed      *string         `json:"failed"`
		Units       int64           `json:"units"`
		UnitsAfter  int64           `json:"unitsAfter"`
		Milestones  []jsonMilestone `json:"milestones"`
	}
	jsonSuspicion struct {
		Title  string  `json:"title"`
		Stage  string  `json:"stage"`
		Lines  int64   `json:"lines"`
		During int64   `json:"during"`
		First  *string `json:"first"`
	}
	jsonTimelineStep struct {
		Name       string        `json:"name"`
		Title      string        `json:"title"`
		Owner      *string       `json:"owner"`
		From       *string       `json:"from"`
		Deployed   jsonStage     `json:"deployed"`
		Candidate  jsonStage     `json:"candidate"`
		Difference *float64      `json:"difference"`
		Noise      *float64      `json:"noise"`
		Resolution float64       `json:"resolution"`
		Slower     bool          `json:"slower"`
		Faster     bool          `json:"faster"`
		ByLongest  bool          `json:"byLongest"`
		Because    []jsonBecause `json:"because"`
	}
	jsonStage struct {
		Count       int               `json:"count"`
		P50         *jsonSpan         `json:"p50"`
		P90         *jsonSpan         `json:"p90"`
		Max         *jsonSpan         `json:"max"`
		Repetitions []jsonSpan        `json:"repetitions"`
		Observed    []jsonObservation `json:"observed"`
		Missing     map[string]int    `json:"missing"`
		Over        []string          `json:"over"`
	}
	jsonObservation struct {
		Workload   *string  `json:"workload"`
		Repetition int      `json:"repetition"`
		Took       jsonSpan `json:"took"`
		Over       []string `json:"over"`
	}
	jsonBecause struct {
		Title     string  `json:"title"`
		Deployed  int64   `json:"deployed"`
		Candidate int64   `json:"candidate"`
		First     *string `json:"first"`
	}
)

func toJSONTimelines(r *analyzer.Report) []jsonTimeline {
	out := make([]jsonTimeline, 0, len(r.Timelines))
	for i := range r.Timelines {
		t := toJSONTimeline(&r.Timelines[i])
		t.Happenings = toJSONHappenings(newRecovery(r, &r.Timelines[i]))
		out = append(out, t)
	}
	return out
}

// toJSONHappenings prints what happened on both builds. After and until are
// seconds since the restoration, null where none was measured.
func toJSONHappenings(v *recovery) []jsonHappening {
	out := []jsonHappening{}
	for i := range v.sides {
		s := &v.sides[i]
		for _, h := range s.happened {
			x := jsonHappening{
				Role: h.Role, Repetition: h.Repetition, Kind: h.Kind.String(), Name: h.Name, Detail: text(h.Detail),
				From: instant(h.From), To: instant(h.To),
			}
			if run := s.runOf(h.Repetition); run != nil {
				after, until := afterRestored(run, h.From).Seconds(), afterRestored(run, h.To).Seconds()
				x.After, x.Until = &after, &until
			}
			out = append(out, x)
		}
	}
	return out
}

func toJSONTimeline(t *timeline.Comparison) jsonTimeline {
	out := jsonTimeline{
		Scenario: t.Scenario, Goal: text(t.Goal), Declared: make([]jsonDeclared, 0, len(t.Declared)),
		Deployed: toJSONTimelineSide(&t.Deployed), Candidate: toJSONTimelineSide(&t.Candidate),
		Stages: make([]jsonTimelineStep, 0, len(t.Stages)),
	}
	for _, d := range t.Declared {
		out.Declared = append(out.Declared, jsonDeclared{d.Name, d.Title, text(d.Owner), text(d.As), text(d.Hint), d.Shared, list(d.After)})
	}
	for i := range t.Stages {
		out.Stages = append(out.Stages, toJSONStep(&t.Stages[i]))
	}
	return out
}

func toJSONTimelineSide(s *timeline.Side) jsonTimelineSide {
	out := jsonTimelineSide{
		Affected: s.Affected, Recovered: s.Recovered, KeptRunning: s.KeptRunning, Failed: s.Failed, Open: s.Open,
		Unknown: s.Unknown, Submitted: s.Submitted, Completed: s.Completed, Comparable: s.Comparable, Units: s.Units,
		QueueAge: toJSONSpan(s.QueueAge), Deadlines: make([]jsonDeadline, 0, len(s.Deadlines)), Runs: make([]jsonRecovery, 0, len(s.Runs)),
	}
	for _, d := range s.Deadlines {
		out.Deadlines = append(out.Deadlines, jsonDeadline{d.Milestone, d.Within.Seconds(), text(d.Owner), d.Met, d.Of, d.Unknown})
	}
	if h := s.Slowest; h.Stage != "" {
		out.Slowest = &jsonHeld{h.Stage, text(h.From), text(h.Workload), *toJSONSpan(&h.Took), h.Share}
	}
	for i := range s.Runs {
		out.Runs = append(out.Runs, toJSONRecovery(&s.Runs[i]))
	}
	return out
}

func toJSONRecovery(r *timeline.Run) jsonRecovery {
	from := int64(0)
	if r.Restored.State == timeline.Reached {
		from = r.Restored.At
	}
	out := jsonRecovery{
		Repetition: r.Repetition, Unlike: text(r.Unlike), Start: time0(r.Start), End: time0(r.End), Losses: r.Losses,
		Failure: toJSONMilestone(&r.Failure, from), Restored: toJSONMilestone(&r.Restored, from),
		Shared: toJSONMilestones(r.Shared, from), Workloads: []jsonWorkload{}, Skews: []jsonSkew{}, Suspects: []jsonSuspicion{}, Notes: list(r.Notes),
	}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.Affected == "" {
			out.Others++
			continue
		}
		out.Workloads = append(out.Workloads, jsonWorkload{
			ID: w.ID, Affected: w.Affected, KeptRunning: w.KeptRunning, Submitted: time0(w.Submitted), Finished: time0(w.Finished),
			Failed: time0(w.Failed), Units: w.Units, UnitsAfter: w.UnitsAfter, Milestones: toJSONMilestones(w.Milestones, from),
		})
	}
	for i := range r.Skews {
		s := &r.Skews[i]
		out.Skews = append(out.Skews, jsonSkew{text(s.Workload), toJSONMilestone(&s.Before, from), toJSONMilestone(&s.After, from), s.By.Seconds()})
	}
	for _, s := range r.Suspects {
		out.Suspects = append(out.Suspects, jsonSuspicion{s.Title, s.Stage, s.Lines, s.During, text(s.First)})
	}
	out.Actions = toJSONActions(r.Actions, from)
	out.Manual, out.Unattributed = r.Manual()
	return out
}

func toJSONMilestones(all []timeline.Milestone, from int64) []jsonMilestone {
	out := make([]jsonMilestone, 0, len(all))
	for i := range all {
		out = append(out, toJSONMilestone(&all[i], from))
	}
	return out
}

func toJSONMilestone(m *timeline.Milestone, from int64) jsonMilestone {
	out := jsonMilestone{
		Name: m.Name, State: m.State.String(), Reason: text(string(m.Reason)), Detail: text(m.Detail),
		Kind: text(m.Kind), Clock: text(m.Clock), Evidence: text(m.Evidence),
	}
	if m.State != timeline.Missing {
		res := m.Resolution.Seconds()
		out.At, out.Arrived, out.Resolution = time0(m.At), time0(m.Arrived), &res
		if from != 0 {
			after := time.Duration(m.At - from).Seconds()
			out.After = &after
		}
	}
	return out
}

func toJSONStep(p *timeline.StagePair) jsonTimelineStep {
	out := jsonTimelineStep{
		Name: p.Name, Title: p.Title, Owner: text(p.Owner), From: text(p.From), Deployed: toJSONStage(&p.Deployed), Candidate: toJSONStage(&p.Candidate),
		Resolution: p.Resolution.Seconds(), Slower: p.Slower, Faster: p.Faster, ByLongest: p.ByLongest, Because: []jsonBecause{},
	}
	if p.Difference != nil {
		d := p.Difference.Seconds()
		out.Difference = &d
	}
	if p.NoiseKnown {
		n := p.Noise.Seconds()
		out.Noise = &n
	}
	for _, b := range p.Because {
		out.Because = append(out.Because, jsonBecause{b.Title, b.Deployed, b.Candidate, text(b.First)})
	}
	return out
}

func toJSONStage(s *timeline.Stage) jsonStage {
	out := jsonStage{
		Count: len(s.Observed), P50: toJSONSpan(s.P50), P90: toJSONSpan(s.P90), Max: toJSONSpan(s.Max),
		Repetitions: []jsonSpan{}, Observed: make([]jsonObservation, 0, len(s.Observed)), Missing: map[string]int{}, Over: list(strings.Fields(s.Over)),
	}
	for i := range s.Repetitions {
		out.Repetitions = append(out.Repetitions, *toJSONSpan(&s.Repetitions[i]))
	}
	for i := range s.Observed {
		o := &s.Observed[i]
		out.Observed = append(out.Observed, jsonObservation{text(o.Workload), o.Repetition, *toJSONSpan(&o.Took), list(strings.Fields(o.Over))})
	}
	for reason, n := range s.Missing {
		out.Missing[string(reason)] = n
	}
	return out
}

func toJSONSpan(v *timeline.Value) *jsonSpan {
	if v == nil {
		return nil
	}
	return &jsonSpan{v.D.Seconds(), v.Censored}
}

// time0 prints a time; 0 is none.
func time0(ns int64) *string {
	if ns == 0 {
		return nil
	}
	return text(instant(ns))
}
