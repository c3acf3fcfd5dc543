package logql

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
)

// A testEntry is a line of the stream {app="a"} at a time in seconds.
type testEntry struct {
	at   float64
	line string
	meta logs.Labels
}

// lines gives each line its own second, from 1.
func lines(ls ...string) []testEntry {
	var out []testEntry
	for i, l := range ls {
		out = append(out, testEntry{at: float64(i + 1), line: l})
	}
	return out
}

var testStream = []logs.Labels{logs.New(logs.Label{Name: "app", Value: "a"})}

func seconds(s float64) int64 { return int64(s * float64(time.Second)) }

// runOne runs a query over entries and returns what it yields and why it
// failed.
func runOne(t testing.TB, query string, w Window, entries []testEntry) (Result, error) {
	t.Helper()
	qs := compileAll(t, query)
	sink := NewResults(qs, []Limit{{}}, testStream)
	r := NewSet(qs, Options{}).NewRun(testStream, []Window{w}, sink)
	for _, e := range entries {
		r.Push(0, &logs.Entry{Time: seconds(e.at), Line: []byte(e.line), Metadata: e.meta})
	}
	r.Close()
	return sink.Result(0), r.Err(0)
}

// logLines returns the lines that a log query yields in time order, each
// behind its labels other than app and __error_details__.
func logLines(t testing.TB, query string, entries []testEntry) []string {
	t.Helper()
	res, err := runOne(t, query, Window{End: math.MaxInt64}, entries)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	type line struct {
		at   int64
		text string
	}
	var all []line
	for _, s := range res.Streams {
		ls := slices.DeleteFunc(slices.Clone(s.Labels), func(l logs.Label) bool {
			return l.Name == "app" && l.Value == "a" || l.Name == detailsLabel
		})
		for _, e := range s.Entries {
			all = append(all, line{e.Time, ls.String() + " " + e.Line})
		}
	}
	slices.SortStableFunc(all, func(a, b line) int { return int(a.at/1e6 - b.at/1e6) })
	out := []string{}
	for _, l := range all {
		out = append(out, l.text)
	}
	return out
}

// checkLines fails the test unless the query yields the wanted lines.
func checkLines(t *testing.T, query string, entries []testEntry, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, logLines(t, query, entries)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", query, diff)
	}
}

// instant returns the vector of a metric query at a time in seconds, as
// "{labels} value".
func instant(t testing.TB, query string, at float64, entries []testEntry) []string {
	t.Helper()
	res, err := runOne(t, query, Window{End: seconds(at)}, entries)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	out := []string{}
	for _, s := range res.Series {
		out = append(out, s.Labels.String()+" "+strconv.FormatFloat(s.Points[0].Value, 'g', 10, 64))
	}
	return out
}

func checkInstant(t *testing.T, query string, at float64, entries []testEntry, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, instant(t, query, at, entries)); diff != "" {
		t.Errorf("%s at %v (-want +got):\n%s", query, at, diff)
	}
}

func TestRun_Windows(t *testing.T) {
	entries := lines("a", "b", "c", "d") // at 1 2 3 4
	test := func(w Window, want string) {
		t.Helper()
		res, err := runOne(t, `{app="a"}`, w, entries)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range res.Streams {
			for _, e := range s.Entries {
				got += e.Line
			}
		}
		if got != want {
			t.Errorf("log query in %v = %q; want %q", w, got, want)
		}
	}
	test(Window{Start: seconds(2), End: seconds(4)}, "bc") // the end is left out
	test(Window{Start: seconds(4), End: seconds(4)}, "")

	// A range takes its end, not its beginning.
	checkInstant(t, `count_over_time({app="a"}[2s])`, 3, entries, `{app="a"} 2`)
	checkInstant(t, `bytes_over_time({app="a"}[1s] offset 1s)`, 3, entries, `{app="a"} 1`)
	checkInstant(t, `count_over_time({app="a"}[3s] offset -1s)`, 3, entries, `{app="a"} 3`)
	checkInstant(t, `count_over_time({app="a"}[2s])`, 7, entries)
}

func TestRun_VectorAtEveryInstant(t *testing.T) {
	qs := compileAll(t, `count_over_time({app="a"}[1s])`)
	var got []string
	sink := sinkFunc(func(ts int64, v []Sample) { got = append(got, fmt.Sprint(ts/1e9, len(v))) })
	r := NewSet(qs, Options{}).NewRun(testStream, []Window{{Start: seconds(1), End: seconds(5), Step: seconds(2)}}, sink)
	r.Push(0, &logs.Entry{Time: seconds(3)})
	if diff := cmp.Diff([]string{"1 0"}, got); diff != "" {
		t.Errorf("instants before the first entry (-want +got):\n%s", diff)
	}
	r.Close()
	if diff := cmp.Diff([]string{"1 0", "3 1", "5 0"}, got); diff != "" {
		t.Errorf("all instants (-want +got):\n%s", diff)
	}
}

type sinkFunc func(ts int64, v []Sample)

func (sinkFunc) Match(int, int, *Match)               {}
func (f sinkFunc) Vector(_ int, ts int64, v []Sample) { f(ts, v) }

