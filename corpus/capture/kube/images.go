package kube

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/stillfires/stillfires/corpus"
)

// images gathers what the chosen pods run.
type images struct {
	mu   sync.Mutex
	runs map[[2]string][]corpus.Build // by app and container, in the order they were seen
	news bool
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
		same := func(other corpus.Build) bool {
			return other.Digest == b.Digest && other.Image == b.Image && slices.Equal(other.Flags, b.Flags)
		}
		if slices.ContainsFunc(im.runs[key], same) {
			continue
		}
		if im.runs == nil {
			im.runs = map[[2]string][]corpus.Build{}
		}
		im.runs[key] = append(im.runs[key], b)
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
func (im *images) describe(c *cluster, m *corpus.Manifest) (notes []string) {
	im.mu.Lock()
	defer im.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(im.runs), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	main, found := im.main(keys, c.spec.Component)
	for _, key := range keys {
		builds := im.runs[key]
		if found && key == main {
			fill(m, builds[0])
		} else {
			notes = append(notes, fmt.Sprintf("%s: container %s of %s runs %s (%s)", c.name, key[1], key[0], builds[0].Image, builds[0].Digest))
		}
		for _, b := range builds[1:] {
			notes = append(notes, fmt.Sprintf("%s: container %s of %s also ran %s (%s) with %q", c.name, key[1], key[0], b.Image, b.Digest, b.Flags))
		}
	}
	if !found && len(keys) > 1 {
		notes = append(notes, fmt.Sprintf("%s: image, digest and flags of the build are not known, as nothing says which container it is", c.name))
	}
	return notes
}

// main chooses the container that the build is of.
func (im *images) main(keys [][2]string, component string) ([2]string, bool) {
	var fit [][2]string
	for _, key := range keys {
		if component == "" || key[0] == component || key[1] == component {
			fit = append(fit, key)
		}
	}
	if len(fit) > 1 && component != "" {
		// An app of that name with a sidecar: the container of that name.
		named := slices.DeleteFunc(slices.Clone(fit), func(key [2]string) bool { return key[1] != component })
		if len(named) == 1 {
			fit = named
		}
	}
	if len(fit) != 1 {
		return [2]string{}, false
	}
	return fit[0], true
}

// fill completes what a manifest says of its build.
func fill(m *corpus.Manifest, b corpus.Build) {
	if len(m.Builds) == 0 {
		return
	}
	to := &m.Builds[0]
	to.Component = cmp.Or(to.Component, b.Component)
	to.Version = cmp.Or(to.Version, b.Version)
	to.Image = cmp.Or(to.Image, b.Image)
	to.Digest = cmp.Or(to.Digest, b.Digest)
	to.Verbosity = cmp.Or(to.Verbosity, b.Verbosity)
	to.LogEncoding = cmp.Or(to.LogEncoding, b.LogEncoding)
	if len(to.Flags) == 0 {
		to.Flags = b.Flags
	}
}
