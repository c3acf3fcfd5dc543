package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/archive"
)

const corpusPackLong = `Pack a corpus into one file, for a change ticket or an archive.

  stillfires corpus pack corpus -o drill.tar.zst

The file opens wherever a corpus is named, without being unpacked:

  stillfires compare --corpus drill.tar.zst --rules 'rules/*.yaml'

The same corpus gives the same bytes. All checksums are compared on the way; a
corpus that is unfinished or damaged is refused. docs/pack.md says more.`

func newCorpusPackCommand(env *cliEnv) *cobra.Command {
	var out string
	var format corpusFormat
	cmd := &cobra.Command{
		Use:   "pack CORPUS -o FILE.tar.zst",
		Short: "Pack a corpus into one file that opens directly",
		Long:  corpusPackLong,
		Args:  exactArguments("CORPUS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return fmt.Errorf("%s: name the file to write: -o %s", cmd.CommandPath(), "corpus.tar.zst")
			}
			rep, err := corpus.Pack(cmd.Context(), args[0], out)
			if err != nil {
				return err
			}
			return format.write(env.stdout, rep, func(w io.Writer) error { return writePacked(w, "packed", rep) })
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write; it must not be there (needed)")
	format.register(cmd)
	return cmd
}

const corpusUnpackLong = `Make a corpus directory of a packed corpus.

  stillfires corpus unpack drill.tar.zst -o corpus

Only plain files below the directory are taken: a name that leads elsewhere, a
link, a device, a name that is there twice or differs in case alone, a part
that is missing, or bytes after the end are errors that name the member, and
nothing is left. So are checksums that do not agree. The tar archive of a corpus
that was made by other programs can be unpacked too.`

func newCorpusUnpackCommand(env *cliEnv) *cobra.Command {
	var out string
	var limits archive.Limits
	var format corpusFormat
	cmd := &cobra.Command{
		Use:   "unpack FILE -o DIR",
		Short: "Make a corpus directory of a packed corpus",
		Long:  corpusUnpackLong,
		Args:  exactArguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return fmt.Errorf("%s: name the directory to make: -o corpus", cmd.CommandPath())
			}
			if err := checkLimits(cmd); err != nil {
				return err
			}
			rep, err := corpus.Unpack(cmd.Context(), args[0], out, limits)
			if err != nil {
				return err
			}
			return format.write(env.stdout, rep, func(w io.Writer) error { return writePacked(w, "unpacked", rep) })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&out, "output", "o", "", "directory to make; if it is there, it must be empty (needed)")
	flags.IntVar(&limits.Files, "max-files", 0, "most members (default 100,000)")
	flags.Int64Var(&limits.Bytes, "max-bytes", 0, "most bytes of one member (default 64 GiB)")
	flags.Int64Var(&limits.Total, "max-total", 0, "most bytes of all members (default 256 GiB)")
	flags.Int64Var(&limits.Ratio, "max-ratio", 0, "most bytes per compressed byte (default 500)")
	format.register(cmd)
	return cmd
}

// checkLimits refuses flags of numbers that are given and below 1.
func checkLimits(cmd *cobra.Command) error {
	for _, name := range []string{"max-files", "max-bytes", "max-total", "max-ratio", "repetition", "year"} {
		if f := cmd.Flags().Lookup(name); f == nil || !f.Changed {
			continue
		}
		if n, err := cmd.Flags().GetInt64(name); err == nil && n < 1 {
			return fmt.Errorf("--%s: want 1 or more", name)
		}
		if n, err := cmd.Flags().GetInt(name); err == nil && n < 1 {
			return fmt.Errorf("--%s: want 1 or more", name)
		}
	}
	return nil
}

func writePacked(w io.Writer, done string, rep *corpus.PackReport) error {
	_, err := fmt.Fprintf(w, "%s %s: %s, %s, %d bytes\ndigest %s\n", done, rep.Path, count(int64(rep.Runs), "run"), count(int64(rep.Files), "file"), rep.Bytes, rep.Digest)
	if err == nil && rep.SHA256 != "" {
		_, err = fmt.Fprintf(w, "sha256 of the file %s\n", rep.SHA256)
	}
	return err
}
