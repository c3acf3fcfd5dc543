package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/timeline"
)

func TestTimelines_Golden(t *testing.T) {
	for _, tt := range drawn {
		r := tt.build()
		var text, table bytes.Buffer
		if err := RenderTimelines(&text, "text", r, Options{Width: tt.text}); err != nil {
			t.Fatal(err)
		}
		golden(t, "timeline-"+tt.name+".txt", text.Bytes())
		golden(t, "timeline-"+tt.name+".svg", picture(newRecovery(r, &r.Timelines[0]), tt.svg))
		if err := RenderTimelines(&table, "csv", r, Options{}); err != nil {
			t.Fatal(err)
		}
		if tt.name == "three" || tt.name == "hostile-names" {
			golden(t, "timeline-"+tt.name+".csv", table.Bytes())
		}
		rows, err := csv.NewReader(&table).ReadAll()
		if err != nil || len(rows) < 3 {
			t.Errorf("%s: %d rows of CSV, %v", tt.name, len(rows), err)
		}
	}
}

func TestTimelines_Width(t *testing.T) {
	for _, tt := range drawn {
		r := tt.build()
		for _, width := range []int{60, 61, 80, 133, 300} {
			var text bytes.Buffer
			if err := RenderTimelines(&text, "text", r, Options{Width: width, All: true}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(text.String()) {
				if n := columns.StringWidth(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%s: line of %d columns; want at most %d: %s", tt.name, n, width, line)
				}
				if strings.ContainsAny(line, "\x1b\x00\u202e") {
					t.Errorf("%s: %q is not safe to show", tt.name, line)
				}
			}
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestTimelineSVG_Sound holds pictures of any size to what a reader of XML, a
// browser and a mail filter ask of them.
func TestTimelineSVG_Sound(t *testing.T) {
	many := recovered(30, 1)
	for _, s := range []*timeline.Side{&many.Timelines[0].Deployed, &many.Timelines[0].Candidate} {
		for j := range s.Runs[0].Workloads {
			s.Runs[0].Workloads[j].ID += strings.Repeat("界", 300)
		}
	}
	far := recovered(2, 1)
	far.Timelines[0].Deployed.Runs[0].Shared[0].At = math.MaxInt64
	far.Timelines[0].Candidate.Runs[0].Failure.At = math.MinInt64
	for name, r := range map[string]*analyzer.Report{
		"3": recovered(3, 1), "30": many, "40": recovered(40, 1), "200": recovered(200, 2), "5000": recovered(5000, 1), "repeated": recovered(20, 30),
		"hostile": hostileRecovery(), "empty": {Timelines: []timeline.Comparison{{}}}, "far": far, "unmeasured": unmeasuredCandidate(),
	} {
		for _, width := range []int{1, 320, 960, 2400} {
			svg := picture(newRecovery(r, &r.Timelines[0]), width)
			if len(svg) > maxSVG {
				t.Errorf("%s: %d bytes; want at most %d", name, len(svg), maxSVG)
			}
			if !utf8.Valid(svg) {
				t.Errorf("%s: invalid UTF-8", name)
			}
			elements := elementsOf(t, name, svg)
			for _, want := range []string{"svg", "title", "desc"} {
				if elements[want] == 0 {
					t.Errorf("%s: no element %s", name, want)
				}
			}
			for _, bad := range []string{"script", "image", "foreignObject", "a", "animate", "set"} {
				if elements[bad] > 0 {
					t.Errorf("%s: %d elements %s; want none", name, elements[bad], bad)
				}
			}
			if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
				t.Errorf("%s: a coordinate is no number", name)
			}
		}
	}
}

// elementsOf reads a picture as XML and counts its elements.
func elementsOf(t *testing.T, name string, svg []byte) map[string]int {
	t.Helper()
	out := map[string]int{}
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			out[start.Name.Local]++
			for _, a := range start.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") {
					t.Errorf("%s: attribute %s=%q", name, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestAxis(t *testing.T) {
	a := axis{from: -165 * time.Second, to: 55 * time.Second, zero: mostBefore}
	for _, tt := range []struct {
		at   time.Duration
		want float64
	}{{-200 * time.Second, 0}, {-165 * time.Second, 0}, {0, 0.25}, {-82500 * time.Millisecond, 0.125}, {55 * time.Second, 1}, {time.Hour, 1}, {27500 * time.Millisecond, 0.625}} {
		if got := a.place(tt.at); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("place(%s) = %v; want %v", tt.at, got, tt.want)
		}
	}
	if got, ok := a.broken(); !ok || got != "9.0" {
		t.Errorf("broken() = %q, %t; want 9.0, true", got, ok)
	}
	var labels []string
	for _, x := range a.ticks(4) {
		labels = append(labels, x.label)
	}
	if diff := cmp.Diff([]string{"-165", "0", "20", "40"}, labels); diff != "" {
		t.Errorf("ticks (-want +got):\n%s", diff)
	}
}

func TestRanges(t *testing.T) {
	for _, tt := range []struct {
		list []int
		want string
	}{{[]int{4}, "4"}, {[]int{3, 2, 4}, "2–4"}, {[]int{1, 2, 5, 7, 8}, "1–2,5,7–8"}} {
		if got := ranges(tt.list); got != tt.want {
			t.Errorf("ranges(%v) = %q; want %q", tt.list, got, tt.want)
		}
	}
}

// Nothing is drawn over something else: marks of one level are apart.
func TestPins(t *testing.T) {
	r := recovered(12, 1)
	d := newDrawing(newRecovery(r, &r.Timelines[0]), 400, sparing{})
	for i := range d.v.sides {
		for _, l := range d.lanesOf(&d.v.sides[i]) {
			for levels := 1; levels <= 3; levels++ {
				ends := map[int]float64{}
				shown := 0
				for _, p := range d.pins(&l, levels) {
					if from := p.x - pinRoom/2; from < ends[p.level] {
						t.Errorf("%s, %d levels: mark at %v covers the one before, which ends at %v", l.name, levels, from, ends[p.level])
					}
					ends[p.level] = p.x - pinRoom/2 + p.width
					shown += len(p.of)
				}
				want := 0
				for _, m := range l.list {
					if m.State != timeline.Missing && d.axis.holds(afterRestored(l.run, m.At)) {
						want++
					}
				}
				if shown != want {
					t.Errorf("%s: %d milestones shown; want %d", l.name, shown, want)
				}
			}
		}
	}
}

// The names of files hold nothing of a scenario that leads elsewhere, and none
// writes over another.
func TestPictureNames(t *testing.T) {
	r := &analyzer.Report{}
	for _, s := range []string{"cut", "CUT", "../../etc/passwd", "a b", "a/b", "", strings.Repeat("x", 300), "\x1b[31mred"} {
		r.Timelines = append(r.Timelines, timeline.Comparison{Scenario: s})
	}
	want := []string{
		"recovery-cut.svg", "recovery-CUT-2.svg", "recovery-..-..-etc-passwd.svg", "recovery-a-b.svg", "recovery-a-b-2.svg", "recovery-.svg",
		"recovery-" + strings.Repeat("x", 80) + ".svg", "recovery-red.svg",
	}
	if diff := cmp.Diff(want, PictureNames(r)); diff != "" {
		t.Errorf("PictureNames (-want +got):\n%s", diff)
	}
}
