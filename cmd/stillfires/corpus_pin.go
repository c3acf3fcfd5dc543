package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/review"
)

const corpusPinLong = `Write the digests of the corpora that a review file names into the file.

  stillfires corpus pin -f stillfires.yaml

From then on a comparison with that file is refused where a corpus is not the
one that was pinned. Each corpus is verified first, to the last byte. Comments,
order and form of the file stay; pinned again, it does not change.`

func newCorpusPinCommand(env *cliEnv) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "pin -f FILE",
		Short: "Pin the corpora of a review file by their digests",
		Long:  corpusPinLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return fmt.Errorf("%s: name the review file: -f stillfires.yaml", cmd.CommandPath())
			}
			return runCorpusPin(cmd, env, file)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "review file (needed)")
	return cmd
}

func runCorpusPin(cmd *cobra.Command, env *cliEnv, path string) error {
	f, err := review.Load(path)
	if err != nil {
		return err
	}
	for _, spec := range []string{f.Deployed, f.Candidate} {
		if !strings.Contains(spec, ":") && corpus.IsCorpus(spec) {
			return fmt.Errorf("%s: %s is a corpus that is named by its path alone; write it as %s:BUILD, so that it can be pinned", path, spec, spec)
		}
	}
	if len(f.Corpora) == 0 {
		return fmt.Errorf("%s: names no corpus; give it as corpus: DIR, or a build as DIR:BUILD", path)
	}
	digests := map[string]string{}
	for _, c := range f.Corpora {
		rep, err := corpus.Verify(cmd.Context(), c.Path)
		if err != nil {
			return err
		}
		if len(rep.Problems) > 0 {
			return fmt.Errorf("%s: is not pinned, as it cannot be trusted: %s", c.Path, strings.Join(rep.Problems, "\n"))
		}
		digests[c.Path] = rep.Digest
	}
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := review.Pin(path, before, digests)
	if err != nil {
		return err
	}
	if err := writePinned(path, before, after); err != nil {
		return err
	}
	for _, c := range f.Corpora {
		state := "pinned"
		if d := f.Pinned(c.Path); d != nil && d.Digest == digests[c.Path] {
			state = "was pinned already"
		}
		if _, err := fmt.Fprintf(env.stdout, "%s %s %s\n", c.Path, state, digests[c.Path]); err != nil {
			return err
		}
	}
	return nil
}

// writePinned replaces the file where it changed, and keeps its mode.
func writePinned(path string, before, after []byte) error {
	if string(before) == string(after) {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := writeFile(path, after); err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm())
}
