package existing

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/corpus"
)

// A layout is a way in which a tool lays out what it gathers.
type layout struct {
	name string
	// root returns the part of a path before the root of such a tree, with a
	// slash at its end, if the path shows where that is.
	root func(name string) (prefix string, ok bool)
	// log tells what a path below the root is a log of, or why it is left out;
	// neither: it is no log.
	log func(b *bundle, rel string) (*placed, string)
	// groups are entries of the description for all logs of a kind; empty: each
	// stream has its own.
	groups []group
	// objects and events are patterns of files of these; empty: each file has
	// its own entry.
	objects, events []string
	version         string // a JSON file with the version of Kubernetes
}

// A group is an entry of logs in the description: patterns by epoch, and the
// captures that are labels.
type group struct {
	labels   []string
	epochs   [current + 1][]string
	compiled [current + 1][]corpus.Pattern
}

// A bundle is a tree of one layout.
type bundle struct {
	prefix  string // of its files
	layout  *layout
	cluster string
}

func (l *layout) compile() {
	for i := range l.groups {
		g := &l.groups[i]
		for e, patterns := range g.epochs {
			for _, text := range patterns {
				p, err := corpus.CompilePattern(text)
				if err != nil {
					panic(err) // one of the layouts below
				}
				g.compiled[e] = append(g.compiled[e], p)
			}
		}
	}
}

// byGroups finds the log that a path is by the groups of its layout.
func byGroups(b *bundle, rel string) (*placed, string) {
	for i := range b.layout.groups {
		g := &b.layout.groups[i]
		for e, patterns := range g.compiled {
			for _, p := range patterns {
				captures := p.Match(rel)
				if captures == nil {
					continue
				}
				labels := map[string]string{}
				for _, name := range g.labels {
					labels[name] = captures[name]
				}
				return &placed{labels: labels, epoch: e, group: g}, ""
			}
		}
	}
	return nil, ""
}

// prefixBefore returns what stands before the first of the elements in a path
// that has more below it.
func prefixBefore(elements ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		at := 0
		for element := range strings.SplitSeq(name, "/") {
			if slices.Contains(elements, element) && at+len(element) < len(name) {
				return name[:at], true
			}
			at += len(element) + 1
		}
		return "", false
	}
}

// bundles finds the roots of trees. What lies outside of them all is taken for
// files that somebody put there with kubectl.
func (s *scanner) bundles() error {
	layouts := []*layout{mustGather(), supportBundle()}
	for _, l := range layouts {
		if s.opt.As != Auto && s.opt.As != l.name {
			continue
		}
		var found []string
		for _, name := range s.files {
			if prefix, ok := l.root(name); ok && !slices.Contains(found, prefix) {
				found = append(found, prefix)
			}
		}
		for _, prefix := range found {
			s.roots = append(s.roots, bundle{prefix: prefix, layout: l})
		}
		if len(found) == 0 && s.opt.As == l.name {
			return fmt.Errorf("there is no %s: no path has the folders of one; try --as auto", l.name)
		}
	}
	if s.opt.As == Auto || s.opt.As == Kubectl {
		s.roots = append(s.roots, bundle{layout: kubectlFiles()})
	}
	// The longest prefix that fits is the root of a file.
	slices.SortFunc(s.roots, func(a, b bundle) int {
		if c := len(b.prefix) - len(a.prefix); c != 0 {
			return c
		}
		return strings.Compare(a.prefix, b.prefix)
	})
	return s.nameClusters()
}

func (s *scanner) rootOf(name string) *bundle {
	for i := range s.roots {
		if strings.HasPrefix(name, s.roots[i].prefix) {
			return &s.roots[i]
		}
	}
	return nil
}

// nameClusters tells the trees of several clusters apart by the folders that
// they lie in. A must-gather can have a tree for each image that gathered: these
// are of one cluster.
func (s *scanner) nameClusters() error {
	var tops []string
	for i := range s.roots {
		if b := &s.roots[i]; b.layout.name != Kubectl && !slices.Contains(tops, b.top()) {
			tops = append(tops, b.top())
		}
	}
	if len(tops) < 2 {
		return nil
	}
	if s.opt.Cluster != "" {
		slices.Sort(tops)
		return fmt.Errorf("--cluster %s: there are %d clusters in the tree (%s); import them one by one, or without --cluster", s.opt.Cluster, len(tops), strings.Join(tops, ", "))
	}
	used := map[string]string{}
	for i := range s.roots {
		b := &s.roots[i]
		if b.layout.name == Kubectl {
			continue
		}
		b.cluster = clusterName(b.top())
		if other, ok := used[b.cluster]; ok && other != b.top() {
			b.cluster = clusterName(strings.ReplaceAll(strings.Trim(b.top(), "/"), "/", "-"))
		}
		used[b.cluster] = b.top()
	}
	return nil
}

// top returns the folder of a must-gather that has one for each image, or of
// another tree.
func (b *bundle) top() string {
	dir := strings.TrimSuffix(b.prefix, "/")
	parent := path.Dir(dir)
	if b.layout.name == MustGather && strings.HasPrefix(path.Base(parent), "must-gather") {
		return parent
	}
	return dir
}

// clusterName makes a name of the last element of a path; a folder that the
// tool named says less than the one it lies in.
func clusterName(dir string) string {
	base := path.Base(dir)
	if parent := path.Dir(dir); parent != "." && (strings.HasPrefix(base, "must-gather") || strings.HasPrefix(base, "support-bundle")) {
		base = path.Base(parent)
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, base)
	if name = strings.Trim(name, ".-"); name == "" {
		return "cluster"
	}
	return name[:min(len(name), 100)]
}

func (s *scanner) cluster(b *bundle) string {
	if s.opt.Cluster != "" {
		return s.opt.Cluster
	}
	return b.cluster
}
