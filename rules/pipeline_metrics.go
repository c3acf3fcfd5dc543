package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
	"github.com/stillfires/stillfires/logql/syntax"
)

// number matches texts that a metric takes as a number; a counter takes none
// below zero.
const (
	number    = `[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?`
	notBelow0 = `[+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?`
)

// metrics makes each metric of a stage a rule.
func (t *translator) metrics(fl *flow, s stage) {
	if s.args.form != formMapping {
		t.fault(t.file.Errorf(s.at, max(s.end, s.at+1), "stage metrics must be a mapping of names to metrics"), "")
		return
	}
	for _, e := range s.args.entries {
		if t.spent(e.at, 2+len(fl.stages)) {
			return
		}
		t.metric(fl, e)
	}
}

// metric makes one metric a rule.
func (t *translator) metric(fl *flow, e entry) {
	if name := e.value.get("name"); e.name == "" && name.form == formComputed && name.end > name.at &&
		len(bytes.TrimSpace(t.file.Text[name.at:name.end])) > 0 {
		// It stands where its block begins, by the name of that.
		block, _, _ := bytes.Cut(t.file.Text[e.at:max(e.end, e.at+1)], []byte{' '})
		block, _, _ = bytes.Cut(block, []byte{'{'})
		d := &draft{rule: Rule{Kind: Metric, Name: "(computed name)", Group: t.group, Expr: string(block)}}
		d.place(t.file, yamlpos.Places{{At: e.at}})
		d.settle("its stages are not LogQL", "the name of the metric is computed")
		t.drafts = append(t.drafts, d)
		return
	}
	if strings.TrimSpace(e.name) == "" {
		t.fault(t.file.Errorf(e.at, max(e.end, e.at+1), "a metric has no name"), "")
		return
	}
	prefix := t.prefix
	if p := e.value.get("prefix"); p.form == formScalar && p.text != "" {
		prefix = p.text
	}
	d := &draft{rule: Rule{Kind: Metric, Name: prefix + e.name, Group: t.group}}
	if text := e.value.get("description").text; text != "" {
		d.rule.Annotations = map[string]string{"description": text}
	}
	before := len(t.problems)
	condition, why := t.condition(fl, e)
	if t.breaks(d.rule, before) {
		return
	}
	why = cmp.Or(fl.closed, why)
	if why == "" {
		d.rule.Expr = fl.query(condition...)
		if _, err := syntax.Parse(d.rule.Expr); err != nil {
			why = "its stages make no valid LogQL: " + err.Error()
		}
	}
	if why != "" {
		d.rule.Expr = e.name
		d.place(t.file, e.places)
		d.settle("its stages are not LogQL", why)
	} else {
		d.place(t.file, yamlpos.Places{{At: e.at, Still: true}})
		d.rule.Language, d.rule.LanguageReason = LogQL, "the stages of the pipeline, written as LogQL"
		if len(fl.matchers) == 0 && t.allStreams != "" {
			d.rule.LanguageReason += "; of all streams, as " + t.allStreams
		}
	}
	t.drafts = append(t.drafts, d)
}

// condition returns the stages that keep the lines which a metric counts, or
// why they cannot be told.
func (t *translator) condition(fl *flow, e entry) (stages []string, why string) {
	config := e.value.get("config")
	kind := strings.ToLower(e.value.get("type").text)
	actions := map[string][]string{
		"counter": {"inc", "add"}, "gauge": {"set", "inc", "dec", "add", "sub"}, "histogram": {"", "observe", "inc"},
	}[kind]
	action := config.get("action").text
	switch {
	case actions == nil:
		at := e.value.get("type")
		t.fault(t.file.Errorf(at.at, max(at.end, at.at+1), "metric %q has the unknown type %q", e.name, e.value.get("type").text), "write Counter, Gauge or Histogram")
		return nil, ""
	case !slices.Contains(actions, strings.ToLower(action)):
		at := config.get("action")
		t.fault(t.file.Errorf(at.at, max(at.end, at.at+1), "metric %q has the unknown action %q", e.name, action),
			cmp.Or(suggest.Hint(action, actions), "a "+kind+" takes "+strings.Join(actions, ", ")))
		return nil, ""
	}
	source, value := e.value.get("source"), config.get("value")
	if source.form == formComputed || value.form == formComputed || config.form == formComputed {
		return nil, "the metric is computed"
	}
	if config.get("match_all").isTrue() {
		if value.form == formScalar && value.text != "" {
			t.fault(t.file.Errorf(value.at, max(value.end, value.at+1), "metric %q has both match_all and a value", e.name), "keep one of them")
		}
		return nil, ""
	}
	f := fl.lookup(cmp.Or(source.text, e.name))
	if f.why != "" {
		return nil, f.why
	}
	if value.form == formScalar && value.text != "" {
		stages = append(stages, fmt.Sprintf("| %s=%s", f.label, quote(value.text)))
	} else {
		stages = append(stages, "| "+f.label+`!=""`)
	}
	switch strings.ToLower(action) {
	case "inc", "dec":
		if kind != "histogram" {
			return stages, ""
		}
	}
	numbers := number
	if kind == "counter" {
		numbers = notBelow0
	}
	return append(stages, "| "+f.label+"=~"+quote(numbers)), ""
}
