package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/replay"
	"github.com/stillfires/stillfires/rules"
)

// A Proof says whether rules do the same on a corpus and on its redacted copy.
type Proof struct {
	Rules    int `json:"rules"`
	Runs     int `json:"runs"`
	Outcomes int `json:"outcomes"` // of a rule on a run, that were compared
	// Review says whether two builds were compared as a review does.
	Review bool `json:"review"`
	// Changed are what is not the same, in the order of the runs and rules.
	Changed []Change `json:"changed"`
	// NotEvaluated are rules that were evaluated on neither corpus: of them
	// nothing is shown.
	NotEvaluated []Change `json:"notEvaluated"`
	Problems     []string `json:"problems"` // items of the input that are not valid
	Notes        []string `json:"notes"`
}

// A Change is one thing that redaction changed.
type Change struct {
	Run  string `json:"run,omitempty"`  // build/scenario/n; empty: it is about the review
	Rule string `json:"rule,omitempty"` // empty: it is about the run
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// ExitCode returns 2 if the input is not valid, 1 if something changed, 3 if
// something could not be shown, else 0.
func (p *Proof) ExitCode() int {
	switch {
	case len(p.Problems) > 0:
		return 2
	case len(p.Changed) > 0:
		return 1
	case len(p.NotEvaluated) > 0 || p.Outcomes == 0:
		return 3
	}
	return 0
}

// Prove replays all rules on all runs of both corpora, and compares two builds
// of each as [Run] does where both have them. Options name the rules, or a
// review file; the corpora that they name are not read.
func Prove(ctx context.Context, o Options, raw, redacted *corpus.Corpus) (*Proof, error) {
	full := o.withReview()
	if len(full.Rules) == 0 {
		return nil, errors.New("no rules given; name rule files or folders with --rules, or a review file with -f")
	}
	set, err := rules.Load(full.Rules, rules.Options{})
	if err != nil {
		return nil, err
	}
	if err := sameRuns(raw, redacted); err != nil {
		return nil, err
	}
	plan := replay.NewPlan(set.Rules, replay.Options{Interval: full.Interval, IngestLabels: o.IngestLabels})
	if bad := plan.Problems(); len(bad) > 0 {
		set.Reject(bad)
		plan = replay.NewPlan(set.Rules, replay.Options{Interval: full.Interval, IngestLabels: o.IngestLabels})
	}
	p := &Proof{Rules: len(set.Rules), Changed: []Change{}, NotEvaluated: []Change{}, Problems: []string{}, Notes: []string{}}
	for _, bad := range set.Problems {
		p.Problems = append(p.Problems, bad.Error())
	}
	if err := p.redactions(redacted); err != nil {
		return nil, err
	}
	if err := p.outcomes(ctx, plan, set, raw, redacted); err != nil {
		return nil, err
	}
	return p, p.review(ctx, o, full, raw, redacted)
}

// sameRuns reports runs that only one of the corpora has.
func sameRuns(raw, redacted *corpus.Corpus) error {
	a, b := raw.Runs(), redacted.Runs()
	for _, info := range a {
		if !slices.Contains(b, info) {
			return fmt.Errorf("%s: has no run %s, but %s has; redact it too, or give the corpora that belong together", redacted.Dir, info, raw.Dir)
		}
	}
	for _, info := range b {
		if !slices.Contains(a, info) {
			return fmt.Errorf("%s: has no run %s, but %s has; give the corpora that belong together", raw.Dir, info, redacted.Dir)
		}
	}
	if len(a) == 0 {
		return fmt.Errorf("%s: holds no runs", raw.Dir)
	}
	return nil
}

// redactions reports runs that were not redacted, and different keys.
func (p *Proof) redactions(redacted *corpus.Corpus) error {
	var keys []string
	for _, info := range redacted.Runs() {
		run, err := redacted.OpenRun(info.Build, info.Scenario, info.Repetition)
		if err != nil {
			return err
		}
		if run.Manifest.Redaction == nil {
			return fmt.Errorf("%s: was not redacted: it does not say how; give the raw corpus first, then the redacted one", run.Path(""))
		}
		if id := run.Manifest.Redaction.KeyID; !slices.Contains(keys, id) {
			keys = append(keys, id)
		}
	}
	if len(keys) > 1 {
		p.Notes = append(p.Notes, "the runs were redacted with different keys: values that are equal in two runs may have different tokens")
	}
	return nil
}

// outcomes compares what each rule did on each run.
func (p *Proof) outcomes(ctx context.Context, plan *replay.Plan, set *rules.Set, raw, redacted *corpus.Corpus) error {
	jobs := func(c *corpus.Corpus) []Job {
		var out []Job
		for _, info := range c.Runs() {
			out = append(out, Job{c, info})
		}
		return out
	}
	before, err := Replay(ctx, plan, jobs(raw))
	if err != nil {
		return err
	}
	after, err := Replay(ctx, plan, jobs(redacted))
	if err != nil {
		return err
	}
	p.Runs = len(before)
	for i := range before {
		a, b := &before[i], &after[i]
		name := fmt.Sprintf("%s/%s/%d", a.Build, a.Scenario, a.Repetition)
		if what := runDiffers(a, b); what != "" {
			p.Changed = append(p.Changed, Change{Run: name, What: what})
		}
		for k := range a.Outcomes {
			p.outcome(name, &set.Rules[k], &a.Outcomes[k], &b.Outcomes[k])
		}
	}
	return nil
}

func (p *Proof) outcome(run string, rule *rules.Rule, a, b *outcome.Outcome) {
	at := rule.Name
	if at == "" {
		at = rule.Pos.String()
	}
	if a.State == outcome.NotEvaluated && b.State == outcome.NotEvaluated {
		p.NotEvaluated = append(p.NotEvaluated, Change{Run: run, Rule: at, What: "was not evaluated", Why: a.Reason})
		return
	}
	p.Outcomes++
	if what := outcomeDiffers(a, b); what != "" {
		p.Changed = append(p.Changed, Change{Run: run, Rule: at, What: what, Why: whyDiffers(a, b)})
	}
}

// runDiffers says in what of its records a run changed.
func runDiffers(a, b *outcome.Run) string {
	return firstDifference([]difference{
		{"records", a.Records, b.Records}, {"empty records", a.Empty, b.Empty}, {"exact repeats", a.Repeats, b.Repeats},
		{"streams", a.Streams, b.Streams}, {"the time of the first record", a.First, b.First}, {"the time of the last record", a.Last, b.Last},
		{"panics", len(a.Panics), len(b.Panics)},
	})
}

type difference struct {
	what          string
	before, after any
}

func firstDifference(list []difference) string {
	for _, d := range list {
		if x, y := fmt.Sprint(d.before), fmt.Sprint(d.after); x != y {
			return fmt.Sprintf("%s: %s on the raw corpus, %s on the redacted one", d.what, x, y)
		}
	}
	return ""
}

// outcomeDiffers says in what the outcome of a rule changed: state, firings or
// any count. Values of labels may, as tokens stand in their place.
func outcomeDiffers(a, b *outcome.Outcome) string {
	list := []difference{
		{"state", stateName(a.State), stateName(b.State)}, {"lines", a.Lines, b.Lines}, {"series", a.Series, b.Series}, {"evaluations that fire", a.Points, b.Points},
		{"evaluations without data", a.NoData, b.NoData}, {"stretches that fire", a.Firing, b.Firing}, {"stretches that are pending", a.Pending, b.Pending},
		{"highest value", number(a.Peak), number(b.Peak)}, {"alerts", len(a.Alerts), len(b.Alerts)}, {"last answer", len(a.Result), len(b.Result)},
		{"values of the last answer", values(a.Result), values(b.Result)}, {"alerts that fired", firings(a.Alerts), firings(b.Alerts)},
		{"stages", len(a.Funnel), len(b.Funnel)},
	}
	if d := firstDifference(list); d != "" {
		return d
	}
	for i := range a.Funnel {
		x, y := &a.Funnel[i], &b.Funnel[i]
		if d := firstDifference([]difference{
			{"lines left after " + x.Stage, x.Lines, y.Lines}, {"lines with an error after " + x.Stage, x.Errors, y.Errors}, {"streams selected by " + x.Stage, x.Streams, y.Streams},
		}); d != "" {
			return d
		}
	}
	for i := range min(len(a.Selectors), len(b.Selectors)) {
		if d := firstDifference([]difference{{"series that " + a.Selectors[i].Text + " selects", a.Selectors[i].Series, b.Selectors[i].Series}}); d != "" {
			return d
		}
	}
	return ""
}

// whyDiffers names the first stage or selector at which the corpora part.
func whyDiffers(a, b *outcome.Outcome) string {
	for i := range min(len(a.Funnel), len(b.Funnel)) {
		x, y := &a.Funnel[i], &b.Funnel[i]
		if x.Lines != y.Lines || x.Errors != y.Errors || x.Streams != y.Streams {
			return fmt.Sprintf("%s keeps %d lines of the raw run and %d of the redacted one: it reads what was redacted; leave that out of the policy, or have the rule select by something else", x.Stage, x.Lines, y.Lines)
		}
	}
	for i := range min(len(a.Selectors), len(b.Selectors)) {
		if x, y := &a.Selectors[i], &b.Selectors[i]; x.Series != y.Series {
			return fmt.Sprintf("%s selects %d series of the raw run and %d of the redacted one: it reads labels that were redacted", x.Text, x.Series, y.Series)
		}
	}
	return "the same lines and series were read; the rule computes with, or groups by, what was redacted"
}

func stateName(s outcome.State) string {
	return [...]string{"unknown", "not evaluated", "fired", "pending", "silent", "matched", "matched nothing"}[max(0, min(int(s), 6))]
}

func number(v *float64) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(*v)
}

