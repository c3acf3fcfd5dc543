package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/corpus"
)

func newCorpusListCommand(env *cliEnv) *cobra.Command {
	var format corpusFormat
	cmd := &cobra.Command{
		Use:   "ls CORPUS",
		Short: "List the runs of a corpus",
		Args:  exactArguments("CORPUS"),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := corpus.Open(args[0])
			if err != nil {
				return err
			}
			rows, err := listRuns(c)
			if err != nil {
				return err
			}
			return format.write(env.stdout, rows, func(w io.Writer) error { return writeList(w, rows) })
		},
	}
	format.register(cmd)
	return cmd
}

// A runRow is one line of corpus ls.
type runRow struct {
	Build      string     `json:"build"`
	Version    string     `json:"version"`
	Scenario   string     `json:"scenario"`
	Repetition int        `json:"repetition"`
	State      string     `json:"state"` // complete or incomplete
	Streams    int        `json:"streams"`
	Records    int64      `json:"records"`
	First      *time.Time `json:"first"`
	Last       *time.Time `json:"last"`
}

func listRuns(c *corpus.Corpus) ([]runRow, error) {
	rows := []runRow{}
	for _, info := range c.Runs() {
		run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
		if err != nil {
			return nil, err
		}
		m := run.Manifest
		row := runRow{Build: info.Build, Version: m.Builds[0].Version, Scenario: info.Scenario, Repetition: info.Repetition, State: m.Completeness.State, Streams: len(m.Streams)}
		for i := range m.Streams {
			s := &m.Streams[i]
			row.Records += s.Records
			if s.First != nil && (row.First == nil || s.First.Before(*row.First)) {
				row.First = s.First
			}
			if s.Last != nil && (row.Last == nil || s.Last.After(*row.Last)) {
				row.Last = s.Last
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func writeList(w io.Writer, rows []runRow) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "BUILD\tVERSION\tSCENARIO\tN\tSTREAMS\tRECORDS\tTIME\tSTATE")
	for _, r := range rows {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", r.Build, plain(cmp.Or(r.Version, "-")), r.Scenario, r.Repetition, r.Streams, r.Records, timeRange(r.First, r.Last), r.State)
	}
	return tw.Flush()
}

func newCorpusShowCommand(env *cliEnv) *cobra.Command {
	var format corpusFormat
	cmd := &cobra.Command{
		Use:   "show CORPUS [BUILD SCENARIO [N]]",
		Short: "Show what is known of a corpus, with its digest, or of one run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 4 {
				return nil
			}
			return exactArguments("CORPUS", "BUILD", "SCENARIO")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o, err := overview(args[0])
				if err != nil {
					return err
				}
				return format.write(env.stdout, o, o.write)
			}
			n := 1
			if len(args) == 4 {
				var err error
				if n, err = strconv.Atoi(args[3]); err != nil || n < 1 {
					return fmt.Errorf("repetition %q: want a number from 1 up", args[3])
				}
			}
			c, err := corpus.Open(args[0])
			if err != nil {
				return err
			}
			run, err := c.OpenRun(args[1], args[2], n)
			if err != nil {
				return err
			}
			return format.write(env.stdout, run.Manifest, func(w io.Writer) error { return writeRun(w, run.Manifest) })
		},
	}
	format.register(cmd)
	return cmd
}

