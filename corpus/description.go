package corpus

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/logs/recordtime"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/strictyaml"
)

// A Description says how a tree of log files becomes runs of a corpus.
// docs/corpus-format.md explains its keys. Texts can hold captures, {name}.
type Description struct {
	Version int    `yaml:"version"`
	Note    string `yaml:"note"` // for people

	// Run is the pattern of a run's directory below the root; empty or ".":
	// the root is the one run.
	Run        string `yaml:"run"`
	Repetition string `yaml:"repetition"`

	Build     BuildSpec               `yaml:"build"`     // of every run
	Builds    map[string]BuildSpec    `yaml:"builds"`    // by name, in place of what Build says
	Scenario  ScenarioSpec            `yaml:"scenario"`  // of every run
	Scenarios map[string]ScenarioSpec `yaml:"scenarios"` // by name, likewise

	Environment EnvironmentSpec `yaml:"environment"`
	Time        TimeSpec        `yaml:"time"`
	Logs        []LogSpec       `yaml:"logs"`
	Metrics     []MetricSpec    `yaml:"metrics"`
	Files       []FileSpec      `yaml:"files"`
	// Moments are the names of snapshots, in the order they are taken.
	Moments []string `yaml:"moments"`
	// MomentTime says where the time of a moment stands; nil: nowhere.
	MomentTime *momentPath `yaml:"momentTime"`
	Ignore     []string    `yaml:"ignore"`
	// LeaveOut are files that are left out though a pattern may take them, by
	// their path below the root. An import lists them.
	LeaveOut []LeftOut `yaml:"leaveOut"`

	file string // for errors
	text []byte
}

// A LeftOut is a file of the tree that an import leaves out, and says so.
type LeftOut struct {
	File string `yaml:"file" json:"file"` // below the root, with /
	Why  string `yaml:"why" json:"why"`
}

// A BuildSpec describes a build. FromFile names paths in a JSON file, for what
// is not given here.
type BuildSpec struct {
	Name        string      `yaml:"name"`
	Component   string      `yaml:"component"`
	Version     string      `yaml:"version"`
	Commit      string      `yaml:"commit"`
	Image       string      `yaml:"image"`
	Digest      string      `yaml:"digest"`
	Flags       oneOrMany   `yaml:"flags"`
	Verbosity   string      `yaml:"verbosity"`
	LogEncoding string      `yaml:"logEncoding"`
	FromFile    *buildPaths `yaml:"fromFile"`
}

type buildPaths struct {
	File        string `yaml:"file"`
	Component   string `yaml:"component"`
	Version     string `yaml:"version"`
	Commit      string `yaml:"commit"`
	Image       string `yaml:"image"`
	Digest      string `yaml:"digest"`
	Flags       string `yaml:"flags"`
	Verbosity   string `yaml:"verbosity"`
	LogEncoding string `yaml:"logEncoding"`
	// Optional leaves open what the file lacks, or all if there is no file.
	Optional bool `yaml:"optional"`
}

// A ScenarioSpec describes a scenario.
type ScenarioSpec struct {
	Name         string            `yaml:"name"`
	Description  string            `yaml:"description"`
	Parameters   map[string]string `yaml:"parameters"`
	Window       *windowSpec       `yaml:"window"`
	Expectations []expectationSpec `yaml:"expectations"`
	Expected     string            `yaml:"expected"` // in words
	// DeclaredAt is when what is expected was written; assertions may have a
	// time of their own.
	DeclaredAt *time.Time     `yaml:"declaredAt"`
	LoadOf     string         `yaml:"loadOf"`
	Assertions []Assertion    `yaml:"assertions"`
	FromFile   *scenarioPaths `yaml:"fromFile"`
}

type windowSpec struct {
	Start time.Time `yaml:"start"`
	End   time.Time `yaml:"end"`
}

type expectationSpec struct {
	Rule       string    `yaml:"rule"`
	Expect     string    `yaml:"expect"`
	DeclaredAt time.Time `yaml:"declaredAt"`
}

type scenarioPaths struct {
	File        string            `yaml:"file"`
	Description string            `yaml:"description"`
	Parameters  map[string]string `yaml:"parameters"`
	// Durations are parameters that are the time between two times.
	Durations map[string]durationPaths `yaml:"durations"`

	Expected   string `yaml:"expected"`
	DeclaredAt string `yaml:"declaredAt"` // of Expected

	Start string `yaml:"start"` // of the window
	End   string `yaml:"end"`
	// Optional leaves open what the file lacks, or all if there is no file.
	Optional bool `yaml:"optional"`
}

