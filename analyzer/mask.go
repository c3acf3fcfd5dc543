package analyzer

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
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

// apply hides the secrets in every text of a report. Nothing that r shares
// with the input is changed.
func (m *mask) apply(r *Report) {
	if len(m.forms) == 0 {
		return
	}
	h := &hider{hide: m.replacer(), done: map[any]reflect.Value{}, keep: names(r)}
	v, _ := h.value(reflect.ValueOf(*r))
	*r = v.Interface().(Report)
	r.Hide = h.hide.Replace
}

// A hider hides secrets in values of any type: so none is left out.
type hider struct {
	hide *strings.Replacer
	done map[any]reflect.Value // by pointer: what is shared stays so
	keep map[string]bool       // texts that name parts of the report
}

// names returns the texts by which the parts of a report refer to one another:
// a bad password is such a word.
func names(r *Report) map[string]bool {
	keep := map[string]bool{"deployed": true, "candidate": true}
	for _, b := range []Build{r.Deployed, r.Candidate} {
		keep[b.Name], keep[b.Version], keep[b.Commit], keep[b.Component] = true, true, true, true
	}
	for _, s := range r.Scenarios {
		keep[s] = true
	}
	for _, id := range FindingIDs() {
		keep[id] = true
	}
	for i := range r.Panics {
		p := &r.Panics[i]
		keep[p.Class] = true
		for _, m := range slices.Concat(p.Deployed.Modes, p.Candidate.Modes) {
			keep[m.Form] = true
		}
	}
	for i := range r.Timelines {
		for _, d := range r.Timelines[i].Declared {
			keep[d.Name] = true
		}
	}
	return keep
}

// ownTypes hold what the user wrote, and no text of a log or an alert.
var ownTypes = []reflect.Type{
	reflect.TypeFor[rules.Rule](), reflect.TypeFor[Suppression](), reflect.TypeFor[profile.Assertion](),
	reflect.TypeFor[source.Error](), reflect.TypeFor[source.Position](), reflect.TypeFor[time.Time](),
}

// value returns v without secrets, and whether that is another value.
func (h *hider) value(v reflect.Value) (reflect.Value, bool) {
	if v.IsValid() && slices.Contains(ownTypes, v.Type()) {
		return v, false
	}
	switch v.Kind() {
	case reflect.String:
		// A type of its own has a few known values.
		if v.Type() != reflect.TypeFor[string]() || h.keep[v.String()] {
			return v, false
		}
		text := h.hide.Replace(v.String())
		if text == v.String() {
			return v, false
		}
		out := reflect.New(v.Type()).Elem()
		out.SetString(text)
		return out, true
	case reflect.Pointer:
		return h.pointer(v)
	case reflect.Struct:
		return h.structure(v)
	case reflect.Slice:
		return h.list(v)
	case reflect.Map:
		return h.table(v)
	}
	return v, false
}

func (h *hider) pointer(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	if out, ok := h.done[v.Interface()]; ok {
		return out, out != v
	}
	h.done[v.Interface()] = v
	of, changed := h.value(v.Elem())
	if !changed {
		return v, false
	}
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(of)
	h.done[v.Interface()] = out
	return out, true
}

func (h *hider) structure(v reflect.Value) (reflect.Value, bool) {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	changed := false
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		if f, other := h.value(v.Field(i)); other {
			out.Field(i).Set(f)
			changed = true
		}
	}
	if !changed {
		return v, false
	}
	if e, ok := reflect.TypeAssert[*outcome.Evidence](out.Addr()); ok {
		*e = *bounded(e)
	}
	return out, true
}

func (h *hider) list(v reflect.Value) (reflect.Value, bool) {
	if diff, ok := reflect.TypeAssert[[]Edit](v); ok {
		hidden, changed := hideDiff(h.hide, diff)
		return reflect.ValueOf(hidden), changed
	}
	out, changed := v, false
	for i := range v.Len() {
		e, other := h.value(v.Index(i))
		if !other {
			continue
		}
		if !changed {
			out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(out, v)
			changed = true
		}
		out.Index(i).Set(e)
	}
	return out, changed
}

func (h *hider) table(v reflect.Value) (reflect.Value, bool) {
	out, changed := v, false
	for it := v.MapRange(); it.Next(); {
		e, other := h.value(it.Value())
		if !other {
			continue
		}
		if !changed {
			out = reflect.MakeMapWithSize(v.Type(), v.Len())
			for all := v.MapRange(); all.Next(); {
				out.SetMapIndex(all.Key(), all.Value())
			}
			changed = true
		}
		out.SetMapIndex(it.Key(), e)
	}
	return out, changed
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

// hideDiff hides secrets in a diff, where one may be cut by an edit: then the
// whole of both sides is hidden.
func hideDiff(hide *strings.Replacer, diff []Edit) ([]Edit, bool) {
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
		return diff, false
	}
	return []Edit{{Delete, hide.Replace(before)}, {Insert, hide.Replace(after)}}, true
}
