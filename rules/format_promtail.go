package rules

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/yamlpos"
	"github.com/stillfires/stillfires/logql/syntax"
)

// promtailPrefix begins the names of metrics that give no prefix.
const promtailPrefix = "promtail_custom_"

// scrapeLists returns the lists of jobs of a configuration of Promtail, or of
// the agent that has its jobs below logs.configs.
func scrapeLists(d *yamlpos.Document) []*yaml.Node {
	var lists []*yaml.Node
	add := func(n *yaml.Node) {
		if n != nil && n.Kind == yaml.SequenceNode {
			lists = append(lists, n)
		}
	}
	add(d.Get(d.Root, "scrape_configs"))
	if configs := d.Get(d.Get(d.Root, "logs"), "configs"); configs != nil && configs.Kind == yaml.SequenceNode {
		for _, c := range configs.Content[:min(len(configs.Content), 1000)] {
			add(d.Get(c, "scrape_configs"))
		}
	}
	return lists
}

// holdsPromtail recognises jobs with pipelines.
func holdsPromtail(d *yamlpos.Document) bool {
	if d.Root == nil || d.Root.Kind != yaml.MappingNode {
		return false
	}
	for _, list := range scrapeLists(d) {
		for _, job := range list.Content[:min(len(list.Content), 1000)] {
			if d.Get(job, "pipeline_stages") != nil {
				return true
			}
		}
	}
	return false
}

// loadPromtail loads the metrics of all pipelines.
func loadPromtail(p *part) found {
	f := found{budget: p.budget}
	for _, list := range scrapeLists(p.doc) {
		for _, job := range list.Content {
			if f.spend(p.doc, job, 1) {
				return f
			}
			f.promtailJob(p, job)
		}
	}
	return f
}

// promtailJob loads the metrics of one job.
func (f *found) promtailJob(p *part, job *yaml.Node) {
	d := p.doc
	fields, problems := d.Fields(job)
	f.problems = append(f.problems, problems...)
	name := value(d.Get(job, "job_name"))
	for _, field := range fields {
		if field.Name != "pipeline_stages" {
			continue
		}
		f.items(d, field) // says if that is no list
		r := settingReader{found: f, doc: d}
		matchers, why := jobStreams(d, job)
		t := &translator{found: f, file: p.file, group: name, prefix: promtailPrefix, used: map[string]bool{}, allStreams: why}
		t.run(newFlow(matchers), stagesOf(r.read(field.Value, 0)))
	}
}

// jobStreams returns matchers for the streams of a job. Those of a job that
// finds its targets are not known.
func jobStreams(d *yamlpos.Document, job *yaml.Node) (matchers []string, why string) {
	static := d.Get(job, "static_configs")
	if static == nil || static.Kind != yaml.SequenceNode || len(static.Content) == 0 {
		return nil, "the job finds its targets itself"
	}
	if d.Get(job, "relabel_configs") != nil {
		return nil, "the job relabels its targets"
	}
	values := map[string][]string{}
	var names []string
	configs := static.Content[:min(len(static.Content), 1000)]
	for _, c := range configs {
		labels, _ := d.Fields(d.Get(c, "labels"))
		for _, l := range labels {
			if strings.HasPrefix(l.Name, "__") || l.Value.Kind != yaml.ScalarNode || !labelName(l.Name) {
				continue
			}
			if values[l.Name] == nil {
				names = append(names, l.Name)
			}
			values[l.Name] = append(values[l.Name], value(l.Value))
		}
	}
	for _, name := range names {
		all := values[name]
		if len(all) < len(configs) {
			continue // some targets have it not
		}
		slices.Sort(all)
		all = slices.Compact(all)
		m := syntax.Matcher{Name: name, Op: syntax.MatchEqual, Value: all[0]}
		if len(all) > 1 {
			m.Op, m.Value = syntax.MatchRegexp, alternatives(all)
		}
		matchers = append(matchers, m.String())
	}
	if len(matchers) == 0 {
		return nil, "the targets of the job have no label in common"
	}
	return matchers, ""
}

// A settingReader reads settings from YAML.
type settingReader struct {
	*found
	doc *yamlpos.Document
}

// maxSettingDepth bounds mappings and lists within others.
const maxSettingDepth = 100

// read reads a node.
func (r settingReader) read(n *yaml.Node, depth int) setting {
	n = yamlpos.Resolve(n)
	at := r.doc.Offset(n)
	s := setting{at: at, end: at + 1}
	if r.spend(r.doc, n, 1+len(n.Value)/64) {
		return s
	}
	if depth > maxSettingDepth {
		r.fault(r.doc.Errorf(n, "mappings and lists stand more than %d deep in others", maxSettingDepth), "")
		return s
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if isNull(n) {
			return s
		}
		s.form, s.text, s.places = formScalar, n.Value, r.doc.Scalar(n)
		s.end = cmp.Or(s.places.At(max(len(n.Value)-1, 0))+1, at+1)
	case yaml.MappingNode:
		s.form = formMapping
		fields, problems := r.doc.Fields(n)
		r.problems = append(r.problems, problems...)
		for _, f := range fields {
			s.entries = append(s.entries, entry{
				name: f.Name, places: r.doc.Scalar(f.Key), at: r.doc.Offset(f.Key),
				end: r.doc.Offset(f.Key) + len(f.Name), value: r.read(f.Value, depth+1),
			})
		}
	case yaml.SequenceNode:
		s.form = formList
		for _, item := range n.Content {
			s.items = append(s.items, r.read(item, depth+1))
		}
	}
	return s
}

// stagesOf returns the stages of a list of them: mappings of one name each.
func stagesOf(s setting) []stage {
	var stages []stage
	for _, item := range s.items {
		for _, e := range item.entries {
			stages = append(stages, stage{name: e.name, at: e.at, end: e.end, args: e.value})
		}
		if item.form == formScalar {
			stages = append(stages, stage{name: item.text, at: item.at, end: item.end}) // such as "- docker"
		}
	}
	return stages
}