// values returns the values of an answer in their order by size: that of the
// series depends on labels.
func values(result []outcome.Sample) []string {
	var out []string
	for _, s := range result {
		out = append(out, fmt.Sprint(s.Value))
	}
	slices.Sort(out)
	return out
}

func firings(alerts []outcome.Alert) []string {
	var out []string
	for _, a := range alerts {
		out = append(out, fmt.Sprintf("%d to %d at most %v", a.First, a.Last, a.Value))
	}
	slices.Sort(out)
	return out
}

// review compares what the analyzer says of both corpora.
func (p *Proof) review(ctx context.Context, o, full Options, raw, redacted *corpus.Corpus) error {
	o.Deployed, o.Candidate = buildOf(full.Deployed), buildOf(full.Candidate)
	builds := raw.Builds()
	if !slices.Contains(builds, o.Deployed) || !slices.Contains(builds, o.Candidate) {
		if o.Review != nil {
			return fmt.Errorf("%s: has no builds %s and %s to review; it has: %s", raw.Dir, o.Deployed, o.Candidate, strings.Join(builds, ", "))
		}
		p.Notes = append(p.Notes, fmt.Sprintf("no two builds were compared: the corpus has no %s and %s; name them with --deployed and --candidate", o.Deployed, o.Candidate))
		return nil
	}
	o.NoRepairs = true
	o.Corpus = raw.Dir
	before, err := Run(ctx, o)
	if err != nil {
		return err
	}
	o.Corpus = redacted.Dir
	after, err := Run(ctx, o)
	if err != nil {
		return err
	}
	p.Review = true
	for _, problem := range before.Problems {
		if text := problem.Error(); !slices.Contains(p.Problems, text) {
			p.Problems = append(p.Problems, text)
		}
	}
	p.reports(before, after)
	return nil
}

