package review

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/profile"
)

func TestNotifications(t *testing.T) {
	const text = `version: 1
profile: ../own.yaml
notifications:
  require: [Queue, cell, {name: team, labels: ['team|squad']}]
  sensitive: [{name: ticket, match: 'INC-[0-9]+'}]
  emails: true
`
	got, err := check("dir/s.yaml", text, ids)
	if err != nil {
		t.Fatal(err)
	}
	if got.Profile != "own.yaml" {
		t.Errorf("profile %q", got.Profile)
	}
	p, err := profile.NewPattern("lane")
	if err != nil {
		t.Fatal(err)
	}
	base := &profile.Notifications{
		Require:   []profile.Context{{Name: "queue", Labels: []profile.Pattern{p}}, {Name: "other"}},
		Sensitive: []profile.Sensitive{{Name: "x"}},
	}
	n := got.Notifications.With(base)
	fits := map[string]bool{}
	for _, c := range n.Require {
		for _, name := range []string{"lane", "cell_name", "excellent", "squad", "cellName", "sourceCell", "sourceCell2", "CELL", "cellar", "isCellar"} {
			if c.Fits(name) {
				fits[c.Name+" "+name] = true
			}
		}
	}
	if diff := cmp.Diff(map[string]bool{"queue lane": true, "cell cell_name": true, "cell cellName": true, "cell sourceCell": true, "cell sourceCell2": true, "cell CELL": true, "team squad": true}, fits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !n.Emails || len(n.Sensitive) != 2 || len(base.Sensitive) != 1 || base.Emails {
		t.Errorf("%+v of %+v", n, base)
	}
	if (*Notifications)(nil).With(base) != base {
		t.Error("without the key the profile does not hold")
	}
}

func TestNotifications_Errors(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := check("s.yaml", "version: 1\nnotifications: "+text+"\n", ids)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	f("{require: [a, a]}", `s.yaml:2:30: "a" is required twice; keep one of them`)
	f("{require: [{labels: [a]}]}", "s.yaml:2:27: a required context has no name; write name: NAME")
	f("{emails: 1}", "s.yaml:2:25: emails must be true or false; write true or false")
	f("{sensitive: [{name: a, match: 'x*'}]}",
		"s.yaml:2:46: the expression fits an empty text; write a regular expression")
	f("{requires: []}", `s.yaml:2:17: unknown key "requires"; did you mean require?`)
}
