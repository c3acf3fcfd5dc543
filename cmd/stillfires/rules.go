package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/replay"
	"github.com/stillfires/stillfires/rules"
)

const rulesListLong = `List everything saved that consumes logs or metrics.

PATH is a file, a folder or a glob, as for --rules of compare. What a file
holds is told by its content: rule files, objects of Kubernetes, dashboards,
alerts of Grafana, saved queries, runbooks, pipelines of Promtail and Alloy, and
the patterns of a review file. See docs/rules.md.

  stillfires rules ls rules/
  stillfires rules ls 'deploy/**/*.yaml' runbooks/ --format json

An item that is not valid is listed as a problem with its place, and does not
hide the others. Exit codes: 0 all was read, 2 something is not valid.`

// rulesListFlags are the flags of rules ls as given.
type rulesListFlags struct {
	format  string
	verbose bool
}

func newRulesCommand(env *cliEnv) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List saved rules, queries, panels and patterns",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRulesListCommand(env))
	return cmd
}

func newRulesListCommand(env *cliEnv) *cobra.Command {
	var f rulesListFlags
	cmd := &cobra.Command{
		Use:   "ls PATH…",
		Short: "List everything saved that consumes logs or metrics",
		Long:  rulesListLong,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("stillfires rules ls: no PATH; name files, folders or globs, such as rules/")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runRulesList(env, &f, args) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.format, "format", "text", "form of the list: text or json")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "list also the files and documents that hold no rules")
	return cmd
}

func runRulesList(env *cliEnv, f *rulesListFlags, paths []string) error {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("--format %q: unknown; the formats are text, json", f.format)
	}
	set, err := rules.Load(paths, rules.Options{})
	if err != nil {
		return err
	}
	// What parses but does not compile is not valid either.
	if bad := replay.NewPlan(set.Rules, replay.Options{}).Problems(); len(bad) > 0 {
		set.Reject(bad)
	}
	if f.format == "json" {
		if err := writeRulesJSON(env.stdout, set); err != nil {
			return err
		}
		writeRemarks(env.stderr, set, f.verbose)
	} else {
		var b strings.Builder
		writeRulesTable(&b, set)
		writeRemarks(&b, set, f.verbose)
		if _, err := io.WriteString(env.stdout, b.String()); err != nil {
			return err
		}
	}
	if len(set.Problems) > 0 {
		return exitError(exitUsage)
	}
	return nil
}

// A listedRule is one item of the JSON list. What is absent is null.
type listedRule struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	Language string  `json:"language"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Column   int     `json:"column"`
	Expr     string  `json:"expr"`
	Group    *string `json:"group"`
	Format   string  `json:"format"`
	Owner    *string `json:"owner"`
	Severity *string `json:"severity"`
	Runbook  *string `json:"runbook"`
	Reason   string  `json:"reason"`        // of the language
	NotEval  *string `json:"not_evaluated"` // why
}

func writeRulesJSON(w io.Writer, set *rules.Set) error {
	list := make([]listedRule, 0, len(set.Rules))
	for i := range set.Rules {
		r := &set.Rules[i]
		item := listedRule{
			Name: r.Name, Kind: r.Kind.String(), Language: r.Language.String(),
			File: r.Pos.File, Line: r.Pos.Line, Column: r.Pos.Column, Expr: r.Expr,
			Group: optional(r.Group), Format: r.Format, Owner: optional(r.Owner), Severity: optional(r.Labels["severity"]),
			Runbook: optional(runbook(r)), Reason: r.LanguageReason, NotEval: optional(r.NotEvaluated),
		}
		list = append(list, item)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

// optional returns nil for the empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// runbook returns where the runbook of a rule is, by its usual annotations and
// labels.
func runbook(r *rules.Rule) string {
	for _, name := range []string{"runbook_url", "runbook"} {
		if v := r.Annotations[name]; v != "" {
			return v
		}
		if v := r.Labels[name]; v != "" {
			return v
		}
	}
	return ""
}

// maxCell bounds the columns that a name takes in the table.
const maxCell = 48

// writeRulesTable writes one rule a line, in columns.
func writeRulesTable(b *strings.Builder, set *rules.Set) {
	if len(set.Rules) == 0 {
		b.WriteString("no rules\n")
		return
	}
	rows := [][]string{{"KIND", "LANGUAGE", "NAME", "GROUP", "PLACE", "LANGUAGE BECAUSE"}}
	for i := range set.Rules {
		r := &set.Rules[i]
		why := r.LanguageReason
		if r.NotEvaluated != "" {
			why += "; not evaluated: " + r.NotEvaluated
		}
		rows = append(rows, []string{
			r.Kind.String(), r.Language.String(), cut(plain(r.Name)), cut(plain(r.Group)), plain(r.Pos.String()), plain(why),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-runewidth.StringWidth(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

func cut(text string) string { return runewidth.Truncate(text, maxCell, "…") }

// writeRemarks writes what is wrong, what is odd and, if verbose, what was
// left out.
func writeRemarks(w io.Writer, set *rules.Set, verbose bool) {
	for _, n := range set.Notes {
		fmt.Fprintf(w, "note: %s: %s\n", plain(n.Pos.String()), plain(n.Msg))
	}
	if verbose {
		for _, s := range set.Skipped {
			fmt.Fprintf(w, "skipped: %s: %s\n", plain(s.Pos.String()), plain(s.Reason))
		}
	}
	for _, p := range set.Problems {
		fmt.Fprintf(w, "problem: %s\n", plain(p.Error()))
		for line := range strings.Lines(p.Show) {
			fmt.Fprintf(w, "  %s\n", showLine(line))
		}
	}
	if n := len(set.Problems); n > 0 {
		fmt.Fprintf(w, "rules: %d, problems: %d\n", len(set.Rules), n)
	} else if len(set.Rules) == 0 && !verbose && len(set.Skipped) > 0 {
		fmt.Fprintf(w, "files and documents without rules: %d; -v lists them\n", len(set.Skipped))
	}
}

// showLine is plain with tabs kept, so that a caret stays under its text.
func showLine(line string) string {
	parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	for i := range parts {
		parts[i] = plain(parts[i])
	}
	return strings.Join(parts, "\t")
}
