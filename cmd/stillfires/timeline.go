package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/analyzer/report"
	"github.com/stillfires/stillfires/internal/compare"
)

const timelineLong = `Show how work recovered after a loss, on both builds.

When each milestone was reached, by which evidence, or why it is missing; how
long each stage took and which one holds the recovery back; what became of all
work. What the milestones are is declared in a profile; the shipped ones are
used by themselves. No rules are needed; where some are given, the alerts that
were pending or fired are on the same time axis.

  stillfires timeline --corpus corpus --deployed v0.17.0 --candidate v0.18.0
  stillfires timeline -f stillfires.yaml --scenario worker-reconnects --format svg -o recovery.svg
  stillfires timeline -f stillfires.yaml --svg-dir pictures --format csv -o milestones.csv

Exit codes: 0 done, 3 no recovery was measured, 2 bad usage or input.`

// timelineFlags are the flags of timeline that say what is written.
type timelineFlags struct {
	format, file, svgDir string
	all                  bool
}

func newTimelineCommand(env *cliEnv) *cobra.Command {
	var f compareFlags
	var t timelineFlags
	cmd := &cobra.Command{
		Use:   "timeline",
		Short: "Show how work recovered after a loss, on both builds",
		Long:  timelineLong,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runTimeline(cmd, env, &f, &t)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.registerInput(flags)
	flags.StringVar(&t.format, "format", "text", "output: "+strings.Join(report.TimelineFormats(), ", "))
	flags.StringVarP(&t.file, "output", "o", "", "write to this file instead of standard output")
	flags.StringVar(&t.svgDir, "svg-dir", "", svgDirUsage)
	flags.BoolVar(&t.all, "all", false, "show the milestones of every workload in text")
	flags.StringVar(&f.out.color, "color", "auto", "colour on a terminal: auto, always or never; NO_COLOR is respected")
	flags.IntVar(&f.out.width, "width", 0, "width of the text in columns (default: that of the terminal, else 100)")
	return cmd
}

func runTimeline(cmd *cobra.Command, env *cliEnv, f *compareFlags, t *timelineFlags) error {
	if !slices.Contains(report.TimelineFormats(), t.format) {
		return fmt.Errorf("--format %q: unknown; the formats are %s", t.format, strings.Join(report.TimelineFormats(), ", "))
	}
	color, err := f.out.screen(env)
	if err != nil {
		return err
	}
	opts, err := f.options(cmd, env)
	if err != nil {
		return err
	}
	opts.WithoutRules, opts.NoRepairs = true, true
	if err := protect([]output{{t.format, t.file}}, opts.Inputs); err != nil {
		return err
	}
	rep, err := compare.Run(cmd.Context(), opts)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	o := report.Options{Width: f.out.columns(env.stdout), Color: color && t.file == "", All: t.all}
	if err := report.RenderTimelines(&buf, t.format, rep, o); err != nil {
		return err
	}
	if _, err := writePictures(t.svgDir, rep, opts.Inputs); err != nil {
		return err
	}
	if t.file != "" {
		err = writeFile(t.file, buf.Bytes())
	} else {
		_, err = env.stdout.Write(buf.Bytes())
	}
	if err != nil {
		return err
	}
	for _, p := range rep.Problems {
		fmt.Fprintln(env.stderr, "stillfires: "+p.Error())
	}
	switch {
	case len(rep.Problems) > 0:
		return exitWith(exitUsage)
	case len(rep.Timelines) == 0:
		return exitWith(exitInconclusive)
	}
	return nil
}