// An EnvironmentSpec describes what has to be equal on both sides.
type EnvironmentSpec struct {
	Kubernetes string            `yaml:"kubernetes"`
	Nodes      map[string]string `yaml:"nodes"`
	Devices    map[string]string `yaml:"devices"`
	Components map[string]string `yaml:"components"`
	FromFile   *environmentPaths `yaml:"fromFile"`
}

type environmentPaths struct {
	File       string            `yaml:"file"`
	Kubernetes string            `yaml:"kubernetes"`
	Nodes      map[string]string `yaml:"nodes"`
	Devices    map[string]string `yaml:"devices"`
	Components map[string]string `yaml:"components"`
	// Optional leaves open what the file lacks, or all if there is no file.
	Optional bool `yaml:"optional"`
}

// A TimeSpec says where the times of records come from.
type TimeSpec struct {
	Format   oneOrMany  `yaml:"format"`   // names of recordtime; none given: auto
	Year     int        `yaml:"year"`     // for formats that lack it
	Timezone string     `yaml:"timezone"` // likewise: UTC, Europe/Berlin, +02:00
	Start    *time.Time `yaml:"start"`    // of the first record, for format none
}

// A LogSpec describes streams: the files that become one, and its labels. The
// files of one stream are its epochs.
type LogSpec struct {
	Files  oneOrMany   `yaml:"files"` // patterns in the run's directory; or
	Epochs []EpochSpec `yaml:"epochs"`
	Order  string      `yaml:"order"` // of files that one pattern gives for one stream

	Stream string                       `yaml:"stream"` // names the file in the corpus
	Labels map[string]string            `yaml:"labels"`
	Map    map[string]map[string]string `yaml:"map"`   // capture to value to label value
	Build  *BuildSpec                   `yaml:"build"` // what differs from the run's build
	Time   *TimeSpec                    `yaml:"time"`
	// AllowEmpty lets a file hold nothing.
	AllowEmpty bool `yaml:"allowEmpty"`
}

// An EpochSpec describes files of a stream that come after those of the epochs
// before it. Epochs one after the other that are ordered by time are ordered
// together.
type EpochSpec struct {
	Files oneOrMany  `yaml:"files"`
	Order string     `yaml:"order"`
	Build *BuildSpec `yaml:"build"` // another build than the run's

	patterns []*pattern
	group    int // of epochs that are ordered together
}

// The orders of files that one pattern gives for one stream.
const (
	orderPath       = "path"            // by path, numbers by value
	orderDescending = "path-descending" // the same, turned round: rotated logs
	orderTime       = "time"            // by the time of the first record
)

// oneOrMany is a text or a list of texts.
type oneOrMany []string

// UnmarshalYAML reads a text or a list of texts.
func (o *oneOrMany) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		var s string
		err := n.Decode(&s)
		*o = oneOrMany{s}
		return err
	}
	var list []string
	err := n.Decode(&list)
	*o = list
	return err
}

// ParseDescription reads an import description. File names it in errors.
func ParseDescription(file string, text []byte) (*Description, error) {
	d := &Description{file: file, text: text}
	if err := strictyaml.Decode(file, text, d); err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	return d, nil
}

// errorAt returns an error about the value at path, of keys and list indexes.
func (d *Description) errorAt(path []any, format string, args ...any) error {
	pos := source.Position{File: d.file}
	if n := d.node(path); n != nil {
		pos.Line, pos.Column = n.Line, n.Column
	}
	return &source.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// node returns the YAML at path, or the nearest that holds it; nil for none.
func (d *Description) node(path []any) *yaml.Node {
	var doc yaml.Node
	if yaml.Unmarshal(d.text, &doc) != nil || len(doc.Content) == 0 {
		return nil // it was decoded before; positions are a help only
	}
	var found *yaml.Node
	n := doc.Content[0]
	for _, step := range path {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		next := (*yaml.Node)(nil)
		switch step := step.(type) {
		case string:
			for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
				if n.Content[i].Value == step {
					next = n.Content[i+1]
				}
			}
		case int:
			if n.Kind == yaml.SequenceNode && step < len(n.Content) {
				next = n.Content[step]
			}
		}
		if next == nil {
			break
		}
		n, found = next, next
	}
	return found
}

