package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// Bounds on what is shown of warnings.
const (
	warnedCauses = 3  // of one kind that have a line each; of more the names stand in one
	warnedRules  = 6  // rules named of one kind
	warnRoom     = 12 // lines for all warnings; if they need more, each is cut
	warnLines    = 2  // for a warning then
)

// kinds writes the warnings, those of one cause as one, and how much there is
// of each kind of news.
func (s *screen) kinds(r *analyzer.Report) {
	text := s.part(func() { s.warnings(r, 0) })
	if !s.all && lines(text) > warnRoom {
		text = s.part(func() { s.warnings(r, warnLines) })
	}
	if text += s.part(func() { s.news(r) }); text != "" {
		fmt.Fprint(s.w, "\n", text)
	}
}

const kindHead = "WARN   "

// warnings writes the warnings, in so many lines each; 0 is no bound.
func (s *screen) warnings(r *analyzer.Report, most int) {
	warn := func(text string) {
		s.wrapUpTo(most, s.paint(yellow, kindHead), strings.Repeat(" ", len(kindHead)), text)
	}
	own, behind := warned(r)
	byID := map[string][]*block{}
	for _, b := range own {
		byID[b.first.ID] = append(byID[b.first.ID], b)
	}
	for _, b := range own {
		list := byID[b.first.ID]
		switch {
		case s.all, len(list) <= warnedCauses:
			warn(b.first.ID + ": " + s.warning(b))
		case list[0] == b:
			warn(fmt.Sprintf("%s (%d): %s", b.first.ID, len(list), namesOf(list, warnedRules)))
		}
	}
	if len(behind) == 0 {
		return
	}
	if s.all {
		for _, b := range behind {
			warn(b.first.ID + ": " + s.warning(b))
		}
		return
	}
	warn(fmt.Sprintf("%s behind what breaks above: %s (--all lists them)", plural(len(behind), "change"), kindCounts(behind)))
}

// warning says of one cause which rules it concerns and what the matter is.
func (s *screen) warning(b *block) string {
	if b.first.Rule == nil {
		return bounded(s.changeOf(b.first))
	}
	first := titled(b)
	if p := s.place(b.first.Pos); p != "" {
		first += " " + p
	}
	list := []string{first}
	for _, o := range b.also {
		list = append(list, titled(o))
	}
	most := warnedRules
	if s.all {
		most = len(list)
	}
	return names(list, most) + ": " + bounded(withoutNearest(b.first))
}

// changeOf says what became of a message or a field, and which rules read it;
// of what is about neither it returns the message.
func (s *screen) changeOf(f *analyzer.Finding) string {
	text := withoutNearest(f)
	what, _, cut := strings.Cut(text, " (records on deployed, candidate: ")
	if !cut || len(f.Dependents) == 0 || s.all {
		return text
	}
	return what + "; read by " + ruleNames(f.Dependents)
}

// titled names what a block is about, with the number of scenarios.
func titled(b *block) string {
	name := heading(b)
	if n := len(b.scenarios); n > 1 && b.title() != "" {
		name += fmt.Sprintf(" ×%d", n)
	}
	return name
}

func namesOf(list []*block, most int) string {
	var out []string
	times := map[string]int{}
	add := func(b *block) {
		name := titled(b)
		if times[name]++; times[name] == 1 {
			out = append(out, name)
		}
	}
	for _, b := range list {
		add(b)
		for _, o := range b.also {
			add(o)
		}
	}
	for i, name := range out {
		if n := times[name]; n > 1 {
			out[i] += fmt.Sprintf(" (%d)", n)
		}
	}
	return names(out, most)
}

// warned returns the warnings, those of one cause as one. Apart from them are
// the changes of messages and fields that a broken rule reads: what breaks says
// the same.
func warned(r *analyzer.Report) (own, behind []*block) {
	broken := map[*rules.Rule]bool{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity == analyzer.Break && !f.Accepted() {
			broken[f.Rule] = true
		}
	}
	for _, b := range blocks(r, analyzer.Warn) {
		if slices.ContainsFunc(b.first.Dependents, func(rule *rules.Rule) bool { return broken[rule] }) {
			behind = append(behind, b)
		} else {
			own = append(own, b)
		}
	}
	return byCause(own), behind
}

// news says how much there is of each kind of what is only for information.
func (s *screen) news(r *analyzer.Report) {
	all := blocks(r, analyzer.Info)
	head := fmt.Sprintf("%-*s", len(kindHead), "INFO")
	indent := strings.Repeat(" ", len(head))
	switch {
	case len(all) == 0:
	case s.all:
		for _, b := range all {
			s.wrapFrom(s.paint(dim, head), indent, b.first.ID+"  "+s.warning(b))
		}
	default:
		s.wrapFrom(s.paint(dim, head), indent, kindCounts(all)+" (--all lists them)")
	}
}

// kindCounts says how many findings there are of each kind, most first.
func kindCounts(all []*block) string {
	n := map[string]int{}
	var ids []string
	for _, b := range all {
		if n[b.first.ID] == 0 {
			ids = append(ids, b.first.ID)
		}
		n[b.first.ID]++
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(n[b], n[a]) })
	for i, id := range ids {
		ids[i] = fmt.Sprintf("%d %s", n[id], id)
	}
	return strings.Join(ids, ", ")
}
