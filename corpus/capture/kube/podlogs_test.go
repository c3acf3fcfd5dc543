package kube

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus/capture"
)

// lamps is what most tests record.
func lamps(config string) Spec {
	return Spec{Kubeconfig: config, Context: "one", Selector: "app=lamp", Without: []string{Nodes, Events}, Since: time.Hour}
}

func one(t testing.TB) (*api, Spec) {
	a := newAPI(t)
	return a, lamps(kubeconfig(t, map[string]*api{"one": a}))
}

// lines waits until a capture has so many records.
func (r *running) lines(n int64) {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("%d lines", n), func() bool { return r.session.Stats().Lines >= n })
}

func same(t *testing.T, r *recorded, pod string, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, r.lines[pod+"/manager"]); diff != "" {
		t.Errorf("lines of %s (-want +got):\n%s", pod, diff)
	}
}

func TestFollow(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a", "b", "")
	r := capturing(t, nil, spec)
	r.lines(3)
	q := a.pod("lamp-2").start() // found while the capture goes on
	q.write("x")
	p.write("c", "c")
	r.lines(6)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a", "b", "", "c", "c"})
	same(t, run, "lamp-2", []string{"x"})
	s := run.stream(t, "lamp-1")
	want := map[string]string{"app": "lamp", "cluster": "one", "container": "manager", "job": "lamps/lamp", "namespace": "lamps", "node": "n1", "pod": "lamp-1"}
	if diff := cmp.Diff(want, s.Labels); diff != "" {
		t.Error(diff)
	}
	if len(s.Gaps) > 0 || s.Time.Source != "prefix" || run.m.Completeness.State != "complete" {
		t.Errorf("gaps %v, time %+v, %+v", s.Gaps, s.Time, run.m.Completeness)
	}
}

// Connections that end early, in the middle of a line or not, with an error or
// as if all was well, or never, lose and double nothing.
func TestFollow_Torn(t *testing.T) {
	for _, how := range []string{"clean", "abort", "hang"} {
		for _, version := range []int{1, 2} {
			t.Run(fmt.Sprint(how, " HTTP/", version), func(t *testing.T) {
				t.Parallel()
				a := newAPI(t)
				if version == 2 {
					a.http2()
				}
				torn(t, a, how)
			})
		}
	}
}

func torn(t *testing.T, a *api, how string) {
	spec := lamps(kubeconfig(t, map[string]*api{"one": a}))
	p := a.pod("lamp-1").start()
	at := time.Now()
	want := append(numbered(1, 40), "same", "same")
	p.writeAt(at, want...)
	answers := 0
	a.torn = func(*http.Request) *tear {
		if answers++; answers < 12 {
			return &tear{after: 200 * answers, how: how}
		}
		return nil
	}
	r := capturing(t, nil, spec)
	r.lines(42)
	p.writeAt(at, "same") // once more at the same time
	run := r.finish()
	same(t, run, "lamp-1", append(want, "same"))
	if g := run.gaps(t, "lamp-1"); len(g) > 0 {
		t.Error(g)
	}
}

func TestFollow_Refusals(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write(numbered(1, 10)...)
	var n counter
	a.fault = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/log") {
			switch i := n.add("other"); {
			case i < 3:
				fail(w, http.StatusServiceUnavailable, "ServiceUnavailable", "not yet")
			case i < 5:
				// A server that starts refuses what it does not know yet.
				fail(w, http.StatusForbidden, "Forbidden", "RBAC: not known yet")
			default:
				return false
			}
			return true
		}
		switch i := n.add("log"); {
		case i < 3:
			fail(w, http.StatusInternalServerError, "InternalError", "dial tcp: no route to node")
		case i < 6:
			w.Header().Set("Retry-After", "0")
			fail(w, http.StatusTooManyRequests, "TooManyRequests", "slow down")
		default:
			return false
		}
		return true
	}
	r := capturing(t, nil, spec)
	r.lines(10)
	run := r.finish()
	same(t, run, "lamp-1", numbered(1, 10))
	if run.m.Completeness.State != "complete" {
		t.Errorf("%+v", run.m.Completeness)
	}
}

