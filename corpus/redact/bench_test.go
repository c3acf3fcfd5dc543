//go:build unix

package redact

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/shared"
)

// unpacked returns the lines of all files below a folder that match, gunzipped.
func unpacked(b *testing.B, pattern string) [][]byte {
	b.Helper()
	names, err := filepath.Glob(filepath.Join(shared.Folder(b, "corpora", "kueue-multikueue"), filepath.FromSlash(pattern)))
	if err != nil || len(names) == 0 {
		b.Fatal("no file matches ", pattern, err)
	}
	var lines [][]byte
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			b.Fatal(err)
		}
		in := bufio.NewScanner(z)
		in.Buffer(nil, 64<<20)
		for in.Scan() {
			lines = append(lines, bytes.Clone(in.Bytes()))
		}
		if err := in.Err(); err != nil {
			b.Fatal(err)
		}
		_ = f.Close() // only read
	}
	return lines
}

func bench(b *testing.B, p *Policy, lines [][]byte) {
	b.Helper()
	r, err := compile(p, testKey())
	if err != nil {
		b.Fatal(err)
	}
	size := 0
	for _, l := range lines {
		size += len(l)
	}
	c := r.cleaner()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	from, rounds := cpuTime(), 0
	for b.Loop() {
		rounds++
		for _, l := range lines {
			c.Line(l)
		}
	}
	// On a machine that others work on too, the time of the processor tells
	// more than that of the clock.
	b.ReportMetric(float64(rounds*size)/1e6/(cpuTime()-from).Seconds(), "MB/cpu-s")
}

// cpuTime returns the time of the processor that the program used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of the program itself: cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLine cleans recorded logs, and logs in which every line has secrets.
func BenchmarkLine(b *testing.B) {
	logs := unpacked(b, "delayed-canary/*/manager-*.stderr.log.gz")
	var secret [][]byte
	for i := range 20_000 {
		secret = append(secret, fmt.Appendf(nil, `{"level":"info","ts":"2026-11-30T17:28:51.%03dZ","logger":"auth","msg":"Signed in","user":"user%d@mail.example","url":"https://app:pw%d@db.example:5432/x?token=t%d","token":"tok%d","request":"{\"password\":\"p%d\",\"spec\":{\"replicas\":3,\"name\":\"a longer name of a job\"}}"}`, i%1000, i%500, i%300, i, i%2000, i%100))
	}
	b.Run("log=kueue/policy=default", func(b *testing.B) { bench(b, DefaultPolicy(), logs) })
	all := DefaultPolicy()
	all.IPv4, all.IPv6 = true, true
	b.Run("log=kueue/policy=addresses", func(b *testing.B) { bench(b, all, logs) })
	all.Patterns = []Pattern{{"ticket", `TCK-[0-9]+`}}
	b.Run("log=kueue/policy=pattern", func(b *testing.B) { bench(b, all, logs) })
	b.Run("log=secrets/policy=default", func(b *testing.B) { bench(b, DefaultPolicy(), secret) })
	long := [][]byte{[]byte(`{"msg":"` + strings.Repeat(`text of no matter at all `, 600_000) + `password=x"}`)}
	b.Run("log=long/policy=default", func(b *testing.B) { bench(b, DefaultPolicy(), long) })
}
