package cases

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// selects reports whether an object is one of those that the selector names,
// at any moment.
func selects(s *profile.ObjectSelector, o *facts.Object) bool {
	if o.Kind != s.Kind || !profile.Glob(s.APIVersion, o.APIVersion) || !profile.Glob(s.Cluster, o.Cluster) ||
		!profile.Glob(s.Namespace, o.Namespace) || !profile.Glob(s.Name, o.Name) {
		return false
	}
	for name, want := range s.Labels {
		have, ok := o.Labels[name]
		if !ok || !profile.Glob(want, have) {
			return false
		}
	}
	return has(o.Raw, s.Where)
}

// has reports whether the values at all paths are those given.
func has(raw string, where map[string]string) bool {
	for path, want := range where {
		v := get(raw, path)
		if !exists(v) || text(v) != want {
			return false
		}
	}
	return true
}

// get looks up a path in JSON. What is not JSON has no values.
func get(raw, path string) gjson.Result {
	if !gjson.Valid(raw) {
		return gjson.Result{}
	}
	return gjson.Get(raw, path)
}

// exists reports whether there is a value: null is none.
func exists(v gjson.Result) bool { return v.Exists() && v.Type != gjson.Null }

// text returns a value as it is compared: numbers as they are written.
func text(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	return v.Raw
}

// name names an object in evidence.
func name(o *facts.Object) string {
	n := o.Name
	if o.Namespace != "" {
		n = o.Namespace + "/" + n
	}
	n = o.Kind + " " + n
	if o.Cluster != "" {
		n += " on " + o.Cluster
	}
	return short(n)
}

// wanted names what a selector chooses.
func wanted(s *profile.ObjectSelector) string {
	n := orStar(s.Name)
	if s.Namespace != "" {
		n = s.Namespace + "/" + n
	}
	return short(s.Kind + " " + n)
}

func orStar(s string) string {
	if s == "" {
		return "*"
	}
	return s
}

// at returns the objects that a selector chooses at a moment. If the moment,
// or every object of the kind, is missing from what was recorded then the
// result says so and ok is false.
func at(s *profile.ObjectSelector, moment string, f *facts.Facts) (found []*facts.Object, missing Result, ok bool) {
	if f == nil || len(f.Moments) == 0 {
		return nil, notJudged("no objects were recorded"), false
	}
	if !slices.Contains(f.Moments, moment) {
		return nil, notJudged("no objects were recorded at %q; there are %s", short(moment), short(strings.Join(f.Moments, ", "))), false
	}
	kind := false
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Moment != moment {
			continue
		}
		kind = kind || o.Kind == s.Kind && profile.Glob(s.Cluster, o.Cluster)
		if selects(s, o) {
			found = append(found, o)
		}
	}
	if !kind {
		return nil, notJudged("no object of kind %s was recorded at %q", short(s.Kind), short(moment)), false
	}
	return found, Result{}, true
}

// Selects reports whether the run recorded, at any moment, an object that the
// assertion asks about, and an entry where it asks about entries.
func Selects(a *profile.Assertion, run *outcome.Run) bool {
	if a.Object == nil || run.Facts == nil {
		return false
	}
	return slices.ContainsFunc(run.Facts.Objects, func(o facts.Object) bool {
		return selects(a.Object, &o) && (!a.Unique && a.Live == nil || hasEntry(a, &o))
	})
}

func judgeObject(a *profile.Assertion, run *outcome.Run, seen bool) Result {
	if a.PreservedFrom != "" {
		return judgePreserved(a, run.Facts)
	}
	objects, missing, ok := at(a.Object, a.Object.Moment, run.Facts)
	if !ok {
		return missing
	}
	if a.Count != nil {
		return judgeObjectCount(a, objects, seen)
	}
	entries := a.Unique || a.Live != nil
	if len(objects) == 0 && (!entries || !seen) {
		return notJudged("no such object was recorded at %q: %s", short(a.Object.Moment), wanted(a.Object))
	}
	switch {
	case a.Live != nil:
		return judgeLive(a, objects, run.Facts, seen)
	case a.Unique:
		return judgeUnique(a, objects, seen)
	}
	return judgeValues(a, objects)
}

