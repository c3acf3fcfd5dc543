package rules

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// alloyPrefix begins the names of metrics of Alloy that give no prefix.
const alloyPrefix = "loki_process_custom_"

// loadAlloy loads the metrics of the loki.process components of a
// configuration of Alloy.
func loadAlloy(p *part) found {
	f := found{budget: p.budget}
	if !strings.Contains(string(p.file.Text), "loki.process") {
		f.nothing = true
		return f
	}
	r := &alloyReader{found: &f, file: p.file, text: string(p.file.Text)}
	var root block
	r.body(&root, false)
	components := processes(root)
	for _, b := range components {
		t := &translator{
			found: &f, file: p.file, group: b.label, prefix: alloyPrefix, used: map[string]bool{},
			allStreams: "what is forwarded to loki.process is not followed",
		}
		t.run(newFlow(nil), stagesOfBlock(b))
	}
	f.nothing = len(components) == 0 && len(f.problems) == 0
	f.problems = boundProblems(f.problems)
	return f
}

// maxAlloyProblems bounds the problems of one file: after a fault the reader
// goes on as well as it can, and may see faults that are none.
const maxAlloyProblems = 20

func boundProblems(problems []*source.Error) []*source.Error {
	more := len(problems) - maxAlloyProblems
	if more <= 0 {
		return problems
	}
	last := *problems[maxAlloyProblems-1]
	last.Msg = fmt.Sprintf("%s (and %d more problems after it)", last.Msg, more)
	return append(problems[:maxAlloyProblems-1:maxAlloyProblems-1], &last)
}

// processes returns the loki.process components of a body, those within
// modules too.
func processes(b block) []block {
	var all []block
	for _, inner := range b.blocks {
		if inner.name == "loki.process" {
			all = append(all, inner)
		} else {
			all = append(all, processes(inner)...)
		}
	}
	return all
}

// stagesOfBlock returns the stages of a loki.process or stage.match block.
func stagesOfBlock(b block) []stage {
	var stages []stage
	for _, inner := range b.blocks {
		name, ok := strings.CutPrefix(inner.name, "stage.")
		if !ok {
			name = inner.name
		}
		stages = append(stages, stage{name: name, at: inner.at, end: inner.end, args: settingOfBlock(inner)})
	}
	return stages
}

// settingOfBlock writes a block as Promtail has it: the stages of a match
// stage are a list, the metrics of a metrics stage are by name.
func settingOfBlock(b block) setting {
	s := setting{form: formMapping, at: b.at, end: b.end, entries: b.args}
	if b.name == "stage.match" {
		list := setting{form: formList, at: b.at, end: b.end}
		for _, inner := range b.blocks {
			name := strings.TrimPrefix(inner.name, "stage.")
			list.items = append(list.items, setting{form: formMapping, at: inner.at, end: inner.end,
				entries: []entry{{name: name, at: inner.at, end: inner.end, value: settingOfBlock(inner)}}})
		}
		s.entries = append(append([]entry(nil), s.entries...), entry{name: "stages", at: b.at, end: b.end, value: list})
	}
	if b.name == "stage.metrics" {
		s.entries = nil
		for _, inner := range b.blocks {
			s.entries = append(s.entries, metricOfBlock(inner))
		}
	}
	return s
}

// metricOfBlock writes a metric block as Promtail has it.
func metricOfBlock(b block) entry {
	config := setting{form: formMapping, at: b.at, end: b.end, entries: b.args}
	kind := setting{form: formScalar, text: strings.TrimPrefix(b.name, "metric."), at: b.at, end: b.end, places: yamlpos.Places{{At: b.at}}}
	e := entry{at: b.at, end: b.end, places: yamlpos.Places{{At: b.at}}}
	if name := config.get("name"); name.form == formScalar && name.text != "" {
		e.name, e.places, e.at, e.end = name.text, name.places, name.places.At(0), name.end
	}
	e.value = setting{form: formMapping, at: b.at, end: b.end, entries: append([]entry{
		{name: "type", at: b.at, end: b.end, value: kind}, {name: "config", at: b.at, end: b.end, value: config},
	}, b.args...)}
	return e
}
