package query

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/shared"
	"github.com/stillfires/stillfires/logql/logqltest"
)

// TestConformance runs the recorded cases as a user would, from a corpus on
// disk to the JSON that Loki's API answers, and compares with the recording.
func TestConformance(t *testing.T) {
	dir := shared.Folder(t, "conformance")
	cases, err := logqltest.ReadCases(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	corpora, err := logqltest.ReadCorpora(filepath.Join(dir, "corpora"), cases)
	if err != nil {
		t.Fatal(err)
	}
	stored := make(map[string]string)
	artefacts := logqltest.Artefacts()
	ran := 0
	for i := range cases {
		c := &cases[i]
		if c.Kind == logqltest.KindParse || c.ServerDiffers() || c.Expect.Status == logqltest.StatusParseError || artefacts[c.ID] != "" {
			continue
		}
		if stored[c.Corpus] == "" {
			stored[c.Corpus] = storeCorpus(t, corpora[c.Corpus])
		}
		if c.Corpus == "rawbytes" && c.Kind == logqltest.KindLog {
			continue // lines that JSON cannot tell
		}
		ran++
		got := answerOf(t, c, stored[c.Corpus])
		if !logqltest.Equal(&got, &c.Expect) {
			t.Errorf("%s: %s\n%s", c.ID, c.Query, logqltest.Diff(&got, &c.Expect))
		}
	}
	if ran < 1000 {
		t.Errorf("only %d cases were run", ran)
	}
}

// storeCorpus writes recorded lines as a corpus of one run.
func storeCorpus(t *testing.T, in *logqltest.Corpus) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	w, err := corpus.OpenForWrite(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.BeginRun(&corpus.Manifest{Build: "b", Scenario: corpus.Scenario{Name: "s"}, Repetition: 1, Builds: []corpus.Build{{Name: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	var streams []*corpus.StreamWriter
	for i, ls := range in.Streams {
		s, err := run.Stream(fmt.Sprint("s", i), ls)
		if err != nil {
			t.Fatal(err)
		}
		s.Info.Time.Source = "record"
		streams = append(streams, s)
	}
	for i := range in.Entries {
		e := &in.Entries[i]
		if err := streams[e.Stream].Append(&e.Entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(run); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// An apiAnswer is what a client of Loki's API reads.
type apiAnswer struct {
	Status string
	Data   struct {
		ResultType string
		Result     json.RawMessage
	}
}

// answerOf runs a case on a corpus and reads the JSON that comes.
func answerOf(t *testing.T, c *logqltest.Case, dir string) logqltest.Answer {
	t.Helper()
	opt := &Options{
		Query: c.Query, Corpus: dir, Format: "json", KeepEmpty: true, Note: func(string) {},
		To: nanoseconds(c.End), Limit: c.Limit, Backward: c.Direction == "backward",
	}
	switch c.Kind {
	case logqltest.KindLog:
		opt.From = nanoseconds(c.Start)
	case logqltest.KindRange:
		opt.From, opt.Step = nanoseconds(c.Start), fmt.Sprintf("%dns", c.Step)
	}
	if c.Kind != logqltest.KindLog {
		opt.Limit, opt.Backward = 0, false
	}
	var out bytes.Buffer
	if err := Run(context.Background(), opt, &out); err != nil {
		return logqltest.Answer{Status: logqltest.StatusExecError, Err: err.Error()}
	}
	var api apiAnswer
	if err := json.Unmarshal(out.Bytes(), &api); err != nil || api.Status != "success" {
		t.Fatalf("%s: %v, status %q", c.ID, err, api.Status)
	}
	answer, err := api.read()
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	answer.Ordered = c.Expect.Ordered
	answer.Streams = withoutDetails(answer.Streams, opt.Backward)
	return answer
}

// read turns what the API answers into the form of the recording.
func (api *apiAnswer) read() (logqltest.Answer, error) {
	answer := logqltest.Answer{Status: logqltest.StatusOK}
	var streams []struct {
		Stream map[string]string
		Values [][2]string
	}
	var series []struct {
		Metric map[string]string
		Value  [2]any
		Values [][2]any
	}
	var point [2]any
	switch api.Data.ResultType {
	case kindStreams:
		err := json.Unmarshal(api.Data.Result, &streams)
		for _, s := range streams {
			answer.Streams = append(answer.Streams, logqltest.Stream{Labels: s.Stream, Entries: s.Values})
		}
		return answer, err
	case kindScalar:
		err := json.Unmarshal(api.Data.Result, &point)
		answer.Scalar = fmt.Sprint(point[1])
		return answer, err
	}
	err := json.Unmarshal(api.Data.Result, &series)
	for _, s := range series {
		if api.Data.ResultType == kindVector {
			answer.Vector = append(answer.Vector, logqltest.Sample{Labels: s.Metric, TS: apiTime(s.Value[0]), Value: s.Value[1].(string)})
			continue
		}
		out := logqltest.Series{Labels: s.Metric}
		for _, p := range s.Values {
			out.Points = append(out.Points, [2]string{apiTime(p[0]), p[1].(string)})
		}
		answer.Matrix = append(answer.Matrix, out)
	}
	return answer, err
}

// withoutDetails leaves out the label with error sentences, which is not
// recorded, and merges streams that are equal then.
func withoutDetails(in []logqltest.Stream, backward bool) []logqltest.Stream {
	var out []logqltest.Stream
	index := make(map[string]int)
	for _, s := range in {
		delete(s.Labels, "__error_details__")
		key := logs.FromMap(s.Labels).String()
		i, ok := index[key]
		if !ok {
			index[key] = len(out)
			out = append(out, s)
			continue
		}
		out[i].Entries = append(out[i].Entries, s.Entries...)
		slices.SortStableFunc(out[i].Entries, func(a, b [2]string) int {
			if backward {
				a, b = b, a
			}
			return cmp.Or(cmp.Compare(len(a[0]), len(b[0])), cmp.Compare(a[0], b[0]))
		})
	}
	return out
}

func nanoseconds(ns int64) string { return strconv.FormatInt(ns, 10) }

// apiTime turns seconds into the nanoseconds of the recording.
func apiTime(seconds any) string {
	return strconv.FormatInt(int64(math.Round(seconds.(float64)*1e3))*1e6, 10)
}
