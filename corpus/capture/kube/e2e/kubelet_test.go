//go:build testkube

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A kubelet serves the logs of containers as a real one does: with times,
// since a time, following, and of the instance before.
type kubelet struct {
	port int

	mu   sync.Mutex
	logs map[string]*container // by namespace/pod/container
}

// A container is the log of all its instances.
type container struct {
	instances []*instance
	changed   chan struct{} // closed and made anew at each change
}

// An instance is the log of one process.
type instance struct {
	lines []line
	// from is the first line that a new request sees: what was rotated away is
	// gone for it, while one that follows goes on.
	from  int
	ended bool
}

type line struct {
	at   time.Time
	text string
}

func startKubelet(t *testing.T) *kubelet {
	t.Helper()
	k := &kubelet{logs: map[string]*container{}}
	server := httptest.NewTLSServer(http.HandlerFunc(k.serve))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if k.port, err = strconv.Atoi(u.Port()); err != nil {
		t.Fatal(err)
	}
	return k
}

// restart begins a new instance of a container.
func (k *kubelet) restart(name string) {
	k.change(name, func(c *container) {
		if n := len(c.instances); n > 0 {
			c.instances[n-1].ended = true
		}
		c.instances = append(c.instances, &instance{})
	})
}

// write adds a line at the present time.
func (k *kubelet) write(name, text string) {
	k.change(name, func(c *container) {
		i := c.instances[len(c.instances)-1]
		i.lines = append(i.lines, line{time.Now().UTC(), text})
	})
}

// rotate hides all lines so far from new requests, and returns how many that
// were visible before.
func (k *kubelet) rotate(name string) int {
	hidden := 0
	k.change(name, func(c *container) {
		i := c.instances[len(c.instances)-1]
		hidden, i.from = len(i.lines)-i.from, len(i.lines)
	})
	return hidden
}

func (k *kubelet) change(name string, do func(*container)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.logs[name]
	if c == nil {
		c = &container{changed: make(chan struct{})}
		k.logs[name] = c
	}
	do(c)
	close(c.changed)
	c.changed = make(chan struct{})
}

// serve answers /containerLogs/namespace/pod/container.
func (k *kubelet) serve(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, "/containerLogs/")
	q := r.URL.Query()
	k.mu.Lock()
	c := k.logs[name]
	var i *instance
	if ok && c != nil {
		n := len(c.instances)
		if q.Get("previous") == "true" {
			n--
		}
		if n > 0 {
			i = c.instances[n-1]
		}
	}
	k.mu.Unlock()
	if i == nil {
		http.Error(w, "no such container", http.StatusNotFound)
		return
	}
	since, _ := time.Parse(time.RFC3339, q.Get("sinceTime"))
	k.send(w, r, c, i, since, q.Get("follow") == "true", q.Get("timestamps") == "true")
}

func (k *kubelet) send(w http.ResponseWriter, r *http.Request, c *container, i *instance, since time.Time, follow, stamps bool) {
	k.mu.Lock()
	next := i.from
	k.mu.Unlock()
	for {
		k.mu.Lock()
		lines, ended, changed := i.lines[next:], i.ended, c.changed
		next = len(i.lines)
		k.mu.Unlock()
		for _, l := range lines {
			if l.at.Before(since) {
				continue
			}
			if stamps {
				fmt.Fprintf(w, "%s ", l.at.Format(time.RFC3339Nano))
			}
			if _, err := fmt.Fprintf(w, "%s\n", l.text); err != nil {
				return
			}
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		if ended || !follow {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
