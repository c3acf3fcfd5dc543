// Package execution finds work that was executed twice: pods of one piece of
// work that ran at the same time, and steps and completions that were reported
// twice. It needs no declaration.
package execution
