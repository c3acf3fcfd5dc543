package kube

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// An api is an API server and a node, in the parts that a capture asks for. It
// can be made to misbehave.
type api struct {
	t      testing.TB
	server *httptest.Server

	mu       sync.Mutex
	changed  chan struct{} // closed and made anew at each change
	version  int
	objects  map[string]map[string]object // resource to namespace/name
	history  []change
	oldest   int                      // watches from before get 410
	logs     map[string][]*processLog // of namespace/pod/container
	asked    map[string]bool          // verb resource scope
	requests int
	// nodeClock is what the clock of the node is ahead.
	nodeClock time.Duration
	// fault, if set, may answer a request in place of the server.
	fault func(w http.ResponseWriter, r *http.Request) bool
	// torn, if set, says how the answer to a request for a log ends early.
	torn func(r *http.Request) *tear
}

type object = map[string]any

type change struct {
	version  int
	resource string
	kind     string // ADDED …
	object   object
}

// A processLog is what a process wrote, and the node keeps.
type processLog struct {
	lines []string // with their times
	from  int      // those before were rotated away
	part  string   // begun line
	ended bool
}

// A tear ends an answer after some bytes.
type tear struct {
	after int
	how   string // "clean", "abort" or "hang"
}

func newAPI(t testing.TB) *api {
	a := &api{t: t, changed: make(chan struct{}), version: 1, objects: map[string]map[string]object{}, logs: map[string][]*processLog{}, asked: map[string]bool{}}
	a.server = httptest.NewUnstartedServer(a)
	a.server.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of each client that leaves
	a.server.Start()
	t.Cleanup(func() { a.server.CloseClientConnections(); a.server.Close() })
	return a
}

// http2 makes the server speak HTTP/2, as a real one does.
func (a *api) http2() *api {
	a.server.Close()
	a.server = httptest.NewUnstartedServer(a)
	a.server.EnableHTTP2 = true
	a.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	a.server.StartTLS()
	return a
}

// kubeconfig writes one with a context for each server.
func kubeconfig(t testing.TB, servers map[string]*api) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Config\nclusters:\n")
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		fmt.Fprintf(&b, "- {name: %s, cluster: {server: %q, insecure-skip-tls-verify: true}}\n", name, servers[name].server.URL)
	}
	b.WriteString("users:\n- {name: u, user: {token: t}}\ncontexts:\n")
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		fmt.Fprintf(&b, "- {name: %s, context: {cluster: %s, user: u, namespace: lamps}}\n", name, name)
	}
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (a *api) touch() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// do changes the state of the server.
func (a *api) do(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	a.touch()
}

// set stores an object; the caller holds the lock.
func (a *api) set(resource string, o object) {
	a.version++
	meta := o["metadata"].(object)
	meta["resourceVersion"] = strconv.Itoa(a.version)
	key := keyOf(o)
	kind := "MODIFIED"
	if a.objects[resource] == nil {
		a.objects[resource] = map[string]object{}
	}
	if _, ok := a.objects[resource][key]; !ok {
		kind = "ADDED"
	}
	o = clone(o)
	a.objects[resource][key] = o
	a.history = append(a.history, change{a.version, resource, kind, o})
}

// remove deletes an object; the caller holds the lock.
func (a *api) remove(resource, key string) {
	o := clone(a.objects[resource][key])
	delete(a.objects[resource], key)
	a.version++
	o["metadata"].(object)["resourceVersion"] = strconv.Itoa(a.version)
	a.history = append(a.history, change{a.version, resource, "DELETED", o})
}

func keyOf(o object) string {
	meta := o["metadata"].(object)
	ns, _ := meta["namespace"].(string)
	return ns + "/" + meta["name"].(string)
}

