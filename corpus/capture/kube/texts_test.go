package kube

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus"
)

func TestContact_Skew(t *testing.T) {
	local := time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC)
	var c contact
	// The server is 10.3 s ahead; each answer takes 20 ms.
	for i := range 40 {
		sent := local.Add(time.Duration(i) * 137 * time.Millisecond)
		server := sent.Add(10*time.Millisecond + 10300*time.Millisecond)
		c.answered(sent, sent.Add(20*time.Millisecond), server.Truncate(time.Second).Format(http.TimeFormat))
	}
	ahead, off, ok := c.skew()
	if !ok || (ahead-10300*time.Millisecond).Abs() > off || off > 60*time.Millisecond || c.steps != 0 {
		t.Errorf("ahead %s ± %s, %d steps", ahead, off, c.steps)
	}
	if text := clockText(ahead, off); !strings.HasPrefix(text, "is 10.") || !strings.Contains(text, "ahead of this machine's, give or take") {
		t.Error(text)
	}
	if text := clockText(-time.Minute, time.Second); text != "is 1m0s behind this machine's, give or take 1s" {
		t.Error(text)
	}
	c.answered(local, local, local.Format(http.TimeFormat)) // it is set
	if ahead, _, _ := c.skew(); c.steps != 1 || ahead > time.Second {
		t.Errorf("ahead %s, %d steps", ahead, c.steps)
	}
	c.answered(local, local, "soon")
	if c.answers != 41 {
		t.Errorf("%d answers", c.answers)
	}
}

func TestNameOf(t *testing.T) {
	for context, want := range map[string]string{
		"management": "management", "arn:aws:eks:eu:1:cluster/a": "arn-aws-eks-eu-1-cluster-a", "": "cluster", "...": "cluster",
		"-x.": "x", strings.Repeat("ä", 200): strings.Repeat("ä", 45) + "~" + shortHash(strings.Repeat("ä", 200)),
	} {
		got := nameOf(context)
		if got != want {
			t.Errorf("nameOf(%q) = %q; want %q", context, got, want)
		}
		if err := corpus.CheckFile("events", corpus.FileKey{Cluster: got}); err != nil {
			t.Error(err)
		}
	}
}

func TestLogFlags(t *testing.T) {
	for args, want := range map[string][2]string{
		"":                                      {"", ""},
		"--v=4 --logging-format=json":           {"4", "json"},
		"-v 2 --zap-encoder console":            {"2", "console"},
		"--zap-log-level=debug --zap-devel":     {"debug", "console"},
		"--zap-devel=false":                     {"", ""},
		"--leader-elect --log-level info serve": {"info", ""},
		"v=4 --vmodule=x=3":                     {"", ""},
	} {
		v, e := logFlags(strings.Fields(args))
		if v != want[0] || e != want[1] {
			t.Errorf("logFlags(%q) = %q, %q; want %q", args, v, e, want)
		}
	}
}

func TestMasked(t *testing.T) {
	in := strings.Fields("--token=a --token-file=/b --api-key c --password d --feature-gates=Token=true -v 2")
	want := strings.Fields("--token=(left_out) --token-file=/b --api-key (left_out) --password (left_out) --feature-gates=Token=true -v 2")
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "_", " ")
	}
	if got := masked(in); !slices.Equal(got, want) {
		t.Errorf("got %q; want %q", got, want)
	}
}

func TestImageTexts(t *testing.T) {
	for image, want := range map[string]string{"a": "", "a:v1": "v1", "r:5000/a": "", "r:5000/a:v2@sha256:1": "v2", "a@sha256:1": ""} {
		if got := tagOf(image); got != want {
			t.Errorf("tagOf(%q) = %q; want %q", image, got, want)
		}
	}
	for id, want := range map[string]string{"docker-pullable://r/a@sha256:1": "sha256:1", "sha256:2": "sha256:2", "docker://sha256:3": "sha256:3", "": ""} {
		if got := digestOf(id); got != want {
			t.Errorf("digestOf(%q) = %q; want %q", id, got, want)
		}
	}
}

func TestApp(t *testing.T) {
	yes := true
	f := func(want string, labels map[string]string, kind, owner string) {
		t.Helper()
		var p pod
		p.Metadata.Name, p.Metadata.Labels = "lamp-7d9c5b6f4-x2v4k", labels
		p.Metadata.OwnerReferences = append(p.Metadata.OwnerReferences, struct {
			Kind       string `json:"kind"`
			Name       string `json:"name"`
			Controller *bool  `json:"controller"`
		}{kind, owner, &yes})
		if got := p.app(); got != want {
			t.Errorf("app() = %q; want %q", got, want)
		}
	}
	f("named", map[string]string{"app.kubernetes.io/name": "named", "app": "x"}, "ReplicaSet", "lamp-7d9c5b6f4")
	f("x", map[string]string{"app": "x"}, "", "")
	f("lamp", nil, "ReplicaSet", "lamp-7d9c5b6f4")
	f("lamp-7d9c5b6f4", nil, "StatefulSet", "lamp-7d9c5b6f4")
}

