package logqltest

import (
	"errors"
	"slices"

	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/syntax"
)

// A Construct is an element of LogQL as docs/logql-support.md lists it. Whether
// it is supported is not written down: its example is compiled.
type Construct struct {
	Name    string
	Feature string // as Features calls it; empty where the tree does not show it
	Example string
	// Differs says in what the answer differs from that of a Loki on purpose;
	// empty: it does not.
	Differs string
}

// A ConstructGroup is constructs under one heading.
type ConstructGroup struct {
	Title      string
	Constructs []Construct
}

// Constructs returns all constructs of LogQL, and some that people expect to be
// in it.
func Constructs() []ConstructGroup {
	return slices.Concat(logConstructs(), metricConstructs(), []ConstructGroup{templateConstructs()}, []ConstructGroup{foreignConstructs()})
}

// The states of a construct.
const (
	StateSupported = "supported"
	StateDiffers   = "differs"
	StateRejected  = "rejected"
)

// State compiles the example and returns what became of it, with the message
// of a refusal.
func (c *Construct) State() (state, message string) {
	_, err := logql.ParseAndCompile(c.Example)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		message = bad.Msg
		if bad.Hint != "" {
			message += "; " + bad.Hint
		}
		return StateRejected, message
	}
	switch {
	case err != nil:
		return StateRejected, err.Error()
	case c.Differs != "":
		return StateDiffers, c.Differs
	}
	return StateSupported, ""
}

// ops returns the String of every operator of one kind.
func ops[T interface {
	~int
	String() string
}]() []string {
	var out []string
	for op := T(1); op.String() != "?"; op++ {
		out = append(out, op.String())
	}
	return out
}
