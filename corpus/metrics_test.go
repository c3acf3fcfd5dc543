package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
)

const oneMetric = oneLog + "metrics:\n- {files: \"{t}.prom[.gz]\", labels: {job: j, instance: \"{t}\"}%s}\n- {files: \"*.ndjson\", labels: {job: n}}\n"

var oneRecord = "{\"ts\":\"2026-11-30T17:00:00Z\"}\n"

// scrapesOf returns the scrapes of the run as lines, and what was said of
// metrics.
func scrapesOf(t testing.TB, s *Scrapes) []string {
	t.Helper()
	var got []string
	for s.Scan() {
		x := s.Scrape()
		got = append(got, fmt.Sprintf("%s %v %v", time.UnixMilli(x.Time).UTC().Format("15:04:05.999"), s.Target(x.Target), x.Up))
		for _, v := range x.Samples {
			got = append(got, fmt.Sprintf("  %s = %v at %d", appendSeries(nil, s.Series(v.Series)), v.Value, v.Time-x.Time))
		}
	}
	for _, f := range s.Families() {
		got = append(got, fmt.Sprintf("%s: %s %s %q", f.Name, f.Type, f.Unit, f.Help))
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return got
}

func openScrapes(t testing.TB, dir string) *Scrapes {
	t.Helper()
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun(bs.Build, bs.Scenario, bs.Repetition)
	if err != nil {
		t.Fatal(err)
	}
	s, err := run.Scrapes()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestImport_Metrics holds import to what each format of metrics means.
func TestImport_Metrics(t *testing.T) {
	f := func(name, option string, files map[string]string, want ...string) {
		t.Helper()
		files["1.log"] = oneRecord
		dir, _, err := importFiles(t, fmt.Sprintf(oneMetric, option), files)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if diff := cmp.Diff(want, scrapesOf(t, openScrapes(t, dir))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		rep, err := Verify(t.Context(), dir)
		if err != nil || len(rep.Problems) > 0 {
			t.Errorf("%s: verify: %v %v", name, err, rep.Problems)
		}
	}
	f("marked scrapes of two targets", "", map[string]string{
		"a.prom": "# scrape ts=2026-11-30T17:00:01.5Z up=1\n# HELP x_total Of x.\n# TYPE x_total counter\nx_total{c=\"1\"} 1 1796058001400\n" +
			"# scrape ts=2026-11-30T17:00:06Z up=0 err=refused\n# scrape ts=2026-11-30T17:00:11Z\nx_total{c=\"1\"} 2\n",
		"b.prom": "# scrape ts=1796058005\n# TYPE x_total counter\n# HELP x_total Of x.\nx_total 7\n",
	},
		`17:00:01.5 {instance="a", job="j"} true`, `  x_total{c="1",instance="a",job="j"} = 1 at -100`,
		`17:00:05 {instance="b", job="j"} true`, `  x_total{instance="b",job="j"} = 7 at 0`,
		`17:00:06 {instance="a", job="j"} false`,
		`17:00:11 {instance="a", job="j"} true`, `  x_total{c="1",instance="a",job="j"} = 2 at 0`,
		`x_total: counter  "Of x."`)
	f("OpenMetrics in seconds, without marks", "", map[string]string{
		"a.prom": "# TYPE x counter\n# UNIT x seconds\nx_total 1 1796058001.5 # {trace=\"1\"} 0.5\ny NaN 1796058001.5\n# EOF\nx_total +Inf 1796058003\ny -Inf 1796058003.25\n# EOF\n",
	},
		`17:00:01.5 {instance="a", job="j"} true`, `  x_total{instance="a",job="j"} = 1 at 0`, `  y{instance="a",job="j"} = NaN at 0`,
		`17:00:03.25 {instance="a", job="j"} true`, `  x_total{instance="a",job="j"} = +Inf at -250`, `  y{instance="a",job="j"} = -Inf at 0`,
		`x: counter seconds ""`)
	f("a scrape without times", ", time: \"2026-11-30T17:00:0{t}Z\"", map[string]string{
		"2.prom.gz": packed("x 1\n\n# a comment\nx 2\r\ny 3\r\n"),
	},
		`17:00:02 {instance="2", job="j"} true`, `  x{instance="2",job="j"} = 1 at 0`, `  y{instance="2",job="j"} = 3 at 0`)
	f("labels", "", map[string]string{
		"a.prom": "# scrape ts=1796058000\nx{job=\"mine\",empty=\"\",b = \"q\\\"\\\\\\n\\d\" , a=\"{}, #\", } 1\n{\"with.dot\", \"l.1\"=\"v\"} 2\nx:y\t 3 \n",
	},
		`17:00:00 {instance="a", job="j"} true`,
		`  x{a="{}, #",b="q\"\\\n\\d",exported_job="mine",instance="a",job="j"} = 1 at 0`,
		`  {"with.dot",instance="a",job="j","l.1"="v"} = 2 at 0`,
		`  x:y{instance="a",job="j"} = 3 at 0`)
	f("series as JSON, in two files", "", map[string]string{
		"2.ndjson": "{\"ts\": \"2026-11-30T17:00:02Z\", \"up\": 0, \"series\": {}}\n\n",
		"1.ndjson": "{\"ts\": 1796058001000, \"up\": 1, \"series\": {\"x{c=\\\"1\\\"}\": 1.5e3, \"y\": \"+Inf\", \"z\": null}}\n",
	},
		`17:00:01 {job="n"} true`, `  x{c="1",job="n"} = 1500 at 0`, `  y{job="n"} = +Inf at 0`,
		`17:00:02 {job="n"} false`)
}

func packed(text string) string {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// TestImport_MetricErrors gives what must not be imported; each error names
// file and line.
func TestImport_MetricErrors(t *testing.T) {
	f := func(name, text, want string) {
		t.Helper()
		_, _, err := importFiles(t, fmt.Sprintf(oneMetric, ""), map[string]string{"1.log": oneRecord, "a.prom": text})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want %q in it", name, err, want)
		}
	}
	const at = "# scrape ts=1796058000\n"
	f("no value", at+"x{a=\"1\"}\n", "ROOT/a.prom:2: a series without a value")
	f("no number", at+"x one\n", `ROOT/a.prom:2: "one" is not a number`)
	f("underscore", at+"x 1_0\n", `"1_0" is not a number`)
	f("three fields", at+"x 1 2 3\n", `ROOT/a.prom:2: "3" after value and time`)
	f("open brace", at+"x{a=\"1\" 1\n", "ROOT/a.prom:2: the labels have no closing brace")
	f("open quote", at+"x{a=\"1} 1\n", "the labels have no closing brace")
	f("label twice", at+"x{a=\"1\",a=\"2\"} 1\n", "has the label a twice")
	f("no name", at+"{a=\"1\"} 1\n", "it has no name")
	f("bad name", at+"x-y 1\n", "no name, or a letter that no name has")
	f("bad label", at+"x{1=\"a\"} 1\n", "a label without = and a value")
	f("no UTF-8", at+"x{a=\"\xff\"} 1\n", "is not valid UTF-8")
	f("no time", "x 1\n", "ROOT/a.prom:1: a scrape without a time")
	f("bad time", at+"x 1 yesterday\n", `ROOT/a.prom:2: "yesterday" is not a time`)
	f("far time", at+"x 1 1e300\n", "the year is outside")
	f("bad mark", "# scrape ts=noon\n", "ROOT/a.prom:1: time \"noon\": want RFC 3339")
	f("back in time", at+"x 1\n# scrape ts=1796057999\nx 2\n", "ROOT/a.prom:4: the scrape of 2026-11-30T16:59:59Z stands after one of 2026-11-30T17:00:00Z")
	f("long line", at+"x{a=\""+strings.Repeat("x", maxMetricLine)+"\"} 1\n", "a line of 1048")
	f("long series", at+"x{a=\""+strings.Repeat("x", maxSeriesText)+"\"} 1\n", "ROOT/a.prom:2: a series of 6")
	f("many labels", at+"x{"+manyLabels(300)+"} 1\n", "more than 256 labels")
	f("empty", "", "ROOT/a.prom: is empty")

	_, _, err := importFiles(t, fmt.Sprintf(oneMetric, ""), map[string]string{"1.log": oneRecord, "a.ndjson": "{\"ts\": 1796058000, \"series\": {\"x\": \"much\"}}\n"})
	if err == nil || !strings.Contains(err.Error(), `ROOT/a.ndjson:1: series "x": its value is not a number`) {
		t.Errorf("JSON: error %v", err)
	}
	_, err = ParseDescription("d.yaml", []byte(oneLog+"metrics:\n- {files: x, format: csv}\n"))
	if err == nil || !strings.Contains(err.Error(), `d.yaml:7:3: metrics[0]: format "csv"`) {
		t.Errorf("description: error %v", err)
	}
}

func manyLabels(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "l%d=\"x\",", i)
	}
	return b.String()
}

// TestScrapes_Damage gives texts that no writer makes.
func TestScrapes_Damage(t *testing.T) {
	f := func(name, text, want string) {
		t.Helper()
		s := newScrapes("m", strings.NewReader(text))
		for s.Scan() {
		}
		if s.Err() == nil || !strings.Contains(s.Err().Error(), want) {
			t.Errorf("%s: error %v; want %q in it", name, s.Err(), want)
		}
	}
	const at = "# scrape ts=2026-11-30T17:00:00Z up=1 target={job=\"j\"}\n"
	f("no end", at+"x 1 1\n", "m:2: ends without # EOF")
	f("after the end", at+"# EOF\nx 1 1\n", "m:3: a line after # EOF")
	f("no scrape", "x 1 1\n# EOF\n", "m:1: stands before the first scrape")
	f("no time", at+"x 1\n# EOF\n", "m:2: a sample without a time")
	f("other form", at+"x{b=\"1\",a=\"2\"} 1 1\n# EOF\n", "m:2: a series is not in its only form")
	f("no target", "# scrape ts=2026-11-30T17:00:00Z up=1\n# EOF\n", "m:1: a scrape begins with")
	f("back", at+strings.Replace(at, "17:", "16:", 1)+"# EOF\n", "m:2: a scrape of 2026-11-30T16:00:00Z after one of")
	f("comment", at+"# remark\n# EOF\n", "m:2: a comment that is none of")
	f("long line", at+strings.Repeat("x", maxMetricLine+1)+"\n# EOF\n", "m:2: a line of more than 1048576 bytes")
}

// A run without metrics says so.
func TestScrapes_None(t *testing.T) {
	dir := t.TempDir()
	writeRun(t, dir, one, map[string][]rec{"a": {{0, "x"}}})
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun(one.Build, one.Scenario, one.Repetition)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Scrapes(); run.HasMetrics() || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("HasMetrics %v, Scrapes %v", run.HasMetrics(), err)
	}
}

