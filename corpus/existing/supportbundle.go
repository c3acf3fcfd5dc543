package existing

import "strings"

// supportBundle is what the support-bundle command of Troubleshoot writes:
//
//	cluster-resources/pods/logs/<ns>/<pod>/<container>[-previous].log
//	cluster-resources/<resource>/<ns>.json, cluster-resources/events/<ns>.json
//	<collector>/<ns>/<pod>/<container>[-previous].log
//	<collector>/<pod>/<container>[-previous].log, in which no namespace is said
//	cluster-info/cluster_version.json
func supportBundle() *layout {
	named := func(dir string) [current + 1][]string {
		return [...][]string{
			previous: {dir + "{container}-previous.log[.gz]"},
			current:  {dir + "{container}.log[.gz]"},
		}
	}
	l := &layout{
		name: SupportBundle,
		root: prefixBefore("cluster-resources", "cluster-info"),
		groups: []group{
			{labels: []string{"namespace", "pod", "container"}, epochs: named("cluster-resources/pods/logs/{namespace}/{pod}/")},
			{labels: []string{"namespace", "pod", "container"}, epochs: named("*/{namespace}/{pod}/")},
			{labels: []string{"pod", "container"}, epochs: named("*/{pod}/")},
		},
		objects: []string{"cluster-resources/**/*.json", "cluster-resources/**/*.yaml", "*/**/*.json"},
		events:  []string{"cluster-resources/events/*.json"},
		version: "cluster-info/cluster_version.json",
		log: func(b *bundle, rel string) (*placed, string) {
			switch top, _, _ := strings.Cut(rel, "/"); top {
			case "analysis.json", "version.yaml":
				return nil, "is written by the tool about itself"
			case "host-collectors":
				return nil, "is of a node, not of a container"
			}
			if strings.HasSuffix(rel, "-errors.json") || strings.HasSuffix(rel, "-logs-errors.log") {
				return nil, "lists what the tool could not gather"
			}
			return byGroups(b, rel)
		},
	}
	l.compile()
	return l
}
