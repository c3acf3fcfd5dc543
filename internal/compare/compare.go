// Package compare is the main job put together: it finds the runs of two
// builds, loads the rules, replays them on every run and has the analyzer
// compare what they did.
package compare

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/review"
	"github.com/stillfires/stillfires/replay"
	"github.com/stillfires/stillfires/rules"
)

// Options say what to compare.
type Options struct {
	// Review is the review file, nil for none. The other options win over it.
	Review *review.File

	// Corpus is the corpus of a build that is named without one.
	Corpus string
	// Deployed and Candidate name the builds as [DIR:]BUILD, or are paths of
	// raw logs ("-" is standard input).
	Deployed, Candidate string
	Rules               []string // files, folders, globs
	// WithoutRules allows that there are none: the messages are compared.
	WithoutRules bool
	Scenarios    []string // only these; none: all
	Interval     time.Duration
	// Labels are the stream labels of raw logs; nil: unknown, every selector
	// is taken to match.
	Labels       logs.Labels
	IngestLabels bool
	// Profile is the name or the path of a profile, "auto" or "none"; empty:
	// as the review file says, else "auto".
	Profile string
	Raw     RawOptions
	// Suppressions are files of accepted findings, beside those of the review
	// file.
	Suppressions []string
	// Now is the time at which suppressions expire. It is needed where there
	// are any.
	Now time.Time
	// Base is the folder that files are shown relative to; empty: as given.
	Base string
	// NoRepairs leaves out the search for repairs, which reads all runs once
	// more.
	NoRepairs bool
	// Explain names the rules of which the report holds every evaluation, as
	// rules.Set.Lookup takes it; empty: none.
	Explain string
	// RepairThresholds lets a repair change the number that a rule compares
	// with.
	RepairThresholds bool
}

// Run compares. The error is one that leaves nothing to report; items of the
// input that are not valid are in the report's Problems.
func Run(ctx context.Context, o Options) (*analyzer.Report, error) {
	suppressed, err := review.LoadSuppressions(o.Review, o.Suppressions...)
	if err != nil {
		return nil, err
	}
	if len(suppressed.Accepted) > 0 && o.Now.IsZero() {
		return nil, errors.New("findings are accepted until a date, but no date was given")
	}
	partial := o.partial()
	o = o.withReview()
	if len(o.Rules) == 0 && !o.WithoutRules {
		return nil, errors.New("no rules given; name rule files or folders with --rules, or under rules: in the review file")
	}
	set, err := &rules.Set{}, error(nil)
	if len(o.Rules) > 0 {
		set, err = rules.Load(o.Rules, rules.Options{})
	}
	if err != nil {
		return nil, err
	}
	deployed, candidate, cleanup, err := o.sides(ctx)
	if err != nil {
		return nil, err
	}
	defer cleanup()
	if err := sameComponent(deployed, candidate); err != nil {
		return nil, err
	}
	scenarios, err := scenariosOf(deployed, candidate, o.Scenarios)
	if err != nil {
		return nil, err
	}
	known := allScenarios([]*side{deployed, candidate})
	deployed.keep(scenarios)
	candidate.keep(scenarios)
	chosen, err := o.chooseProfile(ctx, deployed, candidate)
	if err != nil {
		return nil, err
	}
	options := replay.Options{
		Interval: o.Interval, AssumeSelectors: deployed.assumed, IngestLabels: o.IngestLabels, Profile: chosen.profile,
		Marks: chosen.marks(), MetricMarks: chosen.metricMarks(),
	}
	plan := replay.NewPlan(set.Rules, options)
	if bad := plan.Problems(); len(bad) > 0 {
		set.Reject(bad)
		plan = replay.NewPlan(set.Rules, options)
	}
	if o.Explain != "" {
		if options.Timelines, err = set.Lookup(o.Explain); err != nil {
			return nil, err
		}
		plan = replay.NewPlan(set.Rules, options)
	}
	in := analyzer.Input{
		WithoutRules: o.WithoutRules,
		Scenarios:    scenarios, Rules: set.Rules, Problems: set.Problems,
		SelectorsAssumed: deployed.assumed,
		Notes:            append(pinNotes(deployed, candidate), notes(plan, deployed, o)...),
		Suppressions:     suppressed.Accepted, Now: o.Now, Partial: partial,
		Notifications: chosen.notifications(o.Review),
	}
	in.Milestones, in.Correlation = chosen.recovery()
	chosen.declare(&in, o.Review)
	in.Notes = append(in.Notes, chosen.notes...)
	for _, n := range set.Notes {
		in.Notes = append(in.Notes, n.Pos.String()+": "+n.Msg)
	}
	if err := o.expectations(&in, set, known, deployed, candidate); err != nil {
		return nil, err
	}
	if err := o.cases(&in, chosen.profile, deployed, candidate); err != nil {
		return nil, err
	}
	in.Problems = append(in.Problems, suppressed.Problems...)
	if err := replaySides(ctx, plan, deployed, candidate); err != nil {
		return nil, err
	}
	in.Deployed, in.Candidate = deployed.input(), candidate.input()
	in.Notes = append(in.Notes, metricNotes(deployed, candidate)...)
	in.Notes = append(in.Notes, factNotes(deployed, candidate)...)
	in.Notes = append(in.Notes, chosen.unused(deployed, candidate)...)
	missingRuns(&in)
	r := repairer{
		in: &in, options: repairOptions(options), thresholds: o.RepairThresholds,
		only: options.Timelines, jobs: jobsOf(deployed, candidate), files: filesOf(in.Rules),
	}
	showRelative(o.Base, &in)
	rep := analyzer.Compare(in)
	varies, err := tryMoments(ctx, &in, rep, replay.Options{
		Interval: o.Interval, AssumeSelectors: options.AssumeSelectors, IngestLabels: o.IngestLabels,
	}, r.jobs)
	if err != nil {
		return nil, err
	}
	if varies {
		rep = analyzer.Compare(in)
	}
	for _, i := range options.Timelines {
		rep.Explained = append(rep.Explained, &in.Rules[i])
	}
	if o.NoRepairs {
		return rep, nil
	}
	return rep, r.repair(ctx, rep)
}

