package profile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/strictyaml"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

var (
	errNoDuration = errors.New("want a duration such as 30s or 2m")
	errNoNumber   = errors.New("want a number of 0 or more, such as 4 or 0.25")
	errNoPercent  = errors.New("want a share of at most 100%, such as 60%")
)

// A Fault is what is wrong in an assertion. Path leads to it, by keys.
type Fault struct {
	Path      []string
	Msg, Hint string
}

// ReadAssertions reads a list of assertions of a document; path names the list
// in errors. What is wrong is left out and reported.
func ReadAssertions(doc *yamlpos.Document, list *yaml.Node, path string) ([]Assertion, []*source.Error) {
	list = yamlpos.Resolve(list)
	if list.Kind != yaml.SequenceNode {
		return nil, []*source.Error{doc.Errorf(list, "%s: want a list", path)}
	}
	var out []Assertion
	var errs []*source.Error
	names := map[string]int{}
	for i, n := range list.Content {
		n = yamlpos.Resolve(n)
		var a Assertion
		if err := strictyaml.DecodeNode(doc, n, fmt.Sprintf("%s[%d]", path, i), &a); err != nil {
			errs = append(errs, sourceErrors(doc, n, err)...)
			continue
		}
		a.Pos = doc.Position(n)
		faults := a.Faults()
		if first, ok := names[a.Name]; ok && a.Name != "" {
			faults = append(faults, Fault{
				Path: []string{"name"}, Msg: "assertion " + quote(a.Name) + " is declared twice",
				Hint: fmt.Sprintf("the first is in line %d", doc.Position(list.Content[first]).Line),
			})
		} else {
			names[a.Name] = i
		}
		for _, f := range faults {
			e := doc.Errorf(below(doc, n, f.Path), "%s", f.Msg)
			e.Hint = f.Hint
			errs = append(errs, e)
		}
		if len(faults) == 0 {
			out = append(out, a)
		}
	}
	return out, errs
}

// check finds what is wrong in the cases of a profile, and gives each assertion
// its place, and the owner and time that it leaves out.
func (c *Cases) check(f *faults) {
	for _, scenario := range slices.Sorted(maps.Keys(c.Scenarios)) {
		s := c.Scenarios[scenario]
		names := map[string]bool{}
		for i := range s.Assertions {
			a := &s.Assertions[i]
			path := []any{"cases", "scenarios", scenario, "assertions", i}
			a.Pos = f.doc.Position(f.at(path...).node)
			a.Owner = cmp.Or(a.Owner, c.Owner)
			if a.DeclaredAt.IsZero() {
				a.DeclaredAt = c.DeclaredAt
			}
			if names[a.Name] {
				f.at(append(path, "name")...).fail("names are for one assertion of a scenario", "assertion %q is declared twice", a.Name)
			}
			names[a.Name] = true
			for _, fault := range a.Faults() {
				at := slices.Clone(path)
				for _, key := range fault.Path {
					at = append(at, key)
				}
				f.at(at...).fail(fault.Hint, "%s", fault.Msg)
			}
		}
	}
}

// sourceErrors takes apart what strictyaml joined.
func sourceErrors(doc *yamlpos.Document, n *yaml.Node, err error) []*source.Error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var out []*source.Error
		for _, e := range joined.Unwrap() {
			out = append(out, sourceErrors(doc, n, e)...)
		}
		return out
	}
	if e, ok := errors.AsType[*source.Error](err); ok {
		return []*source.Error{e}
	}
	return []*source.Error{doc.Errorf(n, "%v", err)}
}

// below returns the value at path, or the nearest that holds it.
func below(doc *yamlpos.Document, n *yaml.Node, path []string) *yaml.Node {
	for _, key := range path {
		next := doc.Get(n, key)
		if next == nil {
			break
		}
		n = yamlpos.Resolve(next)
	}
	return n
}

func quote(s string) string { return source.Sprintf("%q", s) }

// Faults returns what does not fit together in the assertion.
func (a *Assertion) Faults() []Fault {
	c := &caseCheck{}
	if a.Name == "" {
		c.fail("give it one: reports and findings call it by its name", "an assertion has no name", "")
	}
	c.answer(a.Expect.Deployed, "expect", "deployed")
	c.answer(a.Expect.Candidate, "expect", "candidate")
	c.phrases(a.Restates, "restates")
	c.phrases(a.RestatesFailure, "restatesFailure")
	c.question(a)
	if a.Object != nil {
		c.object(a.Object, "object")
		c.condition(a)
	} else if a.Path != "" {
		c.fail("name the object that holds it: object: {kind: …, moment: …}", "path without object", "path")
	}
	c.window(a)
	c.counts(a)
	return c.faults
}

