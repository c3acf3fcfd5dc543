package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/existing"
)

const corpusImportLong = `Import the log files below ROOT into a corpus.

The import description says which files are logs, what labels their streams
have, which build and scenario they belong to, and where their times come from.
Every file below ROOT has to be named by it, or ignored by it; one that is
neither is an error, so that no log is left out unseen. All runs are added, or
none. A run that the corpus has already is never replaced.

  stillfires corpus import -f import.yaml logs/ -o corpus

To import the folder of a single run, say what its path does not tell:

  stillfires corpus import -f import.yaml run7/ -o corpus \
      --build candidate --scenario reconnect --repetition 7

ROOT can be an archive too: .tar, .tar.gz or .tar.zst.

What tools have gathered needs no description; it is made of what is found:

  stillfires corpus import --as must-gather must-gather.tar.gz -o corpus --build deployed
  stillfires corpus import --as support-bundle bundle/ -o corpus --build deployed
  stillfires corpus import --as auto artifacts/ -o corpus --build candidate

Files that have no place are listed, with the reason. To change what is taken,
print the description, edit it and give it with -f. docs/import-existing.md has
the layouts.`

type corpusImportFlags struct {
	file, out   string
	as, cluster string
	print       bool
	opts        corpus.ImportOptions
	redact      bool
	redaction   redactFlags
	format      corpusFormat
}

func newCorpusImportCommand(env *cliEnv) *cobra.Command {
	var f corpusImportFlags
	cmd := &cobra.Command{
		Use:   "import (-f FILE | --as LAYOUT) ROOT -o CORPUS",
		Short: "Import log files into a corpus",
		Long:  corpusImportLong,
		Args:  exactArguments("ROOT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCorpusImport(cmd, env, &f, args[0])
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&f.file, "file", "f", "", "import description")
	flags.StringVar(&f.as, "as", "", "make the description: "+strings.Join(existing.Names(), ", ")+"; ROOT is then what one run left")
	flags.StringVar(&f.cluster, "cluster", "", "with --as: name of the cluster, for the label cluster")
	flags.BoolVar(&f.print, "print-description", false, "with --as: print the description, and import nothing")
	flags.StringVarP(&f.out, "output", "o", "", "corpus to add the runs to; it is made if need be (needed to import)")
	flags.StringVar(&f.opts.Build, "build", "", "name of the build; ROOT is then the folder of one run")
	flags.StringVar(&f.opts.Scenario, "scenario", "", "name of the scenario; ROOT is then the folder of one run")
	flags.IntVar(&f.opts.Repetition, "repetition", 0, "number of the repetition, from 1; ROOT is then the folder of one run")
	flags.IntVar(&f.opts.Year, "year", 0, "year of logs whose format has none (klog, syslog)")
	flags.StringVar(&f.opts.Timezone, "timezone", "", "time zone of logs whose format has none, such as UTC or Europe/Berlin")
	flags.Int64Var(&f.opts.Limits.Bytes, "max-bytes", 0, "most bytes of text of one file (default 64 GiB)")
	flags.Int64Var(&f.opts.Limits.Ratio, "max-ratio", 0, "most bytes of text per compressed byte (default 500)")
	flags.BoolVar(&f.redact, "redact", false, "replace secrets as they are imported (see stillfires corpus redact)")
	f.redaction.register(flags, "redact-")
	f.format.register(cmd)
	return cmd
}

// exactArguments wants one argument for each name.
func exactArguments(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return fmt.Errorf("%s wants %s, but got %q; usage: %s", cmd.CommandPath(), strings.Join(names, " "), args, cmd.UseLine())
	}
}

