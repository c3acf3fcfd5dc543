// Package cases judges what was declared of a scenario by the evidence that a
// run recorded: objects, events, progress, actions, panics and restarts.
//
// [Judge] answers one assertion on one run: it holds, it fails, or it could not
// be judged, and why. [Matrix] sets the answers of two builds beside each other.
// What was declared before a run began is an assertion; what was written later
// is an observation, which is shown and decides nothing.
//
//	for _, c := range cases.Matrix(declared, deployed, candidate) { … }
//
// What the evidence does not show is never taken to hold.
package cases