func clone(o object) object {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var out object
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// resources are what the server knows: group/version to resource to kind;
// those of kinds with a "*" have no namespace.
var resources = map[string]map[string]string{
	"v1":                     {"pods": "Pod", "nodes": "*Node", "events": "Event", "configmaps": "ConfigMap", "secrets": "Secret"},
	"batch/v1":               {"jobs": "Job"},
	"coordination.k8s.io/v1": {"leases": "Lease"},
	"kueue.x-k8s.io/v1beta1": {"workloads": "Workload"},
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.requests++
	fault := a.fault
	a.mu.Unlock()
	if fault != nil && fault(w, r) {
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/version":
		reply(w, object{"major": "1", "minor": "35", "gitVersion": "v1.35.4"})
	case r.URL.Path == "/apis":
		var groups []object
		for _, gv := range slices.Sorted(maps.Keys(resources)) {
			if gv != "v1" {
				groups = append(groups, groupOf(gv))
			}
		}
		reply(w, object{"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
	case parts[0] == "apis" && len(parts) == 2:
		for gv := range resources {
			if strings.HasPrefix(gv, parts[1]+"/") {
				reply(w, groupOf(gv))
				return
			}
		}
		fail(w, http.StatusNotFound, "NotFound", "no such group")
	case parts[0] == "apis" && len(parts) == 3, parts[0] == "api" && len(parts) == 2:
		a.discover(w, strings.Join(parts[1:], "/"))
	default:
		a.resource(w, r, parts)
	}
}

func groupOf(gv string) object {
	group, version, _ := strings.Cut(gv, "/")
	v := object{"groupVersion": gv, "version": version}
	return object{"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": []object{v}, "preferredVersion": v}
}

func (a *api) discover(w http.ResponseWriter, gv string) {
	if resources[gv] == nil {
		fail(w, http.StatusNotFound, "NotFound", "no such version")
		return
	}
	list := []object{}
	for _, name := range slices.Sorted(maps.Keys(resources[gv])) {
		kind, cluster := strings.CutPrefix(resources[gv][name], "*")
		list = append(list, object{"name": name, "singularName": strings.ToLower(kind), "kind": kind, "namespaced": !cluster, "verbs": []string{"get", "list", "watch"}})
	}
	reply(w, object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": gv, "resources": list})
}

func reply(w http.ResponseWriter, o object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(o) // the client may have left
}

func fail(w http.ResponseWriter, code int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message})
}

// resource answers a request for objects or a log.
func (a *api) resource(w http.ResponseWriter, r *http.Request, parts []string) {
	gv := parts[1]
	parts = parts[2:]
	if strings.HasPrefix(r.URL.Path, "/apis/") {
		gv += "/" + parts[0]
		parts = parts[1:]
	}
	ns := ""
	if parts[0] == "namespaces" && len(parts) > 2 {
		ns, parts = parts[1], parts[2:]
	}
	q := r.URL.Query()
	verb := "list"
	switch {
	case len(parts) > 1:
		verb = "get"
	case q.Get("watch") == "true" || q.Get("watch") == "1":
		verb = "watch"
	}
	what := parts[0]
	if len(parts) > 2 {
		what += "/" + parts[2]
	}
	group, _, ok := strings.Cut(gv, "/")
	if !ok {
		group = ""
	}
	a.mu.Lock()
	a.asked[fmt.Sprintf("%s %s %q", verb, what, group)] = true
	a.mu.Unlock()
	kind, known := resources[gv][parts[0]]
	if !known {
		fail(w, http.StatusNotFound, "NotFound", "the server could not find the requested resource")
		return
	}
	kind = strings.TrimPrefix(kind, "*")
	switch {
	case what == "pods/log":
		a.log(w, r, ns, parts[1])
	case verb == "list":
		a.list(w, r, gv, parts[0], kind, ns)
	case verb == "watch":
		a.watch(w, r, gv, parts[0], kind, ns)
	default:
		fail(w, http.StatusMethodNotAllowed, "MethodNotAllowed", "not here")
	}
}

func chosen(r *http.Request, o object, ns string) bool {
	meta := o["metadata"].(object)
	if ns != "" && meta["namespace"] != ns {
		return false
	}
	if name, ok := strings.CutPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name="); ok && meta["name"] != name {
		return false
	}
	for term := range strings.SplitSeq(r.URL.Query().Get("labelSelector"), ",") {
		if key, value, ok := strings.Cut(term, "="); ok {
			labels, _ := meta["labels"].(object)
			if labels[key] != value {
				return false
			}
		}
	}
	return true
}

func (a *api) list(w http.ResponseWriter, r *http.Request, gv, resource, kind, ns string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	items := []object{}
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	after := r.URL.Query().Get("continue")
	meta := object{"resourceVersion": strconv.Itoa(a.version)}
	for _, key := range slices.Sorted(maps.Keys(a.objects[resource])) {
		o := a.objects[resource][key]
		if !chosen(r, o, ns) || after != "" && key <= after {
			continue
		}
		if limit > 0 && len(items) == limit {
			meta["continue"] = keyOf(items[len(items)-1])
			break
		}
		items = append(items, o)
	}
	reply(w, object{"kind": kind + "List", "apiVersion": gv, "metadata": meta, "items": items})
}

func (a *api) watch(w http.ResponseWriter, r *http.Request, gv, resource, kind, ns string) {
	if r.URL.Query().Get("sendInitialEvents") != "" {
		fail(w, http.StatusUnprocessableEntity, "Invalid", "sendInitialEvents is forbidden")
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flush(w)
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		if from < a.oldest {
			_ = json.NewEncoder(w).Encode(object{"type": "ERROR", "object": object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": http.StatusGone, "reason": "Expired", "message": "too old resource version"}})
			return
		}
		for _, c := range a.history {
			if c.version > from && c.resource == resource && chosen(r, c.object, ns) {
				o := clone(c.object)
				o["kind"], o["apiVersion"] = kind, gv
				if json.NewEncoder(w).Encode(object{"type": c.kind, "object": o}) != nil {
					return
				}
			}
		}
		from = a.version
		flush(w)
		if !a.await(r) {
			return
		}
	}
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

// await waits for a change; the lock is held before and after.
func (a *api) await(r *http.Request) bool {
	changed := a.changed
	a.mu.Unlock()
	defer a.mu.Lock()
	select {
	case <-changed:
		return true
	case <-r.Context().Done():
		return false
	}
}

// log serves the log of a container.
func (a *api) log(w http.ResponseWriter, r *http.Request, ns, pod string) {
	q := r.URL.Query()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.objects["pods"][ns+"/"+pod] == nil {
		fail(w, http.StatusNotFound, "NotFound", fmt.Sprintf("pods %q not found", pod))
		return
	}
	all := a.logs[ns+"/"+pod+"/"+q.Get("container")]
	n := len(all) - 1
	if q.Get("previous") == "true" {
		n--
	}
	if n < 0 {
		fail(w, http.StatusBadRequest, "BadRequest", fmt.Sprintf("previous terminated container %q in pod %q not found", q.Get("container"), pod))
		return
	}
	p := all[n]
	since, err := time.Parse(time.RFC3339, q.Get("sinceTime"))
	if q.Has("sinceTime") && err != nil {
		fail(w, http.StatusBadRequest, "BadRequest", "sinceTime")
		return
	}
	if ago, err := strconv.Atoi(q.Get("sinceSeconds")); err == nil {
		since = time.Now().Add(a.nodeClock - time.Duration(ago)*time.Second)
	}
	var t *tear
	if a.torn != nil {
		t = a.torn(r)
	}
	out := &tornWriter{w: w, r: r, tear: t}
	next := p.from
	for {
		for ; next < len(p.lines); next++ {
			if next < p.from {
				next = p.from // rotated
			}
			if at, _, ok := split([]byte(p.lines[next])); ok && at.Before(since) {
				continue
			}
			line := p.lines[next] + "\n"
			if !a.unlocked(func() bool { return out.write(line) }) {
				return
			}
		}
		if p.ended || q.Get("follow") != "true" {
			if p.part != "" {
				a.unlocked(func() bool { return out.write(p.part) })
			}
			return
		}
		a.unlocked(func() bool { flush(w); return true })
		if next == len(p.lines) && !p.ended && !a.await(r) {
			return
		}
	}
}

// unlocked calls f without the lock, which is held before and after, also when
// f panics.
func (a *api) unlocked(f func() bool) bool {
	a.mu.Unlock()
	defer a.mu.Lock()
	return f()
}

// A tornWriter writes an answer up to where it is torn.
type tornWriter struct {
	w    http.ResponseWriter
	r    *http.Request
	tear *tear
	n    int
}

func (t *tornWriter) write(line string) bool {
	if t.tear == nil || t.n+len(line) <= t.tear.after {
		t.n += len(line)
		_, err := t.w.Write([]byte(line))
		return err == nil
	}
	_, _ = t.w.Write([]byte(line[:max(0, t.tear.after-t.n)])) // the client may have left
	flush(t.w)
	switch t.tear.how {
	case "abort":
		panic(http.ErrAbortHandler)
	case "hang":
		<-t.r.Context().Done()
	}
	return false
}