// repairOptions are those of the pass in which repairs are tried: of it no
// timeline is wanted, neither of rules nor of the recovery.
func repairOptions(o replay.Options) replay.Options {
	o.Timelines, o.Marks, o.MetricMarks = nil, nil, nil
	return o
}

// filesOf returns the file of each rule as it can be opened.
func filesOf(rs []rules.Rule) []string {
	files := make([]string, len(rs))
	for i := range rs {
		files[i] = rs[i].Pos.File
	}
	return files
}

// partial says what the options leave out of the review that suppressions may
// have been written for.
func (o *Options) partial() analyzer.Partial {
	switch {
	case o.Review != nil && len(o.Review.Rules) > 0 && len(o.Rules) > 0:
		return analyzer.OtherRules
	case len(o.Scenarios) > 0:
		return analyzer.OtherScenarios
	}
	return analyzer.NothingLeftOut
}

// withReview fills what was not given on the command line.
func (o Options) withReview() Options {
	f := o.Review
	if f == nil {
		return o.withDefaults()
	}
	if o.Corpus == "" {
		o.Corpus = f.Corpus
	}
	if o.Deployed == "" {
		o.Deployed = f.Deployed
	}
	if o.Candidate == "" {
		o.Candidate = f.Candidate
	}
	if len(o.Rules) == 0 {
		o.Rules = f.Rules
	}
	if f.Patterns {
		o.Rules = append(slices.Clip(o.Rules), f.Path)
	}
	if o.Interval == 0 {
		o.Interval = f.Interval
	}
	if o.Profile == "" {
		o.Profile = f.Profile
	}
	return o.withDefaults()
}

// withDefaults names the builds as a corpus does that was made for one
// comparison.
func (o Options) withDefaults() Options {
	if o.Deployed == "" {
		o.Deployed = "deployed"
	}
	if o.Candidate == "" {
		o.Candidate = "candidate"
	}
	return o
}

// A Job is one run to replay.
type Job struct {
	Corpus *corpus.Corpus
	Run    corpus.RunInfo
}

// jobsOf returns the runs of both sides, those of deployed first.
func jobsOf(deployed, candidate *side) []Job {
	var jobs []Job
	for _, s := range []*side{deployed, candidate} {
		for _, info := range s.runs {
			jobs = append(jobs, Job{s.corpus, info})
		}
	}
	return jobs
}

