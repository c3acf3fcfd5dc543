package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// images records what the chosen pods of all clusters run.
type images struct {
	mu    sync.Mutex
	runs  map[[2]string][]image // by app and container, in the order they were seen
	named map[[2]string]naming  // those that a spec calls the build's
	asked bool                  // a spec does so
	news  bool
	given *corpus.Build // what the manifest said of the build before
}

// An image is what a container was seen to run.
type image struct {
	cluster string
	corpus.Build
}

// A naming says how a component's name fits a container.
type naming int

const (
	notNamed naming = iota
	byApp
	byContainer
)

// String implements [fmt.Stringer].
func (im *images) String() string { return "images of pods" }

// Record implements [capture.Source].
func (im *images) Record(ctx context.Context, to capture.Sink) error {
	var notes []string
	var failed error
	tell := func() {
		if im.fresh() {
			failed = errors.Join(failed, to.Describe(func(m *corpus.Manifest) { notes = im.describe(m) }))
		}
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		tell() // at once, so that it is known also of a capture that is cut off
		select {
		case <-ctx.Done():
			tell()
			for _, n := range notes {
				to.Note(n)
			}
			return failed
		case <-tick.C:
		}
	}
}

// saw takes what a pod runs. Init containers that run once and ephemeral ones
// are not what a build is about.
func (im *images) saw(c *cluster, p *pod) {
	im.mu.Lock()
	defer im.mu.Unlock()
	for i := range p.Spec.Containers {
		k := &p.Spec.Containers[i]
		if len(c.spec.Containers) > 0 && !slices.Contains(c.spec.Containers, k.Name) {
			continue
		}
		b := buildOf(p, k)
		if b.Digest == "" {
			continue // it does not run yet
		}
		key := [2]string{p.app(), k.Name}
		if component := c.spec.Component; component != "" {
			im.asked = true
			switch component {
			case key[1]:
				im.named[key] = byContainer
			case key[0]:
				im.named[key] = max(im.named[key], byApp)
			}
		}
		same := func(other image) bool {
			return other.cluster == c.name && other.Digest == b.Digest && other.Image == b.Image && slices.Equal(other.Flags, b.Flags)
		}
		if slices.ContainsFunc(im.runs[key], same) {
			continue
		}
		if im.runs == nil {
			im.runs = map[[2]string][]image{}
		}
		im.runs[key] = append(im.runs[key], image{c.name, b})
		im.news = true
	}
}

// fresh reports whether there is something new since it was last asked.
func (im *images) fresh() bool {
	im.mu.Lock()
	defer im.mu.Unlock()
	news := im.news
	im.news = false
	return news
}

// buildOf says what a container runs.
func buildOf(p *pod, k *container) corpus.Build {
	b := corpus.Build{Component: k.Name, Image: k.Image, Version: cmp.Or(tagOf(k.Image), p.Metadata.Labels["app.kubernetes.io/version"])}
	for i := range p.Status.ContainerStatuses {
		if s := &p.Status.ContainerStatuses[i]; s.Name == k.Name {
			b.Digest = digestOf(s.ImageID)
		}
	}
	args := slices.Concat(k.Command[min(1, len(k.Command)):], k.Args)
	b.Flags = masked(args)
	b.Verbosity, b.LogEncoding = logFlags(args)
	return b
}

// tagOf returns the tag of an image, empty if it has none.
func tagOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	name := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, _ := strings.Cut(name, ":")
	return tag
}

// digestOf takes the digest from the image ID of a status, such as
// docker-pullable://registry/name@sha256:….
func digestOf(id string) string {
	if _, digest, ok := strings.Cut(id, "@"); ok {
		return digest
	}
	if i := strings.Index(id, "sha256:"); i >= 0 {
		return id[i:]
	}
	return id
}

// secretFlag fits the names of flags whose values are not for a corpus; names
// of files are.
var (
	secretFlag = regexp.MustCompile(`(?i)(password|passwd|token|secret|api-?key|credential)`)
	placeFlag  = regexp.MustCompile(`(?i)-(file|path|dir|name)$`)
)

