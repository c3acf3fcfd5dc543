package analyzer

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// A mask hides the secrets that were found from all of a report.
type mask struct {
	forms map[string]string // by secret
}

func (m *mask) add(s secret) {
	if m.forms == nil {
		m.forms = map[string]string{}
	}
	if _, ok := m.forms[s.text]; !ok {
		m.forms[s.text] = s.form
	}
}

// apply hides the secrets in every text of a report that comes from a log or
// an alert. Nothing that r shares with the input is changed.
func (m *mask) apply(r *Report) {
	if len(m.forms) == 0 {
		return
	}
	hide := m.replacer()
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, s := range []*string{&f.Message, &f.Cause, &f.Subject, &f.Said} {
			*s = hide.Replace(*s)
		}
		f.Deployed, f.Candidate = hideIn(hide, f.Deployed), hideIn(hide, f.Candidate)
		f.Nearest = slices.Clone(f.Nearest)
		for j := range f.Nearest {
			n := &f.Nearest[j]
			n.Evidence = *hideIn(hide, &n.Evidence)
			n.Diff = hideDiff(hide, n.Diff)
		}
	}
	for i := range r.Results {
		for _, o := range []*Outcome{&r.Results[i].Deployed, &r.Results[i].Candidate} {
			o.Evidence = slices.Clone(o.Evidence)
			for j := range o.Evidence {
				o.Evidence[j] = *hideIn(hide, &o.Evidence[j])
			}
			o.Alerts = slices.Clone(o.Alerts)
			for j := range o.Alerts {
				a := &o.Alerts[j]
				a.Labels, a.Annotations = hideLabels(hide, a.Labels), hideLabels(hide, a.Annotations)
			}
			o.Result = slices.Clone(o.Result)
			for j := range o.Result {
				o.Result[j].Labels = hideLabels(hide, o.Result[j].Labels)
			}
		}
	}
	r.Timelines = hideTimelines(hide, r.Timelines)
	hideRecoveries(hide, r)
	for i := range r.Notes {
		r.Notes[i] = hide.Replace(r.Notes[i])
	}
}

// replacer puts the name of its form in place of each secret, the longest
// first: one may be a part of another. Secrets stand in JSON lines with
// escapes.
func (m *mask) replacer() *strings.Replacer {
	var texts []string
	for text := range m.forms {
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, text := range texts {
		hidden := "(masked: " + m.forms[text] + ")"
		pairs = append(pairs, text, hidden)
		if escaped := strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`, `\`, `\\`).Replace(text); escaped != text {
			pairs = append(pairs, escaped, hidden)
		}
	}
	return strings.NewReplacer(pairs...)
}

func hideIn(hide *strings.Replacer, e *outcome.Evidence) *outcome.Evidence {
	if e == nil {
		return nil
	}
	out := *e
	out.Line, out.Stream = hide.Replace(e.Line), hideLabels(hide, e.Stream)
	return bounded(&out)
}

func hideLabels(hide *strings.Replacer, ls logs.Labels) logs.Labels {
	out := slices.Clone(ls)
	for i := range out {
		out[i].Value = hide.Replace(out[i].Value)
	}
	return out
}

// hideDiff hides secrets in a diff, where one may be cut by an edit: then the
// whole of both sides is hidden.
func hideDiff(hide *strings.Replacer, diff []Edit) []Edit {
	var d, c strings.Builder
	for _, e := range diff {
		if e.Op != Insert {
			d.WriteString(e.Text)
		}
		if e.Op != Delete {
			c.WriteString(e.Text)
		}
	}
	before, after := d.String(), c.String()
	if hide.Replace(before) == before && hide.Replace(after) == after {
		return diff
	}
	return []Edit{{Delete, hide.Replace(before)}, {Insert, hide.Replace(after)}}
}