// check compiles patterns and reports what does not fit together.
func (d *Description) check() error {
	if d.Version != 1 {
		return d.errorAt([]any{"version"}, "version is %d; this stillfires reads import descriptions of version 1 (write \"version: 1\")", d.Version)
	}
	if len(d.Logs) == 0 {
		return d.errorAt(nil, "names no logs")
	}
	if d.Run != "" && d.Run != "." {
		if _, err := compilePattern(d.Run); err != nil {
			return d.errorAt([]any{"run"}, "run: %v", err)
		}
		if strings.Contains(d.Run, "**") {
			return d.errorAt([]any{"run"}, "run: pattern %q: ** is not allowed here; say how deep runs lie", d.Run)
		}
	}
	for _, name := range append(sortedKeys(d.Scenarios), "") {
		s, at := d.Scenarios[name], []any{"scenarios", name}
		if name == "" {
			s, at = d.Scenario, []any{"scenario"}
		}
		if f := s.FromFile; f != nil && (f.Start == "") != (f.End == "") {
			return d.errorAt(append(at, "fromFile"), "fromFile: start and end of a window go together")
		}
		if err := d.checkAssertions(s.Assertions, append(at, "assertions")); err != nil {
			return err
		}
	}
	if err := d.Time.check(); err != nil {
		return d.errorAt([]any{"time"}, "%v", err)
	}
	for i := range d.Logs {
		if err := d.Logs[i].check(); err != nil {
			return d.errorAt([]any{"logs", i}, "logs[%d]: %v", i, err)
		}
	}
	for i := range d.Metrics {
		if err := d.Metrics[i].check(); err != nil {
			return d.errorAt([]any{"metrics", i}, "metrics[%d]: %v", i, err)
		}
	}
	for i := range d.Files {
		if err := d.Files[i].check(); err != nil {
			return d.errorAt([]any{"files", i}, "files[%d]: %v", i, err)
		}
	}
	if err := d.checkMoments(); err != nil {
		return err
	}
	for i, l := range d.LeaveOut {
		if !fs.ValidPath(l.File) || l.File == "." || l.Why == "" {
			return d.errorAt([]any{"leaveOut", i}, "leaveOut[%d]: give file, a path below the root, and why", i)
		}
	}
	for i, p := range d.Ignore {
		if _, err := compilePattern(strings.TrimPrefix(p, "/")); err != nil {
			return d.errorAt([]any{"ignore", i}, "ignore: %v", err)
		}
	}
	return nil
}

func (l *LogSpec) check() error {
	if (len(l.Files) == 0) == (len(l.Epochs) == 0) {
		return fmt.Errorf("give either files or epochs")
	}
	if len(l.Labels) == 0 {
		return fmt.Errorf("gives no labels")
	}
	for name := range l.Labels {
		if err := CheckLabelName(name); err != nil {
			return err
		}
	}
	if len(l.Epochs) == 0 {
		l.Epochs = []EpochSpec{{Files: l.Files, Order: l.Order}}
	} else if l.Order != "" {
		return fmt.Errorf("order stands in the epochs where there are any")
	}
	for i := range l.Epochs {
		e := &l.Epochs[i]
		if e.Order != "" && !slices.Contains([]string{orderPath, orderDescending, orderTime}, e.Order) {
			return fmt.Errorf("order %q: want %s, %s or %s", e.Order, orderPath, orderDescending, orderTime)
		}
		e.group = i
		if i > 0 && e.Order == orderTime && l.Epochs[i-1].Order == orderTime {
			e.group = l.Epochs[i-1].group
		}
		for _, f := range e.Files {
			p, err := compilePattern(f)
			if err != nil {
				return err
			}
			e.patterns = append(e.patterns, p)
		}
		if len(e.patterns) == 0 {
			return fmt.Errorf("epoch %d names no files", i+1)
		}
	}
	if l.Time != nil {
		return l.Time.check()
	}
	return nil
}

func (t *TimeSpec) check() error {
	if _, err := recordtime.NewSampler(t.Format...); err != nil {
		return fmt.Errorf("time: %w", err)
	}
	if t.Year != 0 && (t.Year < minYear || t.Year > maxYear) {
		return fmt.Errorf("time: year %d is outside %d to %d", t.Year, minYear, maxYear)
	}
	if _, err := parseZone(t.Timezone); err != nil {
		return err
	}
	if none := slices.Contains(t.Format, recordtime.None); none != (t.Start != nil) {
		return fmt.Errorf("time: format %q and start go together: without times of their own, records begin at start and follow one another by a microsecond", recordtime.None)
	}
	return nil
}

// parseZone reads a name of the time zone database or an offset. The empty
// text is no zone.
func parseZone(s string) (*time.Location, error) {
	switch s {
	case "":
		return nil, nil
	case "UTC", "Z":
		return time.UTC, nil
	case "Local":
		return nil, fmt.Errorf("time: timezone \"Local\" differs from machine to machine; name the zone")
	}
	for _, layout := range []string{"-07:00", "-0700"} {
		if t, err := time.Parse(layout, s); err == nil {
			_, offset := t.Zone()
			return time.FixedZone(s, offset), nil
		}
	}
	zone, err := time.LoadLocation(s)
	if err != nil {
		return nil, fmt.Errorf("time: timezone %q: want UTC, a name such as Europe/Berlin, or +02:00: %w", s, err)
	}
	return zone, nil
}
