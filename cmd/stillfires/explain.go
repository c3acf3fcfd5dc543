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

const explainLong = `Tell everything about one rule in both builds: the lines left after each stage,
where the builds part and by which literal, the nearest messages of the
candidate, every evaluation with its value and state, and the repair.

A rule is named as it is in its file, as group/name, by a pattern such as
'Dispatch*', or by its place as file:line. A name that means several rules
lists them.

  stillfires explain DispatchConfirmed -f stillfires.yaml
  stillfires explain rules/kueue.yaml:18 --corpus corpus --rules rules/
  stillfires explain DispatchConfirmed -f stillfires.yaml --format json`

func newExplainCommand(env *cliEnv) *cobra.Command {
	var f compareFlags
	var format string
	cmd := &cobra.Command{
		Use:   "explain RULE",
		Short: "Tell what one rule did on both builds, stage by stage, and why",
		Long:  explainLong,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s takes one rule, but got %d; quote a name with blanks", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExplain(cmd, env, &f, format, args[0])
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.registerInput(flags)
	flags.StringVar(&format, "format", "text", "form of the answer: "+strings.Join(report.ExplainFormats(), " or "))
	flags.StringVar(&f.out.color, "color", "auto", "colour on a terminal: auto, always or never; NO_COLOR is respected")
	flags.IntVar(&f.out.width, "width", 0, "width of the text in columns (default: that of the terminal, else 100)")
	return cmd
}

func runExplain(cmd *cobra.Command, env *cliEnv, f *compareFlags, format, rule string) error {
	if !slices.Contains(report.ExplainFormats(), format) {
		return fmt.Errorf("--format %q: unknown; the formats are %s", format, strings.Join(report.ExplainFormats(), " and "))
	}
	color, err := f.out.screen(env)
	if err != nil {
		return err
	}
	opts, err := f.options(cmd, env)
	if err != nil {
		return err
	}
	opts.Explain = rule
	rep, err := compare.Run(cmd.Context(), opts)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := report.Explain(&out, format, rep, report.Options{Width: f.out.columns(env.stdout), Color: color}); err != nil {
		return err
	}
	if _, err := env.stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if n := len(rep.Problems); n > 0 {
		said := "one item of the input is not valid and was not looked at"
		if n > 1 {
			said = fmt.Sprintf("%d items of the input are not valid and were not looked at; the first", n)
		}
		return fmt.Errorf("%s: %w", said, rep.Problems[0])
	}
	return nil
}
