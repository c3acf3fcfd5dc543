// Package replay runs saved rules over recorded runs.
//
// A [Plan] is the compiled form of a set of rules. [Plan.Run] feeds the
// records of one run, merged in time order, to all rules at once and returns
// what each of them did: lines left after each stage, series, the peak, the
// intervals in which an alert fired. Alert states (for, keep_firing_for,
// labels, annotations) are kept by Prometheus's own rules package on a virtual
// clock: an instant is evaluated when the records up to it have been read, and
// no wall clock is asked.
//
// A plan is immutable and may be used by several goroutines at once.
//
//	plan := replay.NewPlan(set.Rules, replay.Options{Interval: time.Minute})
//	result, err := plan.Run(ctx, run)
//
// Rules in PromQL are evaluated on the scrapes of the run, by Prometheus's
// engine. Recording rules of both languages, and alerts, feed later PromQL
// rules. In a run without scrapes they are reported as not evaluated.
package replay
