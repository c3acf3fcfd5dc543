package kube

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// BenchmarkCapture records a log of 200 MB: the time is that from the first
// request until all is in the spool.
func BenchmarkCapture(b *testing.B) {
	b.Run("http=1", func(b *testing.B) { benchmark(b, newAPI(b)) })
	b.Run("http=2", func(b *testing.B) { benchmark(b, newAPI(b).http2()) })
}

func benchmark(b *testing.B, a *api) {
	const size = 200 << 20
	spec := lamps(kubeconfig(b, map[string]*api{"one": a}))
	a.pod("lamp-1").start()
	begin := time.Now().Add(-30 * time.Minute)
	var text bytes.Buffer
	records := int64(0)
	for ; text.Len() < size; records++ {
		at := begin.Add(time.Duration(records) * time.Millisecond)
		fmt.Fprintf(&text, "%s {\"level\":\"info\",\"ts\":%q,\"logger\":\"lamp\",\"msg\":\"lit\",\"n\":%d,\"wick\":%q}\n", at.UTC().Format(stampLayout), at.Format(time.RFC3339Nano), records, strings.Repeat("w", int(records%97)))
	}
	a.fault = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/log") || r.URL.Query().Get("follow") == "" {
			return false
		}
		_, _ = w.Write(text.Bytes()) // the client leaves at the end
		flush(w)
		<-r.Context().Done()
		return true
	}
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	own := stats.HeapInuse // the log itself
	most := uint64(0)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		pace := quick
		pace.Idle = time.Minute
		r := capturingAt(b, nil, pace, spec)
		for r.session.Stats().Lines < records {
			time.Sleep(5 * time.Millisecond)
			runtime.ReadMemStats(&stats)
			most = max(most, stats.HeapInuse-min(own, stats.HeapInuse))
		}
		b.StopTimer()
		r.stop()
		if err := r.session.Discard(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(most)/1e6, "MB-heap")
}
