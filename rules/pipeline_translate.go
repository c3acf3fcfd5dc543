package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stillfires/stillfires/internal/yamlpos"
	"github.com/stillfires/stillfires/logql/syntax"
)

const (
	// maxStages bounds the LogQL stages of one metric.
	maxStages = 200
	// maxMatchDepth bounds match stages within match stages.
	maxMatchDepth = 20
)

// allStreams is a matcher that every stream has: Loki gives each of them the
// label service_name.
const allStreams = `service_name=~".+"`

// A stage is one step of a pipeline.
type stage struct {
	name    string
	at, end int // in the file
	args    setting
}

// A translator writes the metrics of one pipeline as LogQL: a query yields the
// lines that would have been counted.
type translator struct {
	*found
	file   *yamlpos.File
	group  string // name of the job or component
	prefix string // of metrics that give none
	// allStreams says why a metric outside of match stages is counted over all
	// streams, if it is.
	allStreams string
	used       map[string]bool
	depth      int
}

// fieldPrefix begins the names of extracted values in LogQL, so that they
// don't meet labels of the streams.
const fieldPrefix = "extracted_"

// run translates stages one after the other.
func (t *translator) run(fl *flow, stages []stage) {
	for _, s := range stages {
		if t.spent(s.at, 1+(s.end-s.at)/64) {
			return
		}
		if len(fl.stages) > maxStages {
			fl.close(fmt.Sprintf("more than %d stages stand before it", maxStages))
		}
		t.stage(fl, s)
	}
}

// spent takes from the budget of the file, and reports whether it is used up.
func (t *translator) spent(at, work int) bool {
	if *t.budget < 0 {
		return true
	}
	*t.budget -= work
	if *t.budget < 0 {
		t.fault(t.file.Errorf(at, at+1, "the file is too large or repeats too much: the rest is not read"), "split it")
		return true
	}
	return false
}

// stage translates one stage.
func (t *translator) stage(fl *flow, s stage) {
	switch s.name {
	case "match":
		t.match(fl, s)
	case "json":
		t.json(fl, s)
	case "regex":
		t.regex(fl, s)
	case "logfmt":
		t.logfmt(fl, s)
	case "metrics":
		t.metrics(fl, s)
	case "drop":
		t.drop(fl, s)
	case "labels":
		t.labels(fl, s)
	case "static_labels":
		for _, e := range t.pairs(s) {
			fl.labels[e.name] = field{fixed: e.value.text}
		}
	case "labeldrop", "label_drop", "labelallow", "label_keep":
		t.dropLabels(fl, s)
	case "output":
		t.output(fl, s)
	case "docker", "cri":
		t.container(fl, s)
	case "decolorize":
		fl.stages = append(fl.stages, "| decolorize")
		fl.rewritten = true
	case "timestamp", "tenant", "structured_metadata", "structured_metadata_drop", "non_indexed_labels":
		// They change nothing that a metric looks at.
	default:
		t.untranslated(fl, s)
	}
}

// untranslated handles stages that LogQL cannot tell.
func (t *translator) untranslated(fl *flow, s stage) {
	source := s.args.get("source")
	why := fmt.Sprintf("stage %s is not evaluated", s.name)
	known := true
	switch {
	case s.name == "template" && source.form == formScalar, s.name == "replace" && source.form == formScalar:
		fl.fields[source.text] = field{why: "stage " + s.name + " makes the value of " + source.text}
	case s.name == "replace", s.name == "pack", s.name == "luhn", s.name == "truncate":
		fl.changed, fl.rewritten = "stage "+s.name+" changes the line", true
	case s.name == "geoip":
	default:
		known = s.name == "limit" || s.name == "sampling" || s.name == "multiline" || s.name == "eventlogmessage" || s.name == "windowsevent" || s.name == "pattern"
		fl.close("stage " + s.name + " before it is not evaluated")
	}
	if !known {
		why += ": it is not known"
	}
	t.notes = append(t.notes, Note{Pos: t.file.Position(s.at), Msg: why})
}