// An API server that was started anew refuses all that it allowed before, for
// longer than a new permission is waited for, until it has read the roles.
func TestFollow_RefusedAfterOutage(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write(numbered(1, 10)...)
	patient := quick
	patient.Refused = 10 * time.Second
	r := capturingAt(t, nil, patient, spec)
	r.lines(10)
	began := time.Now()
	a.do(func() {
		a.fault = func(w http.ResponseWriter, r *http.Request) bool {
			switch since := time.Since(began); {
			case since < 100*time.Millisecond:
				panic(http.ErrAbortHandler)
			case since < 600*time.Millisecond:
				fail(w, http.StatusForbidden, "Forbidden", "RBAC: clusterrole not found")
				return true
			}
			return false
		}
	})
	a.server.CloseClientConnections()
	p.write(numbered(11, 20)...)
	time.Sleep(700 * time.Millisecond)
	p.write(numbered(21, 30)...)
	a.pod("lamp-2").start().write("later")
	r.lines(31)
	run := r.finish()
	same(t, run, "lamp-1", numbered(1, 30))
	same(t, run, "lamp-2", []string{"later"})
	if run.m.Completeness.State != "complete" {
		t.Errorf("%+v", run.m.Completeness)
	}
}

func TestRestart(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	// The connection hangs, so that what the process writes last is only in the
	// previous log.
	a.do(func() {
		a.torn = func(r *http.Request) *tear {
			if r.URL.Query().Get("previous") == "" && r.URL.Query().Get("follow") != "" {
				return &tear{after: 0, how: "hang"}
			}
			return nil
		}
	})
	a.server.CloseClientConnections()
	p.write("a2", "panic: a3")
	p.restart()
	p.write("b1")
	time.Sleep(50 * time.Millisecond)
	a.do(func() { a.torn = nil })
	r.lines(4)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "a2", "panic: a3", "b1"})
	s := run.stream(t, "lamp-1")
	if len(s.Gaps) > 0 || len(s.Epochs) != 2 || s.Epochs[0].Records != 3 || s.Epochs[1].Records != 1 {
		t.Errorf("gaps %v, epochs %+v", s.Gaps, s.Epochs)
	}
	facts, err := run.run.Facts(t.Context())
	if err != nil || facts == nil || len(facts.Actions) != 1 || facts.Actions[0].Action != "container-restarted" || facts.Actions[0].Actor != "observer" || facts.Actions[0].Target != "lamps/lamp-1/manager" {
		t.Errorf("%v %+v", err, facts)
	}
}

// The node knows of a restart before the API says so: the new log must not be
// taken for the rest of the old one.
func TestRestart_StatusIsLate(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	slow := quick
	slow.Settle = time.Second
	r := capturingAt(t, nil, slow, spec)
	r.lines(1)
	p.write("a2")
	p.end(true)
	p.start(true)
	p.write("b1")
	time.Sleep(20 * time.Millisecond)
	p.tell()
	r.lines(3)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "a2", "b1"})
	if e := run.stream(t, "lamp-1").Epochs; len(e) != 2 || e[0].Records != 2 {
		t.Errorf("epochs %+v", e)
	}
	if g := run.gaps(t, "lamp-1"); len(g) > 0 {
		t.Error(g)
	}
}

// It says so later than anybody waits: then the border between the processes is
// not known, but nothing is lost or doubled.
func TestRestart_StatusIsTooLate(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	a.do(func() { // what follows is not read before the restart
		a.fault = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/log") && len(a.logsOf(p)) == 1 {
				fail(w, http.StatusInternalServerError, "InternalError", "no route to node")
				return true
			}
			return false
		}
	})
	a.server.CloseClientConnections()
	p.write("a2")
	p.end(true)
	p.start(true)
	p.write("b1")
	r.lines(2)
	p.tell()
	r.lines(3)
	p.write("b2")
	r.lines(4)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "b1", "a2", "b2"})
	if !strings.Contains(joined(run.m.Notes), "told of a restart so late") {
		t.Errorf("notes %q", run.m.Notes)
	}
	if g := run.gaps(t, "lamp-1"); len(g) != 1 {
		t.Errorf("gaps %q", g)
	}
}

func (a *api) logsOf(p *podOn) []*processLog {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.logs[p.key()]
}

func TestRestart_ProcessesBetween(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	for _, line := range []string{"b1", "c1", "d1"} {
		p.end(true)
		p.start(true)
		p.write(line)
	}
	p.tell()
	r.lines(3)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "c1", "d1"})
	gaps := run.gaps(t, "lamp-1")
	if len(gaps) == 0 || !slices.ContainsFunc(gaps, func(g string) bool {
		return g == "the container was restarted 3 times between two looks: the logs of 1 processes are gone"
	}) {
		t.Errorf("gaps %q", gaps)
	}
	if run.m.Completeness.State != "incomplete" {
		t.Errorf("%+v", run.m.Completeness)
	}
}

