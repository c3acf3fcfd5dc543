package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// An Action is something that was done to the cluster during a run.
type Action struct {
	Time                           int64 // nanoseconds
	Cluster, Actor, Action, Target string
	// Manual says that a person did it between the failure and the recovery;
	// what the drill itself does is not manual.
	Manual bool
	// Unattributed says that it would be manual if a person did it, but
	// nothing says who did.
	Unattributed bool
	// Kind is what shows it: "action", "event" (an audit-like one), "object"
	// (its generation rose, or a field manager that people use changed it).
	Kind     string
	Evidence string // the record in a line that is safe to show
}

// Manual counts the manual actions, and those of which nothing says who did
// them.
func (r *Run) Manual() (manual, unattributed int) {
	for i := range r.Actions {
		switch a := &r.Actions[i]; {
		case a.Manual:
			manual++
		case a.Unattributed:
			unattributed++
		}
	}
	return manual, unattributed
}

// maxActions bounds the actions of a run. Those by hand are kept first.
const maxActions = 2000

// Act notes what was done during the run, and which of it a person did between
// the failure and the recovery. The profile's part may be nil.
func (r *Run) Act(run *outcome.Run, m *profile.Milestones, manual *profile.Manual) {
	if run.Facts == nil {
		return
	}
	j := newJudge(r, run.Facts, m, manual)
	j.records()
	j.events()
	j.objects()
	slices.SortStableFunc(j.out, func(a, b Action) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Target, b.Target))
	})
	r.Actions = bounded(j.out)
}

// bounded leaves out the last of what nobody did by hand.
func bounded(all []Action) []Action {
	over := len(all) - maxActions
	for i := len(all) - 1; i >= 0 && over > 0; i-- {
		if a := &all[i]; !a.Manual && !a.Unattributed {
			all = slices.Delete(all, i, i+1)
			over--
		}
	}
	return all[:min(len(all), maxActions)]
}

// A judge tells what a person did from the rest.
type judge struct {
	run      *Run
	facts    *facts.Facts
	m        *profile.Milestones
	actors   []string
	looks    []string
	managers []string
	from, to int64 // the stretch that must do without; 0: there is none
	handed   map[string]bool
	out      []Action
}

func newJudge(r *Run, f *facts.Facts, m *profile.Milestones, manual *profile.Manual) *judge {
	if manual == nil {
		manual = &profile.Manual{}
	}
	j := &judge{run: r, facts: f, m: m, actors: manual.Actors, managers: manual.Managers, handed: map[string]bool{}}
	if len(j.actors) == 0 {
		j.actors = profile.DefaultActors()
	}
	if len(j.managers) == 0 {
		j.managers = profile.DefaultManagers()
	}
	j.looks = append(profile.DefaultLooks(), manual.Except...)
	if r.Failure.State == Reached {
		j.from, j.to = r.Failure.At, r.recovered()
	}
	return j
}

// recovered is when the last affected piece of work had recovered, or the end
// of the run where one had not.
func (r *Run) recovered() int64 {
	if r.Restored.State != Reached {
		return r.End
	}
	last := r.Restored.At
	name := goal(r.Declared, []Run{*r}, nil)
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.Affected == "" {
			continue
		}
		if r.Outcome(w, name) == Open {
			return r.End
		}
		if m := r.at(w, name); m != nil && m.State == Reached {
			last = max(last, m.At)
		} else {
			last = max(last, w.Finished, w.Failed)
		}
	}
	return last
}

func (j *judge) within(at int64) bool { return j.from != 0 && at >= j.from && at <= j.to }

// Who did something.
type who int

const (
	machine who = iota // a controller, a kubelet, an observer
	anybody            // a script, or nobody said
	person
)

// observer is the actor of records that say what was seen, not done.
const observer = "observer"

// scripts are actors that may stand for anybody.
var scripts = []string{"", "script", "script-*", "drill", "drill-*", "test", "tester", "harness", "runner", "scenario", "ansible", "terraform", "ci"}

