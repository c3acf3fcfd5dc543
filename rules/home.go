package rules

import (
	"fmt"
	"slices"
	"strings"
)

// A home is an object that rule groups are kept in, and what it takes.
type home struct {
	name  string
	takes Language
	// strict says that the one who reads the object runs no other language.
	// A PrometheusRule is read by rulers of Loki too.
	strict   bool
	ruleKeys []string // fields of rules beside those of Prometheus
	// templates says that values are templates with functions of its own.
	templates bool
	types     map[string]Language // values of the field type of a group; 0: not ours
}

func (h *home) ruleKey(name string) bool { return h != nil && slices.Contains(h.ruleKeys, name) }
func (h *home) ownTemplates() bool       { return h != nil && h.templates }

// atHome decides the language of a rule whose home runs only one. If the rule
// is in the other one, that is a problem, and it is not evaluated.
func (d *draft) atHome() (Language, string) {
	h, refused, other := d.home, d.logQL, d.promQL
	another := PromQL
	if h.takes == PromQL {
		refused, other, another = d.promQL, d.logQL, LogQL
	}
	reason := fmt.Sprintf("%s takes %s only", article(h.name), h.takes.title())
	switch {
	case refused == nil:
		return h.takes, reason
	case other == nil && !d.yieldsLines:
		d.misplaced = d.errorAt(len(d.rule.Expr)-len(strings.TrimLeft(d.rule.Expr, " \t\r\n")), len(d.rule.Expr), "%v %q is %s, but %s", d.rule.Kind, d.rule.Name, another.title(), reason)
		d.misplaced.Hint = "move it to a rule file of its own language"
		d.rule.NotEvaluated = reason + ": the rule would never run"
		return another, "only " + another.title() + " can read it"
	case h.takes == PromQL && h.types != nil && metricsQL(d.rule.Expr, refused.msg):
		d.rule.NotEvaluated = "it is MetricsQL that Prometheus cannot read: " + refused.msg
	}
	return h.takes, reason
}

// metricsQL reports whether an expression that PromQL does not take has a form
// that MetricsQL adds to it.
func metricsQL(expr, refused string) bool {
	if strings.HasPrefix(refused, "unknown function") || strings.Contains(refused, "expected type range vector") {
		return true
	}
	for word := range strings.FieldsFuncSeq(stripStrings(expr), func(r rune) bool { return r >= 0x80 || !nameByte(byte(r)) }) {
		switch strings.ToLower(word) {
		case "with", "keep_metric_names", "default", "if", "ifnot", "limit":
			return true
		}
	}
	return false
}

// stripStrings returns an expression without its strings and comments.
func stripStrings(expr string) string {
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; c {
		case '"', '\'', '`':
			i = skipString(expr, i)
			b.WriteByte(' ')
		case '#':
			i = skipComment(expr, i)
			b.WriteByte(' ')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// article puts the article before the name of an object.
func article(name string) string {
	if strings.ContainsRune("AEIOU", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// mixtures notes rules whose language is not that of their place: of the
// fewer where a group has both, and those of a group that Prometheus refuses.
func mixtures(drafts []*draft, groups map[groupKey]*around) []Note {
	var notes []Note
	told := map[groupKey]bool{}
	for _, d := range drafts {
		group := d.rule.Group
		if group == "" || d.fault != nil || d.home != nil && d.home.strict || d.rule.Grafana != nil {
			continue
		}
		// Constants go with the others.
		if language, _ := d.certain(); language == 0 && d.selects == selectsNothing {
			continue
		}
		n, l := *groups[d.group()], d.rule.Language
		others := PromQL
		if l == PromQL {
			others = LogQL
		}
		switch {
		case n[others] > n[l] || n[others] == n[l] && n[l] > 0 && l == LogQL:
			notes = append(notes, Note{Pos: d.rule.Pos, Msg: fmt.Sprintf("%v %q is %s, but other rules of its group are %s: a ruler runs only one of them",
				d.rule.Kind, d.rule.Name, l.title(), others.title())})
		case d.home != nil && l != d.home.takes && n[others] == 0 && !told[d.group()]:
			told[d.group()] = true
			notes = append(notes, Note{Pos: d.rule.Pos, Msg: fmt.Sprintf("group %q is %s in %s: only a ruler of Loki runs it, Prometheus refuses it",
				group, l.title(), article(d.home.name))})
		}
	}
	return notes
}
