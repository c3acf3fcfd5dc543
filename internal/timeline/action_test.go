package timeline

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// dawn is 2026-04-05T06:00:00Z. A bridge fails a minute later, is mended after
// another, and the last ferry is back at sea at 06:04.
const dawn = 1775368800 * int64(time.Second)

func at(seconds int64) int64 { return dawn + seconds*int64(time.Second) }

func when(seconds int64) string { return utc(at(seconds)).Format(time.RFC3339) }

func bridgeRun() *Run {
	sails := Milestone{Name: "sails", State: Reached, At: at(240)}
	return &Run{
		Start: at(0), End: at(600),
		Failure:   Milestone{State: Reached, At: at(60)},
		Restored:  Milestone{State: Reached, At: at(120)},
		Declared:  []Declared{{Name: "sails", As: profile.Useful}},
		Workloads: []Workload{{ID: "bay/gull", Affected: Unfinished, Milestones: []Milestone{sails}, Names: []Name{{"trip", "", "bay", "gull", "u1"}}}},
	}
}

func bridgeMilestones() *profile.Milestones {
	on := func(action string) []profile.Evidence {
		return []profile.Evidence{{Action: &profile.ActionSelector{Action: action}}}
	}
	return &profile.Milestones{
		Work:    profile.Work{Entity: "trip", Submitted: on("book")},
		Failure: on("fog"), Restored: on("clear"),
		List: []profile.Milestone{{Name: "sails", As: profile.Useful, By: on("seen-sailing")}},
	}
}

// deeds says what was found, in words.
func deeds(r *Run) []string {
	out := []string{}
	for _, a := range r.Actions {
		what := ""
		switch {
		case a.Manual:
			what = "manual "
		case a.Unattributed:
			what = "unattributed "
		}
		out = append(out, fmt.Sprintf("%d %s%s: %s", (a.Time-dawn)/int64(time.Second), what, a.Kind, a.Evidence))
	}
	return out
}

