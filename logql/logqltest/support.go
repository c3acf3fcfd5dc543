package logqltest

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/logql/syntax"
)

const supportHead = `# LogQL: what is supported

This page is written by ` + "`make golden`" + ` from the engine: each example is compiled, and
each construct is counted in the queries whose answers a Loki 3.7.6 recorded.

| state | meaning |
|---|---|
| supported | answers equal those of Loki, as far as they are recorded |
| differs | it is answered, but on purpose in another way; the remark says how |
| rejected | it is refused with an error that shows the place; a rule that uses it is *not evaluated*, never passed |

*Recorded* is the number of recorded cases that use the construct, *equal* how
many of them are answered as recorded. A dash means that cases are not counted,
as the construct is not seen in the parsed query or has none. The numbers are
those of the cases on the machine that wrote this page; cases in which a real
server did not give the answer of its own engine are left out.

`

// A Tally counts recorded cases by the constructs that they use.
type Tally struct {
	Cases, Equal     int // all
	Refused          int // of Cases: to be refused
	RefusedEqual     int
	recorded, agreed map[string]int // by feature
}

// Count runs the cases and returns how many use each construct and how many of
// these give the recorded answer.
func Count(cases []Case, corpora map[string]*Corpus) *Tally {
	t := &Tally{recorded: map[string]int{}, agreed: map[string]int{}}
	for i := range cases {
		c := &cases[i]
		if c.ServerDiffers() {
			continue
		}
		got := Run(c, corpora[c.Corpus])
		equal := Equal(&got, &c.Expect)
		t.Cases++
		if c.Expect.Status != StatusOK {
			t.Refused++
		}
		if equal {
			t.Equal++
			if c.Expect.Status != StatusOK {
				t.RefusedEqual++
			}
		}
		e, err := syntax.Parse(c.Query)
		if err != nil {
			continue
		}
		for f := range Features(e) {
			t.recorded[f]++
			if equal {
				t.agreed[f]++
			}
		}
	}
	return t
}

// Support returns the text of docs/logql-support.md.
func Support(t *Tally) string {
	var b strings.Builder
	b.WriteString(supportHead)
	fmt.Fprintf(&b, "%d of %d recorded cases are answered as recorded; of these, %d of %d must be refused or must fail.\n", t.Equal, t.Cases, t.RefusedEqual, t.Refused)
	for _, g := range Constructs() {
		fmt.Fprintf(&b, "\n## %s\n\n| construct | state | recorded | equal | example | remark |\n|---|---|---|---|---|---|\n", g.Title)
		for i := range g.Constructs {
			c := &g.Constructs[i]
			state, message := c.State()
			recorded, equal := "–", "–"
			if n := t.recorded[c.Feature]; n > 0 && c.Feature != "" {
				recorded, equal = fmt.Sprint(n), fmt.Sprint(t.agreed[c.Feature])
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", cell(c.Name), state, recorded, equal, code(c.Example), cell(message))
		}
	}
	return b.String()
}

// cell escapes what a table of Markdown takes for itself.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "\n", " ").Replace(s)
}

// code sets a text as code in a table. In a table a | must be escaped also
// there, and a backquote calls for two around the text.
func code(s string) string {
	s = strings.NewReplacer("|", `\|`, "\n", " ⏎ ").Replace(s)
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}
