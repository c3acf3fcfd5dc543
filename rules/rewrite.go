package rules

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// LoadText reads the rules that a text holds, as [Load] reads a file of that
// name that was given by name.
func LoadText(name string, text []byte) *Set {
	set := &Set{}
	set.addFile(input{path: name, named: true}, text)
	set.sort()
	return set
}

// A Replacement puts Text in place of Expr[Start:End] of a rule. Text is one
// line.
type Replacement struct {
	Start, End int
	Text       string
}

// Apply returns expr with the replacements made. They must be in order and not
// overlap.
func Apply(expr string, parts []Replacement) string {
	var b strings.Builder
	at := 0
	for _, p := range parts {
		b.WriteString(expr[at:p.Start] + p.Text)
		at = p.End
	}
	b.WriteString(expr[at:])
	return b.String()
}

// A Change is what becomes of the expression of one rule. The replacements are
// in order and do not overlap.
type Change struct {
	Rule  *Rule
	Parts []Replacement
}

// An Editor changes expressions where they stand in the text of a file.
type Editor struct {
	text   []byte
	file   *yamlpos.File
	before *Set
}

// NewEditor returns an editor of a file with the given text.
func NewEditor(name string, text []byte) *Editor {
	return &Editor{text, yamlpos.NewFile(name, text), LoadText(name, text)}
}

// Rewrite returns the text of the file with the expression of one rule changed,
// and nothing else: the new text was read again, and every other rule of it is as
// it was. It fails where the expression does not stand in the file as one text
// that can be changed at these places, such as one that is put together from
// variables or shared by other rules.
func (e *Editor) Rewrite(c Change) ([]byte, error) {
	at, want, err := e.target(c)
	if err != nil {
		return nil, err
	}
	err = errNotThere
	for _, splices := range e.spellings(at, c) {
		out := e.apply(splices)
		if err = e.onlyChanged(out, map[int]string{at: want}); err == nil {
			return out, nil
		}
	}
	return nil, err
}

var errNotThere = errors.New("the expression does not stand in the file as it is evaluated")

// A Rewritten is what came of one change among several.
type Rewritten struct {
	Text []byte // the file with this change alone
	Err  error  // why it was not made
}

// RewriteAll makes several changes. It returns the file with all of them that
// can be made together, and what came of each alone. Commonly the file is read
// again only once.
func (e *Editor) RewriteAll(changes []Change) (all []byte, each []Rewritten) {
	each = make([]Rewritten, len(changes))
	var together []splice
	wants := map[int]string{}
	for i, c := range changes {
		at, want, err := e.target(c)
		if err != nil {
			each[i].Err = err
			continue
		}
		ways := e.spellings(at, c)
		if len(ways) == 0 {
			each[i].Err = errNotThere
			continue
		}
		each[i].Text = e.apply(ways[0])
		if _, twice := wants[at]; !twice && !overlap(together, ways[0]) {
			together, wants[at] = append(together, ways[0]...), want
		}
	}
	if all = e.apply(together); e.onlyChanged(all, wants) == nil {
		return all, each
	}
	all = e.text
	for i, c := range changes {
		if each[i].Err != nil {
			continue
		}
		if each[i].Text, each[i].Err = e.Rewrite(c); each[i].Err != nil {
			continue
		}
		if more, err := NewEditor(e.file.Name, all).Rewrite(e.moved(c, all)); err == nil {
			all = more
		}
	}
	return all, each
}

// moved returns a change for a text of the file in which others were made. The
// rule stands there at the same index.
func (e *Editor) moved(c Change, text []byte) Change {
	at, _, err := e.target(c)
	if set := LoadText(e.file.Name, text); err == nil && at < len(set.Rules) {
		c.Rule = &set.Rules[at]
	}
	return c
}

// target returns the index of the rule in the file, and what its expression
// becomes.
func (e *Editor) target(c Change) (at int, want string, err error) {
	at = slices.IndexFunc(e.before.Rules, func(o Rule) bool { return o.Pos == c.Rule.Pos && sameRule(&o, c.Rule) && o.Expr == c.Rule.Expr })
	if at < 0 {
		return 0, "", errors.New("the file no longer holds the rule as it was loaded")
	}
	return at, Apply(c.Rule.Expr, c.Parts), nil
}

// A splice puts a text in place of file[from:to].
type splice struct {
	from, to int
	text     string
}

func overlap(a, b []splice) bool {
	for _, x := range a {
		for _, y := range b {
			if x.from < y.to && y.from < x.to || x.from == y.from {
				return true
			}
		}
	}
	return false
}

