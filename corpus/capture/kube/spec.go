package kube

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// A Spec says what to record of one cluster. Its keys are those of a capture
// file.
type Spec struct {
	Kubeconfig string `yaml:"kubeconfig"` // file; empty: as kubectl looks for it, or the pod's own account
	Context    string `yaml:"context"`    // of the kubeconfig; empty: the current one
	// Cluster is the value of the label; empty: the name of the context, with
	// "-" for what names of a corpus cannot hold.
	Cluster string `yaml:"cluster"`

	// Namespaces are those of all that has one; empty: that of the context.
	// AllNamespaces takes their place.
	Namespaces    []string `yaml:"namespaces"`
	AllNamespaces bool     `yaml:"allNamespaces"`
	Selector      string   `yaml:"selector"` // of labels of pods, as kubectl has it; empty: all pods

	Containers []string `yaml:"containers"` // names; empty: all
	Ephemeral  bool     `yaml:"ephemeral"`  // take ephemeral containers too
	// Since is how far before the beginning of the capture logs and events begin.
	Since time.Duration `yaml:"since"`
	// Labels are added to those of every stream. They cannot take the place of
	// labels that tell streams apart.
	Labels map[string]string `yaml:"labels"`
	// Component is the container, or the app, that the run's build is of; empty:
	// the only one there is.
	Component string `yaml:"component"`

	// Objects are resources, as kubectl names them: pods, job,
	// workloads.kueue.x-k8s.io, workloads.v1beta1.kueue.x-k8s.io. They are
	// recorded at the start, at the end and at moments that are asked for.
	Objects []string `yaml:"objects"`
	// Interval is the time between further moments; 0: there are none.
	Interval time.Duration `yaml:"interval"`
	// Watch records deletions of the objects, with their last state.
	Watch bool `yaml:"watch"`
	// Secrets lets Objects name secrets. Their data is left out all the same.
	Secrets bool `yaml:"secrets"`
	// Leases are leases whose holders are recorded: "namespace/name", or
	// "namespace" for all there.
	Leases []string `yaml:"leases"`

	// Without names parts that are left out.
	Without []string `yaml:"without"`
}

// The parts of a cluster that can be left out.
const (
	Logs           = "logs"
	InitContainers = "init-containers" // those that run once
	Events         = "events"
	Nodes          = "nodes" // an inventory of them; it needs a ClusterRole
)

// Parts are those that can be left out.
func Parts() []string { return []string{Logs, InitContainers, Events, Nodes} }

func (s *Spec) without(part string) bool { return slices.Contains(s.Without, part) }

// Options are of the program, not of a cluster.
type Options struct {
	UserAgent string
	// Pace bounds the waits between tries; the zero value is what a capture of
	// a real cluster wants.
	Pace Pace
}

// A Pace says how long to wait for what.
type Pace struct {
	First, Most time.Duration // between tries, growing from one to the other
	// Settle is the time that the API server has to tell of a restart that the
	// node knows of.
	Settle time.Duration
	// Idle is how long a log that is followed may be silent before the
	// connection is made anew, as it may be dead.
	Idle time.Duration
	// Refused is how long a refusal may last that comes after leave was given,
	// as servers refuse all while they start.
	Refused time.Duration
}

var usualPace = Pace{First: 250 * time.Millisecond, Most: 5 * time.Second, Settle: 3 * time.Second, Idle: time.Minute, Refused: time.Minute}

func (p Pace) orUsual() Pace {
	for _, x := range []struct{ value, usual *time.Duration }{
		{&p.First, &usualPace.First}, {&p.Most, &usualPace.Most}, {&p.Settle, &usualPace.Settle},
		{&p.Idle, &usualPace.Idle}, {&p.Refused, &usualPace.Refused},
	} {
		if *x.value == 0 {
			*x.value = *x.usual
		}
	}
	return p
}

// own are the labels that this package sets.
var own = []string{"cluster", "namespace", "pod", "container", "node"}