// masked returns flags without what they keep secret.
func masked(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		name, _, ok := strings.Cut(a, "=")
		if strings.HasPrefix(a, "-") && secretFlag.MatchString(name) && !placeFlag.MatchString(name) {
			switch {
			case ok:
				out[i] = name + "=(left out)"
			case i+1 < len(out) && !strings.HasPrefix(out[i+1], "-"):
				out[i+1] = "(left out)"
			}
		}
	}
	return out
}

// Flags by which controllers are told how much to log, and how.
var (
	verbosityFlags = []string{"v", "zap-log-level", "log-level", "loglevel", "verbosity"}
	encodingFlags  = []string{"zap-encoder", "logging-format", "log-format", "log-encoding", "log-encoder"}
)

// logFlags returns the verbosity and the encoding that flags ask for, empty
// where they say nothing.
func logFlags(args []string) (verbosity, encoding string) {
	for i, a := range args {
		if !strings.HasPrefix(a, "-") {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !ok && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			value = args[i+1]
		}
		switch {
		case slices.Contains(verbosityFlags, name) && value != "":
			verbosity = value
		case slices.Contains(encodingFlags, name) && value != "":
			encoding = value
		case name == "zap-devel" && (!ok || value == "true"):
			encoding, verbosity = cmp.Or(encoding, "console"), cmp.Or(verbosity, "debug")
		}
	}
	return verbosity, encoding
}

// describe puts what was seen into a manifest. What the manifest says already,
// somebody said who knows better. It returns what it has no place for.
func (im *images) describe(m *corpus.Manifest) (notes []string) {
	im.mu.Lock()
	defer im.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(im.runs), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	main, found := im.main(keys)
	if !found && im.given != nil {
		im.fill(m, corpus.Build{}) // it was the only one until now
	}
	for _, key := range keys {
		// Which cluster answers first is chance; what one runs later is not.
		runs := slices.SortedStableFunc(slices.Values(im.runs[key]), func(a, b image) int { return cmp.Compare(a.cluster, b.cluster) })
		if found && key == main {
			im.fill(m, runs[0].Build)
			runs = slices.DeleteFunc(runs[1:], func(r image) bool { return r.Digest == runs[0].Digest && slices.Equal(r.Flags, runs[0].Flags) })
		}
		for _, r := range runs {
			notes = append(notes, fmt.Sprintf("%s: container %s of %s ran %s (%s) with %q", r.cluster, key[1], key[0], r.Image, r.Digest, r.Flags))
		}
	}
	if !found && len(keys) > 1 {
		notes = append(notes, "image, digest and flags of the build are not known, as nothing says which container it is (component)")
	}
	return notes
}

// main chooses the container that the build is of.
func (im *images) main(keys [][2]string) ([2]string, bool) {
	fit := keys
	if im.asked {
		for _, how := range []naming{byContainer, byApp} {
			fit = slices.DeleteFunc(slices.Clone(keys), func(key [2]string) bool { return im.named[key] != how })
			if len(fit) > 0 {
				break
			}
		}
	}
	if len(keys) == 1 {
		fit = keys // whatever the component is called
	}
	if len(fit) != 1 {
		return [2]string{}, false
	}
	return fit[0], true
}

// fill completes what a manifest says of its build.
func (im *images) fill(m *corpus.Manifest, b corpus.Build) {
	if len(m.Builds) == 0 {
		return
	}
	to := &m.Builds[0]
	if im.given == nil {
		given := *to
		im.given = &given
	}
	g := im.given
	to.Component, to.Version = cmp.Or(g.Component, b.Component), cmp.Or(g.Version, b.Version)
	to.Image, to.Digest = cmp.Or(g.Image, b.Image), cmp.Or(g.Digest, b.Digest)
	to.Verbosity, to.LogEncoding = cmp.Or(g.Verbosity, b.Verbosity), cmp.Or(g.LogEncoding, b.LogEncoding)
	if to.Flags = g.Flags; len(to.Flags) == 0 {
		to.Flags = b.Flags
	}
}
