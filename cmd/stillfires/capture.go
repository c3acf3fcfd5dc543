package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
	"github.com/stillfires/stillfires/corpus/capture/capturefile"
	"github.com/stillfires/stillfires/corpus/capture/local"
)

const captureLong = `Record one run of a corpus: logs, metrics and what else sources give, until a
command ends, a time is over, or Ctrl-C.

Record a log file, a target's metrics and a probe while the drill runs:

  stillfires capture --build deployed --scenario reconnect -o corpus \
      --log manager.log --labels app=kueue \
      --scrape http://10.0.0.7:8080/metrics --probe worker-1=10.0.0.9:6443 \
      --must-fire WorkerLost -- ./cut-and-restore.sh

All that can be recorded, such as the logs of pods, is said in a capture file:

  stillfires capture -f capture.yaml --build candidate --scenario reconnect -o corpus -- ./drill.sh

The output of the command after -- goes to standard error. What is expected
before the run begins is stamped with that time. A capture that is killed leaves
what it recorded: go on with it by --resume, or close it by
"stillfires corpus repair". docs/capture.md explains all of it.

Exit codes: 0 the run is whole; 1 the drill's command failed; 3 something is
missing, and run.json says what; 2 bad usage, or nothing could be written;
130 interrupted before anything was recorded. Where several apply, 2 wins over
1 over 3.`

// captureFlags are those of capture.
type captureFlags struct {
	file, out string
	resume    bool
	quiet     bool
	format    corpusFormat

	build, version, component string
	scenario                  string
	repetition                int

	logs     []string
	stdin    bool
	labels   map[string]string
	scrapes  []string
	probes   []string
	progress []string
	kube     kubeFlags

	duration, lead, after, grace time.Duration
	maxLine                      capturefile.Size

	interrupted, kept []string
	owner, approval   string
	retainUntil       capturefile.Day
	expected          string
	expect            [3][]string // rules that must fire, stay silent, clear
	notes             []string
}

// expectations are the flags that declare what a rule must do.
var expectations = [3]string{"must-fire", "must-stay-silent", "must-clear"}

func newCaptureCommand(env *cliEnv) *cobra.Command {
	var f captureFlags
	cmd := &cobra.Command{
		Use:   "capture -o CORPUS --build NAME --scenario NAME [flags] [-- COMMAND ARGS…]",
		Short: "Record a run: logs, metrics, events and probes, while a drill runs",
		Long:  captureLong,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n > 0 || n < 0 && len(args) > 0 {
				return fmt.Errorf("%s: %q stands before the command; write the command after --", cmd.CommandPath(), args[0])
			}
			c, err := f.plan(cmd, env, args)
			if err != nil {
				return err
			}
			return c.run(cmd.Context())
		},
	}
	f.register(cmd)
	return cmd
}

func (f *captureFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&f.out, "output", "o", "", "corpus to add the run to; it is made if need be (needed)")
	flags.StringVarP(&f.file, "file", "f", "", "capture file; flags win over what it says")
	flags.StringVar(&f.build, "build", "", "name of the build, such as deployed or candidate")
	flags.StringVar(&f.scenario, "scenario", "", "name of the scenario")
	flags.IntVar(&f.repetition, "repetition", 0, "number of the repetition (default: the first that the corpus does not have)")
	flags.BoolVar(&f.resume, "resume", false, "go on with the capture of this run that was interrupted")
	f.registerSources(flags)
	f.kube.register(flags)
	flags.DurationVar(&f.duration, "duration", 0, "record this long (default: until the command ends, all sources have ended, or Ctrl-C)")
	flags.DurationVar(&f.lead, "lead", defaultLead, "record this long before the command begins")
	flags.DurationVar(&f.after, "after", 0, "record this long after the command has ended")
	flags.DurationVar(&f.grace, "grace", capture.DefaultGrace, "how long sources, and the command on Ctrl-C, may take to end")
	flags.Var(&f.maxLine, "max-line", fmt.Sprintf("most bytes of a line that are kept (default 4MiB, at most %d bytes)", capture.MostMaxLine))
	flags.StringVar(&f.component, "component", "", "component that the build is of")
	flags.StringVar(&f.version, "build-version", "", "version of the build")
	flags.StringArrayVar(&f.interrupted, "interrupted", nil, "link that the drill cuts; repeatable")
	flags.StringArrayVar(&f.kept, "kept", nil, "link that the drill leaves alone; repeatable")
	flags.StringVar(&f.owner, "owner", "", "who owns the drill")
	flags.StringVar(&f.approval, "approval", "", "what approved it, such as a change ticket")
	flags.Var(&f.retainUntil, "retain-until", "day until which the run is to be kept, such as 2027-01-31")
	flags.StringVar(&f.expected, "expected", "", "in words, what the run is to show")
	for i, name := range expectations {
		flags.StringArrayVar(&f.expect[i], name, nil, "rule that "+strings.ReplaceAll(name, "-", " ")+"; repeatable")
	}
	flags.StringArrayVar(&f.notes, "note", nil, "remark for the reader of a report; repeatable")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on a terminal")
	f.format.register(cmd)
}

