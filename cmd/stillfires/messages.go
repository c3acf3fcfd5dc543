package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stillfires/stillfires/analyzer/report"
	"github.com/stillfires/stillfires/internal/compare"
)

const messagesLong = `Print which log messages changed between two builds.

Messages are grouped by what the logging call wrote, and those of both builds
are set beside each other: reworded, moved to a field or from one, split or
merged, with another level, with other fields, no longer written, new. No rules
are needed; where some are given, each change names those that depend on it.
With --catalogue all that each build wrote is listed too.

  stillfires messages --corpus corpus --deployed v0.17.0 --candidate v0.18.0
  stillfires messages -f stillfires.yaml --format markdown -o messages.md
  stillfires messages --deployed deployed.log --candidate candidate.log

Exit codes: 0 done, 2 bad usage or input.`

// messagesInput are the flags of compare that say something of messages.
var messagesInput = []string{
	"file", "deployed", "candidate", "corpus", "rules", "scenario", "labels", "year", "timezone", "start",
}

func newMessagesCommand(env *cliEnv) *cobra.Command {
	var f compareFlags
	var format, file string
	var all, catalogue bool
	cmd := &cobra.Command{
		Use:   "messages",
		Short: "Print which log messages changed between two builds",
		Long:  messagesLong,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(report.MessageFormats(), format) {
				return fmt.Errorf("--format %q: unknown; the formats are %s", format, strings.Join(report.MessageFormats(), ", "))
			}
			return runMessages(cmd, env, &f, format, file, report.Options{All: all, Catalogue: catalogue})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	input := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.registerInput(input)
	for _, name := range messagesInput {
		flags.AddFlag(input.Lookup(name))
	}
	flags.Lookup("rules").Usage += "; changes name the rules that depend on them"
	flags.StringVar(&format, "format", "text", "output: "+strings.Join(report.MessageFormats(), ", "))
	flags.StringVarP(&file, "output", "o", "", "write to this file instead of standard output")
	flags.BoolVar(&all, "all", false, "show every change in text and markdown")
	flags.BoolVar(&catalogue, "catalogue", false, "add every message of both builds: who writes it and where, how often, with which fields")
	flags.StringVar(&f.out.color, "color", "auto", "colour on a terminal: auto, always or never; NO_COLOR is respected")
	flags.IntVar(&f.out.width, "width", 0, "width of the text in columns (default: that of the terminal, else 100)")
	return cmd
}

func runMessages(cmd *cobra.Command, env *cliEnv, f *compareFlags, format, file string, o report.Options) error {
	color, err := f.out.screen(env)
	if err != nil {
		return err
	}
	opts, err := f.options(cmd, env)
	if err != nil {
		return err
	}
	opts.WithoutRules = true
	if err := protect([]output{{format, file}}, opts.Inputs); err != nil {
		return err
	}
	rep, err := compare.Run(cmd.Context(), opts)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	o.Width, o.Color = f.out.columns(env.stdout), color && file == ""
	if err := report.RenderMessages(&buf, format, rep, o); err != nil {
		return fmt.Errorf("render %s: %w", format, err)
	}
	if file != "" {
		err = writeFile(file, buf.Bytes())
	} else {
		_, err = env.stdout.Write(buf.Bytes())
	}
	if err != nil {
		return err
	}
	if len(rep.Problems) > 0 {
		for _, p := range rep.Problems {
			fmt.Fprintln(env.stderr, "stillfires: "+p.Error())
		}
		return exitWith(exitUsage)
	}
	return nil
}