func TestAct_Records(t *testing.T) {
	act := func(seconds int64, actor, action, target string) facts.Action {
		return facts.Action{Time: at(seconds), Actor: actor, Action: action, Target: target}
	}
	audit := func(seconds int64, user, verb string) facts.Action {
		a := act(seconds, "", verb, "lamp")
		a.Raw = fmt.Sprintf(`{"user":{"username":%q},"verb":%q}`, user, verb)
		return a
	}
	asked := act(130, "operator", "restart", "lamp")
	asked.Requested = true
	for name, x := range map[string]struct {
		actions []facts.Action
		want    []string
	}{
		"restart":            {[]facts.Action{act(130, "operator", "restart", "lamp")}, []string{"130 manual action: action restart lamp by operator"}},
		"anything":           {[]facts.Action{act(130, "jo@bay", "polish", "lamp")}, []string{"130 manual action: action polish lamp by jo@bay"}},
		"before the failure": {[]facts.Action{act(30, "operator", "restart", "lamp")}, []string{"30 action: action restart lamp by operator"}},
		"after the recovery": {[]facts.Action{act(241, "operator", "restart", "lamp")}, []string{"241 action: action restart lamp by operator"}},
		"a look":             {[]facts.Action{act(130, "operator", "describe-pod", "lamp")}, []string{"130 action: action describe-pod lamp by operator"}},
		"a look by command": {[]facts.Action{act(130, "jo@bay", "kubectl get pods", "lamp"), act(131, "jo@bay", "kubectl -n bay rollout status", "lamp"), act(132, "jo@bay", "kubectl logs -f", "lamp")}, []string{
			"130 action: action kubectl get pods lamp by jo@bay", "131 action: action kubectl -n bay rollout status lamp by jo@bay", "132 action: action kubectl logs -f lamp by jo@bay"}},
		"a deed by command": {[]facts.Action{act(130, "jo@bay", "kubectl get pods | xargs kubectl delete", "lamp"), act(131, "jo@bay", "kubectl -n get delete", "lamp"), act(132, "jo@bay", "kubectl", "lamp"), act(133, "jo@bay", "kubectl -n", "lamp")}, []string{
			"130 manual action: action kubectl get pods | xargs kubectl delete lamp by jo@bay", "131 manual action: action kubectl -n get delete lamp by jo@bay", "132 manual action: action kubectl lamp by jo@bay", "133 manual action: action kubectl -n lamp by jo@bay"}},
		"asked for":          {[]facts.Action{asked}, []string{"130 action: action restart lamp by operator"}},
		"the drill itself":   {[]facts.Action{act(60, "operator", "fog", "bay"), act(120, "operator", "clear", "bay"), act(240, "operator", "seen-sailing", "")}, []string{"60 action: action fog bay by operator", "120 action: action clear bay by operator", "240 action: action seen-sailing by operator"}},
		"machines":           {[]facts.Action{act(130, "fake-kubelet", "restart", "lamp"), act(131, "observer", "pod-deleted", "x"), act(132, "system:serviceaccount:kube-system:job-controller", "delete", "x")}, []string{"130 action: action restart lamp by fake-kubelet"}},
		"a script":           {[]facts.Action{act(130, "script", "restarted-lamp", "lamp"), act(140, "script", "wait", ""), act(150, "", "resubmitting", "bay/gull")}, []string{"130 unattributed action: action restarted-lamp lamp by script", "140 action: action wait by script", "150 unattributed action: action resubmitting bay/gull"}},
		"handed in":          {[]facts.Action{act(70, "user", "book", "bay/gull")}, []string{"70 action: action book bay/gull by user"}},
		"handed in again":    {[]facts.Action{act(70, "user", "book", "bay/gull"), act(150, "user", "book", "bay/gull")}, []string{"70 action: action book bay/gull by user", "150 manual action: action book bay/gull by user"}},
		"of before, again":   {[]facts.Action{act(10, "script", "book", "bay/gull"), act(150, "script", "book", "bay/gull")}, []string{"10 action: action book bay/gull by script", "150 unattributed action: action book bay/gull by script"}},
		"audit":              {[]facts.Action{audit(130, "mia", "patch"), audit(140, "mia", "get"), audit(150, "system:node:n1", "patch")}, []string{"130 manual event: action patch lamp by mia", "140 event: action get lamp by mia"}},
		"words that are not": {[]facts.Action{act(130, "script", "updates-seen", ""), act(131, "script", "restarter", ""), act(132, "script", "undeleted", "")}, []string{"130 unattributed action: action updates-seen by script", "131 action: action restarter by script", "132 action: action undeleted by script"}},
	} {
		r := bridgeRun()
		r.Act(&outcome.Run{Facts: &facts.Facts{Actions: x.actions}}, bridgeMilestones(), nil)
		if diff := cmp.Diff(x.want, deeds(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAct_Declared(t *testing.T) {
	r := bridgeRun()
	actions := []facts.Action{{Time: at(130), Actor: "Keeper-Ann", Action: "restart"}, {Time: at(131), Actor: "operator", Action: "restart"}, {Time: at(132), Actor: "keeper", Action: "sweep-deck"}}
	r.Act(&outcome.Run{Facts: &facts.Facts{Actions: actions}}, bridgeMilestones(), &profile.Manual{Actors: []string{"keeper*"}, Except: []string{"sweep-*"}})
	want := []string{"130 manual action: action restart by Keeper-Ann", "131 action: action restart by operator", "132 action: action sweep-deck by keeper"}
	if diff := cmp.Diff(want, deeds(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAct_Open(t *testing.T) {
	late := []facts.Action{{Time: at(500), Actor: "operator", Action: "restart"}}
	r := bridgeRun()
	r.Workloads[0].Milestones[0] = Milestone{Name: "sails", State: Missing, Reason: CaptureEnded}
	r.Act(&outcome.Run{Facts: &facts.Facts{Actions: late}}, bridgeMilestones(), nil)
	if n, _ := r.Manual(); n != 1 {
		t.Errorf("it never recovered, so all is on the way: %v", deeds(r))
	}
	r = bridgeRun()
	r.Failure = Milestone{State: Missing}
	r.Act(&outcome.Run{Facts: &facts.Facts{Actions: late}}, bridgeMilestones(), nil)
	if n, u := r.Manual(); n+u != 0 || len(r.Actions) != 1 {
		t.Errorf("nothing failed: %v", deeds(r))
	}
}

func TestAct_Objects(t *testing.T) {
	thing := func(moment string, seconds int64, kind, name, uid, meta string) facts.Object {
		return facts.Object{Moment: moment, Time: at(seconds), APIVersion: "v1", Kind: kind, Namespace: "bay", Name: name, UID: uid, Created: at(-1000), Raw: `{"metadata":{` + meta + `}}`}
	}
	managed := func(manager string, seconds int64, more string) string {
		return fmt.Sprintf(`"generation":2,"managedFields":[{"manager":%q,"operation":"Update","time":%q%s}]`, manager, when(seconds), more)
	}
	owned := func(o facts.Object) facts.Object {
		o.Owners = []facts.Owner{{Kind: "X", Name: "x"}}
		return o
	}
	first := thing("a", 50, "Lamp", "north", "l", `"generation":1`)
	restarted := thing("b", 300, "Deployment", "pilot", "d", "")
	restarted.Raw = fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":%q}}}}}`, when(140))
	trip := func(moment string, seconds int64, uid string) facts.Object {
		o := thing(moment, seconds, "Trip", "gull", uid, `"generation":1`)
		o.Created = at(seconds - 10)
		return o
	}
	for name, x := range map[string]struct {
		objects []facts.Object
		actions []facts.Action
		want    []string
	}{
		"kubectl edit": {[]facts.Object{first, thing("b", 300, "Lamp", "north", "l", managed("kubectl-edit", 150, ""))}, nil, []string{"150 manual object: Lamp bay/north was changed through the field manager kubectl-edit"}},
		"its status":   {[]facts.Object{first, thing("b", 300, "Lamp", "north", "l", managed("kubectl-edit", 150, `,"subresource":"status"`))}, nil, []string{"240 unattributed object: the generation of Lamp bay/north rose from 1 at a to 2 at b"}},
		"a controller": {[]facts.Object{first, thing("b", 300, "Lamp", "north", "l", managed("lamp-controller", 150, ""))}, nil, []string{}},
		"long before":  {[]facts.Object{thing("b", 300, "Lamp", "north", "l", managed("kubectl", -500, ""))}, nil, []string{}},
		"made by kubectl": {[]facts.Object{func() facts.Object {
			o := thing("b", 300, "Lamp", "north", "l", managed("kubectl", 150, ""))
			o.Created = at(150)
			return o
		}()}, nil, []string{}},
		"rollout restart":    {[]facts.Object{restarted}, nil, []string{"140 manual object: Deployment bay/pilot has kubectl.kubernetes.io/restartedAt"}},
		"recorded, too":      {[]facts.Object{restarted}, []facts.Action{{Time: at(139), Actor: "operator", Action: "restart", Target: "bay/pilot"}}, []string{"139 manual action: action restart bay/pilot by operator"}},
		"generation":         {[]facts.Object{first, thing("b", 180, "Lamp", "north", "l", `"generation":3`)}, nil, []string{"180 unattributed object: the generation of Lamp bay/north rose from 1 at a to 3 at b"}},
		"recorded edit":      {[]facts.Object{first, thing("b", 180, "Lamp", "north", "l", `"generation":3`)}, []facts.Action{{Time: at(90), Actor: "operator", Action: "patch", Target: "Lamp bay/north"}}, []string{"90 manual action: action patch Lamp bay/north by operator"}},
		"generation, owned":  {[]facts.Object{owned(first), owned(thing("b", 180, "Lamp", "north", "l", `"generation":3`))}, nil, []string{}},
		"generation of work": {[]facts.Object{thing("a", 50, "Trip", "gull", "u1", `"generation":1`), thing("b", 180, "Trip", "gull", "u1", `"generation":2`)}, nil, []string{}},
		"generation, later":  {[]facts.Object{thing("a", 250, "Lamp", "north", "l", `"generation":1`), thing("b", 300, "Lamp", "north", "l", `"generation":3`)}, nil, []string{}},
		"work made anew":     {[]facts.Object{trip("a", 50, "u0"), trip("b", 180, "u1")}, nil, []string{"170 unattributed object: Trip bay/gull has another UID at b than at a"}},
		"a pod made anew":    {[]facts.Object{owned(thing("a", 50, "Pod", "p", "p1", "")), owned(thing("b", 180, "Pod", "p", "p2", ""))}, nil, []string{}},
	} {
		r := bridgeRun()
		r.Act(&outcome.Run{Facts: &facts.Facts{Objects: x.objects, Actions: x.actions, Moments: []string{"a", "b"}}}, bridgeMilestones(), nil)
		if diff := cmp.Diff(x.want, deeds(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