// replaySides runs the plan on every run of both sides.
func replaySides(ctx context.Context, plan *replay.Plan, deployed, candidate *side) error {
	jobs := jobsOf(deployed, candidate)
	results, err := Replay(ctx, plan, jobs)
	if err != nil {
		return err
	}
	if err := nameMetrics(ctx, jobs, results); err != nil {
		return err
	}
	n := len(deployed.runs)
	// Clipped: a run that is missing is appended later, and must not land in
	// the runs of the other side.
	deployed.results, candidate.results = results[:n:n], results[n:]
	return nil
}

// Replay runs the plan on every run, as many at once as there are processors.
// Results have the order of the jobs.
func Replay(ctx context.Context, plan *replay.Plan, jobs []Job) ([]outcome.Run, error) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	results := make([]outcome.Run, len(jobs))
	for i, job := range jobs {
		g.Go(func() error {
			res, err := replayRun(ctx, plan, job.Corpus, job.Run)
			if err != nil {
				return err
			}
			results[i] = *res
			return nil
		})
	}
	return results, g.Wait()
}

func replayRun(ctx context.Context, plan *replay.Plan, c *corpus.Corpus, info corpus.RunInfo) (res *replay.Result, err error) {
	run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
	if err != nil {
		return nil, err
	}
	facts := loadFacts(ctx, run)
	defer func() {
		loaded, factsErr := facts()
		if err == nil {
			err = factsErr
		}
		if err == nil {
			describeRun(res, run, loaded)
		}
	}()
	src := sourceOf(run)
	empty := len(src.Streams) == 0 || src.Last == 0 && src.First == 0
	metrics := run.HasMetrics() && plan.NeedsMetrics()
	if empty && !metrics {
		return emptyRun(plan, run), nil
	}
	if empty {
		src.NoRecords = noRecords(run)
	}
	if metrics {
		scrapes, openErr := run.Scrapes()
		if openErr != nil {
			return nil, openErr
		}
		defer func() { err = errors.Join(err, scrapes.Close()) }()
		src.Scrapes = scrapes
	}
	entries, err := run.Entries()
	if err != nil {
		return nil, err
	}
	if plan.NeedsFacts() {
		if src.Facts, err = facts(); err != nil {
			return nil, errors.Join(err, entries.Close())
		}
	}
	starts := newEpochStarts(run, entries)
	src.Entries = starts
	res, err = plan.Run(ctx, src)
	if err == nil {
		res.Logs = starts.logs
	}
	return res, errors.Join(err, entries.Close())
}

func noRecords(run *corpus.Run) string {
	return fmt.Sprintf("%s: the run has no records", run.Path(""))
}

// emptyRun is the result of a run that has no records: there is nothing to
// evaluate a rule on. The other runs are compared all the same.
func emptyRun(plan *replay.Plan, run *corpus.Run) *replay.Result {
	res := &replay.Result{
		Build: run.Build, Scenario: run.Scenario, Repetition: run.Repetition,
		Streams: len(run.Manifest.Streams), Outcomes: make([]outcome.Outcome, plan.Len()),
	}
	for i := range res.Outcomes {
		res.Outcomes[i] = outcome.Outcome{
			State:  outcome.NotEvaluated,
			Reason: noRecords(run),
		}
	}
	return res
}

// sourceOf describes a run to replay, without its records.
func sourceOf(run *corpus.Run) *replay.Source {
	m := run.Manifest
	src := &replay.Source{
		Build: run.Build, Scenario: run.Scenario, Repetition: run.Repetition,
		Incomplete: m.Completeness.State == corpus.Incomplete,
	}
	records := int64(0)
	for i := range m.Streams {
		st := &m.Streams[i]
		src.Streams = append(src.Streams, st.LabelSet())
		src.Starts = append(src.Starts, laterStarts(st))
		if st.First == nil {
			continue
		}
		if first := st.First.UnixNano(); records == 0 || first < src.First {
			src.First = first
		}
		if last := st.Last.UnixNano(); records == 0 || last > src.Last {
			src.Last = last
		}
		records += st.Records
	}
	if w := m.Scenario.Window; w != nil {
		src.From, src.To = w.Start.UnixNano(), w.End.UnixNano()
	}
	return src
}