// check finds what is wrong with a spec whatever the cluster is.
func (s *Spec) check() error {
	if s.AllNamespaces && len(s.Namespaces) > 0 {
		return errors.New("namespaces are named, and all namespaces are wanted: choose one")
	}
	if slices.Contains(s.Namespaces, "") {
		return errors.New("the name of a namespace is empty")
	}
	if _, err := labels.Parse(s.Selector); err != nil {
		return fmt.Errorf("selector %q: %w; write it as for kubectl, such as app=kueue,tier!=test", s.Selector, err)
	}
	for _, part := range s.Without {
		if !slices.Contains(Parts(), part) {
			return fmt.Errorf("without %q: want one of %s", part, strings.Join(Parts(), ", "))
		}
	}
	for _, name := range own {
		if _, ok := s.Labels[name]; ok {
			return fmt.Errorf("label %s tells streams apart and cannot be given", name)
		}
	}
	for name := range s.Labels {
		if err := corpus.CheckLabelName(name); err != nil {
			return err
		}
	}
	if s.Since < 0 {
		return fmt.Errorf("since %s: want how far back logs begin, such as 10m", s.Since)
	}
	if s.Interval != 0 && s.Interval < time.Second {
		return fmt.Errorf("interval %s: want a second or more", s.Interval)
	}
	if (s.Interval != 0 || s.Watch) && len(s.Objects) == 0 {
		return errors.New("moments or deletions are wanted, but no objects are named")
	}
	for _, l := range s.Leases {
		if ns, _, _ := strings.Cut(l, "/"); ns == "" || strings.Count(l, "/") > 1 {
			return fmt.Errorf("lease %q: want namespace/name, or a namespace for all there", l)
		}
	}
	for _, o := range s.Objects {
		if name, group, _ := strings.Cut(strings.ToLower(o), "."); !s.Secrets && slices.Contains([]string{"secret", "secrets"}, name) && (group == "" || group == "v1" || group == "v1.") {
			return errors.New("secrets are not recorded unless that is asked for (secrets: true); their data never is")
		}
	}
	return nil
}

// A SpecError is what is wrong with one of several specs.
type SpecError struct {
	Spec int // index
	Err  error
}

// Error names the cluster.
func (e *SpecError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *SpecError) Unwrap() error { return e.Err }

// Sources returns the sources of what specs say, all of one run. Errors are
// [*SpecError], of the specs and of kubeconfigs; no server is asked yet.
func Sources(specs []Spec, opts Options) ([]capture.Source, error) {
	var out []capture.Source
	names := map[string]string{}
	once := map[string]bool{}
	images := &images{named: map[[2]string]naming{}}
	for i := range specs {
		s := &specs[i]
		c, err := s.open(opts)
		if err != nil {
			return nil, &SpecError{i, fmt.Errorf("%s: %w", s.title(), err)}
		}
		c.images = images
		if before, ok := names[c.name]; ok && before != c.where() {
			return nil, &SpecError{i, fmt.Errorf("%s and %s are both called %q: give one another name (cluster)", before, c.where(), c.name)}
		}
		names[c.name] = c.where()
		for _, source := range c.sources() {
			// What does not depend on a selector is recorded once.
			if name := source.String(); !once[name] || isLogs(source) {
				once[name] = true
				out = append(out, source)
			}
		}
	}
	return append(out, images), nil
}

func isLogs(s capture.Source) bool { _, ok := s.(*podLogs); return ok }

func (s *Spec) open(opts Options) (*cluster, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return connect(s, opts)
}

func (s *Spec) title() string {
	if s.Context == "" {
		return "the current context"
	}
	return fmt.Sprintf("context %q", s.Context)
}

// sources returns what records the parts of the cluster.
func (c *cluster) sources() []capture.Source {
	s := c.spec
	out := []capture.Source{&inventory{c: c}}
	if !s.without(Nodes) {
		out = append(out, &nodes{c: c})
	}
	for _, ns := range c.namespaces {
		if !s.without(Logs) {
			out = append(out, &podLogs{c: c, namespace: ns})
		}
		if !s.without(Events) {
			out = append(out, &events{c: c, namespace: ns})
		}
	}
	if len(s.Objects) > 0 {
		out = append(out, &objects{c: c})
	}
	for _, l := range s.Leases {
		ns, name, _ := strings.Cut(l, "/")
		out = append(out, &leases{c: c, namespace: ns, name: name})
	}
	return out
}
