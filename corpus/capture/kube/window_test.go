package kube

import (
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
)

func seconds(s float64) time.Time { return time.Unix(1_000_000, int64(s*1e9)).UTC() }

func TestWindow(t *testing.T) {
	type rec struct {
		at   float64
		line string
	}
	long := strings.Repeat("x", longRecord)
	tests := map[string]struct {
		had     []rec
		since   float64
		answer  []rec
		new     []rec
		missing bool
	}{
		"nothing new":     {[]rec{{1, "a"}, {2.5, "b"}}, 1, []rec{{1, "a"}, {2.5, "b"}}, nil, false},
		"more":            {[]rec{{1, "a"}}, 0, []rec{{1, "a"}, {1, "b"}, {2, "c"}}, []rec{{1, "b"}, {2, "c"}}, false},
		"real repeats":    {[]rec{{1, "a"}, {1, "a"}}, 0, []rec{{1, "a"}, {1, "a"}, {1, "a"}}, []rec{{1, "a"}}, false},
		"out of order":    {[]rec{{1.0002, "a"}, {1.0001, "b"}}, 0, []rec{{1.0002, "a"}, {1.0001, "b"}, {1.00005, "c"}}, []rec{{1.00005, "c"}}, false},
		"order, border":   {[]rec{{2.00001, "a"}}, 1, []rec{{2.00001, "a"}, {1.99999, "b"}}, []rec{{1.99999, "b"}}, false},
		"rotated":         {[]rec{{1, "a"}, {2, "b"}}, 1, []rec{{3, "c"}}, []rec{{3, "c"}}, true},
		"rotated between": {[]rec{{1, "a"}, {1.5, "b"}}, 0, []rec{{1.5, "b"}, {3, "c"}}, []rec{{3, "c"}}, false},
		"rest of a piece": {[]rec{{0.9, long + "end"}, {2, "b"}}, 1, []rec{{1.1, "xend"}, {2, "b"}, {3, "c"}}, []rec{{3, "c"}}, false},
		"not the rest":    {[]rec{{0.9, long + "end"}, {2, "b"}}, 1, []rec{{1.1, "other"}, {2, "b"}}, []rec{{1.1, "other"}, {2, "b"}}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var w window
			for _, r := range test.had {
				w.add(seconds(r.at), []byte(r.line))
			}
			if !w.since().Equal(seconds(test.since)) {
				t.Errorf("since %s; want %s", w.since(), seconds(test.since))
			}
			o, err := w.overlap(nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []rec
			for i, r := range test.answer {
				if !o.has(seconds(r.at), []byte(r.line)) {
					got = test.answer[i:]
					break
				}
			}
			if len(got) != len(test.new) || len(got) > 0 && got[0] != test.new[0] || o.found == test.missing {
				t.Errorf("new %v, found %v; want %v, %v", got, o.found, test.new, !test.missing)
			}
		})
	}
}

// A spooled is a stream that has what a test says.
type spooled struct {
	capture.Stream
	records []capture.Record
}

func (s *spooled) Since(at time.Time) (out []capture.Record, err error) {
	for _, r := range s.records {
		if !r.Time.Before(at) {
			out = append(out, r)
		}
	}
	return out, nil
}

// A node's clock that is set back makes old records as young as new ones.
func TestWindow_ClockSetBack(t *testing.T) {
	var w window
	s := &spooled{}
	for _, at := range []float64{100, 200, 300, 150} {
		w.add(seconds(at), []byte("a"))
		s.records = append(s.records, capture.Record{Time: seconds(at), Line: []byte("a")})
	}
	if !w.since().Equal(seconds(149)) {
		t.Errorf("since %s", w.since())
	}
	o, err := w.overlap(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{200, 300, 150} {
		if !o.has(seconds(at), []byte("a")) {
			t.Errorf("%v counts as new", at)
		}
	}
	if !o.found || o.has(seconds(151), []byte("a")) {
		t.Error("what is new is known")
	}
}

// The memory of a window does not grow with the log.
func TestWindow_Bounded(t *testing.T) {
	var w window
	for i := range 100_000 {
		w.add(seconds(float64(i)), []byte("a"))
	}
	if n := len(w.seconds); n > overlapSeconds+2 {
		t.Errorf("%d seconds are kept", n)
	}
}

func TestSplit(t *testing.T) {
	for raw, want := range map[string]string{
		"2026-11-30T17:28:29.863123456Z text here":      "17:28:29.863123456 text here",
		"2026-11-30T18:28:29.863123456+01:00 x":         "17:28:29.863123456 x",
		"2026-11-30T17:28:29Z ":                         "17:28:29 ",
		"2026-11-30T17:28:29Z":                          "17:28:29 ",
		"2026-11-30T17:28:29Z 2026-11-30T17:28:29Z own": "17:28:29 2026-11-30T17:28:29Z own",
		"unable to retrieve container logs":             "none",
		"":                                              "none",
		strings.Repeat("9", 100):                        "none",
	} {
		got := "none"
		if at, line, ok := split([]byte(raw)); ok {
			got = at.Format("15:04:05.999999999") + " " + string(line)
		}
		if got != want {
			t.Errorf("split(%q) = %q; want %q", raw, got, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte("2026-11-30T17:28:29.863123456Z text"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, line, ok := split(raw); ok && !strings.HasSuffix(string(raw), string(line)) {
			t.Errorf("split(%q) gives %q", raw, line)
		}
	})
}
