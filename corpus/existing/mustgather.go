package existing

import "strings"

// mustGather is what "oc adm must-gather" and "oc adm inspect" write:
//
//	must-gather.local.…/<image>/namespaces/<ns>/pods/<pod>/<container>/<container>/logs/current.log
//	…/namespaces/<ns>/core/events.yaml, …/namespaces/<ns>/<group>/<resource>.yaml
//	…/cluster-scoped-resources/<group>/<resource>/<name>.yaml
func mustGather() *layout {
	const logs = "namespaces/{namespace}/pods/{pod}/{container}/*/logs/"
	l := &layout{
		name: MustGather,
		root: prefixBefore("namespaces", "cluster-scoped-resources"),
		groups: []group{{
			labels: []string{"namespace", "pod", "container"},
			epochs: [...][]string{
				rotated:  {logs + "rotated/*"},
				previous: {logs + "previous.log[.gz]", logs + "previous.insecure.log[.gz]"},
				current:  {logs + "current.log[.gz]", logs + "current.insecure.log[.gz]"},
			},
		}},
		objects: []string{"namespaces/**/*.yaml", "namespaces/**/*.json", "cluster-scoped-resources/**/*.yaml", "cluster-scoped-resources/**/*.json"},
		events:  []string{"namespaces/*/core/events.yaml", "namespaces/*/core/events/*.yaml", "namespaces/*/events.k8s.io/events.yaml", "namespaces/all/core/events.yaml"},
		log: func(b *bundle, rel string) (*placed, string) {
			switch top, _, _ := strings.Cut(rel, "/"); top {
			case "audit_logs":
				return nil, "is an audit log, which is none of a container"
			case "host_service_logs", "static-pods", "nodes":
				return nil, "is of a node, not of a container"
			}
			return byGroups(b, rel)
		},
	}
	l.compile()
	return l
}
