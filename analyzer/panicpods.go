package analyzer

import (
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// podEvidence says what the last snapshot of the pod that wrote a panic tells
// of its end: restarts, and the exit code of the process before. It is empty
// where no pod is known to have written it: only a stream that names its pod,
// and perhaps its container, tells which.
func podEvidence(run *outcome.Run, p *outcome.Panic) string {
	pod := labelOf(p.First.Stream, "pod", "pod_name")
	if run.Facts == nil || pod == "" || p.Handling != outcome.Crashed {
		return ""
	}
	namespace, container := labelOf(p.First.Stream, "namespace"), labelOf(p.First.Stream, "container", "container_name")
	var last *facts.Object
	for i := range run.Facts.Objects {
		o := &run.Facts.Objects[i]
		if o.Kind == "Pod" && o.Name == pod && (namespace == "" || o.Namespace == namespace) && (last == nil || o.Time >= last.Time) {
			last = o
		}
	}
	if last == nil {
		return ""
	}
	text := ""
	gjson.Get(last.Raw, "status.containerStatuses").ForEach(func(_, s gjson.Result) bool {
		if container != "" && s.Get("name").String() != container {
			return true
		}
		restarts, code := s.Get("restartCount").Int(), s.Get("lastState.terminated.exitCode")
		if restarts > 0 {
			text += fmt.Sprintf("; its pod counts %s", count(restarts, "restart", "restarts"))
		}
		if code.Exists() {
			text += fmt.Sprintf("; the process before ended with exit code %d", code.Int())
		}
		return false
	})
	return text
}

func labelOf(ls logs.Labels, names ...string) string {
	m := ls.Map()
	for _, n := range names {
		if m[n] != "" {
			return m[n]
		}
	}
	return ""
}