// pairs returns the entries of the mapping that a stage is given.
func (t *translator) pairs(s stage) []entry {
	if values := s.args.get("values"); values.form == formMapping {
		return values.entries // as Alloy writes it
	}
	return s.args.entries
}

// labels makes extracted values labels, which matchers can ask for.
func (t *translator) labels(fl *flow, s stage) {
	for _, e := range t.pairs(s) {
		name := e.name
		if e.value.form == formScalar && e.value.text != "" {
			name = e.value.text
		}
		fl.labels[e.name] = fl.lookup(name)
		if e.value.form == formComputed {
			fl.labels[e.name] = field{why: "the label " + e.name + " is computed"}
		}
	}
}

// dropLabels forgets labels.
func (t *translator) dropLabels(fl *flow, s stage) {
	names := append(s.args.texts(), s.args.get("values").texts()...)
	if s.name == "labeldrop" || s.name == "label_drop" {
		for _, name := range names {
			fl.labels[name] = field{fixed: ""}
		}
		return
	}
	for name := range fl.labels {
		if !slices.Contains(names, name) {
			fl.labels[name] = field{fixed: ""}
		}
	}
	fl.kept = names
}

// output makes an extracted value the line.
func (t *translator) output(fl *flow, s stage) {
	source := s.args.get("source")
	f := fl.lookup(source.text)
	fl.rewritten = true
	if source.form != formScalar || f.why != "" {
		fl.changed = "stage output makes the line of a value that is not known"
		return
	}
	fl.stages = append(fl.stages, fmt.Sprintf("| line_format `{{ if .%s }}{{ .%s }}{{ else }}{{ __line__ }}{{ end }}`", f.label, f.label))
}

// container handles the stages that take off what a container runtime writes
// around a line. A corpus has the lines of the process itself.
func (t *translator) container(fl *flow, s stage) {
	for _, name := range []string{"stream", "time", "timestamp", "flags", "content", "output"} {
		fl.fields[name] = field{why: "the corpus has lines without what stage " + s.name + " reads around them"}
	}
	fl.labels["stream"] = fl.fields["stream"]
}

// lookup returns where a value is found. What no stage extracts is a label of
// the stream: pipelines begin with these.
func (f *flow) lookup(name string) field {
	if found, ok := f.fields[name]; ok {
		return found
	}
	if !labelName(name) {
		return field{why: fmt.Sprintf("no stage before it extracts %q", name)}
	}
	return field{label: name}
}

// labelName reports whether a text can be the name of a label.
func labelName(name string) bool {
	for i := range len(name) {
		if !nameByte(name[i]) || name[i] == ':' || name[i] >= 0x80 || i == 0 && name[i] >= '0' && name[i] <= '9' {
			return false
		}
	}
	return name != ""
}

// label returns a name in LogQL for an extracted value.
func (t *translator) label(name string) string {
	b := []byte(fieldPrefix + name)
	for i, c := range b {
		if !nameByte(c) || c == ':' || c >= 0x80 {
			b[i] = '_'
		}
	}
	label := string(b)
	for n := 2; t.used[label]; n++ {
		label = string(b) + "_" + strconv.Itoa(n)
	}
	t.used[label] = true
	return label
}

// query returns the LogQL of a flow with further stages.
func (f *flow) query(more ...string) string {
	selector := "{" + strings.Join(f.matchers, ", ") + "}"
	if _, err := syntax.ParseSelector(selector); err != nil { // no matcher that must match
		selector = "{" + strings.Join(append([]string{allStreams}, f.matchers...), ", ") + "}"
	}
	return strings.Join(append(append([]string{selector}, f.stages...), more...), " ")
}

// quote writes a text as a string of LogQL.
func quote(text string) string {
	raw := func(r rune) bool { return r != '`' && r != utf8.RuneError && unicode.IsPrint(r) }
	if strings.ContainsAny(text, "\\\"") && strings.IndexFunc(text, func(r rune) bool { return !raw(r) }) < 0 {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}
