//go:build testkube

// Package e2e captures from real API servers: make test-kube builds them. Only
// the kubelet is made up.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/stillfires/stillfires/corpus"
)

var (
	createOptions = metav1.CreateOptions{}
	getOptions    = metav1.GetOptions{}
	updateOptions = metav1.UpdateOptions{}
)

const namespace = "kueue-system" // of the roles in the documentation

// grant gives the user who captures the roles of the documentation, and no more.
func (c *cluster) grant() {
	c.t.Helper()
	page, err := os.ReadFile("../../../../docs/capture-kubernetes.md")
	if err != nil {
		c.t.Fatal(err)
	}
	roles := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n(apiVersion: rbac.*?)```").FindAllSubmatch(page, -1) {
		for _, doc := range bytes.Split(block[1], []byte("---\n")) {
			text, err := yaml.ToJSON(bytes.ReplaceAll(doc, []byte("drill-operator"), []byte("capture")))
			if err != nil {
				c.t.Fatal(err)
			}
			var o struct{ Kind string }
			if err := json.Unmarshal(text, &o); err != nil {
				c.t.Fatal(err)
			}
			in := ""
			if !strings.HasPrefix(o.Kind, "Cluster") {
				in = namespace
			}
			c.create("rbac.authorization.k8s.io/v1", strings.ToLower(o.Kind)+"s", in, string(text))
			roles++
		}
	}
	if roles != 4 {
		c.t.Fatalf("%d roles and bindings in the documentation; want 4", roles)
	}
}

// A pod is one container that writes numbered lines.
type pod struct {
	c        *cluster
	name     string
	restarts int
	written  int
}

func (p *pod) log() string { return namespace + "/" + p.name + "/manager" }

func (c *cluster) startPod(name string) *pod {
	p := &pod{c: c, name: name}
	c.kubelet.restart(p.log())
	c.create("v1", "pods", namespace, fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod",
		"metadata":{"name":%q,"namespace":%q,"labels":{"app.kubernetes.io/name":"kueue"}},
		"spec":{"nodeName":"%s-node","containers":[{"name":"manager","image":"registry.invalid/kueue:v1","args":["--zap-log-level=2"]}]}}`, name, namespace, c.name))
	p.tell()
	return p
}

// tell writes the state of the pod, as its kubelet would.
func (p *pod) tell() {
	last := ""
	if p.restarts > 0 {
		last = fmt.Sprintf(`,"lastState":{"terminated":{"exitCode":2,"reason":"Error","containerID":"containerd://%s-%d","startedAt":%q,"finishedAt":%q}}`,
			p.name, p.restarts-1, now(), now())
	}
	p.c.status("v1", "pods", namespace, p.name, fmt.Sprintf(`{"phase":"Running","hostIP":"127.0.0.1","containerStatuses":[{"name":"manager","ready":true,"started":true,
		"image":"registry.invalid/kueue:v1","imageID":"registry.invalid/kueue@sha256:%s","restartCount":%d,"containerID":"containerd://%s-%d",
		"state":{"running":{"startedAt":%q}}%s}]}`, strings.Repeat("ab", 32), p.restarts, p.name, p.restarts, now(), last))
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// write writes lines until the context is done.
func (p *pod) write(ctx context.Context) {
	for ctx.Err() == nil {
		for range 1 + rand.IntN(40) {
			p.c.kubelet.write(p.log(), fmt.Sprintf(`{"level":"info","msg":"Reconcile Workload","n":%d}`, p.written))
			p.written++
		}
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
	}
}

// writing runs do while the pod writes.
func (p *pod) writing(do func()) {
	ctx, stop := context.WithCancel(context.Background())
	var g sync.WaitGroup
	g.Go(func() { p.write(ctx) })
	do()
	stop()
	g.Wait()
}

func (p *pod) restart() {
	p.restarts++
	p.c.kubelet.restart(p.log())
	time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond) // the API is told later
	p.tell()
}

// A capture is the program at work, with a drill that ends when it is told.
type capture struct {
	cmd  *exec.Cmd
	said bytes.Buffer
	end  string // the drill ends when this file is there
}