// Which containers are wanted, and which process their status tells of.
func TestContainers(t *testing.T) {
	var p pod
	text := `{"spec": {
		"initContainers": [{"name": "prepare"}, {"name": "proxy", "restartPolicy": "Always"}],
		"containers": [{"name": "main"}, {"name": "side"}],
		"ephemeralContainers": [{"name": "debug"}]},
		"status": {"containerStatuses": [
			{"name": "main", "containerID": "c2", "restartCount": 1, "state": {"running": {"startedAt": "2026-11-30T17:00:00Z"}},
			 "lastState": {"terminated": {"containerID": "c1", "exitCode": 137, "reason": "OOMKilled"}}},
			{"name": "side", "containerID": "s1", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
			 "lastState": {"terminated": {"containerID": "s1", "exitCode": 1}}}]}}`
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]Spec{
		"prepare proxy main side":       {},
		"proxy main side":               {Without: []string{InitContainers}},
		"prepare proxy main side debug": {Ephemeral: true},
		"main":                          {Containers: []string{"main"}},
	} {
		var got []string
		s.eachContainer(&p, func(c *container, _ []containerStatus) { got = append(got, c.Name) })
		if strings.Join(got, " ") != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
	var s Spec
	looks := map[string]*look{}
	s.eachContainer(&p, func(c *container, status []containerStatus) { looks[c.Name] = lookAt(&p, c, status) })
	for name, want := range map[string][3]string{"main": {"c2", "c1", "false"}, "side": {"s1", "", "true"}, "prepare": {"", "", "false"}} {
		l := looks[name]
		if got := [3]string{l.current.id, l.previous.id, strconv.FormatBool(l.current.ended())}; got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}

// Which of the containers the build is of, and that it does not matter which
// cluster answers first.
func TestImages_Describe(t *testing.T) {
	type run struct{ cluster, app, container, digest, component string }
	for name, test := range map[string]struct {
		runs   []run
		given  corpus.Build
		digest string // of the build
		notes  int
	}{
		"one":             {[]run{{"m", "lamp", "manager", "1", ""}}, corpus.Build{}, "1", 0},
		"two":             {[]run{{"m", "lamp", "manager", "1", ""}, {"m", "lamp", "proxy", "2", ""}}, corpus.Build{}, "", 3},
		"by container":    {[]run{{"m", "lamp", "manager", "1", "manager"}, {"m", "lamp", "proxy", "2", "manager"}}, corpus.Build{}, "1", 1},
		"by app":          {[]run{{"m", "lamp", "manager", "1", "lamp"}, {"m", "other", "proxy", "2", "lamp"}}, corpus.Build{}, "1", 1},
		"container first": {[]run{{"m", "proxy", "manager", "1", "proxy"}, {"m", "lamp", "proxy", "2", "proxy"}}, corpus.Build{}, "2", 1},
		"other name":      {[]run{{"m", "lamp", "manager", "1", "lantern"}}, corpus.Build{}, "1", 0},
		"two clusters":    {[]run{{"w", "lamp", "manager", "2", ""}, {"m", "lamp", "manager", "1", ""}}, corpus.Build{}, "1", 1},
		"the same in two": {[]run{{"w", "lamp", "manager", "1", ""}, {"m", "lamp", "manager", "1", ""}}, corpus.Build{}, "1", 0},
		"upgraded":        {[]run{{"m", "lamp", "manager", "2", ""}, {"m", "lamp", "manager", "1", ""}}, corpus.Build{}, "2", 1},
		"given":           {[]run{{"m", "lamp", "manager", "1", ""}}, corpus.Build{Digest: "0"}, "0", 0},
	} {
		t.Run(name, func(t *testing.T) {
			im := &images{named: map[[2]string]naming{}}
			m := &corpus.Manifest{Builds: []corpus.Build{test.given}}
			var notes []string
			for _, r := range test.runs {
				var p pod
				p.Metadata.Labels = map[string]string{"app": r.app}
				p.Spec.Containers = []container{{Name: r.container, Image: "i"}}
				p.Status.ContainerStatuses = []containerStatus{{Name: r.container, ImageID: r.digest}}
				im.saw(&cluster{name: r.cluster, spec: &Spec{Component: r.component}}, &p)
				notes = im.describe(m)
			}
			if m.Builds[0].Digest != test.digest || len(notes) != test.notes {
				t.Errorf("digest %q, notes %q; want %q, %d", m.Builds[0].Digest, notes, test.digest, test.notes)
			}
		})
	}
}