func (e *Editor) apply(splices []splice) []byte {
	sorted := slices.SortedFunc(slices.Values(splices), func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	done := 0
	for _, s := range sorted {
		out = append(append(out, e.text[done:s.from]...), s.text...)
		done = s.to
	}
	return append(out, e.text[done:]...)
}

// spellings returns the ways to make a change in the file: those first that
// quote as the expression is quoted there.
func (e *Editor) spellings(at int, c Change) [][]splice {
	rule := &e.before.Rules[at]
	parts := narrow(rule.Expr, c.Parts)
	var likely, other [][]splice
	for _, quote := range quotings() {
		splices, ok := e.requote(rule, parts, quote)
		switch {
		case !ok:
		case e.quotedSo(rule, quote):
			likely = append(likely, splices)
		default:
			other = append(other, splices)
		}
	}
	return append(likely, other...)
}

// quotedSo reports whether the quotes and backslashes of an expression are
// spelled in a given way.
func (e *Editor) quotedSo(r *Rule, quote func(string) string) bool {
	for i := range len(r.Expr) {
		if strings.IndexByte("\"'\\", r.Expr[i]) < 0 {
			continue
		}
		if _, ok := e.end(r, i, quote); !ok {
			return false
		}
		// A quote that is an escape in the file must be one in the spelling.
		if from := e.file.Offset(r.Position(i)); from > 0 && len(quote(r.Expr[i:i+1])) == 1 && e.text[from] != r.Expr[i] {
			return false
		}
	}
	return true
}

// end returns the offset in the file after the byte at i of an expression.
func (e *Editor) end(r *Rule, i int, quote func(string) string) (int, bool) {
	from, s := e.file.Offset(r.Position(i)), quote(r.Expr[i:i+1])
	return from + len(s), bytes.HasPrefix(e.text[min(from, len(e.text)):], []byte(s))
}

// sameRule reports whether two rules are one by name.
func sameRule(a, b *Rule) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Group == b.Group && a.Language == b.Language
}

// narrow leaves out what a replacement does not change at both its ends.
func narrow(expr string, parts []Replacement) []Replacement {
	var out []Replacement
	for _, p := range parts {
		for p.Start < p.End && p.Text != "" && expr[p.Start] == p.Text[0] {
			p.Start, p.Text = p.Start+1, p.Text[1:]
		}
		for p.Start < p.End && p.Text != "" && expr[p.End-1] == p.Text[len(p.Text)-1] {
			p.End, p.Text = p.End-1, p.Text[:len(p.Text)-1]
		}
		if p.Start < p.End || p.Text != "" {
			out = append(out, p)
		}
	}
	return out
}

// quotings are the ways in which a text stands in a file: as it is, quoted in
// one way or another, and quoted within a text that is quoted again. The first
// with which the file reads as wanted is taken.
func quotings() []func(string) string {
	plain := func(s string) string { return s }
	single := func(s string) string { return strings.ReplaceAll(s, "'", "''") }
	double := func(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`).Replace(s) }
	of := func(f, g func(string) string) func(string) string { return func(s string) string { return f(g(s)) } }
	return []func(string) string{
		plain, single, double, of(double, double), of(single, double), of(double, single), of(double, of(double, double)),
	}
}

// requote places the replacements in the file, where what they replace is
// spelled in the given way.
func (e *Editor) requote(r *Rule, parts []Replacement, quote func(string) string) ([]splice, bool) {
	var out []splice
	done := 0
	for _, p := range parts {
		var from, to int
		ok := true
		switch {
		case p.Start < p.End:
			from = e.file.Offset(r.Position(p.Start))
			to, ok = e.end(r, p.End-1, quote)
		case p.Start > 0: // put in after the byte before
			from, ok = e.end(r, p.Start-1, quote)
			to = from
		default:
			from = e.file.Offset(r.Position(0))
			to = from
		}
		if !ok || from < done || to < from || to > len(e.text) {
			return nil, false
		}
		out = append(out, splice{from, to, quote(p.Text)})
		done = to
	}
	return out, true
}

// onlyChanged returns an error if more changed in a new text of the file than
// the expressions of the rules at the given indices. The other values of their
// variables are rules too.
func (e *Editor) onlyChanged(text []byte, wants map[int]string) error {
	before, after := e.before, LoadText(e.file.Name, text)
	if len(after.Rules) != len(before.Rules) || len(after.Problems) != len(before.Problems) {
		return errors.New("the file cannot be read any more with the new text as it is quoted there")
	}
	targets, variants := map[source.Position]bool{}, map[source.Position]bool{}
	for i := range wants {
		targets[before.Rules[i].Pos] = true
		variants[before.Rules[i].Pos] = variants[before.Rules[i].Pos] || before.Rules[i].variantOf != ""
	}
	for i := range before.Rules {
		was, is := &before.Rules[i], &after.Rules[i]
		want, target := wants[i]
		switch {
		case !sameRule(was, is):
			return errors.New("the change touches more than the rule")
		case target && is.Expr != want:
			return errors.New("the new text would be read as another one where it stands")
		case target || was.Expr == is.Expr:
		case targets[was.Pos] && was.Kind == Panel && (variants[was.Pos] || was.variantOf != ""):
		default:
			return errors.New(source.Sprintf("rule %q is written by the same text and would change with it", was.Name))
		}
	}
	return nil
}
