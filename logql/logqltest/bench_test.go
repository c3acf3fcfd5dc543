package logqltest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

// childEnv names the workload that a process of this test binary is to run
// once, to say how much memory it took.
const childEnv = "STILLFIRES_BENCH_CHILD"

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := runChild(name); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runChild(name string) error {
	l, err := newBenchLog()
	if err != nil {
		return err
	}
	for _, w := range workloads() {
		if w.bench+"/"+w.name != name {
			continue
		}
		if w.cores > 0 {
			runtime.GOMAXPROCS(w.cores)
		}
		if _, err := w.run(l); err != nil {
			return err
		}
		fmt.Println(memoryPeak())
		return nil
	}
	return fmt.Errorf("no workload is named %s", name)
}

// A peer is a tool that does the same work, or a part that cannot be left out.
type peer struct {
	tool string
	args func(l *benchLog) ([]string, error)
}

func benchLogOf(b *testing.B) *benchLog {
	b.Helper()
	l, err := newBenchLog()
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// BenchmarkCount counts the lines of the plain file that hold a text.
func BenchmarkCount(b *testing.B) {
	l := benchLogOf(b)
	for _, n := range loggen.Needles() {
		path := "needle=" + n.Name
		counted := benchPeer(b, l, path, peer{"grep", func(l *benchLog) ([]string, error) {
			file, err := l.json()
			return []string{"grep", "-c", "-F", "-e", n.Text, file}, err
		}})
		count := benchOurs(b, l, "Count", path+"/")
		if want := strings.TrimSpace(counted); want != "" && count >= 0 && strconv.FormatInt(count, 10) != want {
			b.Errorf("%s: grep counts %s lines, CountLines %d", path, want, count)
		}
	}
}

// BenchmarkCorpus counts the lines of a corpus that hold a text, beside zstd
// that only decompresses: the plain file as it compresses it, and the corpus.
func BenchmarkCorpus(b *testing.B) {
	l := benchLogOf(b)
	for _, n := range loggen.Needles() {
		path := "needle=" + n.Name
		benchPeer(b, l, path, peer{"zstd", func(l *benchLog) ([]string, error) {
			file, err := l.zst()
			return []string{"zstd", "-q", "-dc", file}, err
		}})
		benchPeer(b, l, path, peer{"zstd-of-corpus", func(l *benchLog) ([]string, error) {
			run, err := corpusOf(l.json())
			if err != nil {
				return nil, err
			}
			return []string{"zstd", "-q", "-dc", run.Path(run.Manifest.Streams[0].File)}, nil
		}})
		benchOurs(b, l, "Corpus", path+"/")
	}
}

// BenchmarkParse counts lines of the plain file that pass a parser and a label
// filter.
func BenchmarkParse(b *testing.B) {
	l := benchLogOf(b)
	benchPeer(b, l, "query=json-few/cores=1", peer{"jq", func(l *benchLog) ([]string, error) {
		file, err := l.json()
		return []string{"jq", "-R", "-r", `fromjson? | select(type == "object" and .msg == "Reconciler error") | .ts`, file}, err
	}})
	benchOurs(b, l, "Parse", "")
}

// BenchmarkMetric evaluates metric queries at 100 instants.
func BenchmarkMetric(b *testing.B) { benchOurs(b, benchLogOf(b), "Metric", "") }

// BenchmarkRules evaluates alert rules in one pass over the corpus, once a
// minute of the log.
func BenchmarkRules(b *testing.B) { benchOurs(b, benchLogOf(b), "Rules", "") }

// benchPeer runs a tool whose output goes into a pipe, and returns what it
// wrote first.
func benchPeer(b *testing.B, l *benchLog, path string, p peer) (output string) {
	b.Helper()
	b.Run(path+"/tool="+p.tool, func(b *testing.B) {
		name, _, _ := strings.Cut(p.tool, "-")
		if _, err := exec.LookPath(name); errors.Is(err, exec.ErrNotFound) {
			b.Skipf("%s is not installed", name)
		}
		args, err := p.args(l)
		if err != nil {
			b.Fatal(err)
		}
		file, err := l.json()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(fileSize(b, file))
		for b.Loop() {
			if output, err = pipe(args); err != nil {
				b.Fatal(err)
			}
		}
	})
	return output
}

// pipe runs a command, reads all of its output and returns the beginning.
func pipe(args []string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	head, err := io.ReadAll(io.LimitReader(out, 64))
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		return "", err
	}
	var exit *exec.ExitError
	// grep exits with 1 where it finds nothing.
	if err := cmd.Wait(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1 || stderr.Len() > 0) {
		return "", fmt.Errorf("%s: %w: %s", args[0], err, stderr.String())
	}
	return string(head), nil
}

// benchOurs runs the workloads of a benchmark, those whose name begins with
// path, and returns what the last of them counted, or -1 if none ran.
func benchOurs(b *testing.B, l *benchLog, bench, path string) (count int64) {
	b.Helper()
	count = -1
	for _, w := range workloads() {
		if w.bench != bench || !strings.HasPrefix(w.name, path) {
			continue
		}
		b.Run(w.name, func(b *testing.B) {
			if w.cores > 0 {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(w.cores))
			}
			count = measure(b, l, w)
		})
	}
	return count
}

func measure(b *testing.B, l *benchLog, w workload) int64 {
	file, err := w.text(l)
	if err != nil {
		b.Fatal(err)
	}
	if w.source == "memory" {
		if err := l.load(file); err != nil {
			b.Fatal(err)
		}
		defer func() { l.entries = nil }()
	}
	// The first run may make files.
	count, err := w.run(l)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(fileSize(b, file))
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		n, err := w.run(l)
		if err != nil {
			b.Fatal(err)
		}
		if n != count {
			b.Fatalf("%s counts %d, then %d", w.name, count, n)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N)/float64(l.lines), "allocs/line")
	if peak := peakOf(b, w); peak > 0 {
		b.ReportMetric(float64(peak)/1e6, "MB-rss")
	}
	return count
}

// peakOf runs the workload in a process of its own and returns the most memory
// that it held, in bytes.
func peakOf(b *testing.B, w workload) int64 {
	if w.source == "memory" {
		return 0 // that is the log
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+w.bench+"/"+w.name)
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("run %s in a process of its own: %v", w.name, err)
	}
	peak, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return peak
}
