package report

import (
	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/acceptance"
	"github.com/stillfires/stillfires/internal/confound"
	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/timeline"
)

// The wire structs of what scenarios show beside the timelines of their
// recoveries.
type (
	jsonRecovered struct {
		Scenario    string           `json:"scenario"`
		Executions  jsonExecutions   `json:"executions"`
		Confounders jsonConfounders  `json:"confounders"`
		Capacity    *jsonCapacity    `json:"capacity"`
		Acceptance  []jsonAcceptance `json:"acceptance"`
	}
	jsonExecutions struct {
		Deployed  []jsonExecution `json:"deployed"`
		Candidate []jsonExecution `json:"candidate"`
	}
	jsonExecution struct {
		Judged     int             `json:"judged"`
		Unjudged   []string        `json:"unjudged"`
		Duplicates []jsonDuplicate `json:"duplicates"`
		Repeated   []jsonRepeat    `json:"repeated"`
		Resumed    int             `json:"resumed"`
		Notes      []string        `json:"notes"`
	}
	jsonDuplicate struct {
		Work     string   `json:"work"`
		Kind     string   `json:"kind"`
		At       *string  `json:"at"`
		Clusters []string `json:"clusters"`
		Detail   string   `json:"detail"`
		Evidence []string `json:"evidence"`
	}
	jsonRepeat struct {
		Work  string  `json:"work"`
		At    *string `json:"at"`
		Steps int64   `json:"steps"`
		Pod   string  `json:"pod"`
	}
	jsonConfounders struct {
		Compared    int              `json:"compared"`
		Conclusive  bool             `json:"conclusive"`
		Differences []jsonDifference `json:"differences"`
		More        int              `json:"more"`
		Notes       []string         `json:"notes"`
	}
	jsonDifference struct {
		Kind      string   `json:"kind"`
		Subject   string   `json:"subject"`
		Deployed  []string `json:"deployed"`
		Candidate []string `json:"candidate"`
		Timing    bool     `json:"timing"`
		Decisive  bool     `json:"decisive"`
	}
	jsonAcceptance struct {
		Status    string          `json:"status"`
		File      *string         `json:"file"`
		Line      *int            `json:"line"`
		Column    *int            `json:"column"`
		Criteria  []jsonCriterion `json:"criteria"`
		Rollbacks []jsonRollback  `json:"rollbacks"`
	}
	jsonCriterion struct {
		Name       string     `json:"name"`
		Title      string     `json:"title"`
		Owner      *string    `json:"owner"`
		Status     string     `json:"status"`
		Said       string     `json:"said"`
		Budget     *float64   `json:"budget"`
		Deployed   []jsonSpan `json:"deployed"`
		Candidate  []jsonSpan `json:"candidate"`
		Stage      *string    `json:"stage"`
		StageOwner *string    `json:"stageOwner"`
		Evidence   []string   `json:"evidence"`
	}
	jsonRollback struct {
		Name    string   `json:"name"`
		Owner   *string  `json:"owner"`
		Status  string   `json:"status"`
		Because []string `json:"because"`
	}
	jsonAction struct {
		Time         *string  `json:"time"`
		After        *float64 `json:"after"`
		Cluster      *string  `json:"cluster"`
		Actor        *string  `json:"actor"`
		Action       string   `json:"action"`
		Target       *string  `json:"target"`
		Manual       bool     `json:"manual"`
		Unattributed bool     `json:"unattributed"`
		Kind         string   `json:"kind"`
		Evidence     string   `json:"evidence"`
	}
)

// rollbackNames are the statuses of rollbacks.
var rollbackNames = map[acceptance.Status]string{acceptance.Kept: "not-due", acceptance.NotEvaluated: "not-evaluated", acceptance.Broken: "due"}