// writeRun prints a manifest for people; the JSON form has all of it.
func writeRun(w io.Writer, m *corpus.Manifest) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(tw, "%s\t%s\n", name, plain(value))
		}
	}
	row("build", m.Build)
	row("scenario", m.Scenario.Name)
	row("repetition", strconv.Itoa(m.Repetition))
	row("description", m.Scenario.Description)
	row("state", strings.Join(append([]string{m.Completeness.State}, m.Completeness.Reasons...), "; "))
	for _, k := range slices.Sorted(maps.Keys(m.Scenario.Parameters)) {
		row("parameter", k+"="+m.Scenario.Parameters[k])
	}
	if win := m.Scenario.Window; win != nil {
		row("window", timeRange(&win.Start, &win.End))
	}
	if m.Environment != nil {
		row("kubernetes", m.Environment.Kubernetes)
	}
	for _, e := range m.Scenario.Expectations {
		row("expected", e.Rule+" "+e.Expect)
	}
	for i, b := range m.Builds {
		row(fmt.Sprintf("build %d", i), strings.Join(nonEmpty(b.Name, b.Component, b.Version, b.Commit, b.Digest, b.LogEncoding), " "))
		row("  flags", strings.Join(b.Flags, " "))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i := range m.Streams {
		s := &m.Streams[i]
		if err := writeStream(w, s); err != nil {
			return err
		}
		fmt.Fprintf(w, "    %s, times from %s, %s%s\n", s.File, s.Time.Source, timeRange(s.First, s.Last), coverage(s))
		for _, e := range s.Epochs {
			fmt.Fprintf(w, "    %s of build %d from %s\n", count(e.Records, "record"), e.Build, plain(orNone(e.Source)))
		}
	}
	return writeFiles(w, m)
}

// writeFiles lists the files that are no logs, with what tells them apart.
func writeFiles(w io.Writer, m *corpus.Manifest) error {
	for i := range m.Files {
		f := &m.Files[i]
		what := []string{fmt.Sprintf("%d bytes", f.Bytes)}
		if moment := f.MomentName(); moment != "" {
			what = append(what, "at "+moment)
		}
		if f.Cluster != "" {
			what = append(what, "of cluster "+f.Cluster)
		}
		if f.Source != "" {
			what = append(what, "from "+f.Source)
		}
		if _, err := fmt.Fprintf(w, "  %s, %s\n", f.Path, plain(strings.Join(what, ", "))); err != nil {
			return err
		}
	}
	for _, x := range m.Moments {
		at := "time not known"
		if x.Time != nil {
			at = x.Time.Format(time.RFC3339Nano)
		}
		if _, err := fmt.Fprintf(w, "  moment %s: %s\n", x.Name, at); err != nil {
			return err
		}
	}
	for _, n := range m.Notes {
		if _, err := fmt.Fprintf(w, "  note: %s\n", plain(n)); err != nil {
			return err
		}
	}
	return nil
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// plain returns s without line ends and control bytes, which a terminal would
// obey.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

func newCorpusVerifyCommand(env *cliEnv) *cobra.Command {
	var format corpusFormat
	cmd := &cobra.Command{
		Use:   "verify CORPUS",
		Short: "Read every byte of a corpus and report all that is wrong",
		Long: `Read every byte of a corpus, packed or not, compare it with the manifests and
their checksums, and report all that is wrong. The digest, which is printed
too, stands for all of it.

Runs whose drill was to be kept until a time that has passed are warnings, on
standard error and in JSON. They do not change the exit code: the evidence is
as good as it was.`,
		Args: exactArguments("CORPUS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			rep, err := corpus.VerifyAt(cmd.Context(), args[0], time.Now())
			if err != nil {
				return err
			}
			for _, warning := range rep.Warnings {
				fmt.Fprintf(env.stderr, "stillfires: warning: %s\n", warning)
			}
			if err := format.write(env.stdout, rep, func(w io.Writer) error { return writeVerify(w, rep) }); err != nil {
				return err
			}
			if len(rep.Problems) > 0 {
				return fmt.Errorf("%s: %s; nothing replayed from it can be trusted", args[0], count(int64(len(rep.Problems)), "problem"))
			}
			return nil
		},
	}
	format.register(cmd)
	return cmd
}

func writeVerify(w io.Writer, rep *corpus.VerifyReport) error {
	for _, p := range rep.Problems {
		if _, err := fmt.Fprintln(w, p); err != nil {
			return err
		}
	}
	state := "sound"
	if len(rep.Problems) > 0 {
		state = count(int64(len(rep.Problems)), "problem")
	}
	_, err := fmt.Fprintf(w, "%s: %s; %s, %s, %s, %d bytes of lines\n", rep.Dir, state, count(int64(rep.Runs), "run"), count(int64(rep.Streams), "stream"), count(rep.Records, "record"), rep.Bytes)
	if err == nil && rep.Digest != "" {
		_, err = fmt.Fprintf(w, "digest %s\n", rep.Digest)
	}
	return err
}