func judgeObjectCount(a *profile.Assertion, objects []*facts.Object, seen bool) Result {
	n := int64(len(objects))
	if n == 0 && !seen && within(*a.Count, 0, 0) {
		return notJudged("no run has such an object at any moment: %s; none is no proof", wanted(a.Object))
	}
	var lines []string
	for _, o := range objects {
		lines = append(lines, name(o))
	}
	said := fmt.Sprintf("%s at %q, want %s", counted(n, "object", "objects"), short(a.Object.Moment), boundsText(*a.Count, 0))
	if within(*a.Count, n, 0) {
		return holds("%s", said).with(lines)
	}
	return fails("%s", said).with(lines).by(beyond(*a.Count, n, 0))
}

// judgeValues holds every object's value to the condition.
func judgeValues(a *profile.Assertion, objects []*facts.Object) Result {
	ok := condition(&a.Condition)
	var good, bad []string
	for _, o := range objects {
		v := get(o.Raw, a.Path)
		line := fmt.Sprintf("%s at %q: %s is %s", name(o), short(o.Moment), short(a.Path), shown(v))
		if ok(v) {
			good = append(good, line)
		} else {
			bad = append(bad, line)
		}
	}
	of := counted(int64(len(objects)), "object", "objects")
	if len(bad) > 0 {
		return fails("%d of %s: %s %s", len(bad), of, short(a.Path), unmet(&a.Condition)).with(bad).by(int64(len(bad)))
	}
	return holds("%s: %s %s", of, short(a.Path), met(&a.Condition)).with(good)
}

func shown(v gjson.Result) string {
	switch {
	case !v.Exists():
		return "absent"
	case v.Type == gjson.String:
		return strconv.Quote(short(v.Str))
	}
	return short(v.Raw)
}

// condition returns the test of one value.
func condition(c *profile.Condition) func(gjson.Result) bool {
	switch {
	case c.Exists:
		return exists
	case c.Absent:
		return func(v gjson.Result) bool { return !exists(v) }
	case c.NotEmpty:
		return notEmpty
	case c.Equals != nil:
		return func(v gjson.Result) bool { return exists(v) && text(v) == *c.Equals }
	case c.In != nil:
		return func(v gjson.Result) bool { return exists(v) && slices.Contains(c.In, text(v)) }
	case c.HasKeys != nil:
		return func(v gjson.Result) bool { return len(lacking(c, v)) == 0 }
	case c.Matches != "":
		re, err := regexp.Compile(c.Matches)
		return func(v gjson.Result) bool { return err == nil && exists(v) && re.MatchString(text(v)) }
	}
	return func(v gjson.Result) bool {
		n, err := strconv.ParseFloat(text(v), 64)
		return err == nil && exists(v) && (c.AtLeast == nil || n >= *c.AtLeast) && (c.AtMost == nil || n <= *c.AtMost)
	}
}

// lacking returns the keys that a map has not.
func lacking(c *profile.Condition, v gjson.Result) []string {
	have := map[string]bool{}
	if v.IsObject() {
		v.ForEach(func(key, _ gjson.Result) bool { have[key.String()] = true; return true })
	}
	return slices.DeleteFunc(slices.Clone(c.HasKeys), func(k string) bool { return have[k] })
}

// notEmpty reports whether there is a value other than "", {} and [].
func notEmpty(v gjson.Result) bool {
	if !exists(v) {
		return false
	}
	if v.Type == gjson.JSON {
		some := false
		v.ForEach(func(_, _ gjson.Result) bool { some = true; return false })
		return some
	}
	return text(v) != ""
}

func met(c *profile.Condition) string {
	return told(c, "is", "exists", "is absent", "is not empty", "matches", "has")
}

func unmet(c *profile.Condition) string {
	return told(c, "is not", "does not exist", "is there", "is empty", "does not match", "lacks some of")
}

