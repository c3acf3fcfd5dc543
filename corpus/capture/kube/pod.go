package kube

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stillfires/stillfires/internal/logs"
)

// A pod is what is read of one. The types of the API would take more room in
// the binary than all the rest.
type pod struct {
	Metadata struct {
		Name              string            `json:"name"`
		Namespace         string            `json:"namespace"`
		UID               string            `json:"uid"`
		Labels            map[string]string `json:"labels"`
		DeletionTimestamp *metav1.Time      `json:"deletionTimestamp"`
		OwnerReferences   []struct {
			Kind       string `json:"kind"`
			Name       string `json:"name"`
			Controller *bool  `json:"controller"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		NodeName            string      `json:"nodeName"`
		InitContainers      []container `json:"initContainers"`
		Containers          []container `json:"containers"`
		EphemeralContainers []container `json:"ephemeralContainers"`
	} `json:"spec"`
	Status struct {
		InitContainerStatuses      []containerStatus `json:"initContainerStatuses"`
		ContainerStatuses          []containerStatus `json:"containerStatuses"`
		EphemeralContainerStatuses []containerStatus `json:"ephemeralContainerStatuses"`
	} `json:"status"`
}

type container struct {
	Name          string   `json:"name"`
	Image         string   `json:"image"`
	Command       []string `json:"command"`
	Args          []string `json:"args"`
	RestartPolicy string   `json:"restartPolicy"` // of init containers; Always: it runs beside the others
}

type containerStatus struct {
	Name         string         `json:"name"`
	ContainerID  string         `json:"containerID"`
	ImageID      string         `json:"imageID"`
	RestartCount int            `json:"restartCount"`
	State        containerState `json:"state"`
	LastState    containerState `json:"lastState"`
}

type containerState struct {
	Running *struct {
		StartedAt metav1.Time `json:"startedAt"`
	} `json:"running"`
	Terminated *terminated `json:"terminated"`
}

type terminated struct {
	ContainerID string      `json:"containerID"`
	StartedAt   metav1.Time `json:"startedAt"`
	FinishedAt  metav1.Time `json:"finishedAt"`
	ExitCode    int         `json:"exitCode"`
	Reason      string      `json:"reason"`
}

func podOf(u *unstructured.Unstructured) (*pod, error) {
	p := &pod{}
	return p, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, p)
}

// A process is one of those that a container has had.
type process struct {
	id                string // of the container in its runtime; empty: none
	started, finished time.Time
	how               *terminated // nil: it runs
}

func (p process) ended() bool { return p.how != nil }

// A look is what a pod's status says of one of its containers.
type look struct {
	pod       *pod
	container string
	image     string
	// current is the process whose log the API gives, and previous the one whose
	// log it gives as such.
	current, previous process
	restarts          int
	gone              bool // the pod was deleted
	replaced          bool // and another has its name
}

// lookAt reads a status the way the kubelet does when a log is asked for: of a
// container that waits to be started again, the log is that of its last process.
func lookAt(p *pod, c *container, status []containerStatus) *look {
	l := &look{pod: p, container: c.Name, image: c.Image}
	for i := range status {
		s := &status[i]
		if s.Name != c.Name {
			continue
		}
		l.restarts = s.RestartCount
		last := processOf(s.LastState.Terminated)
		switch {
		case s.State.Running != nil && s.ContainerID != "":
			l.current = process{id: s.ContainerID, started: s.State.Running.StartedAt.Time}
			l.previous = last
		case s.State.Terminated != nil && s.State.Terminated.ContainerID != "":
			l.current, l.previous = processOf(s.State.Terminated), last
		default:
			l.current = last
		}
		if l.previous.id == l.current.id {
			l.previous = process{}
		}
	}
	return l
}

func processOf(t *terminated) process {
	if t == nil || t.ContainerID == "" {
		return process{}
	}
	return process{id: t.ContainerID, started: t.StartedAt.Time, finished: t.FinishedAt.Time, how: t}
}

// eachContainer calls f for the containers of a pod that the spec wants.
func (s *Spec) eachContainer(p *pod, f func(c *container, status []containerStatus)) {
	wanted := func(name string) bool { return len(s.Containers) == 0 || slices.Contains(s.Containers, name) }
	each := func(list []container, status []containerStatus, take func(*container) bool) {
		for i := range list {
			if c := &list[i]; wanted(c.Name) && take(c) {
				f(c, status)
			}
		}
	}
	each(p.Spec.InitContainers, p.Status.InitContainerStatuses, func(c *container) bool { return !s.without(InitContainers) || c.RestartPolicy == "Always" })
	each(p.Spec.Containers, p.Status.ContainerStatuses, func(*container) bool { return true })
	each(p.Spec.EphemeralContainers, p.Status.EphemeralContainerStatuses, func(*container) bool { return s.Ephemeral })
}

// podHash is what a Deployment adds to the name of its ReplicaSet.
var podHash = regexp.MustCompile(`-[bcdf-hj-np-tv-z2456789]{6,10}$`)

// app names what a pod is one of: by its labels, else by what made it.
func (p *pod) app() string {
	m := &p.Metadata
	if name := cmp.Or(m.Labels["app.kubernetes.io/name"], m.Labels["app"], m.Labels["k8s-app"]); name != "" {
		return name
	}
	for _, o := range m.OwnerReferences {
		if o.Controller == nil || !*o.Controller {
			continue
		}
		if o.Kind == "ReplicaSet" {
			return podHash.ReplaceAllString(o.Name, "")
		}
		return o.Name
	}
	return m.Name
}

// labels are those of the stream of a container, as agents that ship logs to
// Loki commonly set them.
func (c *cluster) labels(p *pod, container string) logs.Labels {
	set := map[string]string{"app": p.app(), "job": p.Metadata.Namespace + "/" + p.app()}
	maps.Copy(set, c.spec.Labels)
	maps.Copy(set, map[string]string{
		"cluster": c.name, "namespace": p.Metadata.Namespace, "pod": p.Metadata.Name, "container": container, "node": p.Spec.NodeName,
	})
	maps.DeleteFunc(set, func(_, value string) bool { return value == "" })
	return logs.FromMap(set)
}

// streamName names the file of a container's stream.
func (c *cluster) streamName(p *pod, container string) string {
	return cutName(strings.Join([]string{c.name, p.Metadata.Namespace, p.Metadata.Name, container}, "~"), 180)
}
