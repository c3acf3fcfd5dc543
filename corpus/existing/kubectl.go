package existing

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// kubectlFiles are files that somebody, or a job of continuous integration,
// wrote with kubectl or copied from nodes:
//
//	[<ns>/]<pod>.log                     kubectl logs, with --timestamps or not
//	[<ns>/]<pod>/<container>.log
//	<ns>_<pod>_<container>[_previous].log
//	pods/<ns>_<pod>_<uid>/<container>/<n>.log[.<rotated>]    /var/log/pods, kind export logs
//	<pod>_<ns>_<container>-<id>.log      /var/log/containers
//	*.json, *.yaml                       kubectl get -o json or yaml
//
// "-previous", "_previous" or ".previous" before ".log" is the process before.
func kubectlFiles() *layout {
	return &layout{
		name: Kubectl,
		log:  func(_ *bundle, rel string) (*placed, string) { return kubectlLog(rel) },
	}
}

var (
	// dnsName is a name that Kubernetes gives a namespace, pod or container.
	dnsName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	// podEnding ends the name of a pod that a controller made; the letters of
	// such endings are no vowels.
	podEnding  = regexp.MustCompile(`-([bcdfghjklmnpqrstvwxz2456789]{5}|\d+)$`)
	podDir     = regexp.MustCompile(`^([^_]+)_([^_]+)_[^_]+$`)
	podLog     = regexp.MustCompile(`^\d+\.log(\..*)?$`)
	runtimeLog = regexp.MustCompile(`^([^_]+)_([^_]+)_([^_]+)-[0-9a-f]{64}$`)
	previously = regexp.MustCompile(`[-_.]previous$`)
)

// services are logs of nodes that such folders hold too.
var services = []string{"kubelet", "containerd", "docker", "crio", "journal", "serial", "dmesg", "audit", "build-log", "kubeapi-audit"}

func kubectlLog(rel string) (*placed, string) {
	name := strings.TrimSuffix(strings.TrimSuffix(rel, ".gz"), ".zst")
	dirs := strings.Split(name, "/")
	base := dirs[len(dirs)-1]
	dirs = dirs[:len(dirs)-1]
	if n := len(dirs); n >= 2 && podLog.MatchString(base) {
		if m := podDir.FindStringSubmatch(dirs[n-2]); m != nil {
			return checked(m[1], m[2], dirs[n-1], current, true)
		}
	}
	if path.Ext(base) != ".log" {
		return nil, ""
	}
	base = strings.TrimSuffix(base, ".log")
	epoch := current
	if at := previously.FindStringIndex(base); at != nil {
		base, epoch = base[:at[0]], previous
	}
	if slices.Contains(services, base) {
		return nil, "is the log of a service of a node, or of a job, not of a container"
	}
	if m := runtimeLog.FindStringSubmatch(base); m != nil {
		return checked(m[2], m[1], m[3], epoch, false)
	}
	switch parts := strings.Split(base, "_"); len(parts) {
	case 1:
		return byFolders(dirs, base, epoch)
	case 3:
		return checked(parts[0], parts[1], parts[2], epoch, false)
	}
	return nil, "has a name that does not tell which part is the namespace, the pod or the container"
}

// byFolders tells namespace, pod and container by the folders of a file.
func byFolders(dirs []string, base string, epoch int) (*placed, string) {
	up := func(n int) string {
		if len(dirs) < n {
			return ""
		}
		return dirs[len(dirs)-n]
	}
	if !podEnding.MatchString(base) && podEnding.MatchString(up(1)) {
		return checked(up(2), up(1), base, epoch, false)
	}
	return checked(up(1), base, "", epoch, false)
}

// checked returns a place if the names are such as Kubernetes gives. A folder
// that is none gives no namespace.
func checked(namespace, pod, container string, epoch int, byTime bool) (*placed, string) {
	labels := map[string]string{}
	if dnsName.MatchString(namespace) {
		labels["namespace"] = namespace
	}
	if !dnsName.MatchString(pod) {
		return nil, "has a name that is none of a pod"
	}
	labels["pod"] = pod
	if container != "" {
		if !dnsName.MatchString(container) {
			return nil, "has a name that is none of a container"
		}
		labels["container"] = container
	}
	return &placed{labels: labels, epoch: epoch, byTime: byTime}, ""
}
