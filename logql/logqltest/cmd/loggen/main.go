// Command loggen writes the generated controller log on which benchmarks run,
// or the rules that go with it:
//
//	loggen [-lines N] [-format json|logfmt] > controller.log
//	loggen -rules N
//
// The output is the same on every machine.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("loggen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	lines := flags.Int("lines", 1_000_000, "how many lines to write")
	format := flags.String("format", "json", "json or logfmt")
	rules := flags.Int("rules", 0, "write so many rules, one a line, in place of the log")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 || *lines < 0 || *rules < 0 {
		fmt.Fprintln(stderr, "usage: loggen [-lines N] [-format json|logfmt] [-rules N]")
		return 2
	}
	var err error
	switch {
	case *rules > 0:
		err = writeRules(stdout, *rules)
	case *format == "json":
		err = loggen.Write(stdout, *lines)
	case *format == "logfmt":
		err = loggen.WriteLogfmt(stdout, *lines)
	default:
		fmt.Fprintf(stderr, "loggen: unknown format %q; use json or logfmt\n", *format)
		return 2
	}
	if err != nil {
		fmt.Fprintln(stderr, "loggen:", err)
		return 1
	}
	return 0
}

func writeRules(w io.Writer, n int) error {
	out := bufio.NewWriter(w)
	for _, r := range loggen.Rules(n) {
		fmt.Fprintln(out, r)
	}
	return out.Flush()
}
