package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/analyzer/report"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/demo"
	"github.com/stillfires/stillfires/internal/review"
)

const demoLong = `Review a real upgrade, from logs that are built into this program.

Two builds of Kueue ran the same drill: the connection between the management
cluster and a worker was cut for 25 seconds and restored. The demo imports
their logs, replays an operator's rules on both, and prints the report. It
works in a temporary folder; --keep DIR leaves the files there for you.`

func newDemoCommand(env *cliEnv) *cobra.Command {
	var keep string
	var out outputFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Review a real upgrade from built-in logs",
		Long:  demoLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			outputs, err := out.resolve()
			if err != nil {
				return err
			}
			return withDemoFolder(keep, func(dir string) error {
				return runDemo(cmd.Context(), env, dir, keep != "", outputs, &out)
			})
		},
	}
	cmd.Flags().StringVar(&keep, "keep", "", "write the example's files to this new folder and leave them")
	out.register(cmd.Flags())
	return cmd
}

// withDemoFolder calls f with a folder that is deleted afterwards, unless it
// is one to keep.
func withDemoFolder(keep string, f func(dir string) error) (err error) {
	if keep != "" {
		if err := os.Mkdir(keep, 0o755); err != nil {
			return fmt.Errorf("--keep: %w; name a folder that does not exist yet", err)
		}
		return f(keep)
	}
	dir, err := os.MkdirTemp("", "stillfires-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return f(dir)
}

func runDemo(ctx context.Context, env *cliEnv, dir string, kept bool, outputs []output, out *outputFlags) error {
	if err := demo.Write(dir); err != nil {
		return err
	}
	err := compare.Import(ctx, filepath.Join(dir, demo.ImportFile), filepath.Join(dir, demo.LogsDir), filepath.Join(dir, demo.CorpusDir))
	if err != nil {
		return err
	}
	file, err := review.Load(filepath.Join(dir, demo.ReviewFile))
	if err != nil {
		return err
	}
	rep, err := compare.Run(ctx, compare.Options{Review: file, Base: dir})
	if err != nil {
		return err
	}
	out.again = demoAgain(dir, kept)
	if err := writeReport(ctx, env, rep, analyzer.FailOnBreak, outputs, nil, out); err != nil {
		return err
	}
	code := rep.ExitCode(analyzer.FailOnBreak)
	fmt.Fprintf(env.stderr, demoOutro, code)
	if kept {
		fmt.Fprintf(env.stderr, demoKept, dir, filepath.Join(dir, demo.ReviewFile))
	} else {
		fmt.Fprint(env.stderr, demoNext)
	}
	return nil
}

// demoKeepDir is the folder that the proposed commands keep the example in.
const demoKeepDir = "example"

// demoAgain says how the review is made again: the example has to be kept for
// that.
func demoAgain(dir string, kept bool) *report.Again {
	out := &report.Again{Program: program}
	if !kept {
		dir, out.First = demoKeepDir, []string{"demo", "--keep", demoKeepDir}
	}
	out.Args = []string{"-f", filepath.Join(dir, demo.ReviewFile)}
	return out
}

const demoOutro = `
What you saw: the logs of two real builds of Kueue in one drill, and an
operator's rules replayed on both. The rules at the top would be silent after
this upgrade while the worker is away, or would page although nothing is wrong.
"compare" would exit with %d here; the demo exits with 0.
`

const demoNext = `
Next:
  stillfires demo --keep example     leaves logs, rules and the review file to look at
  stillfires demo --format markdown  the report as it goes into a change ticket
  stillfires compare --help          the same on your own logs and rules
`

const demoKept = `
The files are in %s. Change a rule there and run again:
  stillfires compare -f %s
`
