package existing

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus"
)

const line = "2026-11-30T17:28:30.000000001Z started\n"

// tree writes files below a new directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// imported describes a tree and imports it. It returns the streams as
// "labels: records" and the files that were left out.
func imported(t testing.TB, dir string, opt Options) (streams, left []string) {
	t.Helper()
	d, err := Describe(context.Background(), os.DirFS(dir), opt)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := corpus.ParseDescription("made", d.Text)
	if err != nil {
		t.Fatalf("%v\n%s", err, d.Text)
	}
	rep, err := corpus.Import(context.Background(), desc, dir, t.TempDir(), corpus.ImportOptions{OneRun: true, Build: "b", Scenario: "s"})
	if err != nil {
		t.Fatalf("%v\n%s", err, d.Text)
	}
	for _, s := range rep.Runs[0].Streams {
		streams = append(streams, s.LabelSet().String())
	}
	for _, l := range rep.LeftOut {
		left = append(left, l.File)
	}
	return streams, left
}

// What a description says of every file is what the import does, whatever the
// files are called.
func TestDescribe_OddNames(t *testing.T) {
	dir := tree(t, map[string]string{
		"a{b}[c]*?/namespaces/ns/pods/p-0/c/c/logs/current.log": line,
		"a{b}[c]*?/namespaces/ns/core/pods.yaml":                "{kind: Pod, apiVersion: v1, metadata: {name: p-0}}",
		"a{b}[c]*?/namespaces/ns/core/x{y}.html":                "<html>",
		"out[1]{x}/web-0.log":                                   line,
		"out[1]{x}/with \\ and \n and \" and : and ü.json":      "[1]",
		"out[1]{x}/-.log":                                       line,
	})
	streams, left := imported(t, dir, Options{})
	want := []string{`{container="c", namespace="ns", pod="p-0"}`, `{pod="web-0"}`}
	if diff := cmp.Diff(want, streams); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
	wantLeft := []string{"a{b}[c]*?/namespaces/ns/core/x{y}.html", "out[1]{x}/-.log", "out[1]{x}/with \\ and \n and \" and : and ü.json"}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

func TestDescribe_Rotated(t *testing.T) {
	logs := "m/namespaces/ns/pods/p-0/c/c/logs/"
	dir := tree(t, map[string]string{
		logs + "current.log":                   "2026-11-30T17:28:33.000000001Z 3\n",
		logs + "previous.log":                  "2026-11-30T17:28:32.000000001Z 2\n",
		logs + "rotated/0.log.20261130-172831": "2026-11-30T17:28:31.000000001Z stderr F 1\n",
		logs + "rotated/0.log.20261130-172830": "2026-11-30T17:28:30.000000001Z stderr F 0\n",
		logs + "rotated/0.log.20261130-172829": "",
	})
	streams, left := imported(t, dir, Options{As: MustGather})
	if len(streams) != 1 || len(left) != 1 {
		t.Errorf("streams %q, left out %q; want one of each", streams, left)
	}
}

func TestKubectlLog(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	f := func(rel, want string) {
		t.Helper()
		p, why := kubectlLog(rel)
		got := "left out"
		if p != nil {
			got = strings.Join([]string{p.labels["namespace"], p.labels["pod"], p.labels["container"]}, "/")
			if p.epoch == previous {
				got += " previous"
			}
		} else if why == "" {
			got = "no log"
		}
		if got != want {
			t.Errorf("kubectlLog(%q) is %q; want %q", rel, got, want)
		}
	}
	f("web.log", "/web/")
	f("web.log.gz", "/web/")
	f("web.previous.log", "/web/ previous")
	f("web-previous.log.zst", "/web/ previous")
	f("kueue-system/manager-7d9f8c6b5-x2kqp.log", "kueue-system/manager-7d9f8c6b5-x2kqp/")
	f("logs/kueue-system/manager-7d9f8c6b5-x2kqp/manager.log", "kueue-system/manager-7d9f8c6b5-x2kqp/manager")
	f("kueue-system/web-0/manager-previous.log", "kueue-system/web-0/manager previous")
	f("web-0/manager.log", "/web-0/manager")
	f("logs/kueue-system/manager.log", "kueue-system/manager/")
	f("ns_pod-0_c.log", "ns/pod-0/c")
	f("ns_pod-0_c_previous.log", "ns/pod-0/c previous")
	f("containers/pod-0_ns_kube-rbac-proxy-"+id+".log", "ns/pod-0/kube-rbac-proxy")
	f("pods/ns_pod-0_uid/kube-rbac-proxy/12.log", "ns/pod-0/kube-rbac-proxy")
	f("pods/ns_pod-0_uid/c/0.log.20261130-1.gz", "ns/pod-0/c")
	f("Logs/web-0.log", "/web-0/")
	f("pod_container.log", "left out")
	f("a_b_c_d.log", "left out")
	f("Upper.log", "left out")
	f("node/kubelet.log", "left out")
	f("readme.txt", "no log")
	f("junit.xml", "no log")
}

// A description says of every file what becomes of it, and an import does as
// it says. It is the same each time.
func FuzzDescribe(f *testing.F) {
	f.Add("namespaces/ns/pods/p/c/c/logs/current.log\nnamespaces/ns/core/pods.yaml\nx/y.log\nversion")
	f.Add("cluster-resources/pods/logs/ns/p/c.log\ncluster-resources/pods/logs/ns/p/c-previous.log\nlogs/p/c.log\ncluster-info/cluster_version.json")
	f.Add("a/namespaces/n/pods/p/c/c/logs/current.log\nb/namespaces/n/pods/p/c/c/logs/current.log\nb/cluster-resources/x.json")
	f.Add("pods/a_b_c/d/0.log\npods/a_b_c/d/1.log\ncontainers/b_a_d-" + strings.Repeat("0", 64) + ".log\nb.log")
	f.Add("cluster-resources/x\na/cluster-resources/pods/logs/n/p/c.log\ncluster-resources/a.json\ncluster-resources/a.yaml\ncluster-info/cluster_version.json\na/cluster-info/cluster_version.json")
	f.Fuzz(func(t *testing.T, names string) {
		dir, n := t.TempDir(), 0
		for name := range strings.SplitSeq(names, "\n") {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if n++; n > 20 || len(name) > 200 || !utf8.ValidString(name) || !filepath.IsLocal(name) || os.MkdirAll(filepath.Dir(at), 0o777) != nil {
				continue
			}
			text := line
			if isValues(name) {
				text = `{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}}`
			}
			_ = os.WriteFile(at, []byte(text), 0o666) // what is no name of a file is none
		}
		d, err := Describe(context.Background(), os.DirFS(dir), Options{})
		if err != nil {
			return // no log
		}
		again, err := Describe(context.Background(), os.DirFS(dir), Options{})
		if err != nil || string(again.Text) != string(d.Text) {
			t.Errorf("described again: %v\n%s\nwas\n%s", err, again.Text, d.Text)
		}
		streams, left := imported(t, dir, Options{})
		if len(streams) != d.Streams || len(left) != d.LeftOut {
			t.Errorf("imported %d streams, left out %d files; described were %d and %d:\n%s", len(streams), len(left), d.Streams, d.LeftOut, d.Text)
		}
	})
}
