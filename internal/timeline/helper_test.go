package timeline

import (
	"fmt"
	"testing"

	"github.com/stillfires/stillfires/internal/facts"
)

// piers is a harbour: a ship is moored by what is said of it, if it shows a
// pier. A tug, which is a ship as well, keeps a pier free for another.
const piers = `name: piers
correlation:
  entities:
    - {name: tug, kind: sea.example/Ship, labels: {role: tug}}
    - {name: ship, kind: sea.example/Ship}
  links:
    - {from: ship, to: tug, by: [{on: tug, label: for, is: name}]}
  chain: [ship, tug]
milestones:
  work: {entity: ship, submitted: [{action: {action: call}}]}
  failure: [{action: {action: storm}}]
  restored: [{action: {action: calm}}]
  list:
    - name: moored
      as: useful
      by:
        - {condition: {kind: sea.example/Ship, type: Moored}, confirm: {kind: sea.example/Ship, path: spec.pier}}
        - {event: {reason: Moored, kind: Ship}, confirm: {kind: sea.example/Ship, path: spec.pier}}
`

// TestBuild_Helper: what bears a claim out is the object that it is about: no
// other of the same work, and none of the same name.
func TestBuild_Helper(t *testing.T) {
	p := parse(t, piers)
	f := func(name, want string, change func(*night)) {
		t.Helper()
		n := newNight()
		n.Facts.Objects = nil
		n.act(15, "call", "sky/gull")
		change(n)
		r := Build(&n.Run, p.Milestones, p.Correlation)
		if got := show(&r); got != "sky/gull submitted-during: moored "+want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
	moored := func(at float64) string {
		return fmt.Sprintf(`{"type":"Moored","status":"True","lastTransitionTime":%q}`, stamp(at))
	}
	ship := func(n *night, name, uid, pier, condition string) *facts.Object {
		o := n.object("dawn", "", "Ship", name, "", fmt.Sprintf(`{"spec":{"pier":%q},"status":{"conditions":[%s]}}`, pier, condition))
		o.APIVersion, o.UID, o.Time = "sea.example/v1", uid, ns(290)
		return o
	}
	tug := func(n *night) {
		o := ship(n, "pusher", "u9", "pier 9", moored(35))
		o.Labels["role"], o.Labels["for"] = "tug", "gull"
	}
	event := func(n *night, uid, name string) {
		n.Facts.Events = append(n.Facts.Events, facts.Event{First: ns(36), Last: ns(36), Reason: "Moored", Object: facts.Ref{Kind: "Ship", Namespace: "sky", Name: name, UID: uid}})
	}
	f("by its condition, with a pier", "7.0", func(n *night) { ship(n, "gull", "u1", "pier 1", moored(37)) })
	f("without a pier", "capture-ended", func(n *night) { ship(n, "gull", "u1", "", moored(37)) })
	f("without a pier, its tug has one", "capture-ended", func(n *night) { ship(n, "gull", "u1", "", moored(37)); tug(n) })
	f("with a pier, its tug was moored earlier", "7.0", func(n *night) { tug(n); ship(n, "gull", "u1", "pier 1", moored(37)) })
	f("an event of the tug", "capture-ended", func(n *night) { ship(n, "gull", "u1", "pier 1", ""); tug(n); event(n, "u9", "pusher") })
	f("an event of it", "6.0", func(n *night) { ship(n, "gull", "u1", "pier 1", ""); tug(n); event(n, "u1", "gull") })
	f("an event of another ship of the name", "capture-ended", func(n *night) { ship(n, "gull", "u1", "pier 1", ""); event(n, "u2", "gull") })
	f("an event that says no UID", "6.0", func(n *night) { ship(n, "gull", "u1", "pier 1", ""); event(n, "", "gull") })
}