func startCapture(t *testing.T, config, out, description string) *capture {
	t.Helper()
	dir := t.TempDir()
	c := &capture{end: filepath.Join(dir, "end")}
	file := filepath.Join(dir, "capture.yaml")
	if err := os.WriteFile(file, []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	begun := filepath.Join(dir, "begun")
	c.cmd = exec.Command(os.Getenv("STILLFIRES_BIN"), "capture", "-f", file, "--build", "deployed", "--scenario", "storm", "-o", out,
		"--after", "2s", "--", "sh", "-c", fmt.Sprintf("touch %s; while [ ! -e %s ]; do sleep 0.1; done", begun, c.end))
	c.cmd.Env = append(os.Environ(), "KUBECONFIG="+config)
	c.cmd.Stdout, c.cmd.Stderr = &c.said, &c.said
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	for range 300 {
		if _, err := os.Stat(begun); err == nil {
			return c
		}
		time.Sleep(100 * time.Millisecond)
	}
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	t.Fatalf("the capture did not begin:\n%s", c.said.String())
	return nil
}

// stop ends the drill and returns the exit code of the capture.
func (c *capture) stop(t *testing.T) int {
	t.Helper()
	if err := os.WriteFile(c.end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.cmd.ProcessState.ExitCode()
}

func TestCapture(t *testing.T) {
	management, worker := startCluster(t, "management"), startCluster(t, "worker")
	for _, c := range []*cluster{management, worker} {
		c.create("v1", "namespaces", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+namespace+`"}}`)
		c.grant()
	}
	steady, shaken, far := management.startPod("manager-0"), management.startPod("manager-1"), worker.startPod("manager-w")
	out := filepath.Join(t.TempDir(), "corpus")
	run := startCapture(t, kubeconfig(t, management, worker), out, `version: 1
sources:
  - kubernetes: {context: management, namespaces: [kueue-system], selector: app.kubernetes.io/name=kueue, component: manager, objects: [pods]}
  - kubernetes: {context: worker, cluster: worker-1, namespaces: [kueue-system], selector: app.kubernetes.io/name=kueue, without: [nodes]}
`)
	hidden := 0
	steady.writing(func() {
		far.writing(func() {
			hidden = storm(t, management, shaken)
		})
	})
	code := run.stop(t)
	t.Logf("%d, %d and %d lines were written; %d were rotated away while nobody could read; exit code %d; the capture said:\n%s",
		steady.written, shaken.written, far.written, hidden, code, run.said.String())
	got := read(t, out)
	got.check(t, steady, 0)
	got.check(t, far, 0)
	got.check(t, shaken, hidden)
	got.facts(t)
	if want := 3; code != want && hidden > 0 {
		t.Errorf("exit code %d; want %d as records are missing", code, want)
	}
}

// storm lets a pod write while it restarts, its log is rotated, and the API
// server is stopped and started. It returns how many lines nobody could read.
func storm(t *testing.T, c *cluster, p *pod) int {
	t.Helper()
	writing := func() { p.writing(func() { time.Sleep(time.Second) }) }
	// What is rotated away before anybody began to read it nobody can know of.
	taken := func() { p.writing(func() { time.Sleep(4 * time.Second) }) }
	hidden := 0
	for i := range 4 {
		writing()
		p.restart()
		c.create("v1", "events", namespace, fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"back-off.%d","namespace":%q},"type":"Warning","reason":"BackOff",
			"message":"back-off restarting","count":1,"firstTimestamp":%q,"lastTimestamp":%q,"involvedObject":{"kind":"Pod","name":%q,"namespace":%q}}`, i, namespace, now(), now(), p.name, namespace))
		taken()
		c.kubelet.rotate(p.log()) // one that follows goes on
		writing()
		time.Sleep(time.Second) // all was read
		c.stopAPI()
		writing()
		if i%2 == 1 {
			hidden += c.kubelet.rotate(p.log())
		}
		writing()
		c.startAPI()
		writing()
		time.Sleep(2 * time.Second)
	}
	return hidden
}

// A recorded run, by pod.
type recorded struct {
	run     *corpus.Run
	streams map[string]*corpus.Stream
	times   map[string]map[int][]int64 // number of a line to the times at which it was recorded
}

func read(t *testing.T, dir string) *recorded {
	t.Helper()
	c, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{streams: map[string]*corpus.Stream{}, times: map[string]map[int][]int64{}}
	if r.run, err = c.OpenRun("deployed", "storm", 1); err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(r.run.Manifest.Streams))
	for i := range r.run.Manifest.Streams {
		s := &r.run.Manifest.Streams[i]
		names[i] = s.Labels["pod"]
		r.streams[names[i]], r.times[names[i]] = s, map[int][]int64{}
	}
	entries, err := r.run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = entries.Close() }()
	number := regexp.MustCompile(`"n":(\d+)}$`)
	for entries.Scan() {
		m := number.FindSubmatch(entries.Entry().Line)
		if m == nil {
			t.Errorf("foreign line %q", entries.Entry().Line)
			continue
		}
		n, err := strconv.Atoi(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		of := r.times[names[entries.Stream()]]
		of[n] = append(of[n], entries.Entry().Time)
	}
	if err := entries.Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

// check demands each line once, and of those that are missing that a gap says so.
func (r *recorded) check(t *testing.T, p *pod, hidden int) {
	t.Helper()
	s := r.streams[p.name]
	if s == nil {
		t.Errorf("no stream of %s", p.name)
		return
	}
	missing, silent := 0, 0
	for k, i := range p.c.kubelet.logs[p.log()].instances {
		before := missing
		for _, l := range i.lines {
			n, err := strconv.Atoi(l.text[strings.LastIndex(l.text, ":")+1 : len(l.text)-1])
			if err != nil {
				t.Fatal(err)
			}
			switch at := r.times[p.name][n]; {
			case len(at) > 1:
				t.Errorf("%s: line %d is there %d times", p.name, n, len(at))
			case len(at) == 1 && at[0] != l.at.UnixNano():
				t.Errorf("%s: line %d is dated %d; want %d", p.name, n, at[0], l.at.UnixNano())
			case len(at) == 0:
				if missing++; missing == before+1 {
					t.Logf("%s: process %d lacks line %d of %s, the first of those it lacks", p.name, k, n, l.at)
				}
				if !inGap(s.Gaps, l.at) {
					silent++
				}
			}
		}
		if missing > before {
			t.Logf("%s: process %d lacks %d of %d lines", p.name, k, missing-before, len(i.lines))
		}
	}
	t.Logf("%s: %d records, %d missing, gaps %v, %d epochs, coverage %v", p.name, s.Records, missing, s.Gaps, len(s.Epochs), s.Coverage)
	if missing > hidden || silent > 0 {
		t.Errorf("%s: %d lines are missing of %d that could not be read, %d of them outside of every gap", p.name, missing, hidden, silent)
	}
	if got, want := max(len(s.Epochs), 1), p.restarts+1; got != want {
		t.Errorf("%s: %d epochs; want %d", p.name, got, want)
	}
}

func inGap(gaps []corpus.Gap, at time.Time) bool {
	for _, g := range gaps {
		if !at.Before(g.From) && !at.After(g.To) {
			return true
		}
	}
	return false
}

// facts looks at what was recorded beside logs.
func (r *recorded) facts(t *testing.T) {
	t.Helper()
	f, err := r.run.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	events, pods := 0, map[string]int{}
	for i := range f.Events {
		if f.Events[i].Reason == "BackOff" {
			events++
		}
	}
	for i := range f.Objects {
		if f.Objects[i].Kind == "Pod" {
			pods[f.Objects[i].Moment]++
		}
	}
	if events != 4 || pods["start"] != 2 || pods["end"] != 2 {
		t.Errorf("%d events, pods %v; want 4 and 2 at the start and at the end", events, pods)
	}
	m := r.run.Manifest
	if b := m.Builds[0]; b.Image != "registry.invalid/kueue:v1" || !strings.HasPrefix(b.Digest, "sha256:ab") || len(b.Flags) != 1 {
		t.Errorf("build %+v", b)
	}
	if e := m.Environment; e == nil || !strings.Contains(e.Kubernetes, "v1.35.4") && !strings.Contains(e.Kubernetes, "v0.0.0") || len(e.Nodes) != 1 {
		t.Errorf("environment %+v", e)
	}
}

func TestCapture_Forbidden(t *testing.T) {
	c := startCluster(t, "alone")
	for _, name := range []string{namespace, "other"} {
		c.create("v1", "namespaces", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+name+`"}}`)
	}
	c.grant()
	c.startPod("manager-0").writing(func() {
		run := startCapture(t, kubeconfig(t, c), filepath.Join(t.TempDir(), "corpus"), `version: 1
sources:
  - kubernetes: {context: alone, namespaces: [kueue-system, other]}
`)
		time.Sleep(2 * time.Second)
		code := run.stop(t)
		said := run.said.String()
		if code != 3 || !strings.Contains(said, "pods") || !strings.Contains(said, "other") {
			t.Errorf("exit code %d; want 3, and what is not allowed in other:\n%s", code, said)
		}
	})
}
