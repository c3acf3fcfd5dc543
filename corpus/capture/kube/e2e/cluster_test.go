//go:build testkube

package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// A cluster is an API server with its etcd, on loopback, and a kubelet that is
// made up: it serves the logs of pods that run nowhere.
type cluster struct {
	t       *testing.T
	name    string
	dir     string
	etcd    string // URL
	port    int    // of the API server
	api     *exec.Cmd
	kubelet *kubelet
	admin   dynamic.Interface
}

// Tokens of the users that the API server knows.
const (
	adminToken   = "admin-of-the-test"
	captureToken = "may-only-capture"
)

// program returns a program of the folder KUBE_BIN.
func program(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(os.Getenv("KUBE_BIN"), name)
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%v: run \"make test-kube\", or set KUBE_BIN to a folder with kube-apiserver and etcd", err)
	}
	return file
}

func startCluster(t *testing.T, name string) *cluster {
	t.Helper()
	c := &cluster{t: t, name: name, dir: t.TempDir(), port: freePort(t)}
	c.startEtcd()
	c.writeKeys()
	c.startAPI()
	c.admin = c.client(adminToken)
	c.kubelet = startKubelet(t)
	c.create("v1", "nodes", "", fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"%s-node"}}`, name))
	c.status("v1", "nodes", "", name+"-node", fmt.Sprintf(`{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}],
		"capacity":{"cpu":"8","nvidia.com/gpu":"4"},"allocatable":{"cpu":"8","nvidia.com/gpu":"4"},
		"conditions":[{"type":"Ready","status":"True"}],
		"nodeInfo":{"kubeletVersion":"v1.35.4","containerRuntimeVersion":"containerd://2.1.4","osImage":"none","architecture":"amd64","operatingSystem":"linux","kernelVersion":"6.1","machineID":"","systemUUID":"","bootID":"","kubeProxyVersion":""},
		"daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}`, c.kubelet.port))
	return c
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// start runs a program until the test ends. What it says is shown if the test
// fails.
func (c *cluster) start(name string, args ...string) *exec.Cmd {
	c.t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(program(c.t, name), args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if c.t.Failed() {
			text := said.Bytes()
			c.t.Logf("%s of %s said at last:\n%s", name, c.name, text[max(len(text)-4000, 0):])
		}
	})
	return cmd
}

func (c *cluster) startEtcd() {
	client, peer := freePort(c.t), freePort(c.t)
	c.etcd = fmt.Sprintf("http://127.0.0.1:%d", client)
	peers := fmt.Sprintf("http://127.0.0.1:%d", peer)
	c.start("etcd", "--data-dir", filepath.Join(c.dir, "etcd"), "--listen-client-urls", c.etcd, "--advertise-client-urls", c.etcd,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers, "--unsafe-no-fsync", "--log-level", "error")
}

// writeKeys writes what the API server signs accounts with, and its users.
func (c *cluster) writeKeys() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		c.t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write("sa.key", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
	c.write("tokens.csv", []byte(adminToken+",admin,admin,system:masters\n"+captureToken+",capture,capture,\n"))
}

func (c *cluster) write(name string, text []byte) string {
	c.t.Helper()
	file := filepath.Join(c.dir, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		c.t.Fatal(err)
	}
	return file
}

// startAPI starts the API server, on the same port each time, and waits until
// it is ready.
func (c *cluster) startAPI() {
	c.t.Helper()
	key := filepath.Join(c.dir, "sa.key")
	c.api = c.start("kube-apiserver", "--etcd-servers", c.etcd, "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(c.port), "--cert-dir", filepath.Join(c.dir, "certs"),
		"--service-account-issuer", "https://test.invalid", "--service-account-key-file", key, "--service-account-signing-key-file", key,
		"--token-auth-file", filepath.Join(c.dir, "tokens.csv"), "--authorization-mode", "RBAC", "--disable-admission-plugins", "ServiceAccount",
		"--service-cluster-ip-range", "10.7.0.0/24", "--kubelet-preferred-address-types", "InternalIP", "--endpoint-reconciler-type", "none")
	client, err := rest.HTTPClientFor(c.config(adminToken))
	if err != nil {
		c.t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d/readyz", c.port), nil)
		if err != nil {
			c.t.Fatal(err)
		}
		if res, err := client.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Since(began) > 2*time.Minute {
			c.t.Fatal("the API server was not ready within two minutes")
		}
	}
}

// stopAPI kills the API server: its connections break in the middle.
func (c *cluster) stopAPI() {
	_ = c.api.Process.Kill()
	_ = c.api.Wait()
}

func (c *cluster) config(token string) *rest.Config {
	return &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", c.port), BearerToken: token, QPS: 500, Burst: 1000,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}, // made by the server when it starts
	}
}

func (c *cluster) client(token string) dynamic.Interface {
	c.t.Helper()
	d, err := dynamic.NewForConfig(c.config(token))
	if err != nil {
		c.t.Fatal(err)
	}
	return d
}

func (c *cluster) resource(version, plural, namespace string) dynamic.ResourceInterface {
	gv, err := schema.ParseGroupVersion(version)
	if err != nil {
		c.t.Fatal(err)
	}
	r := c.admin.Resource(gv.WithResource(plural))
	if namespace == "" {
		return r
	}
	return r.Namespace(namespace)
}

// patiently tries again while the API server cannot be reached.
func patiently(t *testing.T, what string, do func(ctx context.Context) error) {
	t.Helper()
	var err error
	for range 100 {
		if err = do(context.Background()); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s: %v", what, err)
}

func (c *cluster) create(version, plural, namespace, text string) {
	c.t.Helper()
	var o unstructured.Unstructured
	if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
		c.t.Fatal(err)
	}
	patiently(c.t, "create "+plural, func(ctx context.Context) error {
		_, err := c.resource(version, plural, namespace).Create(ctx, &o, createOptions)
		return err
	})
}

// status sets the status of an object.
func (c *cluster) status(version, plural, namespace, name, text string) {
	c.t.Helper()
	var status map[string]any
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		c.t.Fatal(err)
	}
	patiently(c.t, "status of "+name, func(ctx context.Context) error {
		r := c.resource(version, plural, namespace)
		o, err := r.Get(ctx, name, getOptions)
		if err != nil {
			return err
		}
		o.Object["status"] = status
		_, err = r.UpdateStatus(ctx, o, updateOptions)
		return err
	})
}

// kubeconfig writes a configuration with a context for each cluster, for the
// user who may only capture.
func kubeconfig(t *testing.T, clusters ...*cluster) string {
	t.Helper()
	var list, contexts bytes.Buffer
	for _, c := range clusters {
		fmt.Fprintf(&list, "- name: %s\n  cluster: {server: \"https://127.0.0.1:%d\", insecure-skip-tls-verify: true}\n", c.name, c.port)
		fmt.Fprintf(&contexts, "- name: %s\n  context: {cluster: %s, user: capture}\n", c.name, c.name)
	}
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: %s\nclusters:\n%scontexts:\n%susers:\n- name: capture\n  user: {token: %s}\n",
		clusters[0].name, list.String(), contexts.String(), captureToken)
	return clusters[0].write("kubeconfig", []byte(text))
}
