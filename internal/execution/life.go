package execution

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// A Life is what is known of one pod.
type Life struct {
	Cluster, Namespace, Name, UID string
	Owner                         facts.Owner // its controller; zero: none
	Node                          string
	Index                         string // of an indexed Job; empty: none
	// Start is when its first container ran, End when the last one ended; of
	// a pod that was being deleted it is when that was asked for. Nanoseconds;
	// 0: it never ran, or had not ended.
	Start, End int64
	// Seen is the last time at which it was known to run.
	Seen int64
	// Failed says that it ended without having done its work.
	Failed bool
	Done   bool // it ended and had done its work
	// Last is its last recorded object.
	Last *facts.Object
}

// Until returns the time up to which the pod is known to have run.
func (l *Life) Until() int64 { return max(l.End, l.Seen) }

// Lives returns the pods of a run that ran, ordered by start, cluster,
// namespace and name.
func Lives(f *facts.Facts) []Life {
	if f == nil {
		return nil
	}
	index := map[[2]string]int{}
	var out []Life
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Kind != "Pod" || profile.Group(o.APIVersion) != "" {
			continue
		}
		key := [2]string{o.Cluster, o.UID}
		if o.UID == "" {
			key[1] = o.Namespace + "/" + o.Name
		}
		at, ok := index[key]
		if !ok {
			at = len(out)
			index[key] = at
			out = append(out, Life{Cluster: o.Cluster, Namespace: o.Namespace, Name: o.Name, UID: o.UID})
		}
		out[at].see(o)
	}
	out = slices.DeleteFunc(out, func(l Life) bool { return l.Start == 0 })
	slices.SortStableFunc(out, func(a, b Life) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	return out
}

// see adds what an object tells.
func (l *Life) see(o *facts.Object) {
	l.Last = o
	for _, owner := range o.Owners {
		if l.Owner == (facts.Owner{}) || owner.Kind == "Job" {
			l.Owner = owner
		}
	}
	l.Node = cmp.Or(gjson.Get(o.Raw, "spec.nodeName").String(), l.Node)
	const indexKey = "batch.kubernetes.io/job-completion-index"
	l.Index = cmp.Or(o.Labels[indexKey], o.Annotations[indexKey], l.Index)
	start, end := int64(0), int64(0)
	gjson.Get(o.Raw, "status.containerStatuses").ForEach(func(_, c gjson.Result) bool {
		for _, path := range []string{"state.running.startedAt", "state.terminated.startedAt", "lastState.terminated.startedAt"} {
			if at := instant(c.Get(path).String()); at != 0 && (start == 0 || at < start) {
				start = at
			}
		}
		end = max(end, instant(c.Get("state.terminated.finishedAt").String()))
		return true
	})
	if start != 0 && (l.Start == 0 || start < l.Start) {
		l.Start = start
	}
	switch gjson.Get(o.Raw, "status.phase").String() {
	case "Running":
		l.Seen = max(l.Seen, o.Time)
	case "Succeeded":
		l.Done = true
		l.End = max(l.End, end)
	case "Failed":
		l.Failed = true
		l.End = max(l.End, end)
	}
	if asked := deletion(o.Raw); asked != 0 {
		if l.End == 0 || asked < l.End {
			l.End = asked
		}
		l.Seen = min(l.Seen, l.End)
	}
}

// deletion returns when the deletion of an object was asked for: its timestamp
// is when the grace period ends.
func deletion(raw string) int64 {
	at := instant(gjson.Get(raw, "metadata.deletionTimestamp").String())
	if at == 0 {
		return 0
	}
	grace := gjson.Get(raw, "metadata.deletionGracePeriodSeconds").Int()
	if grace < 0 || grace > 24*3600 {
		grace = 0
	}
	return at - grace*int64(time.Second)
}

// instant reads a time of an object; 0: there is none.
func instant(text string) int64 {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() < 1970 || at.Year() > 2261 {
		return 0
	}
	return at.UnixNano()
}
