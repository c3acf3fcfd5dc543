// Package kube records what runs in Kubernetes clusters: logs of pods, events,
// objects, leaders and what the clusters are made of.
//
// [Sources] makes the sources of a capture from a [Spec] for each cluster. Each
// of them does one thing, and ends alone where it may not do it:
//
//	sources, err := kube.Sources([]kube.Spec{{
//		Context: "management", Namespaces: []string{"kueue-system"},
//	}}, kube.Options{})
//
// A log is followed container by container. Where the connection ends, it is
// taken up again by time, and records that were there already are left out: see
// window and follower. What a process wrote last is got from its successor's
// "previous" log. What cannot be got any more is a gap.
//
// The API server tells of a restart some moments after the node knows of it.
// So a log of which nothing proves that it is of the process that was asked for
// is held until the pod's status had time to change; see settle.
package kube