func (f *captureFlags) registerSources(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.logs, "log", nil, "log file to follow, or a pattern; repeatable; needs --labels")
	flags.BoolVar(&f.stdin, "stdin", false, "record standard input; needs --labels")
	flags.StringToStringVar(&f.labels, "labels", nil, "labels of what --log, --stdin and --scrape record, such as app=kueue,cluster=a")
	flags.StringArrayVar(&f.scrapes, "scrape", nil, "URL of metrics to scrape every 15 s; repeatable; needs --labels")
	flags.StringArrayVar(&f.probes, "probe", nil, "host:port or http URL to probe every second, with its name before = if it has one; repeatable")
	flags.StringArrayVar(&f.progress, "progress", nil, "file of JSON lines about the work's progress to follow; repeatable")
}

// defaultLead is how long sources have to find what they record before the
// drill begins.
const defaultLead = 2 * time.Second

// plan puts the capture file and the flags together.
func (f *captureFlags) plan(cmd *cobra.Command, env *cliEnv, command []string) (*captureRun, error) {
	if f.out == "" {
		return nil, fmt.Errorf("%s: name the corpus to write: -o corpus", cmd.CommandPath())
	}
	file := &capturefile.File{}
	if f.file != "" {
		text, err := os.ReadFile(f.file)
		if err != nil {
			return nil, err
		}
		if file, err = capturefile.Parse(f.file, text); err != nil {
			return nil, err
		}
	}
	c := &captureRun{env: env, format: f.format, command: command, quiet: f.quiet}
	if len(command) == 0 {
		c.command = file.Drill.Command
	}
	if err := f.times(cmd, file, c); err != nil {
		return nil, err
	}
	fromFile, err := file.Open(&capturefile.Env{Stdin: env.stdin, UserAgent: "stillfires/" + buildVersion()})
	if err != nil {
		return nil, err
	}
	fromFlags, err := f.sources(env)
	if err != nil {
		return nil, err
	}
	c.sources = slices.Concat(fromFile, fromFlags)
	if len(c.sources) == 0 {
		return nil, fmt.Errorf("%s: nothing to record is named: give a capture file (-f), or --namespace, --log, --stdin, --scrape, --probe or --progress", cmd.CommandPath())
	}
	c.opts = capture.Options{
		Dir: f.out, Creator: "stillfires " + buildVersion(), Resume: f.resume, Repetition: f.repetition,
		Build: cmp.Or(f.build, file.Build.Name), Scenario: cmp.Or(f.scenario, file.Scenario.Name),
		MaxLine: int(cmp.Or(f.maxLine, file.MaxLine)), Grace: c.grace, Manifest: f.manifest(file),
	}
	switch {
	case c.opts.Build == "":
		return nil, fmt.Errorf("%s: name the build: --build deployed", cmd.CommandPath())
	case c.opts.Scenario == "":
		return nil, fmt.Errorf("%s: name the scenario: --scenario reconnect", cmd.CommandPath())
	case f.repetition < 0 || cmd.Flags().Changed("repetition") && f.repetition == 0:
		return nil, errors.New("--repetition: want 1 or more")
	}
	c.opts.Manifest.Builds[0].Name = c.opts.Build
	return c, nil
}