// FuzzSeries: what is read is written in its only form, and read to the same.
func FuzzSeries(f *testing.F) {
	for _, s := range []string{`x{a="1"}`, `{"a.b",c="d"}`, `x {a = "\\\"\n" ,}`, `x`, `{`, `x{__name__="y"}`, `x{"a"="b"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		ls, err := parseSeries(text)
		if err != nil {
			return
		}
		form := appendSeries(nil, ls)
		again, err := parseSeries(form)
		if err != nil || cmp.Diff(ls.Map(), again.Map()) != "" {
			t.Fatalf("%q reads as %v, is written %q and reads as %v, %v", text, ls, form, again, err)
		}
		line := append(form, " 1.5 2"...)
		cut, err := cutSample(line)
		if err != nil || string(cut.series) != string(line[:len(form)]) || cut.value != 1.5 || cut.time != 2000 {
			t.Fatalf("%q is cut into %q %v %d, %v", line, cut.series, cut.value, cut.time, err)
		}
	})
}

// FuzzScrapes: no text makes the reader panic, and its scrapes are in order.
func FuzzScrapes(f *testing.F) {
	f.Add("# scrape ts=2026-11-30T17:00:00Z up=1 target={job=\"j\"}\n# TYPE x counter\nx{job=\"j\"} 1 1796058000\n# EOF\n")
	f.Add("# scrape ts=1 up=0 target={}\n# EOF\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := newScrapes("m", strings.NewReader(text))
		last := minTime / 1e6
		for s.Scan() {
			x := s.Scrape()
			if x.Time < last {
				t.Fatalf("scrape of %d after %d", x.Time, last)
			}
			last = x.Time
			for _, v := range x.Samples {
				s.Series(v.Series)
			}
			s.Target(x.Target)
		}
	})
}

// The memory for names and labels is bounded, however many there are.
func TestSeriesNumbers_Bound(t *testing.T) {
	n := newSeriesNumbers()
	n.size = maxSeriesMemory - 10
	target := &metricTarget{numbers: n, known: map[string]int{}}
	if _, err := target.series([]byte(`x{a="1"}`)); err == nil || !strings.Contains(err.Error(), "more than 268435456 bytes") {
		t.Errorf("error %v", err)
	}
}

// FuzzMetricSource: no file to import makes the reader panic, and what it
// yields has a time.
func FuzzMetricSource(f *testing.F) {
	f.Add("# scrape ts=2026-11-30T17:00:00Z up=1\n# TYPE x counter\nx{a=\"1\"} 1 1796058000000\n# scrape ts=1796058005 up=0\n")
	f.Add("x 1 1796058000.5 # {a=\"b\"} 1\n# EOF\nx 2 1796058001\n")
	f.Add("{\"ts\": 1796058000, \"up\": 0, \"series\": {\"x{a=\\\"1\\\"}\": 1}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		plan := &metricPlan{spec: &MetricSpec{}, name: "m"}
		target := &metricTarget{numbers: newSeriesNumbers(), known: map[string]int{}}
		s, err := openMetrics(fstest.MapFS{"m": {Data: []byte(text)}}, plan, "m", target, Limits{})
		if err != nil {
			return
		}
		for s.next() == nil {
			for _, x := range s.scrape.Samples {
				if x.Time < minTime/1e6 || x.Time > maxTime/1e6 || x.Series >= len(target.numbers.labels) {
					t.Fatalf("sample %+v", x)
				}
			}
		}
		if err := s.lines.close(); err != nil {
			t.Fatal(err)
		}
	})
}
