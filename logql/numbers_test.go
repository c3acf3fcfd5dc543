package logql

import (
	"math"
	"testing"
	"time"
)

func TestParseLabelNumber(t *testing.T) {
	f := func(s string, want float64) {
		t.Helper()
		if got, err := parseLabelNumber(s); err != nil || got != want {
			t.Errorf("parseLabelNumber(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	f("1", 1)
	f("01", 1)
	f("017", 17)
	f("+5", 5)
	f("-2.5E-4", -0.00025)
	f("1e0", 1)
	f("1_000", 1000)
	f("Inf", math.Inf(1))
	f("+Inf", math.Inf(1))
	if got, err := parseLabelNumber("NaN"); err != nil || !math.IsNaN(got) {
		t.Errorf("parseLabelNumber(NaN) = %v, %v", got, err)
	}
	for _, s := range []string{"", " 1", "7 ", "1x", "0x1F", "12%", "1,000", "1e999"} {
		if got, err := parseLabelNumber(s); err == nil {
			t.Errorf("parseLabelNumber(%q) = %v; want an error", s, got)
		}
	}
}

func TestParseLabelDuration(t *testing.T) {
	f := func(s string, want time.Duration) {
		t.Helper()
		if got, err := parseLabelDuration(s); err != nil || got != want {
			t.Errorf("parseLabelDuration(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	f("3ms", 3*time.Millisecond)
	f("1h2m3s", time.Hour+2*time.Minute+3*time.Second)
	f("-2s", -2*time.Second)
	f("1.5s", 1500*time.Millisecond)
	f("980µs", 980*time.Microsecond)
	f("0", 0)
	for _, s := range []string{"", "10 s", "5d", "1w", "1.5", "404", "abc", " 7 "} {
		if got, err := parseLabelDuration(s); err == nil {
			t.Errorf("parseLabelDuration(%q) = %v; want an error", s, got)
		}
	}
}

func TestParseLabelBytes(t *testing.T) {
	f := func(s string, want uint64) {
		t.Helper()
		if got, err := parseLabelBytes(s); err != nil || got != want {
			t.Errorf("parseLabelBytes(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	f("3", 3)
	f("512B", 512)
	f("1kB", 1000)
	f("1.5KiB", 1536)
	f("10mb", 10_000_000)
	f("2 GB", 2_000_000_000)
	f("1,000", 1000)
	f("2MiB", 2<<20)
	for _, s := range []string{"", "xyz", "-1KB", "3ms", "n/a", "99999999999999999999999TB"} {
		if got, err := parseLabelBytes(s); err == nil {
			t.Errorf("parseLabelBytes(%q) = %v; want an error", s, got)
		}
	}
}