// laterStarts returns the numbers of the records with which the second and
// later processes of a stream begin.
func laterStarts(st *corpus.Stream) []int64 {
	var out []int64
	for _, e := range st.Epochs {
		if e.Start > 0 && e.Records > 0 {
			out = append(out, e.Start)
		}
	}
	return out
}

// allScenarios returns the scenarios of any side, ordered.
func allScenarios(sides []*side) []string {
	var all []string
	for _, s := range sides {
		all = append(all, s.scenarios()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// scenariosOf returns the scenarios of either build, only those that were
// asked for, ordered.
func scenariosOf(deployed, candidate *side, only []string) ([]string, error) {
	all := allScenarios([]*side{deployed, candidate})
	for _, want := range only {
		if !slices.Contains(all, want) {
			return nil, fmt.Errorf("unknown scenario %q%s; the builds have: %s", want,
				hint(want, all), strings.Join(all, ", "))
		}
	}
	kept := slices.DeleteFunc(all, func(s string) bool { return len(only) > 0 && !slices.Contains(only, s) })
	if !slices.ContainsFunc(kept, func(s string) bool {
		return slices.Contains(deployed.scenarios(), s) && slices.Contains(candidate.scenarios(), s)
	}) {
		return nil, fmt.Errorf("nothing to compare: no scenario%s was run on both %s (%s) and %s (%s); record the same drill on both builds",
			askedFor(only), deployed.spec, strings.Join(deployed.scenarios(), ", "), candidate.spec, strings.Join(candidate.scenarios(), ", "))
	}
	return kept, nil
}

func askedFor(scenarios []string) string {
	if len(scenarios) == 0 {
		return ""
	}
	return " of " + strings.Join(scenarios, ", ")
}

// missingRuns gives the side that lacks a scenario a run in which nothing was
// evaluated, so that the gap is in the report and changes its verdict.
func missingRuns(in *analyzer.Input) {
	for _, s := range []struct {
		role string
		side *analyzer.Side
	}{{"deployed", &in.Deployed}, {"candidate", &in.Candidate}} {
		for _, scenario := range in.Scenarios {
			if slices.ContainsFunc(s.side.Runs, func(r outcome.Run) bool { return r.Scenario == scenario }) {
				continue
			}
			reason := fmt.Sprintf("the %s build %s has no run of scenario %s; record it, or leave the scenario out with --scenario",
				s.role, s.side.Build, scenario)
			run := outcome.Run{Build: s.side.Build, Scenario: scenario, Repetition: 1, Missing: true, Outcomes: make([]outcome.Outcome, len(in.Rules))}
			for i := range run.Outcomes {
				run.Outcomes[i] = outcome.Outcome{State: outcome.NotEvaluated, Reason: reason}
			}
			s.side.Runs = append(slices.Clip(s.side.Runs), run)
			in.Notes = append(in.Notes, reason)
		}
	}
}

// metricNotes tells the reader what of the metrics was left out.
func metricNotes(sides ...*side) []string {
	var out []string
	for _, s := range sides {
		for i := range s.results {
			r := &s.results[i]
			name := fmt.Sprintf("run %s/%s/%d", r.Build, r.Scenario, r.Repetition)
			if n := r.Scrapes.Dropped; n > 0 {
				out = append(out, fmt.Sprintf("%s: %d samples were dropped that are not younger than the one before them in their series, as Prometheus does", name, n))
			}
			if r.MetricsCut {
				out = append(out, name+": it has more metrics, or labels of one, than are compared; no metric of the scenario is reported as lost or changed")
			}
		}
	}
	return out
}

// notes tells the reader what was assumed.
func notes(plan *replay.Plan, s *side, o Options) []string {
	var out []string
	if s.assumed {
		out = append(out, "selectors assumed: the logs came without stream labels, so every selector was taken to match; give them with --labels")
	}
	if names := plan.IngestLabelled(); len(names) > 0 {
		what := "for the rules that name them: " + strings.Join(names, ", ")
		if o.IngestLabels {
			what = "for all rules"
		}
		out = append(out, "service_name and detected_level were added as Loki 3 adds them when it stores a line, "+what)
	}
	return out
}
