// Package cases judges what was declared of a scenario by the evidence that a run recorded.
package cases
