package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// An access is what a request needs leave for.
type access struct {
	verbs     string // one or several, with commas between
	resource  schema.GroupResource
	part      string // subresource
	namespace string // empty: all of them, or the resource has none
}

func (a access) what() string {
	r := a.resource.String()
	if a.part != "" {
		r = a.resource.Resource + "/" + a.part
	}
	return r
}

// A denial is a refusal that the cluster's owner can mend.
type denial struct {
	c      *cluster
	access access
	err    error
}

// Error says what is missing, and what to apply.
func (d *denial) Error() string {
	a := d.access
	if apierrors.IsUnauthorized(d.err) {
		return fmt.Sprintf("%s: the server does not know who asks (401): log in again, then check with: kubectl%s auth whoami", d.c.where(), d.c.flag())
	}
	where, role, scope := "in all namespaces", "clusterrole", ""
	if a.namespace != "" {
		where, role, scope = "in namespace "+a.namespace, "role", " --namespace "+a.namespace
	}
	name := "stillfires-capture-" + strings.NewReplacer("/", "-", ".", "-").Replace(a.what())
	return fmt.Sprintf("%s: not allowed to %s %s %s (%v). To allow it: kubectl%s create %s %s --verb=%s --resource=%s%s; then bind it: kubectl%s create %sbinding %s --%s=%s --user=NAME%s. All that a capture needs stands in docs/capture-kubernetes.md",
		d.c.where(), strings.ReplaceAll(a.verbs, ",", " and "), a.what(), where, apiMessage(d.err),
		d.c.flag(), role, name, a.verbs, a.what(), scope,
		d.c.flag(), role, name, role, name, scope)
}

// Unwrap returns the answer of the server.
func (d *denial) Unwrap() error { return d.err }

func (c *cluster) flag() string {
	if c.context == "" {
		return ""
	}
	return fmt.Sprintf(" --context %q", c.context)
}

// apiMessage returns the server's own words.
func apiMessage(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Message != "" {
		return status.Status().Message
	}
	return err.Error()
}

func refused(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) }

// Grants are the accesses that a cluster gave at least once. An API server that
// has just started refuses for some seconds what it allowed before, until it has
// read the roles.
type grants struct {
	mu  sync.Mutex
	has map[access]bool
}

func (g *grants) add(a access) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.has == nil {
		g.has = map[access]bool{}
	}
	g.has[a] = true
}

func (g *grants) gave(a access) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.has[a]
}

// A trier repeats what failed for a time, and says when to give up.
type trier struct {
	c      *cluster
	access access
	last   access // what of it was asked for last
	wait   wait.Backoff
	since  time.Time       // of the first of the refusals at the end
	bell   <-chan struct{} // ends a pause; nil: nothing does
}

func (c *cluster) trier(a access) *trier {
	t := &trier{c: c, access: a, last: a}
	t.rest()
	return t
}

// rest makes the next wait the shortest again.
func (t *trier) rest() {
	p := t.c.pace
	t.wait = wait.Backoff{Duration: p.First, Cap: p.Most, Factor: 2, Jitter: 0.2, Steps: 1 << 30}
}

// ok notes that it worked.
func (t *trier) ok() {
	t.c.grants.add(t.access)
	t.since = time.Time{}
}

// pause waits before the next try. It returns an error if the server refuses
// and that is not likely to end.
func (t *trier) pause(ctx context.Context, err error) error {
	if !refused(err) {
		t.since = time.Time{}
	} else {
		now, patience := time.Now(), t.c.pace.Settle
		if t.c.grants.gave(t.last) {
			patience = t.c.pace.Refused
		}
		if t.since.IsZero() {
			t.since = now
		}
		if now.Sub(t.since) >= patience {
			return &denial{t.c, t.access, err}
		}
	}
	timer := time.NewTimer(t.wait.Step())
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-t.bell:
	case <-timer.C:
	}
	return nil
}

// sleep waits for a time, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