// A container that had restarted before the capture.
func TestRestart_Before(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	p.restart()
	p.write("b1")
	p.restart()
	p.write("c1")
	run := func() *recorded { r := capturing(t, nil, spec); r.lines(2); return r.finish() }()
	same(t, run, "lamp-1", []string{"b1", "c1"})
	if g := run.gaps(t, "lamp-1"); len(g) > 0 {
		t.Error(g)
	}
}

func TestCrashLoop_Waiting(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	p.end()
	a.do(func() { p.store(object{"waiting": object{"reason": "CrashLoopBackOff"}}, p.status) })
	r := capturing(t, nil, spec)
	r.lines(1)
	p.start()
	p.write("b1")
	r.lines(2)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "b1"})
	if e := run.stream(t, "lamp-1").Epochs; len(e) != 2 {
		t.Errorf("epochs %+v", e)
	}
}

func TestRotation(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	old := time.Now().Add(-time.Minute)
	p.writeAt(old, "a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	var n counter
	a.do(func() {
		a.fault = func(w http.ResponseWriter, r *http.Request) bool {
			if n.of("open") == 0 && strings.HasSuffix(r.URL.Path, "/log") {
				fail(w, http.StatusInternalServerError, "InternalError", "no route to node")
				return true
			}
			return false
		}
	})
	a.server.CloseClientConnections()
	p.writeAt(old.Add(time.Second), "lost")
	p.rotate()
	p.write("a3", "a4")
	n.add("open")
	r.lines(3)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "a3", "a4"})
	g := run.stream(t, "lamp-1").Gaps
	if len(g) != 1 || !g[0].From.Equal(old.UTC()) || !strings.Contains(g[0].Reason, "rotated") || !g[0].To.After(old.Add(50*time.Second)) {
		t.Errorf("gaps %+v", g)
	}
}

// A log that is rotated just after what was read of it loses nothing.
func TestRotation_Between(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1", "a2", "a3")
	r := capturing(t, nil, spec)
	r.lines(3)
	p.a.do(func() { p.log().from = 2 }) // the last one is still there
	a.server.CloseClientConnections()
	p.write("a4")
	r.lines(4)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "a2", "a3", "a4"})
	if g := run.gaps(t, "lamp-1"); len(g) > 0 {
		t.Error(g)
	}
}

// What a process wrote last without a newline is a record; what a connection
// was torn in is not one yet.
func TestLastLine(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	a.do(func() { p.log().part = time.Now().UTC().Format(stampLayout) + " no newline" })
	r := capturing(t, nil, spec)
	r.lines(1)
	p.end()
	r.lines(2)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "no newline"})

	a, spec = one(t)
	p = a.pod("lamp-1").start()
	p.write("a1")
	a.do(func() { p.log().part = time.Now().UTC().Format(stampLayout) + " half of a" })
	r = capturing(t, nil, spec)
	r.lines(1)
	run = r.finish()
	same(t, run, "lamp-1", []string{"a1"})
	if !strings.Contains(joined(run.m.Notes), "the last line was not whole") {
		t.Errorf("notes %q", run.m.Notes)
	}
}

func TestDeletion(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	p.write("a2")
	p.end()
	r.lines(2)
	time.Sleep(20 * time.Millisecond)
	p.delete()
	// Another pod of that name, as a StatefulSet makes it.
	p2 := a.pod("lamp-1")
	p2.uid = "another"
	a.do(func() { a.logs[p.key()] = nil })
	p2.start()
	p2.write("b1")
	r.lines(3)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "a2", "b1"})
	if s := run.stream(t, "lamp-1"); len(s.Gaps) > 0 || len(s.Epochs) != 2 {
		t.Errorf("gaps %v, epochs %+v", s.Gaps, s.Epochs)
	}
}

// A pod that is killed while its log cannot be read leaves a gap.
func TestDeletion_Unread(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	a.do(func() {
		a.fault = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/log") && a.there("lamps/lamp-1") {
				fail(w, http.StatusInternalServerError, "InternalError", "no route to node")
				return true
			}
			return false
		}
	})
	a.server.CloseClientConnections()
	p.write("never read")
	p.delete()
	eventually(t, "a gap", func() bool { return r.session.Stats().Gaps == 1 })
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1"})
	if g := run.gaps(t, "lamp-1"); len(g) != 1 || !strings.Contains(g[0], "deleted before the end") {
		t.Errorf("gaps %q", g)
	}
}

