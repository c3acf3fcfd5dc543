package logqltest_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

// The environment of the benchmarks: how many lines the log has, and where it
// is kept between runs.
const (
	linesEnv = "LOGGEN_LINES"
	dirEnv   = "STILLFIRES_BENCH_DIR"
)

// A benchLog is the generated log in the forms that benchmarks read. Each form
// is made when it is first asked for and kept for later runs.
type benchLog struct {
	lines int
	base  string // path without extension; names the log by its content

	entries []logs.Entry // the log in memory, see load
}

func newBenchLog() (*benchLog, error) {
	l := &benchLog{lines: 1_000_000}
	if s := os.Getenv(linesEnv); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s is %q; give a number of lines", linesEnv, s)
		}
		l.lines = n
	}
	dir := os.Getenv(dirEnv)
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "stillfires-bench")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	sum := sha256.New()
	if err := loggen.Write(sum, 1000); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("controller-%s-%d", hex.EncodeToString(sum.Sum(nil)[:4]), l.lines)
	l.base = filepath.Join(dir, name)
	return l, nil
}

// made returns path after write made it, if it was not there. What is left of
// a write that failed has another name.
func made(path string, write func(temp string) error) (string, error) {
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	temp := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	if err := write(temp); err != nil {
		return "", fmt.Errorf("make %s: %w", path, err)
	}
	return path, os.Rename(temp, path)
}

func writeLog(path string, lines int, write func(io.Writer, int) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f, lines); err != nil {
		return err
	}
	return f.Close()
}

func (l *benchLog) json() (string, error) {
	return made(l.base+".log", func(temp string) error { return writeLog(temp, l.lines, loggen.Write) })
}

func (l *benchLog) logfmt() (string, error) {
	return made(l.base+".logfmt.log", func(temp string) error { return writeLog(temp, l.lines, loggen.WriteLogfmt) })
}

// whole is the JSON log without the lines that are broken.
func (l *benchLog) whole() (string, error) {
	return made(l.base+".whole.log", func(temp string) error {
		return writeLog(temp, l.lines, func(w io.Writer, lines int) error {
			out := bufio.NewWriterSize(w, 1<<20)
			loggen.Lines(lines, func(_ int64, line []byte) {
				if json.Valid(line) {
					out.Write(line)
					out.WriteByte('\n')
				}
			})
			return out.Flush()
		})
	})
}

// zst is the JSON log as the zstd tool compresses it.
func (l *benchLog) zst() (string, error) {
	plain, err := l.json()
	if err != nil {
		return "", err
	}
	return made(l.base+".log.zst", func(temp string) error {
		return exec.Command("zstd", "-q", "-o", temp, plain).Run()
	})
}

// corpusOf opens the one run of a corpus that was imported from a plain log.
func corpusOf(plain string, err error) (*corpus.Run, error) {
	if err != nil {
		return nil, err
	}
	dir, err := made(strings.TrimSuffix(plain, ".log")+".corpus", func(temp string) error {
		_, err := corpus.ImportRaw(context.Background(), []string{plain}, temp,
			corpus.RawOptions{Creator: "benchmark", Build: "deployed", Labels: logs.FromMap(loggen.Labels())})
		return err
	})
	if err != nil {
		return nil, err
	}
	c, err := corpus.Open(dir)
	if err != nil {
		return nil, err
	}
	return c.OpenRun("deployed", corpus.DefaultScenario, 1)
}

func fileSize(tb testing.TB, path string) int64 {
	tb.Helper()
	info, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	return info.Size()
}

// memoryPeak returns the most memory that this process has held, in bytes, or
// 0 where the system does not say.
func memoryPeak() int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
