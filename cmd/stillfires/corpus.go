package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

const corpusLong = `Import recorded logs, and look at what was recorded.

A corpus is a folder of runs. A run is one scenario, executed once on one
build: the logs of its processes and what is known of the build. Make one from
the log files of a drill and an import description:

  stillfires corpus import -f import.yaml logs/ -o corpus

docs/corpus-format.md explains the description and the files of a corpus.`

func newCorpusCommand(env *cliEnv) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "Import recorded logs; list, show, verify and pack them",
		Long:  corpusLong,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newCorpusImportCommand(env),
		newCorpusListCommand(env),
		newCorpusPackCommand(env),
		newCorpusRedactCommand(env),
		newCorpusPinCommand(env),
		newProveRedactionCommand(env),
		newCorpusRepairCommand(env),
		newCorpusShowCommand(env),
		newCorpusUnpackCommand(env),
		newCorpusVerifyCommand(env),
	)
	return cmd
}

// corpusFormat is the value of --format of the corpus commands.
type corpusFormat string

func (f *corpusFormat) register(cmd *cobra.Command) {
	*f = "text"
	cmd.Flags().Var(f, "format", "output: text or json")
}

// String returns the format's name.
func (f *corpusFormat) String() string { return string(*f) }

// Type names the kind of value in help texts.
func (f *corpusFormat) Type() string { return "format" }

// Set takes text or json.
func (f *corpusFormat) Set(s string) error {
	if s != "text" && s != "json" {
		return fmt.Errorf("want text or json")
	}
	*f = corpusFormat(s)
	return nil
}

// write prints v as JSON, or calls text.
func (f corpusFormat) write(w io.Writer, v any, text func(w io.Writer) error) error {
	if f == "text" {
		return text(w)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