func (j *judge) who(actor string) who {
	actor = strings.ToLower(actor)
	fits := func(glob string) bool { return globbed(glob, actor) }
	switch {
	case strings.HasPrefix(actor, "system:"):
		return machine
	case slices.ContainsFunc(j.actors, fits):
		return person
	case slices.ContainsFunc(scripts, fits):
		return anybody
	}
	return machine
}

// globbed is as [profile.Glob], of any case; an empty pattern fits only what is
// empty.
func globbed(glob, s string) bool {
	if glob == "" {
		return s == ""
	}
	return profile.Glob(strings.ToLower(glob), strings.ToLower(s))
}

// records judges what was recorded as actions.
func (j *judge) records() {
	for i := range j.facts.Actions {
		a := &j.facts.Actions[i]
		actor, kind := a.Actor, "action"
		by := j.who(actor)
		if name, ok := auditUser(a.Raw); ok {
			actor, kind = name, "event"
			if by = machine; !strings.HasPrefix(name, "system:") {
				by = person
			}
		}
		if actor == observer || strings.HasPrefix(actor, "system:") {
			continue // it says what was seen, or there are thousands of it
		}
		x := Action{Time: a.Time, Cluster: a.Cluster, Actor: actor, Action: a.Action, Target: a.Target, Kind: kind, Evidence: actionLine(actor, a.Action, a.Target)}
		if by == machine {
			j.out = append(j.out, x)
			continue
		}
		if again, part := j.again(a), j.partOfDrill(a); j.within(a.Time) && !part && !j.look(a.Action) && (again || !j.submission(a)) {
			switch {
			case by == person:
				x.Manual = true
			case again || intervenes(a.Action):
				x.Unattributed = true
			}
		}
		j.out = append(j.out, x)
	}
}

func actionLine(actor, action, target string) string {
	line := "action " + short(action)
	if target != "" {
		line += " " + short(target)
	}
	if actor != "" {
		line += " by " + short(actor)
	}
	return line
}

// auditUser returns who made the request of an audit record.
func auditUser(raw string) (string, bool) {
	user := gjson.Get(raw, "user.username")
	verb := gjson.Get(raw, "verb")
	return user.String(), user.Type == gjson.String && user.Str != "" && verb.Type == gjson.String
}

// look reports whether an action changes nothing, be it the name of one or a
// command line.
func (j *judge) look(action string) bool {
	verb := commandVerb(action)
	return slices.ContainsFunc(j.looks, func(glob string) bool { return globbed(glob, action) || verb != "" && globbed(glob, verb) })
}

// commandVerb returns what a command line of a tool of people does; empty: it
// is none, or does not say so plainly.
func commandVerb(action string) string {
	words := strings.Fields(action)
	if len(words) < 2 || !slices.Contains(tools, words[0]) {
		return ""
	}
	words = words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		if name := strings.TrimLeft(words[0], "-"); slices.Contains(valued, name) {
			words = words[1:] // its value is a word of its own
		}
		words = words[min(1, len(words)):]
	}
	if len(words) == 0 || strings.ContainsAny(action, ";|&$`\n") {
		return ""
	}
	if words[0] == "rollout" && len(words) > 1 && (words[1] == "status" || words[1] == "history") {
		return "view"
	}
	if slices.Contains(readers, words[0]) {
		return "view"
	}
	return words[0]
}

var (
	tools   = []string{"kubectl", "oc"}
	valued  = []string{"n", "namespace", "context", "kubeconfig", "cluster", "user", "s", "server", "v"}
	readers = []string{"logs", "top", "events", "explain", "api-resources", "version", "cluster-info", "diff", "wait"}
)

// again reports whether work is handed in that had been handed in before.
func (j *judge) again(a *facts.Action) (again bool) {
	if !j.submission(a) || a.Target == "" {
		return false
	}
	key := a.Cluster + "\x00" + a.Target
	again = j.handed[key]
	j.handed[key] = true
	return again
}

