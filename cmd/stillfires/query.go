package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stillfires/stillfires/internal/query"
)

const queryLong = `Run one LogQL query over recorded logs.

On the output of another program; the selector may be left out:

  kubectl logs deploy/kueue-controller-manager | stillfires query '|= "panic"'
  kubectl logs -f --timestamps deploy/x | stillfires query '| json | level="error"'

On log files, plain, gzip or zstd:

  stillfires query '{app="kueue"} |= "panic"' manager.log.gz --labels app=kueue
  stillfires query 'sum(count_over_time({app="x"} |= "panic" [5m]))' a.log b.log --step 1m

On the runs of a corpus:

  stillfires query '{app="kueue"} | json | level="error"' --corpus corpus --build v0.18.0
  stillfires query 'sum(rate({app="kueue"}[1m]))' --corpus corpus --format json

A log query gives lines, oldest first. A metric query is evaluated at one
instant, that of the last record or --to, or with --step at many. Times are
those of the logs; the clock is never asked.

Exit codes: 0 also when nothing matches, 2 bad usage, query or input.`

// queryFlags are the flags of query as given.
type queryFlags struct {
	opt       query.Options
	labels    []string
	direction string
	output    string
	quiet     bool
}

func newQueryCommand(env *cliEnv) *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   "query QUERY [FILE…]",
		Short: "Run one LogQL query over recorded logs",
		Long:  queryLong,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`query: no query was given; write, in single quotes, such as: stillfires query '{app="x"} |= "error"' x.log`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.opt.Query, f.opt.Files = args[0], args[1:]
			return runQuery(cmd, env, &f)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fmt.Errorf("%w; before a query that begins with a minus write --: stillfires query -- '-1 * …'", err)
	})
	f.register(cmd)
	return cmd
}

func (f *queryFlags) register(cmd *cobra.Command) {
	flags, opt := cmd.Flags(), &f.opt
	flags.SortFlags = false
	flags.StringVar(&opt.Corpus, "corpus", "", "corpus to ask, in place of log files")
	flags.StringVar(&opt.Build, "build", "", "only runs of this build")
	flags.StringVar(&opt.Scenario, "scenario", "", "only runs of this scenario")
	flags.IntVar(&opt.Repetition, "repetition", 0, "only this repetition")
	flags.StringSliceVar(&f.labels, "labels", nil, "stream labels of log files, as name=value,…; without, every selector is taken to match")
	flags.StringVar(&opt.From, "from", "", "begin: RFC 3339, seconds or nanoseconds since 1970, +5m from the first or -5m from the last record (default: first record)")
	flags.StringVar(&opt.To, "to", "", "end, likewise; not itself included for lines (default: last record)")
	flags.StringVar(&opt.Step, "step", "", "evaluate a metric query from --from to --to at this interval, such as 1m")
	flags.IntVar(&opt.Limit, "limit", 0, "print at most so many lines of each run and say if there are more (0: all)")
	flags.StringVar(&f.direction, "direction", "forward", "forward (oldest line first) or backward")
	flags.BoolVarP(&opt.Count, "count", "c", false, "print how many lines match in place of the lines")
	names, what := query.Formats()
	for i := range names {
		names[i] += " (" + what[i] + ")"
	}
	flags.StringVar(&opt.Format, "format", "text", strings.Join(names, ", "))
	flags.StringVarP(&f.output, "output", "o", "", "write the answer to this file instead of standard output")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print no remarks on standard error")
	flags.BoolVar(&opt.IngestLabels, "loki-ingest-labels", false, "add service_name and detected_level also if the query does not name them, as Loki 3 does by default")
	flags.BoolVar(&opt.KeepEmpty, "keep-empty", false, "look at empty lines too, which are left out when rules are replayed")
	flags.IntVar(&opt.Year, "year", 0, "year of log files whose format has none (klog, syslog)")
	flags.StringVar(&opt.Zone, "timezone", "", "time zone of log files whose format has none, such as UTC or Europe/Berlin")
}

func runQuery(cmd *cobra.Command, env *cliEnv, f *queryFlags) error {
	var err error
	if f.opt.Labels, err = parseLabels(f.labels); err != nil {
		return err
	}
	switch f.direction {
	case "forward":
	case "backward":
		f.opt.Backward = true
	default:
		return fmt.Errorf("--direction %q: must be forward or backward", f.direction)
	}
	f.opt.Note = func(text string) {
		if !f.quiet {
			fmt.Fprintf(env.stderr, "stillfires: %s\n", text)
		}
	}
	if err := f.takeStdin(env); err != nil {
		return err
	}
	// A reader that had enough must not end this program before it has
	// deleted its temporary files; the failed write ends it in good order.
	signal.Ignore(syscall.SIGPIPE)
	if f.output != "" {
		return f.runToFile(cmd.Context())
	}
	f.opt.Terminal = isTerminal(env.stdout)
	err = query.Run(cmd.Context(), &f.opt, env.stdout)
	if err != nil && cmd.Context().Err() != nil {
		return exitError(exitInterrupted) // what was found until then is printed
	}
	return err
}

// runToFile writes the answer beside the file it is for, and moves it there
// when it is whole: it may be too large to be held in memory.
func (f *queryFlags) runToFile(ctx context.Context) (err error) {
	if info, statErr := os.Stat(f.output); statErr == nil && !info.Mode().IsRegular() {
		// A pipe or a device cannot be replaced.
		file, err := os.OpenFile(f.output, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(query.Run(ctx, &f.opt, file), file.Close())
	}
	tmp, err := os.CreateTemp(filepath.Dir(f.output), "."+filepath.Base(f.output)+".*")
	if err != nil {
		return fmt.Errorf("-o %s: %w", f.output, err)
	}
	err = query.Run(ctx, &f.opt, tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), f.output)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// takeStdin gives the query standard input where no other log is named, and
// refuses to wait for a keyboard.
func (f *queryFlags) takeStdin(env *cliEnv) error {
	f.opt.Stdin = env.stdin
	if f.opt.Corpus == "" && len(f.opt.Files) == 0 && isTerminal(env.stdin) {
		return errors.New("nothing to query; name log files after the query, a corpus with --corpus, or pipe a log in: kubectl logs POD | stillfires query '|= \"error\"'")
	}
	return nil
}

func isTerminal(v any) bool {
	file, ok := v.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