func TestRun_OlderEntryTakesTimeOfPredecessor(t *testing.T) {
	checkInstant(t, `count_over_time({app="a"}[1s])`, 5, []testEntry{{at: 5, line: "a"}, {at: 2, line: "b"}}, `{app="a"} 2`)
}

func TestRun_ErrorsStayWithTheirQuery(t *testing.T) {
	qs := compileAll(t, `count_over_time({app="a"} | json [5s])`, `count_over_time({app="a"}[5s])`, `sum(count_over_time({app="a"} | json [5s]))`)
	sink := NewResults(qs, make([]Limit, 3), testStream)
	r := NewSet(qs, Options{}).NewRun(testStream, slices.Repeat([]Window{{End: seconds(5)}}, 3), sink)
	r.Push(0, &logs.Entry{Time: seconds(1), Line: []byte("not JSON")})
	r.Close()
	if err := r.Err(0); err == nil || !strings.Contains(err.Error(), errJSON) {
		t.Errorf("Err(0) = %v; want one that names %s", err, errJSON)
	}
	for i := 1; i < 3; i++ {
		if err := r.Err(i); err != nil {
			t.Errorf("Err(%d) = %v; want nil", i, err)
		}
		if n := len(sink.Result(i).Series); n != 1 {
			t.Errorf("query %d yields %d series; want 1", i, n)
		}
	}
}

func TestRun_MaxSeries(t *testing.T) {
	entries := lines("x=1", "x=2", "x=3")
	qs := compileAll(t, `count_over_time({app="a"} | logfmt [5s])`)
	for most, fails := range map[int]bool{2: true, 3: false, 0: false} {
		r := NewSet(qs, Options{MaxSeries: most}).NewRun(testStream, []Window{{End: seconds(5)}}, new(discard))
		for _, e := range entries {
			r.Push(0, &logs.Entry{Time: seconds(e.at), Line: []byte(e.line)})
		}
		r.Close()
		if err := r.Err(0); (err != nil) != fails {
			t.Errorf("MaxSeries %d: Err = %v; want an error: %v", most, err, fails)
		}
	}
}

func TestRun_AssumeSelectors(t *testing.T) {
	qs := compileAll(t, `{nope="x"} |= "a"`)
	for assume, want := range map[bool]int{false: 0, true: 1} {
		sink := new(discard)
		r := NewSet(qs, Options{AssumeSelectors: assume}).NewRun(testStream, []Window{{End: math.MaxInt64}}, sink)
		r.Push(0, &logs.Entry{Time: 1, Line: []byte("a")})
		r.Close()
		if sink.matches != want {
			t.Errorf("AssumeSelectors %v: %d matches; want %d", assume, sink.matches, want)
		}
	}
}

func TestRun_Funnel(t *testing.T) {
	// Two rules that need different labels share a parser, but not on lines
	// that are malformed.
	qs := compileAll(t,
		`sum by (b) (count_over_time({app="a"} |= "{" | json | a="1" [1m]))`,
		`sum by (a) (sum_over_time({app=~"a|b"} |= "{" | json | unwrap a | __error__="" [1m])) / 2`)
	streams := append(slices.Clone(testStream), logs.New(logs.Label{Name: "app", Value: "b"}))
	r := NewSet(qs[:1], Options{}).NewRun(streams, []Window{{End: seconds(60)}}, new(discard))
	push := func() {
		for i, line := range []string{`{"a":"1"}`, `{"a":"2"}`, `{"a":"1"`, "x", `{"a":"1","b":"2"}`} {
			r.Push(0, &logs.Entry{Time: seconds(float64(i)), Line: []byte(line)})
			r.Push(1, &logs.Entry{Time: seconds(float64(i)), Line: []byte(line)})
		}
		r.Close()
	}
	push()
	want := [][]StageCount{{{Lines: 5, Streams: 1}, {Lines: 4}, {Lines: 4, Errors: 1}, {Lines: 3, Errors: 1}}}
	if diff := cmp.Diff(want, r.Funnel(0)); diff != "" {
		t.Errorf("funnel of the first query alone (-want +got):\n%s", diff)
	}
	texts := func(q *Query) (out []string) {
		for _, s := range q.Pipelines()[0].Steps {
			out = append(out, s.Text)
		}
		return out
	}
	if diff := cmp.Diff([]string{`{app="a"}`, `|= "{"`, `| json`, `| a="1"`}, texts(qs[0])); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}

	r = NewSet(qs, Options{}).NewRun(streams, slices.Repeat([]Window{{End: seconds(60)}}, 2), new(discard))
	push()
	if diff := cmp.Diff(want, r.Funnel(0)); diff != "" {
		t.Errorf("funnel of the first query beside another (-want +got):\n%s", diff)
	}
	want = [][]StageCount{{{Lines: 10, Streams: 2}, {Lines: 8}, {Lines: 8, Errors: 2}, {Lines: 8, Errors: 2}, {Lines: 6}}}
	if diff := cmp.Diff(want, r.Funnel(1)); diff != "" {
		t.Errorf("funnel of the second query (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`{app=~"a|b"}`, `|= "{"`, `| json`, `| unwrap a`, `| __error__=""`}, texts(qs[1])); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