func (a *api) there(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.objects["pods"][key] != nil
}

// The API server goes away and comes back; nothing is missing then.
func TestOutage(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	a.do(func() {
		a.fault = func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
		a.oldest = a.version + 1 // watches must begin anew
	})
	a.server.CloseClientConnections()
	p.write("a2")
	q := a.pod("lamp-2").start()
	q.write("x1")
	p.restart()
	p.write("b1")
	time.Sleep(60 * time.Millisecond)
	a.do(func() { a.fault = nil })
	r.lines(4)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "a2", "b1"})
	same(t, run, "lamp-2", []string{"x1"})
	if g := run.gaps(t, "lamp-1"); len(g) > 0 {
		t.Error(g)
	}
	if !strings.Contains(joined(run.m.Notes), "one: the API server gave no answer from ") {
		t.Errorf("notes %q", run.m.Notes)
	}
}

// It is away when the capture ends: what is not known is said.
func TestOutage_AtEnd(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	r := capturing(t, nil, spec)
	r.lines(1)
	a.do(func() { a.fault = func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) } })
	a.server.CloseClientConnections()
	run := r.finish()
	if g := run.gaps(t, "lamp-1"); len(g) != 1 || !strings.HasPrefix(g[0], "the log could not be read to its end: ") || run.m.Completeness.State != "incomplete" {
		t.Errorf("gaps %q, %+v", g, run.m.Completeness)
	}
}

// It was never there: a run without a record must not look whole.
func TestOutage_Whole(t *testing.T) {
	a, spec := one(t)
	spec.Without = nil
	spec.Objects, spec.Leases = []string{"jobs"}, []string{"lamps"}
	a.server.Close()
	r := capturing(t, nil, spec)
	time.Sleep(50 * time.Millisecond)
	run := r.finish()
	reasons := joined(run.m.Completeness.Reasons)
	for _, want := range []string{"logs of pods with app=lamp of lamps in one: there never was an answer: ", "events of lamps in one: ", "nodes of one: there never", "inventory of one: there never", "jobs of lamps in one: ", "leases of lamps in one: there never"} {
		if !strings.Contains(reasons, want) {
			t.Errorf("no %q in %s", want, reasons)
		}
	}
}

func TestContexts(t *testing.T) {
	a, b := newAPI(t), newAPI(t)
	config := kubeconfig(t, map[string]*api{"mgmt": a, "w/1": b})
	a.pod("lamp-1").start().write("on a")
	b.pod("lamp-1").start().write("on b")
	x, y := lamps(config), lamps(config)
	x.Context, x.Cluster, y.Context = "mgmt", "one", "w/1"
	r := capturing(t, nil, x, y)
	r.lines(2)
	run := r.finish()
	want := map[string][]string{"lamp-1/manager": {"on a"}, "w-1/lamp-1/manager": {"on b"}}
	if diff := cmp.Diff(want, run.lines); diff != "" {
		t.Error(diff)
	}
}

func TestResume(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1", "a2", "a2")
	q := a.pod("lamp-2").start()
	q.write("x1")
	lost := a.pod("lamp-3").start()
	lost.write("y1")
	r := capturing(t, nil, spec)
	r.lines(5)
	r.stop()
	if err := r.session.Leave(); err != nil {
		t.Fatal(err)
	}
	p.write("a3")
	q.write("x2")
	q.restart()
	q.write("z1")
	lost.rotate()
	lost.write("y3")
	r = capturing(t, r, spec)
	r.lines(4)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "a2", "a2", "a3"})
	same(t, run, "lamp-2", []string{"x1", "x2", "z1"})
	same(t, run, "lamp-3", []string{"y1", "y3"})
	if a, b, c := run.gaps(t, "lamp-1"), run.gaps(t, "lamp-2"), run.gaps(t, "lamp-3"); len(a)+len(b) > 0 || len(c) == 0 {
		t.Errorf("gaps %q %q %q", a, b, c)
	}
}

// A line that is too long is cut in the same way each time that it is read.
func TestLongLines(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	fits := strings.Repeat("f", capture.DefaultMaxLine)
	p.write(fits, fits+"12345", fits+strings.Repeat("x", 100))
	r := capturing(t, nil, spec)
	r.lines(3)
	a.server.CloseClientConnections()
	p.write("b")
	r.lines(4)
	r.stop()
	if err := r.session.Leave(); err != nil {
		t.Fatal(err)
	}
	p.write("c")
	r = capturing(t, r, spec)
	r.lines(1)
	run := r.finish()
	got := run.lines["lamp-1/manager"]
	want := []string{fits, fits + "…[cut: 4194309 bytes]", fits + "…[cut: 4194404 bytes]", "b", "c"}
	if len(got) != len(want) {
		t.Fatalf("%d lines", len(got))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d has %d bytes and ends in %q", i, len(got[i]), got[i][max(0, len(got[i])-30):])
		}
	}
	if g := run.gaps(t, "lamp-1"); len(g) > 0 {
		t.Error(g)
	}
}

