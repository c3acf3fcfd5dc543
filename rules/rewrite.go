package rules

import (
	"bytes"
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

// Rewrite returns the text of the rule's file with its expression changed, and
// nothing else: the new text was read again, and every other rule of it is as
// it was. It fails where the expression does not stand in the file as one text
// that can be changed at these places, such as one that is put together from
// variables or shared by other rules.
func (r *Rule) Rewrite(text []byte, parts []Replacement) ([]byte, error) {
	before := LoadText(r.Pos.File, text)
	at := slices.IndexFunc(before.Rules, func(o Rule) bool { return o.Pos == r.Pos && sameRule(&o, r) && o.Expr == r.Expr })
	if at < 0 {
		return nil, errors.New("the file no longer holds the rule as it was loaded")
	}
	rule := &before.Rules[at]
	want := Apply(rule.Expr, parts)
	least := narrow(rule.Expr, parts)
	err := errors.New("the expression does not stand in the file as it is evaluated")
	for _, spell := range quotings() {
		out, ok := rule.requote(text, least, spell)
		if !ok {
			continue
		}
		if err = onlyChanged(before, LoadText(r.Pos.File, out), at, want); err == nil {
			return out, nil
		}
	}
	return nil, err
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

// requote makes the replacements in the file, where what they replace is
// spelled in the given way.
func (r *Rule) requote(text []byte, parts []Replacement, spell func(string) string) ([]byte, bool) {
	f := yamlpos.NewFile(r.Pos.File, text)
	offset := func(at int) int { return f.Offset(r.Position(at)) }
	end := func(at int) (int, bool) { // after the byte at
		from, s := offset(at), spell(r.Expr[at:at+1])
		return from + len(s), bytes.HasPrefix(text[min(from, len(text)):], []byte(s))
	}
	var out []byte
	done := 0
	for _, p := range parts {
		var from, to int
		ok := true
		switch {
		case p.Start < p.End:
			from = offset(p.Start)
			to, ok = end(p.End - 1)
		case p.Start > 0: // put in after the byte before
			from, ok = end(p.Start - 1)
			to = from
		default:
			from = offset(0)
			to = from
		}
		if !ok || from < done || to < from || to > len(text) {
			return nil, false
		}
		out = append(append(out, text[done:from]...), spell(p.Text)...)
		done = to
	}
	return append(out, text[done:]...), true
}

// onlyChanged returns an error if more changed from one set to the other than
// the expression of one rule. The other values of its variables are rules too.
func onlyChanged(before, after *Set, at int, want string) error {
	if len(after.Rules) != len(before.Rules) || len(after.Problems) != len(before.Problems) {
		return errors.New("the file cannot be read any more with the new text as it is quoted there")
	}
	target := &before.Rules[at]
	for i := range before.Rules {
		was, is := &before.Rules[i], &after.Rules[i]
		switch {
		case !sameRule(was, is):
			return errors.New("the change touches more than the rule")
		case i == at && is.Expr != want:
			return errors.New("the new text would be read as another one where it stands")
		case i == at || was.Expr == is.Expr:
		case was.Pos == target.Pos && was.Kind == Panel && (was.variantOf != "" || target.variantOf != ""):
		default:
			return errors.New(source.Sprintf("rule %q is written by the same text and would change with it", was.Name))
		}
	}
	return nil
}
