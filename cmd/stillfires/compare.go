package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/review"
)

const compareLong = `Replay the rules on both builds and report what goes blind.

Without a review file, on two raw logs:

  stillfires compare --deployed deployed.log --candidate candidate.log \
      --rules 'rules/*.yaml' --labels app=kueue

On two builds of a corpus (see "stillfires corpus import"):

  stillfires compare --corpus corpus --deployed v0.17.0 --candidate v0.18.0 \
      --rules rules/

With a review file that says what must fire and what must stay silent:

  stillfires compare -f stillfires.yaml
  stillfires compare -f stillfires.yaml --format json -o report.json
  stillfires compare -f stillfires.yaml --format terminal --format markdown -o review.md

Exit codes: 0 pass, 1 fail, 3 inconclusive, 2 bad usage or input.`

// compareFlags are the flags of compare as given.
type compareFlags struct {
	file                string
	corpus              string
	deployed, candidate string
	rules               []string
	scenarios           []string
	interval            time.Duration
	labels              []string
	ingestLabels        bool
	year                int
	zone, start         string
	failOn              string
	suppressions        []string
	profile             string
	date                string
	noRepairs           bool
	thresholds          bool
	repairs             string
	svgDir              string
	out                 outputFlags
}

func newCompareCommand(env *cliEnv) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Replay the rules on both builds and report what goes blind",
		Long:  compareLong,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runCompare(cmd, env, &f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.registerInput(flags)
	flags.StringVar(&f.failOn, "fail-on", "break", "what gives exit code 1: break, warn (warnings too) or never")
	flags.BoolVar(&f.noRepairs, "no-repairs", false, "do not look for changes of the rules that mend what was lost")
	flags.StringVar(&f.repairs, "write-repairs", "", "write all repairs as one patch to this file, for patch -p1 or git apply")
	flags.StringVar(&f.svgDir, "svg-dir", "", svgDirUsage+"; Markdown reports show them")
	f.out.register(flags)
	return cmd
}

// registerInput registers what says which builds and rules are compared, and
// how.
func (f *compareFlags) registerInput(flags *pflag.FlagSet) {
	flags.StringVarP(&f.file, "file", "f", "", "review file; flags win over what it says")
	flags.StringVar(&f.deployed, "deployed", "", "deployed build as [DIR:]BUILD, or a log file, - for standard input (default: the build named deployed)")
	flags.StringVar(&f.candidate, "candidate", "", "candidate build, likewise (default: the build named candidate)")
	flags.StringVar(&f.corpus, "corpus", "", "corpus of builds that are named without a DIR")
	flags.StringSliceVar(&f.rules, "rules", nil, "rule files, folders or globs, also several")
	flags.StringSliceVar(&f.scenarios, "scenario", nil, "compare only these scenarios")
	flags.DurationVar(&f.interval, "interval", 0, "evaluation interval of rules whose group has none (default 1m)")
	flags.StringArrayVar(&f.labels, "labels", nil, "stream labels of raw logs, as name=value,…")
	flags.BoolVar(&f.ingestLabels, "loki-ingest-labels", false, "add service_name and detected_level for all rules, as Loki 3 does by default")
	flags.IntVar(&f.year, "year", 0, "year of raw logs whose format has none (klog, syslog)")
	flags.StringVar(&f.zone, "timezone", "", "time zone of raw logs whose format has none, such as UTC or Europe/Berlin")
	flags.StringVar(&f.start, "start", "", "time of the first record of raw logs that have no times (RFC 3339); the others follow by a microsecond each")
	flags.StringSliceVar(&f.suppressions, "suppressions", nil, "file of findings that were accepted, beside those of the review file")
	flags.StringVar(&f.date, "date", "", "the day, such as 2026-11-30, by which accepted findings expire (default: that of SOURCE_DATE_EPOCH, else today, UTC)")
	flags.BoolVar(&f.thresholds, "repair-thresholds", false, "let a repair change the number that a rule compares with")
	flags.StringVar(&f.profile, "profile", "", "what is special to the component: the name of a profile, a file, auto or none (default auto)")
}

// noArguments refuses arguments and says where they were probably meant to go.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, but got %q; name logs and builds with --deployed and --candidate, rules with --rules (quote globs: --rules 'rules/*.yaml')",
			cmd.CommandPath(), args)
	}
	return nil
}