type caseCheck struct{ faults []Fault }

func (c *caseCheck) fail(hint, msg string, path ...string) {
	c.faults = append(c.faults, Fault{Path: path, Msg: msg, Hint: hint})
}

func (c *caseCheck) phrases(list []string, key string) {
	if slices.ContainsFunc(list, func(p string) bool { return strings.TrimSpace(p) == "" }) {
		c.fail("", "an empty phrase restates nothing", key)
	}
}

func (c *caseCheck) answer(text string, path ...string) {
	known := []string{MustHold, MustFail}
	if text == "" || text == MustHold || text == MustFail {
		return
	}
	hint := suggest.Hint(text, known)
	if hint == "" {
		hint = "write holds or fails"
	}
	c.fail(hint, "unknown answer "+quote(text), path...)
}

// question holds an assertion to exactly one question.
func (c *caseCheck) question(a *Assertion) {
	var asked []string
	for _, q := range []struct {
		name string
		set  bool
	}{
		{"object", a.Object != nil}, {"within", a.Within != 0}, {"panics", a.Panics != nil}, {"restarts", a.Restarts != nil},
		{"manualActions", a.ManualActions != nil}, {"executions", a.Executions != nil},
	} {
		if q.set {
			asked = append(asked, q.name)
		}
	}
	switch {
	case len(asked) == 0:
		c.fail("give one of object, within, panics, restarts, manualActions, executions", "the assertion says nothing about the evidence", "name")
	case len(asked) > 1:
		c.fail("make two assertions of it", "the assertion asks "+strings.Join(asked, " and "), asked[1])
	}
}

func (c *caseCheck) object(o *ObjectSelector, path ...string) {
	if o.Kind == "" {
		c.fail("name it, such as kind: Pod", "the kind of the object is missing", path...)
	}
	if o.Moment == "" {
		c.fail("name the snapshot, such as moment: after", "the moment of the object is missing", path...)
	}
}

// condition holds what is asked of an object to one condition.
func (c *caseCheck) condition(a *Assertion) {
	var set []string
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"equals", a.Equals != nil}, {"in", a.In != nil}, {"matches", a.Matches != ""}, {"exists", a.Exists},
		{"notEmpty", a.NotEmpty}, {"absent", a.Absent}, {"hasKeys", a.HasKeys != nil}, {"atLeast", a.AtLeast != nil || a.AtMost != nil},
		{"preservedFrom", a.PreservedFrom != ""}, {"unique", a.Unique}, {"live", a.Live != nil}, {"count", a.Count != nil},
	} {
		if k.set {
			set = append(set, k.name)
		}
	}
	switch {
	case len(set) == 0:
		c.fail("give one of equals, in, matches, exists, notEmpty, absent, hasKeys, atLeast, atMost, preservedFrom, unique, live, count",
			"nothing is said of the object", "object")
		return
	case len(set) > 1:
		c.fail("make two assertions of it", "both "+set[0]+" and "+set[1]+" are asked of the object", set[1])
		return
	}
	owners := a.Live != nil && a.Live.Owners
	switch {
	case a.Count == nil && !owners && a.Path == "":
		c.fail("name the value, such as path: spec.nodeName", set[0]+" needs a path", set[0])
	case (a.Count != nil || owners) && a.Path != "":
		c.fail("leave out the path", set[0]+" is about the objects, not about a value of them", "path")
	}
	if a.In != nil && len(a.In) == 0 {
		c.fail("list what is allowed", "in is empty", "in")
	}
	if a.HasKeys != nil && len(a.HasKeys) == 0 {
		c.fail("list the keys", "hasKeys is empty", "hasKeys")
	}
	if a.PreservedFrom != "" && a.PreservedFrom == a.Object.Moment {
		c.fail("name an earlier moment", "preservedFrom is the moment of the object itself", "preservedFrom")
	}
	c.regexp(a.Matches, "matches")
	c.bounds(a.Count, "count")
	c.live(a.Live, a.Object.Moment)
}

