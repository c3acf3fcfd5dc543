package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/review"
)

const proveRedactionLong = `Show that rules do the same on a redacted corpus as on the raw one.

All rules are replayed on all runs of both, and two builds of both are compared
as "stillfires compare" does. Every state, firing, count and verdict has to be
the same; what is not is listed, with the stage of the rule that reads what was
redacted.

  stillfires corpus prove-redaction raw redacted -f stillfires.yaml
  stillfires corpus prove-redaction raw redacted --rules rules/

Exit codes: 0 nothing changed, 1 something did, 3 something could not be shown,
2 bad usage or input.`

func newProveRedactionCommand(env *cliEnv) *cobra.Command {
	var o compare.Options
	var file, date string
	var format corpusFormat
	cmd := &cobra.Command{
		Use:   "prove-redaction RAW REDACTED",
		Short: "Show that rules do the same on a redacted corpus",
		Long:  proveRedactionLong,
		Args:  exactArguments("RAW", "REDACTED"),
		RunE: func(cmd *cobra.Command, args []string) error {
			now, err := (&compareFlags{date: date}).now(env.getenv)
			if err != nil {
				return err
			}
			o.Now = now
			if file != "" {
				if o.Review, err = review.Load(file); err != nil {
					return err
				}
			}
			return runProveRedaction(cmd, env, o, args[0], args[1], format)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&file, "file", "f", "", "review file; its corpus is not read")
	flags.StringSliceVar(&o.Rules, "rules", nil, "rule files, folders or globs, also several")
	flags.StringVar(&o.Deployed, "deployed", "", "deployed build (default: as the review file says, else deployed)")
	flags.StringVar(&o.Candidate, "candidate", "", "candidate build, likewise")
	flags.DurationVar(&o.Interval, "interval", 0, "evaluation interval of rules whose group has none (default 1m)")
	flags.StringVar(&date, "date", "", "the day, such as 2026-11-30, by which accepted findings expire (default: today, UTC)")
	format.register(cmd)
	return cmd
}

func runProveRedaction(cmd *cobra.Command, env *cliEnv, o compare.Options, rawDir, redactedDir string, format corpusFormat) error {
	if cmd.Flags().Changed("interval") && o.Interval <= 0 {
		return fmt.Errorf("--interval %s: must be positive, such as 30s", o.Interval)
	}
	raw, err := corpus.Open(rawDir)
	if err != nil {
		return err
	}
	redacted, err := corpus.Open(redactedDir)
	if err != nil {
		return err
	}
	proof, err := compare.Prove(cmd.Context(), o, raw, redacted)
	if err != nil {
		return err
	}
	if err := format.write(env.stdout, proof, func(w io.Writer) error { return writeProof(w, proof) }); err != nil {
		return err
	}
	return exitWith(proof.ExitCode())
}

// writeProof prints what changed, and what was compared.
func writeProof(w io.Writer, p *compare.Proof) error {
	var text strings.Builder
	for _, problem := range p.Problems {
		fmt.Fprintf(&text, "problem: %s\n", plain(problem))
	}
	list := func(title string, changes []compare.Change) {
		for _, c := range changes {
			text.WriteString(title)
			for _, part := range []string{c.Run, c.Rule} {
				if part != "" {
					text.WriteString(": " + plain(part))
				}
			}
			text.WriteString(": " + plain(c.What) + "\n")
			if c.Why != "" {
				text.WriteString("    " + plain(c.Why) + "\n")
			}
		}
	}
	list("changed", p.Changed)
	list("not evaluated", p.NotEvaluated)
	for _, note := range p.Notes {
		fmt.Fprintf(&text, "note: %s\n", plain(note))
	}
	review := ""
	if p.Review {
		review = ", and the verdicts and findings of the review"
	}
	verdict := map[int]string{0: "nothing changed", 1: "changed", 2: "not shown: the input is not valid", 3: "not shown for all"}[p.ExitCode()]
	fmt.Fprintf(&text, "%s: %s of %s on %s compared%s\n", verdict, count(int64(p.Outcomes), "outcome"), count(int64(p.Rules), "rule"), count(int64(p.Runs), "run"), review)
	_, err := io.WriteString(w, text.String())
	return err
}