func runCompare(cmd *cobra.Command, env *cliEnv, f *compareFlags) error {
	failOn, err := analyzer.ParseFailOn(f.failOn)
	if err != nil {
		return fmt.Errorf("--fail-on: %w", err)
	}
	outputs, err := f.out.resolve()
	if err != nil {
		return err
	}
	opts, err := f.options(cmd, env)
	if err != nil {
		return err
	}
	if f.repairs != "" && f.noRepairs {
		return errors.New("--write-repairs and --no-repairs exclude each other")
	}
	if err := protect(append(slices.Clip(outputs), output{file: f.repairs}), opts.Inputs); err != nil {
		return err
	}
	rep, err := compare.Run(cmd.Context(), opts)
	if err != nil {
		return err
	}
	f.out.again = f.again(cmd.Flags())
	if err := f.writeRepairs(rep); err != nil {
		return err
	}
	pictures, err := writePictures(f.svgDir, rep, opts.Inputs)
	if err != nil {
		return err
	}
	if err := writeReport(cmd.Context(), env, rep, failOn, outputs, pictures, &f.out); err != nil {
		return err
	}
	return exitWith(rep.ExitCode(failOn))
}

// writeRepairs writes the patch of all repairs where it was asked for. Without a
// repair the file is empty: an old one would be taken for that of this report.
func (f *compareFlags) writeRepairs(rep *analyzer.Report) error {
	if f.repairs == "" {
		return nil
	}
	if err := writeFile(f.repairs, []byte(rep.Patch)); err != nil {
		return fmt.Errorf("--write-repairs: %w", err)
	}
	return nil
}

// exitWith turns an exit code into the error that carries it.
func exitWith(code int) error {
	if code == exitPass {
		return nil
	}
	return exitError(code)
}

// options turns flags into the options of the comparison.
func (f *compareFlags) options(cmd *cobra.Command, env *cliEnv) (compare.Options, error) {
	o := compare.Options{
		Corpus: f.corpus, Deployed: f.deployed, Candidate: f.candidate,
		Rules: f.rules, Scenarios: f.scenarios, Interval: f.interval, IngestLabels: f.ingestLabels,
		Raw:          compare.RawOptions{Year: f.year, Zone: f.zone, Stdin: env.stdin},
		Suppressions: f.suppressions,
		Profile:      f.profile,
		NoRepairs:    f.noRepairs, RepairThresholds: f.thresholds,
	}
	if cmd.Flags().Changed("interval") && f.interval <= 0 {
		return o, fmt.Errorf("--interval %s: must be positive, such as 30s", f.interval)
	}
	if f.start != "" {
		start, err := time.Parse(time.RFC3339Nano, f.start)
		if err != nil {
			return o, fmt.Errorf("--start %q: write a time such as 2026-01-02T15:04:05Z", f.start)
		}
		o.Raw.Start = &start
	}
	var err error
	if o.Now, err = f.now(env.getenv); err != nil {
		return o, err
	}
	if o.Labels, err = parseLabels(f.labels); err != nil {
		return o, err
	}
	if f.file != "" {
		o.Review, err = review.Load(f.file)
		return o, err
	}
	if f.corpus == "" && (f.deployed == "" || f.candidate == "") {
		return o, errors.New("nothing to compare; give a review file with -f, or --deployed and --candidate with --rules, or try: stillfires demo")
	}
	return o, nil
}

// now returns the time by which suppressions expire.
func (f *compareFlags) now(getenv func(string) string) (time.Time, error) {
	if f.date != "" {
		day, err := time.Parse(time.DateOnly, f.date)
		if err != nil {
			return day, fmt.Errorf("--date %q: write a day such as 2026-11-30", f.date)
		}
		return day, nil
	}
	// See https://reproducible-builds.org/specs/source-date-epoch/.
	if epoch := getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q: must be seconds since 1970, or name the day with --date", epoch)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	return time.Now().UTC(), nil
}

// parseLabels reads name=value pairs, joined by commas. A value may be quoted,
// and may then hold a comma.
func parseLabels(lists []string) (logs.Labels, error) {
	var out []logs.Label
	seen := map[string]bool{}
	for _, pair := range splitPairs(lists) {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--labels %q: write name=value, such as app=kueue", pair)
		}
		if seen[name] {
			return nil, fmt.Errorf("--labels: %s is given twice", name)
		}
		seen[name] = true
		if err := corpus.CheckLabelName(name); err != nil {
			return nil, fmt.Errorf("--labels %q: %w", pair, err)
		}
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		}
		out = append(out, logs.Label{Name: name, Value: value})
	}
	return logs.New(out...), nil
}

// splitPairs splits at commas outside of double quotes.
func splitPairs(lists []string) []string {
	var pairs []string
	for _, list := range lists {
		quoted, from := false, 0
		for i := range len(list) {
			switch {
			case list[i] == '"':
				quoted = !quoted
			case list[i] == ',' && !quoted:
				pairs = append(pairs, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
		pairs = append(pairs, strings.TrimSpace(list[from:]))
	}
	return pairs
}
