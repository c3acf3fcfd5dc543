package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/redact"
)

const corpusRedactLong = `Copy a corpus without the secrets in it.

Secrets are replaced by tokens, which are keyed hashes: what was equal stays
equal in all logs, objects, events, metrics and labels. The number of records,
their times, keys, levels and messages stay as they were. The key is never
written into the corpus; keep it to redact later runs alike.

  openssl rand -hex 32 > redact.key
  stillfires corpus redact raw -o redacted --key-file redact.key

What is taken out is tested with planted secrets before anything is written,
and what was written is read again. If a secret would stay, nothing is kept.

See docs/redaction.md for what is found, and for the policy file. Afterwards,
stillfires corpus prove-redaction shows that the rules still do the same.`

func newCorpusRedactCommand(env *cliEnv) *cobra.Command {
	var f redactFlags
	var out string
	var format corpusFormat
	cmd := &cobra.Command{
		Use:   "redact RAW -o REDACTED",
		Short: "Copy a corpus without the secrets in it",
		Long:  corpusRedactLong,
		Args:  exactArguments("RAW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCorpusRedact(cmd, env, &f, args[0], out, format)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&out, "output", "o", "", "corpus to add the runs to; it is made if need be (needed)")
	f.register(flags, "")
	format.register(cmd)
	return cmd
}

func runCorpusRedact(cmd *cobra.Command, env *cliEnv, f *redactFlags, raw, out string, format corpusFormat) error {
	if out == "" {
		return fmt.Errorf("%s: name the corpus to write: -o redacted", cmd.CommandPath())
	}
	if sameFile(raw, out) {
		return fmt.Errorf("%s: %s is the corpus to redact; name another with -o, and delete the raw one when the new one is proved", cmd.CommandPath(), out)
	}
	from, err := corpus.Open(raw)
	if err != nil {
		return err
	}
	r, err := f.redactor(env)
	if err != nil {
		return err
	}
	rep, err := redact.Copy(cmd.Context(), from, out, "stillfires "+buildVersion(), r)
	if err != nil {
		return err
	}
	return format.write(env.stdout, rep, func(w io.Writer) error { return writeRedaction(w, rep) })
}

// sameFile reports whether two paths name one directory.
func sameFile(a, b string) bool {
	x, err1 := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	if resolved, err := filepath.EvalSymlinks(x); err == nil {
		x = resolved
	}
	if resolved, err := filepath.EvalSymlinks(y); err == nil {
		y = resolved
	}
	return err1 == nil && err2 == nil && x == y
}

// writeRedaction prints what was replaced in each run.
func writeRedaction(w io.Writer, rep *redact.Report) error {
	for _, r := range rep.Runs {
		if _, err := fmt.Fprintf(w, "%s/%s/%d: %s, %s beside them; %s\n", plain(r.Build), plain(r.Scenario), r.Repetition,
			count(r.Records, "record"), count(r.Values, "line"), replaced(r.Counts)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "redacted %s with policy %s, key ID %s\n", count(int64(len(rep.Runs)), "run"), plain(rep.Policy), rep.KeyID)
	return err
}

// replaced sums up counts by kind, as text.
func replaced(counts map[string]int64) string {
	text := ""
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %d", plain(kind), counts[kind])
	}
	if text == "" {
		return "nothing to replace"
	}
	return "replaced: " + text
}