func toJSONRecoveries(r *analyzer.Report) []jsonRecovered {
	out := make([]jsonRecovered, 0, len(r.Recoveries))
	for i := range r.Recoveries {
		x := &r.Recoveries[i]
		one := jsonRecovered{
			Scenario:    x.Scenario,
			Executions:  jsonExecutions{toJSONExecutions(x.Deployed), toJSONExecutions(x.Candidate)},
			Confounders: toJSONConfounders(&x.Confounders), Capacity: toJSONCapacity(x.Capacity), Acceptance: []jsonAcceptance{},
		}
		for j := range x.Acceptance {
			one.Acceptance = append(one.Acceptance, toJSONAcceptance(&x.Acceptance[j]))
		}
		out = append(out, one)
	}
	return out
}

func toJSONExecutions(all []execution.Result) []jsonExecution {
	out := make([]jsonExecution, 0, len(all))
	for i := range all {
		r := &all[i]
		x := jsonExecution{Judged: r.Judged, Unjudged: list(r.Unjudged), Duplicates: []jsonDuplicate{}, Repeated: []jsonRepeat{}, Resumed: r.Resumed, Notes: list(r.Notes)}
		for _, d := range r.Duplicates {
			x.Duplicates = append(x.Duplicates, jsonDuplicate{d.Work, string(d.Kind), time0(d.At), list(d.Clusters), d.Detail, list(d.Evidence)})
		}
		for _, d := range r.Repeats {
			x.Repeated = append(x.Repeated, jsonRepeat{d.Work, time0(d.At), d.Steps, d.Pod})
		}
		out = append(out, x)
	}
	return out
}

func toJSONConfounders(r *confound.Result) jsonConfounders {
	out := jsonConfounders{Compared: r.Compared, Conclusive: len(r.Decisive()) == 0, Differences: []jsonDifference{}, More: r.Cut, Notes: list(r.Notes)}
	for _, d := range r.Differences {
		out.Differences = append(out.Differences, jsonDifference{string(d.Kind), d.Subject, list(d.Deployed), list(d.Candidate), d.Timing, d.Decisive})
	}
	return out
}

func toJSONAcceptance(a *analyzer.Acceptance) jsonAcceptance {
	out := jsonAcceptance{
		Status: a.Status.String(), File: text(a.Pos.File), Line: place(a.Pos.Line), Column: place(a.Pos.Column),
		Criteria: []jsonCriterion{}, Rollbacks: []jsonRollback{},
	}
	for i := range a.Criteria {
		c := &a.Criteria[i]
		x := jsonCriterion{
			Name: c.Name, Title: c.Title, Owner: text(c.Owner), Status: c.Status.String(), Said: c.Said, Deployed: toJSONSpans(c.Deployed), Candidate: toJSONSpans(c.Candidate),
			Stage: text(c.Stage), StageOwner: text(c.StageOwner), Evidence: list(c.Evidence),
		}
		if c.Budget != 0 {
			s := c.Budget.Seconds()
			x.Budget = &s
		}
		out.Criteria = append(out.Criteria, x)
	}
	for _, b := range a.Rollbacks {
		out.Rollbacks = append(out.Rollbacks, jsonRollback{b.Name, text(b.Owner), rollbackNames[b.Status], list(b.Because)})
	}
	return out
}

func toJSONSpans(all []timeline.Value) []jsonSpan {
	out := make([]jsonSpan, 0, len(all))
	for i := range all {
		out = append(out, *toJSONSpan(&all[i]))
	}
	return out
}

// toJSONActions returns what was done during a run; from is the restoration, 0:
// there was none.
func toJSONActions(all []timeline.Action, from int64) []jsonAction {
	out := make([]jsonAction, 0, len(all))
	for i := range all {
		a := &all[i]
		x := jsonAction{
			Time: time0(a.Time), Cluster: text(a.Cluster), Actor: text(a.Actor), Action: a.Action, Target: text(a.Target),
			Manual: a.Manual, Unattributed: a.Unattributed, Kind: a.Kind, Evidence: a.Evidence,
		}
		if from != 0 {
			s := float64(a.Time-from) / 1e9
			x.After = &s
		}
		out = append(out, x)
	}
	return out
}