// times takes over lengths of time: flags that were given win.
func (f *captureFlags) times(cmd *cobra.Command, file *capturefile.File, c *captureRun) error {
	lead := defaultLead
	if file.Lead != nil {
		lead = time.Duration(*file.Lead)
	}
	for _, t := range []struct {
		name       string
		flag, file time.Duration
		to         *time.Duration
	}{
		{"duration", f.duration, file.Duration, &c.duration}, {"lead", f.lead, lead, &c.lead},
		{"after", f.after, file.After, &c.after}, {"grace", f.grace, cmp.Or(file.Grace, capture.DefaultGrace), &c.grace},
	} {
		*t.to = t.file
		if cmd.Flags().Changed(t.name) {
			*t.to = t.flag
		}
		if *t.to < 0 || *t.to == 0 && cmd.Flags().Changed(t.name) && (t.name == "duration" || t.name == "grace") {
			return fmt.Errorf("--%s %s: want more than 0", t.name, *t.to)
		}
	}
	return nil
}

// sources returns those that flags name.
func (f *captureFlags) sources(env *cliEnv) ([]capture.Source, error) {
	var out []capture.Source
	var errs []error
	add := func(flag string, s interface {
		Sources() ([]capture.Source, error)
	}) {
		more, err := s.Sources()
		if err != nil {
			err = fmt.Errorf("%s: %w", flag, err)
		}
		out, errs = append(out, more...), append(errs, err)
	}
	if (len(f.logs) > 0 || f.stdin || len(f.scrapes) > 0) && len(f.labels) == 0 {
		return nil, errors.New("--labels: give the labels of what is recorded, such as --labels app=kueue: rules select streams by them")
	}
	if len(f.logs) > 0 {
		add("--log", &local.Files{Paths: f.logs, Labels: f.labels})
	}
	if f.stdin {
		add("--stdin", &local.Stdin{Labels: f.labels, In: env.stdin})
	}
	for _, url := range f.scrapes {
		add("--scrape", &local.Scrape{URL: url, Labels: f.labels})
	}
	for _, text := range f.probes {
		name, at, named := strings.Cut(text, "=")
		if !named || strings.Contains(name, "/") {
			name, at = "", text
		}
		p := &local.Probe{Target: name, TCP: at}
		if strings.Contains(at, "://") {
			p.TCP, p.HTTP = "", at
		}
		add("--probe", p)
	}
	if len(f.progress) > 0 {
		add("--progress", &local.Progress{Paths: f.progress})
	}
	more, err := f.kube.sources(f.component)
	return append(out, more...), errors.Join(append(errs, err)...)
}

// manifest returns what file and flags say of the run.
func (f *captureFlags) manifest(file *capturefile.File) corpus.Manifest {
	m := file.Manifest()
	if len(m.Builds) == 0 {
		m.Builds = []corpus.Build{{}}
	}
	b := &m.Builds[0]
	b.Component, b.Version = cmp.Or(f.component, b.Component), cmp.Or(f.version, b.Version)
	if f.expected != "" {
		m.Scenario.Expected, m.Scenario.DeclaredAt = f.expected, nil
	}
	for i, name := range expectations {
		for _, rule := range f.expect[i] {
			e := corpus.Expectation{Rule: rule, Expect: name}
			at := slices.IndexFunc(m.Scenario.Expectations, func(x corpus.Expectation) bool { return x.Rule == rule })
			if at < 0 {
				m.Scenario.Expectations = append(m.Scenario.Expectations, e)
			} else {
				m.Scenario.Expectations[at] = e
			}
		}
	}
	m.Notes = slices.Concat(m.Notes, f.notes)
	if len(f.interrupted)+len(f.kept) == 0 && f.owner+f.approval == "" && f.retainUntil.IsZero() {
		return m
	}
	d := corpus.Drill{}
	if m.Drill != nil {
		d = *m.Drill
	}
	if len(f.interrupted) > 0 {
		d.Interrupted = f.interrupted
	}
	if len(f.kept) > 0 {
		d.Kept = f.kept
	}
	d.Owner, d.Approval = cmp.Or(f.owner, d.Owner), cmp.Or(f.approval, d.Approval)
	if until := f.retainUntil.Time; !until.IsZero() {
		d.RetainUntil = &until
	}
	m.Drill = &d
	return m
}
