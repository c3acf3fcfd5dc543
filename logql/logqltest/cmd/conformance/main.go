// Command conformance runs recorded LogQL cases and says which answers differ:
//
//	conformance CASES.jsonl CORPORADIR
//
// Of each it shows what was wanted (-) and what came instead (+).
// The last line of output is "N passed, N failed". Cases that a real server
// answered in another way than its own engine are run but not counted. The
// exit code is 1 if any case failed, 2 if the data could not be read.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/stillfires/stillfires/logql/logqltest"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 2 {
		fmt.Fprintln(stderr, "usage: conformance CASES.jsonl CORPORADIR")
		return 2
	}
	cases, err := logqltest.ReadCases(args[0])
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 2
	}
	corpora, err := logqltest.ReadCorpora(args[1], cases)
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 2
	}
	return report(stdout, cases, corpora)
}

// report runs the cases and prints the failures and counts.
func report(w io.Writer, cases []logqltest.Case, corpora map[string]*logqltest.Corpus) int {
	artefacts := logqltest.Artefacts()
	var passed, failed, unsupported, differ, differEqual, artefact int
	for i := range cases {
		c := &cases[i]
		got := logqltest.Run(c, corpora[c.Corpus])
		equal := logqltest.Equal(&got, &c.Expect)
		if c.ServerDiffers() {
			differ++
			if equal {
				differEqual++
			}
			continue
		}
		if equal {
			passed++
			continue
		}
		failed++
		if got.Status == logqltest.StatusUnsupported {
			unsupported++
		}
		reason, known := artefacts[c.ID]
		if known {
			artefact++
		}
		printFailure(w, c, &got, reason)
	}
	fmt.Fprintf(w, "%d cases that a server answered differently, %d of them equal here; not counted\n", differ, differEqual)
	fmt.Fprintf(w, "%d believed to be artefacts\n", artefact)
	fmt.Fprintf(w, "%d unsupported\n", unsupported)
	fmt.Fprintf(w, "%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return 1
	}
	return 0
}

func printFailure(w io.Writer, c *logqltest.Case, got *logqltest.Answer, artefact string) {
	fmt.Fprintf(w, "%s (%s, %s on %s)\n  query %s\n%s", c.ID, c.Group, c.Kind, c.Corpus, c.Query, logqltest.Diff(got, &c.Expect))
	if artefact != "" {
		fmt.Fprintf(w, "  believed to be an artefact: %s\n", artefact)
	}
}