// buildOf returns the build of [DIR:]BUILD.
func buildOf(spec string) string { return spec[strings.LastIndexByte(spec, ':')+1:] }

// reports compares verdicts and findings.
func (p *Proof) reports(a, b *analyzer.Report) {
	add := func(rule, what string) { p.Changed = append(p.Changed, Change{Rule: rule, What: what}) }
	if d := firstDifference([]difference{{"verdict of the review", a.Verdict, b.Verdict}, {"results", len(a.Results), len(b.Results)}, {"cases", len(a.Cases), len(b.Cases)}}); d != "" {
		add("", d)
	}
	for i := range min(len(a.Results), len(b.Results)) {
		x, y := &a.Results[i], &b.Results[i]
		if d := firstDifference([]difference{{"verdict in " + x.Scenario, x.Verdict, y.Verdict}, {"findings in " + x.Scenario, x.Findings, y.Findings}}); d != "" {
			add(x.Rule.Name, d)
		}
	}
	for i := range min(len(a.Cases), len(b.Cases)) {
		if d := firstDifference([]difference{{"verdict of a case in " + a.Cases[i].Scenario, a.Cases[i].Verdict, b.Cases[i].Verdict}}); d != "" {
			add("", d)
		}
	}
	before, after := findingCounts(a), findingCounts(b)
	for _, f := range slices.Sorted(keysOf(before, after)) {
		if before[f] != after[f] {
			add("", fmt.Sprintf("finding %s: %d on the raw corpus, %d on the redacted one", f, before[f], after[f]))
		}
	}
}

// findingCounts counts findings by what they are about; their texts may quote
// tokens.
func findingCounts(r *analyzer.Report) map[string]int {
	out := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		name := f.Unmatched
		if f.Rule != nil {
			name = f.Rule.Name
		}
		out[fmt.Sprintf("%s (%v) of %q in %q", f.ID, f.Severity, name, f.Scenario)]++
	}
	return out
}

func keysOf(maps ...map[string]int) func(func(string) bool) {
	seen := map[string]bool{}
	return func(yield func(string) bool) {
		for _, m := range maps {
			for key := range m {
				if !seen[key] {
					seen[key] = true
					if !yield(key) {
						return
					}
				}
			}
		}
	}
}