// What is no line of the process is not taken for one, and is said.
func TestForeignLines(t *testing.T) {
	a, spec := one(t)
	p := a.pod("lamp-1").start()
	p.write("a1")
	a.do(func() {
		p.log().lines = append(p.log().lines, "unable to retrieve container logs", "0001-01-01T00:00:00Z x")
	})
	p.write("a2")
	r := capturing(t, nil, spec)
	r.lines(2)
	run := r.finish()
	same(t, run, "lamp-1", []string{"a1", "a2"})
	if notes := joined(run.m.Notes); !strings.Contains(notes, "unable to retrieve container logs") || !strings.Contains(notes, "0001-01-01") {
		t.Errorf("notes %q", notes)
	}
}

// The clock of a node is not that of this machine: no record is left out for
// that, and it is said.
func TestNodeClock(t *testing.T) {
	for ahead, note := range map[time.Duration]string{
		time.Hour:  `container manager of pod lamps/lamp-1: records came up to (59m59|1h0m0)`,
		-time.Hour: `container manager of pod lamps/lamp-1: no record came earlier than (59m59|1h0m0)`,
	} {
		t.Run(ahead.String(), func(t *testing.T) {
			a, spec := one(t)
			spec.Since = 0
			a.nodeClock = ahead
			p := a.pod("lamp-1").start()
			p.writeAt(time.Now().Add(ahead-time.Minute), "before the capture")
			r := capturing(t, nil, spec)
			var want []string
			for i := range 6 {
				time.Sleep(40 * time.Millisecond)
				p.writeAt(time.Now().Add(ahead), fmt.Sprint("a", i))
				want = append(want, fmt.Sprint("a", i))
				r.lines(int64(i + 1))
				if i == 2 {
					a.server.CloseClientConnections()
				}
			}
			run := r.finish()
			same(t, run, "lamp-1", want)
			if !regexp.MustCompile(note).MatchString(joined(run.m.Notes)) {
				t.Errorf("no %q in %q", note, run.m.Notes)
			}
		})
	}
}

// Whatever goes wrong between, the records are those that were written.
func TestFollow_Storm(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			storm(t, seed)
		})
	}
}

func storm(t *testing.T, seed uint64) {
	a, spec := one(t)
	random := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	roll := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n)
	}
	calm := false // under mu
	a.torn = func(*http.Request) *tear {
		if n := roll(5); n < 3 && !calmNow(&mu, &calm) {
			return &tear{after: roll(3000), how: []string{"clean", "abort", "hang"}[n]}
		}
		return nil
	}
	a.fault = func(w http.ResponseWriter, r *http.Request) bool {
		if calmNow(&mu, &calm) {
			return false
		}
		switch roll(20) {
		case 0:
			fail(w, http.StatusInternalServerError, "InternalError", "weather")
		case 1:
			panic(http.ErrAbortHandler)
		default:
			return false
		}
		return true
	}
	r := capturing(t, nil, spec)
	pods := []*podOn{a.pod("lamp-1").start(), a.pod("lamp-2").start()}
	want := map[string][]string{}
	for i := range 150 {
		for _, p := range pods {
			var lines []string
			for range roll(6) {
				lines = append(lines, fmt.Sprintf("line %d %s", i, strings.Repeat("x", roll(100))))
			}
			p.write(lines...)
			want[p.name] = append(want[p.name], lines...)
		}
		if i%50 == 49 {
			// A restart is seen before the next: others are tests of their own.
			p := pods[roll(2)]
			n := len(want[pods[0].name]) + len(want[pods[1].name])
			r.lines(int64(n))
			p.restart()
		}
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	calm = true
	mu.Unlock()
	run := r.finish()
	for _, p := range pods {
		same(t, run, p.name, want[p.name])
		if g := run.gaps(t, p.name); len(g) > 0 {
			t.Error(g)
		}
	}
}

func calmNow(mu *sync.Mutex, calm *bool) bool {
	mu.Lock()
	defer mu.Unlock()
	return *calm
}