func (j *judge) submission(a *facts.Action) bool { return fitsAny(j.m.Work.Submitted, a) }

// partOfDrill reports whether an action is the loss itself, its end, something
// that was seen, or an end that was asked for.
func (j *judge) partOfDrill(a *facts.Action) bool {
	if a.Requested || fitsAny(j.m.Failure, a) || fitsAny(j.m.Restored, a) || fitsAny(j.m.Work.Finished, a) || fitsAny(j.m.Work.Failed, a) {
		return true
	}
	return !j.submission(a) && slices.ContainsFunc(j.m.List, func(m profile.Milestone) bool { return fitsAny(m.By, a) })
}

func fitsAny(by []profile.Evidence, a *facts.Action) bool {
	return slices.ContainsFunc(by, func(e profile.Evidence) bool { return e.Action != nil && chosen(e.Action, a) })
}

// interventions are the verbs by which people bring back work that does not
// come back by itself.
var interventions = strings.Fields(`restart reboot relaunch resubmit recreate requeue redeploy reinstall replace
	edit patch change modify update delete remove kill evict drain cordon uncordon scale rollback rollout annotate
	label suspend unsuspend resume approve apply cancel force fix repair reset retry unblock exec`)

// intervenes reports whether the name of an action holds such a verb, in any
// of its forms.
func intervenes(action string) bool {
	words := strings.FieldsFunc(strings.ToLower(action), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(interventions, func(verb string) bool {
			rest, ok := strings.CutPrefix(w, strings.TrimSuffix(verb, "e"))
			switch {
			case !ok:
				return false
			case w == verb:
				return true
			}
			rest = strings.TrimPrefix(rest, verb[len(verb)-1:]) // submitted, resetting
			return rest == "s" || rest == "es" || rest == "d" || rest == "ed" || rest == "ing"
		})
	})
}

// events judges events that a tool of people reported.
func (j *judge) events() {
	for i := range j.facts.Events {
		e := &j.facts.Events[i]
		actor := ""
		if name, ok := auditUser(e.Raw); ok && !strings.HasPrefix(name, "system:") {
			actor = name
		} else if e.Component != "" && j.tool(e.Component) {
			actor = e.Component
		}
		if actor == "" {
			continue
		}
		verb := cmp.Or(text(e.Raw, "verb"), e.Action, e.Reason)
		target := strings.TrimPrefix(e.Object.Kind+" "+joined(e.Object.Namespace, e.Object.Name), " ")
		j.found(Action{Time: e.Last, Cluster: e.Cluster, Actor: actor, Action: verb, Target: target, Kind: "event", Evidence: "event " + short(verb) + " of " + short(target) + " by " + short(actor), Manual: true})
	}
}

func (j *judge) tool(manager string) bool {
	return slices.ContainsFunc(j.managers, func(glob string) bool { return globbed(glob, manager) })
}

func joined(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// sameDeed is how far apart two records of one deed are.
const sameDeed = int64(5 * time.Second)

// found adds what events and objects show, if it is of the stretch, changes
// anything and was not recorded as an action.
func (j *judge) found(a Action) {
	if !j.within(a.Time) || j.look(a.Action) || slices.ContainsFunc(j.out, func(b Action) bool {
		return (b.Manual || b.Unattributed) && a.Time-b.Time <= sameDeed && b.Time-a.Time <= sameDeed && sameTarget(a.Target, b.Target)
	}) {
		return
	}
	j.out = append(j.out, a)
}

// sameTarget reports whether two texts name the same thing: the last part of
// one is a word of the other.
func sameTarget(a, b string) bool {
	return hasWord(a, lastWord(b)) || hasWord(b, lastWord(a))
}

func lastWord(s string) string {
	return s[strings.LastIndexAny(s, "/ ")+1:]
}
