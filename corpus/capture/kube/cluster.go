package kube

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"

	// OpenID Connect, as kubectl has it.
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc"
)

// A cluster is one API server, and what its sources share.
type cluster struct {
	name       string // value of the label
	context    string // for people
	spec       *Spec
	pace       Pace
	namespaces []string // of the pods; "": all

	dynamic dynamic.Interface
	core    rest.Interface // core/v1, for logs
	any     rest.Interface // any path
	contact contact
	grants  grants
	images  *images // of all clusters of the run
}

func (c *cluster) where() string {
	if c.context == "" {
		return "the cluster that this runs in"
	}
	return fmt.Sprintf("context %q", c.context)
}

// silence keeps the client library from writing to standard error, where the
// progress of the capture stands. What it has to say comes back as errors.
var silence = sync.OnceFunc(func() { klog.SetLogger(logr.Discard()) })

// connect reads the kubeconfig. It does not ask the server anything.
func connect(s *Spec, opts Options) (*cluster, error) {
	silence()
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = s.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: s.Context})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, noConfig(err, loader, s)
	}
	c := &cluster{spec: s, name: s.Cluster, context: s.Context, pace: opts.Pace.orUsual(), namespaces: s.Namespaces}
	if raw, err := loader.RawConfig(); err == nil && c.context == "" {
		c.context = raw.CurrentContext
	}
	if c.name == "" {
		c.name = nameOf(c.context)
	}
	if err := corpus.CheckFile("events", corpus.FileKey{Cluster: c.name}); err != nil {
		return nil, err
	}
	switch {
	case s.AllNamespaces:
		c.namespaces = []string{""}
	case len(s.Namespaces) == 0:
		ns, _, err := loader.Namespace()
		if err != nil {
			return nil, err
		}
		c.namespaces = []string{ns}
	}
	c.namespaces = slices.Compact(slices.Sorted(slices.Values(c.namespaces)))
	return c, c.dial(config, opts)
}

// noConfig says which contexts there are where one is not.
func noConfig(err error, loader clientcmd.ClientConfig, s *Spec) error {
	raw, rawErr := loader.RawConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return errors.New("no kubeconfig was found; name one (--kubeconfig, or KUBECONFIG), or run in a pod that has an account")
	case rawErr != nil || s.Context == "":
		return err
	}
	if _, ok := raw.Contexts[s.Context]; ok {
		return err
	}
	return fmt.Errorf("there is no such context in the kubeconfig; there are: %s", strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", "))
}

func (c *cluster) dial(config *rest.Config, opts Options) (err error) {
	config.UserAgent = opts.UserAgent
	config.QPS = -1 // the server has its own limits, and a capture must not wait at the end
	config.WarningHandler = rest.NoWarnings{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &listener{next: next, contact: &c.contact} })
	if config.ExecProvider != nil {
		config.ExecProvider.StdinUnavailable = true // it is the drill's
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	if c.dynamic, err = dynamic.NewForConfigAndClient(config, client); err != nil {
		return err
	}
	core := dynamic.ConfigFor(config)
	core.APIPath, core.GroupVersion = "/api", &schema.GroupVersion{Version: "v1"}
	if c.core, err = rest.RESTClientForConfigAndClient(core, client); err != nil {
		return err
	}
	c.any, err = rest.UnversionedRESTClientForConfigAndClient(dynamic.ConfigFor(config), client)
	return err
}

// nameOf makes a name of a corpus of the name of a context.
func nameOf(context string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '-'
		}
		return r
	}, context)
	name = strings.TrimRight(strings.TrimLeft(name, ".-"), ". ")
	if name == "" {
		return "cluster"
	}
	return cutName(name, 100)
}

// cutName bounds a name; what is cut off goes into a hash at its end.
func cutName(name string, most int) string {
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most-9], "") + "~" + shortHash(name)
}

// in names a place for people.
func (c *cluster) in(namespace string) string {
	if namespace == "" {
		return "all namespaces of " + c.name
	}
	return namespace + " in " + c.name
}

const maxWait = 30 * time.Second // for one answer that is not a stream

// graceOf is how long a source may take after the end, less what it takes to
// write down what it did not get.
func graceOf(to capture.Sink) time.Duration { return to.Grace() * 4 / 5 }

// since is when logs and events begin, by this machine's clock. A capture that
// was interrupted wants what came since.
func (c *cluster) since(to capture.Sink) time.Time {
	from := to.Now()
	if at := to.Interrupted(); !at.IsZero() && at.Before(from) {
		return at
	}
	return from.Add(-c.spec.Since)
}

// atServer returns a time of this machine by the server's clock, or one as
// much before it as that is not known.
func (c *cluster) atServer(t time.Time) time.Time {
	ahead, off, _ := c.contact.skew()
	return t.Add(ahead - off)
}