func (c *caseCheck) live(l *Live, moment string) {
	if l == nil {
		return
	}
	if l.Owners {
		if l.Kind != "" || l.Entries != "" || l.Pattern != "" || l.Path != "" || l.Namespace != "" {
			c.fail("owner references say themselves what they name", "owners goes with no other key but where and since", "live")
		}
	} else if l.Kind == "" {
		c.fail("name it, such as kind: Pod, or write owners: true", "live does not say what kind of object is named", "live")
	}
	if l.Entries != "" && l.Entries != "keys" && l.Entries != "values" {
		c.fail("write keys or values", "unknown entries "+quote(l.Entries), "live", "entries")
	}
	if l.Since != "" && l.Since == moment {
		c.fail("name an earlier moment", "since is the moment of the object itself", "live", "since")
	}
	c.regexp(l.Pattern, "live", "pattern")
}

func (c *caseCheck) window(a *Assertion) {
	switch {
	case a.Within < 0:
		c.fail("", "the window must be longer than nothing", "within")
	case a.Within == 0 && a.Reaches != nil:
		c.fail("say how soon, such as within: 30s", "reaches without within", "reaches")
	case a.Within == 0 && a.OrBefore:
		c.fail("say how soon, such as within: 30s", "orBefore without within", "orBefore")
	case a.Within == 0 && a.After != nil:
		c.fail("say how soon, such as within: 30s", "after without within", "after")
	case a.Within != 0 && a.Reaches == nil:
		c.fail("say what must be reached, such as reaches: {action: {action: pod-bound}}", "within without reaches", "within")
	}
	c.record(a.After, "after")
	c.record(a.Reaches, "reaches")
	if a.Reaches != nil && (a.Reaches.Start || a.Reaches.Moment != "") {
		c.fail("name an action, event, progress, probe or object", "the start of the run and snapshots are not reached", "reaches")
	}
	if a.Within != 0 && a.Object == nil {
		c.bounds(a.Count, "count")
	}
}

// record holds a record to one kind of evidence.
func (c *caseCheck) record(r *Record, path ...string) {
	if r == nil {
		return
	}
	n := 0
	for _, set := range []bool{r.Start, r.Moment != "", r.Action != nil, r.Event != nil, r.Progress != nil, r.Probe != nil, r.Object != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		c.fail("give one of start, moment, action, event, progress, probe, object", source.Sprintf("%d kinds of evidence are named; want one", n), path...)
	}
	if r.Event != nil {
		c.regexp(r.Event.Message, append(path, "event", "message")...)
	}
	if r.Object != nil {
		c.object(&r.Object.ObjectSelector, append(path, "object")...)
		if r.Object.Path == "" {
			c.fail("name the time, such as path: status.startTime", "the path of the object's time is missing", append(path, "object")...)
		}
	}
}

// counts holds the questions that count to bounds that can be kept.
func (c *caseCheck) counts(a *Assertion) {
	if a.Panics != nil {
		c.bounds(&a.Panics.Count, "panics")
	}
	if r := a.Restarts; r != nil {
		c.bounds(&r.Count, "restarts")
		if r.Pods != nil {
			c.object(r.Pods, "restarts", "pods")
		}
	}
	if m := a.ManualActions; m != nil {
		c.bounds(&m.Count, "manualActions")
		c.record(m.After, "manualActions", "after")
		c.record(m.Until, "manualActions", "until")
	}
	e := a.Executions
	if e == nil {
		return
	}
	c.bounds(&e.Count, "executions")
	c.record(e.Of, "executions", "of")
	if e.Of == nil || e.Of.Action == nil && e.Of.Event == nil && e.Of.Progress == nil {
		c.fail("write of: {progress: {event: started}}, or name an action or event", "executions does not say what stands for one", "executions")
	}
}

func (c *caseCheck) bounds(n *Count, path ...string) {
	if n == nil {
		return
	}
	switch {
	case n.Equals != nil && (n.AtLeast != nil || n.AtMost != nil):
		c.fail("leave out one of them", "equals stands with atLeast or atMost", path...)
	case n.AtLeast != nil && n.AtMost != nil && *n.AtLeast > *n.AtMost:
		c.fail("", "atLeast is above atMost: nothing can hold", path...)
	}
	for _, v := range []*int64{n.Equals, n.AtLeast, n.AtMost} {
		if v != nil && *v < 0 {
			c.fail("", "a count is not below zero", path...)
		}
	}
}

func (c *caseCheck) regexp(text string, path ...string) {
	if text == "" {
		return
	}
	if _, err := regexp.Compile(text); err != nil {
		c.fail("", err.Error(), path...)
	}
}