func runCorpusImport(cmd *cobra.Command, env *cliEnv, f *corpusImportFlags, root string) (err error) {
	if err := f.check(cmd); err != nil {
		return err
	}
	from, err := openImportRoot(cmd.Context(), root, f.as != "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.remove()) }()
	f.opts.Root, f.opts.LeftOut = root, from.links
	desc, err := f.describe(cmd, env, from)
	if err != nil || f.print {
		return err
	}
	f.opts.Creator = "stillfires " + buildVersion()
	f.opts.OneRun = f.opts.Build != "" || f.opts.Scenario != "" || f.opts.Repetition != 0
	if f.opts.Redactor, err = f.redaction.chosen(cmd.Flags(), f.redact, env); err != nil {
		return err
	}
	rep, err := corpus.Import(cmd.Context(), desc, from.dir, f.out, f.opts)
	if err != nil {
		return err
	}
	return f.format.write(env.stdout, rep, func(w io.Writer) error { return writeImport(w, rep) })
}

// check refuses flags that do not go together.
func (f *corpusImportFlags) check(cmd *cobra.Command) error {
	switch {
	case (f.file == "") == (f.as == ""):
		return fmt.Errorf("%s: name the import description, -f import.yaml, or say what ROOT is: --as %s", cmd.CommandPath(), strings.Join(existing.Names(), ", "))
	case f.as == "" && (f.cluster != "" || f.print):
		return fmt.Errorf("%s: --cluster and --print-description go with --as", cmd.CommandPath())
	case f.print:
		return nil
	case f.out == "":
		return fmt.Errorf("%s: name the corpus to write: -o corpus", cmd.CommandPath())
	case f.as != "" && f.opts.Build == "":
		return fmt.Errorf("%s: name the build that ran there: --build deployed", cmd.CommandPath())
	}
	return checkLimits(cmd)
}

// describe reads the description, or makes it and prints it if asked for.
func (f *corpusImportFlags) describe(cmd *cobra.Command, env *cliEnv, from *importRoot) (*corpus.Description, error) {
	if f.as == "" {
		text, err := os.ReadFile(f.file)
		if err != nil {
			return nil, err
		}
		return corpus.ParseDescription(f.file, text)
	}
	if f.opts.Scenario == "" && !f.print {
		f.opts.Scenario = corpus.DefaultScenario
	}
	top, err := os.OpenRoot(from.dir)
	if err != nil {
		return nil, err
	}
	made, err := existing.Describe(cmd.Context(), top.FS(), existing.Options{As: f.as, Cluster: f.cluster, Build: f.opts.Build, Scenario: f.opts.Scenario, Limits: f.opts.Limits})
	if err = errors.Join(err, top.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", f.opts.Root, err)
	}
	if f.print {
		_, err := env.stdout.Write(made.Text)
		return nil, err
	}
	return corpus.ParseDescription("the description of "+f.opts.Root, made.Text)
}

// writeImport prints what was imported.
func writeImport(w io.Writer, rep *corpus.ImportReport) error {
	var records int64
	for _, r := range rep.Runs {
		records += r.Records
		if _, err := fmt.Fprintf(w, "%s/%s/%d: %s, %s\n", r.Build, r.Scenario, r.Repetition, count(r.Records, "record"), timeRange(r.First, r.Last)); err != nil {
			return err
		}
		for i := range r.Streams {
			if err := writeStream(w, &r.Streams[i]); err != nil {
				return err
			}
		}
		if len(r.Files) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "  %s beside the logs\n", count(int64(len(r.Files)), "file")); err != nil {
			return err
		}
	}
	if err := writeLeftOut(w, rep.LeftOut); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "imported %s, %s; %s ignored by the description%s\n", count(int64(len(rep.Runs)), "run"), count(records, "record"), count(int64(rep.Ignored), "file"), namesOf(rep.IgnoredFiles))
	return err
}

// writeLeftOut lists the files that were left out, by reason.
func writeLeftOut(w io.Writer, left []corpus.LeftOut) error {
	if len(left) == 0 {
		return nil
	}
	byReason := map[string][]string{}
	for _, l := range left {
		byReason[l.Why] = append(byReason[l.Why], l.File)
	}
	if _, err := fmt.Fprintf(w, "left out %s:\n", count(int64(len(left)), "file")); err != nil {
		return err
	}
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		if _, err := fmt.Fprintf(w, "  %s\n", plain(why)); err != nil {
			return err
		}
		for i, file := range byReason[why] {
			if i == maxNames {
				if _, err := fmt.Fprintf(w, "    and %d more; --format json lists all\n", len(byReason[why])-i); err != nil {
					return err
				}
				break
			}
			if _, err := fmt.Fprintf(w, "    %s\n", plain(file)); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesOf sums up files by their names, as those of runs are alike: the JSON
// form has them all.
func namesOf(files []string) string {
	counts := map[string]int{}
	for _, f := range files {
		counts[path.Base(f)]++
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		text := plain(name)
		if n := counts[name]; n > 1 {
			text += fmt.Sprintf(" (%d)", n)
		}
		out = append(out, text)
	}
	switch n := len(out) - maxNames; {
	case len(out) == 0:
		return ""
	case n > 0:
		out = append(out[:maxNames], fmt.Sprintf("and %d other names", n))
	}
	return ": " + strings.Join(out, ", ")
}

// maxNames bounds the names of ignored files that are printed.
const maxNames = 30

// writeStream prints one stream on two lines.
func writeStream(w io.Writer, s *corpus.Stream) error {
	format := ""
	if len(s.Sources) > 0 {
		format = s.Sources[0].Format
	}
	_, err := fmt.Fprintf(w, "  %s\n    %s from %s of %s; %d without time, %d moved, %d unparseable\n",
		s.LabelSet(), count(s.Records, "record"), count(int64(len(s.Sources)), "file"), orNone(format), s.Time.Undated, s.Time.Moved, s.Unparseable)
	if err == nil && s.Time.Year != 0 {
		_, err = fmt.Fprintf(w, "    year %d%s\n", s.Time.Year, from(s.Time.From))
	}
	if err == nil && s.Time.Zone != "" {
		_, err = fmt.Fprintf(w, "    time zone %s%s\n", s.Time.Zone, from(s.Time.From))
	}
	return err
}

func from(file string) string {
	if file == "" {
		return ", as given"
	}
	return ", from dated records of " + file
}

func orNone(s string) string {
	if s == "" {
		return "no format"
	}
	return s
}

// count returns "1 run" or "2 runs".
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func timeRange(first, last *time.Time) string {
	if first == nil || last == nil {
		return "no time"
	}
	const layout = "2006-01-02T15:04:05.000Z"
	return first.UTC().Format(layout) + " to " + last.UTC().Format(layout)
}
