package kube

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// A podOn is a pod of the API with one container, manager, whose processes a
// test starts and ends.
type podOn struct {
	a        *api
	name     string
	uid      string
	restarts int
	status   object
	started  time.Time
	id       string
	extra    func(pod object) // changes the pod before it is stored
}

const stampLayout = "2006-01-02T15:04:05.000000000Z07:00"

func (a *api) pod(name string) *podOn {
	p := &podOn{a: a, name: name, uid: "uid-" + name, restarts: -1}
	return p
}

func (p *podOn) key() string { return "lamps/" + p.name + "/manager" }

func (p *podOn) log() *processLog {
	all := p.a.logs[p.key()]
	return all[len(all)-1]
}

// start starts a process; quietly: the API does not say so yet.
func (p *podOn) start(quietly ...bool) *podOn {
	p.a.do(func() {
		p.restarts++
		p.id = fmt.Sprintf("test://%s-%d", p.uid, p.restarts)
		last := object{}
		if p.status != nil {
			last = object{"terminated": p.status["terminated"]}
		}
		p.started = time.Now()
		p.a.logs[p.key()] = append(p.a.logs[p.key()], &processLog{})
		p.status = object{"running": object{"startedAt": p.started.UTC().Format(time.RFC3339)}}
		if len(quietly) == 0 {
			p.store(p.status, last)
		} else {
			p.status["last"] = last
		}
	})
	return p
}

// tell tells the API of the last start.
func (p *podOn) tell() {
	p.a.do(func() {
		last, _ := p.status["last"].(object)
		delete(p.status, "last")
		p.store(p.status, last)
	})
}

func (p *podOn) store(state, last object) {
	pod := object{
		"metadata": object{"name": p.name, "namespace": "lamps", "uid": p.uid, "labels": object{"app": "lamp"}},
		"spec":     object{"nodeName": "n1", "containers": []object{{"name": "manager", "image": "example.com/lamp:v2", "args": []string{"--v=4", "--logging-format=json", "--token=x"}}}},
		"status": object{"containerStatuses": []object{{
			"name": "manager", "containerID": p.id, "imageID": "example.com/lamp@sha256:0123", "restartCount": p.restarts, "state": state, "lastState": last,
		}}},
	}
	if p.extra != nil {
		p.extra(pod)
	}
	p.a.set("pods", pod)
}

// end ends the process; quietly: the API does not say so yet.
func (p *podOn) end(quietly ...bool) {
	p.a.do(func() {
		p.log().ended = true
		p.status = object{"terminated": object{
			"containerID": p.id, "startedAt": p.started.UTC().Format(time.RFC3339), "finishedAt": time.Now().UTC().Format(time.RFC3339), "exitCode": 2, "reason": "Error",
		}}
		if len(quietly) == 0 {
			p.store(p.status, object{})
		}
	})
}

// restart ends a process and starts the next at once.
func (p *podOn) restart() {
	p.end(true)
	p.start()
}

// write writes lines at one time each.
func (p *podOn) write(lines ...string) { p.writeAt(time.Now(), lines...) }

func (p *podOn) writeAt(at time.Time, lines ...string) {
	p.a.do(func() {
		for _, l := range lines {
			p.log().lines = append(p.log().lines, at.UTC().Format(stampLayout)+" "+l)
		}
	})
}

// rotate lets the node forget all lines so far.
func (p *podOn) rotate() { p.a.do(func() { p.log().from = len(p.log().lines) }) }

func (p *podOn) delete() { p.a.do(func() { p.a.remove("pods", "lamps/"+p.name) }) }

// quick is a pace for tests.
var quick = Pace{First: 2 * time.Millisecond, Most: 20 * time.Millisecond, Settle: 80 * time.Millisecond, Idle: 250 * time.Millisecond, Refused: 150 * time.Millisecond}

// A running is a capture that a test lets run.
type running struct {
	t       testing.TB
	dir     string
	session *capture.Session
	cancel  context.CancelFunc
	done    chan error
}

// capturing begins a capture of what specs say.
func capturing(t testing.TB, resume *running, specs ...Spec) *running {
	t.Helper()
	return capturingAt(t, resume, quick, specs...)
}

func capturingAt(t testing.TB, resume *running, pace Pace, specs ...Spec) *running {
	t.Helper()
	r := &running{t: t, done: make(chan error, 1)}
	if resume != nil {
		r.dir = resume.dir
	} else {
		r.dir = t.TempDir()
	}
	var err error
	r.session, err = capture.Begin(capture.Options{
		Dir: r.dir, Creator: "test", Build: "deployed", Scenario: "drill", Resume: resume != nil, Grace: 3 * time.Second,
		Manifest: corpus.Manifest{Builds: []corpus.Build{{Name: "deployed"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	sources, err := Sources(specs, Options{UserAgent: "stillfires/test", Pace: pace})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	go func() { r.done <- r.session.Record(ctx, sources...) }()
	return r
}

// stop ends the sources.
func (r *running) stop() {
	r.t.Helper()
	r.cancel()
	if err := <-r.done; err != nil {
		r.t.Fatal(err)
	}
}

// finish ends the capture and returns the run.
func (r *running) finish() *recorded {
	r.t.Helper()
	r.stop()
	res, err := r.session.Finish(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return read(r.t, r.dir, res.Run)
}

// A recorded is a run that was captured.
type recorded struct {
	m     *corpus.Manifest
	run   *corpus.Run
	lines map[string][]string // by pod and container
}

func read(t testing.TB, dir string, info corpus.RunInfo) *recorded {
	t.Helper()
	rep, err := corpus.Verify(t.Context(), dir)
	if err != nil || len(rep.Problems) > 0 {
		t.Fatalf("%v %q", err, rep.Problems)
	}
	c, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{run: run, m: run.Manifest, lines: map[string][]string{}}
	e, err := run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for e.Scan() {
		s := &run.Manifest.Streams[e.Stream()]
		key := s.Labels["pod"] + "/" + s.Labels["container"]
		if s.Labels["cluster"] != "one" {
			key = s.Labels["cluster"] + "/" + key
		}
		r.lines[key] = append(r.lines[key], string(e.Entry().Line))
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	return r
}

// stream returns the one of a pod's manager.
func (r *recorded) stream(t testing.TB, pod string) *corpus.Stream {
	t.Helper()
	for i := range r.m.Streams {
		if s := &r.m.Streams[i]; s.Labels["pod"] == pod && s.Labels["container"] == "manager" {
			return s
		}
	}
	t.Fatalf("no stream of pod %s", pod)
	return nil
}

// gaps returns the reasons of the gaps of a pod's manager.
func (r *recorded) gaps(t testing.TB, pod string) []string {
	t.Helper()
	var out []string
	for _, g := range r.stream(t, pod).Gaps {
		out = append(out, g.Reason)
	}
	return out
}

// eventually waits until something holds.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if f() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}

// A counter counts requests that fit.
type counter struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counter) add(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[what]++
	return c.n[what]
}

func (c *counter) of(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[what]
}

func numbered(from, to int) []string {
	var out []string
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprintf("line %d", i))
	}
	return out
}

func joined(lines []string) string { return strings.Join(lines, "\n") }