// told says a condition in words.
func told(c *profile.Condition, is, there, absent, filled, matches, keys string) string {
	switch {
	case c.Exists:
		return there
	case c.Absent:
		return absent
	case c.NotEmpty:
		return filled
	case c.Equals != nil:
		return is + " " + strconv.Quote(short(*c.Equals))
	case c.In != nil:
		return is + " one of " + short(strings.Join(c.In, ", "))
	case c.HasKeys != nil:
		return keys + " " + short(strings.Join(c.HasKeys, ", "))
	case c.Matches != "":
		return matches + " " + strconv.Quote(short(c.Matches))
	}
	var parts []string
	if c.AtLeast != nil {
		parts = append(parts, "at least "+strconv.FormatFloat(*c.AtLeast, 'g', -1, 64))
	}
	if c.AtMost != nil {
		parts = append(parts, "at most "+strconv.FormatFloat(*c.AtMost, 'g', -1, 64))
	}
	return is + " " + strings.Join(parts, " and ")
}

// judgePreserved asks whether what objects held at an earlier moment is still
// there.
func judgePreserved(a *profile.Assertion, f *facts.Facts) Result {
	before, missing, ok := at(a.Object, a.PreservedFrom, f)
	if !ok {
		return missing
	}
	all := &profile.ObjectSelector{Kind: a.Object.Kind}
	after, missing, ok := at(all, a.Object.Moment, f)
	if !ok {
		return missing
	}
	kept := 0
	var good, bad []string
	for _, old := range before {
		was := get(old.Raw, a.Path)
		if !exists(was) {
			continue
		}
		kept++
		i := slices.IndexFunc(after, func(o *facts.Object) bool { return sameObject(o, old) })
		if i < 0 {
			bad = append(bad, fmt.Sprintf("%s is gone at %q", name(old), short(a.Object.Moment)))
			continue
		}
		if lost := lostEntries(was, get(after[i].Raw, a.Path)); lost != "" {
			bad = append(bad, fmt.Sprintf("%s: %s%s", name(old), short(a.Path), lost))
		} else {
			good = append(good, fmt.Sprintf("%s: %s is still %s", name(old), short(a.Path), shown(was)))
		}
	}
	switch {
	case kept == 0:
		return notJudged("nothing to preserve: no %s had %s at %q", wanted(a.Object), short(a.Path), short(a.PreservedFrom))
	case len(bad) > 0:
		return fails("not preserved in %d of %s", len(bad), counted(int64(kept), "object", "objects")).with(bad).by(int64(len(bad)))
	}
	return holds("preserved in %s", counted(int64(kept), "object", "objects")).with(good)
}

func sameObject(a, b *facts.Object) bool {
	return a.Cluster == b.Cluster && a.Kind == b.Kind && a.Namespace == b.Namespace && a.Name == b.Name
}

// lostEntries says what of a value is no longer in another: of a map its
// entries, of a list its elements, else the value. Empty: all is there.
func lostEntries(was, is gjson.Result) string {
	if !exists(is) {
		return " is gone; it was " + shown(was)
	}
	lost := ""
	switch {
	case was.IsObject() && is.IsObject():
		now := is.Map()
		was.ForEach(func(k, v gjson.Result) bool {
			switch have, ok := now[k.String()]; {
			case !ok:
				lost = fmt.Sprintf(": entry %q is gone", short(k.String()))
			case !equalJSON(v, have):
				lost = fmt.Sprintf(": entry %q was %s and is %s", short(k.String()), shown(v), shown(have))
			}
			return lost == ""
		})
	case was.IsArray() && is.IsArray():
		now := map[string]bool{}
		is.ForEach(func(_, v gjson.Result) bool { now[canonical(v)] = true; return true })
		was.ForEach(func(_, v gjson.Result) bool {
			if !now[canonical(v)] {
				lost = ": element " + shown(v) + " is gone"
			}
			return lost == ""
		})
	case !equalJSON(was, is):
		lost = " was " + shown(was) + " and is " + shown(is)
	}
	return lost
}

// equalJSON reports whether two values are the same, however they are written.
func equalJSON(a, b gjson.Result) bool { return a.Raw == b.Raw || canonical(a) == canonical(b) }

// canonical writes a value with its keys in order and no blanks.
func canonical(v gjson.Result) string {
	d := json.NewDecoder(strings.NewReader(v.Raw))
	d.UseNumber()
	var x any
	if d.Decode(&x) != nil {
		return v.Raw
	}
	out, err := json.Marshal(x)
	if err != nil {
		return v.Raw
	}
	return string(out)
}
