// Command acceptance runs the project on folders of recorded runs and
// compares what it says with what a real Loki answered there.
//
//	go run ./tools/acceptance FOLDER…
//
// A folder holds runs as SCENARIO/BUILD/…, rules, expected.json (answers) and
// verdicts.json (what follows for pairs of builds), in one of the two layouts
// that the import descriptions know. Each entry that differs is printed, and
// last "N passed, N failed".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	descriptions := flag.String("descriptions", "corpus/testdata/import", "`folder` of the import descriptions")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Stdout, *descriptions, flag.Args())
	stop()
	os.Exit(code)
}

func run(ctx context.Context, w io.Writer, descriptions string, folders []string) int {
	if len(folders) == 0 {
		fmt.Fprintln(os.Stderr, "acceptance: no folder of recorded runs given")
		return 2
	}
	t := &tally{w: w}
	for _, f := range folders {
		began := time.Now()
		if err := acceptFolder(ctx, t, descriptions, f); err != nil {
			t.fail(f, "%v", err)
		}
		fmt.Fprintf(w, "%s: %.1f s\n", f, time.Since(began).Seconds())
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", t.passed, t.failed)
	if t.failed > 0 || t.passed == 0 {
		return 1
	}
	return 0
}

// A tally counts entries and prints those that differ.
type tally struct {
	w              io.Writer
	passed, failed int
}

func (t *tally) fail(entry, format string, args ...any) {
	t.failed++
	fmt.Fprintf(t.w, "FAIL %s: %s\n", entry, fmt.Sprintf(format, args...))
}

// check counts one entry; diff is empty when it is as expected.
func (t *tally) check(entry, diff string) {
	if diff == "" {
		t.passed++
		return
	}
	t.fail(entry, "%s", diff)
}

func acceptFolder(ctx context.Context, t *tally, descriptions, folder string) (err error) {
	exp, err := readExpected(folder)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "stillfires-acceptance-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	s, err := newSuite(ctx, exp, descriptions, folder, tmp)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.w, "%s: %d runs imported and replayed in %.2f s\n", folder, len(s.results), s.elapsed.Seconds())
	s.checkAnswers(t)
	s.checkVerdicts(t)
	s.checkSame(t)
	if err := s.checkPromQL(ctx, t); err != nil {
		return err
	}
	return s.checkOperator(ctx, t)
}
