package main

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/stillfires/stillfires/corpus/capture"
	"github.com/stillfires/stillfires/corpus/capture/kube"
)

// kubeFlags are those of capture that name clusters, as kubectl has them.
type kubeFlags struct {
	kubeconfig    string
	contexts      []string
	namespaces    []string
	allNamespaces bool
	selector      string
	containers    []string
	since         time.Duration
	objects       []string
	watch         bool
	leases        []string
	without       []string
}

func (f *kubeFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig file (default: KUBECONFIG, ~/.kube/config, or the account of the pod)")
	flags.StringArrayVar(&f.contexts, "context", nil, "context of the kubeconfig, with the name of the cluster before = if it is to have another; repeatable")
	flags.StringArrayVarP(&f.namespaces, "namespace", "n", nil, "namespace of the pods, events and objects to record; repeatable (default: that of the context)")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "record all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "labels of the pods whose logs are recorded, such as app=kueue")
	flags.StringArrayVarP(&f.containers, "container", "c", nil, "container whose log is recorded; repeatable (default: all)")
	flags.DurationVar(&f.since, "since", 0, "how far back logs of pods and events begin, such as 10m (default: with the capture)")
	flags.StringArrayVar(&f.objects, "object", nil, "resource to record at the start and at the end, such as jobs or workloads.kueue.x-k8s.io; repeatable")
	flags.BoolVar(&f.watch, "watch", false, "record deletions of the objects too")
	flags.StringArrayVar(&f.leases, "lease", nil, "lease whose holders are recorded, namespace/name, or a namespace for all there; repeatable")
	flags.StringArrayVar(&f.without, "without", nil, "part of the clusters to leave out: "+strings.Join(kube.Parts(), ", ")+"; repeatable")
}

// used reports whether a flag names a cluster, or something in one.
func (f *kubeFlags) used() bool {
	return f.kubeconfig != "" || len(f.contexts)+len(f.namespaces)+len(f.objects)+len(f.leases) > 0 || f.allNamespaces || f.selector != ""
}

// sources returns what the flags name, in each of the contexts.
func (f *kubeFlags) sources(component string) ([]capture.Source, error) {
	if !f.used() {
		if len(f.containers)+len(f.without) > 0 || f.since != 0 || f.watch {
			return nil, errors.New("--container, --since, --watch and --without are of clusters: name one, by --context, --namespace or --selector")
		}
		return nil, nil
	}
	contexts := f.contexts
	if len(contexts) == 0 {
		contexts = []string{""}
	}
	var specs []kube.Spec
	for _, context := range contexts {
		cluster, name, named := strings.Cut(context, "=")
		if !named {
			cluster, name = "", context
		}
		specs = append(specs, kube.Spec{
			Kubeconfig: f.kubeconfig, Context: name, Cluster: cluster,
			Namespaces: f.namespaces, AllNamespaces: f.allNamespaces, Selector: f.selector, Containers: f.containers,
			Since: f.since, Component: component, Objects: f.objects, Watch: f.watch, Leases: f.leases, Without: f.without,
		})
	}
	return kube.Sources(specs, kube.Options{UserAgent: "stillfires/" + buildVersion()})
}
