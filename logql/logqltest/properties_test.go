package logqltest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

func compile(tb testing.TB, texts ...string) []*logql.Query {
	tb.Helper()
	var out []*logql.Query
	for _, text := range texts {
		q, err := logql.ParseAndCompile(text)
		if err != nil {
			tb.Fatalf("%s: %v", text, err)
		}
		out = append(out, q)
	}
	return out
}

// An answer is all that a run says of one query.
type answer struct {
	Result logql.Result
	Err    string
	Funnel [][]logql.StageCount
}

func answerOf(run *logql.Run, sink *logql.Results, i int) answer {
	a := answer{Funnel: run.Funnel(i)}
	if err := run.Err(i); err != nil {
		// What came before the failure depends on when instants were
		// evaluated; the failure does not.
		a.Err = err.Error()
		return a
	}
	a.Result = sink.Result(i)
	return a
}

func same(t *testing.T, how string, want, got any) {
	t.Helper()
	// Printing is much faster than comparing, and NaN equals NaN.
	if fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("%s (-want +got):\n%s", how, cmp.Diff(want, got, cmpopts.EquateNaNs()))
	}
}

func allQueries(tb testing.TB) []*logql.Query {
	return compile(tb, append(seedQueries(tb), loggen.Rules(50)...)...)
}

// span is the time of the log for n queries.
func (l *mixedLog) span(n int) []logql.Window {
	w := logql.Window{Start: l.entries[0].Time, End: l.entries[len(l.entries)-1].Time + 1, Step: int64(5 * time.Second)}
	out := make([]logql.Window, n)
	for i := range out {
		out[i] = w
	}
	return out
}

// answers runs queries together on entries that push hands over.
func (l *mixedLog) answers(t *testing.T, qs []*logql.Query, read func(run *logql.Run) error) []answer {
	t.Helper()
	sink := logql.NewResults(qs, make([]logql.Limit, len(qs)), l.streams)
	run := logql.NewSet(qs, logql.Options{MaxSeries: 2000}).NewRun(l.streams, l.span(len(qs)), sink)
	if err := read(run); err != nil {
		t.Fatal(err)
	}
	run.Close()
	var out []answer
	for i := range qs {
		out = append(out, answerOf(run, sink, i))
	}
	return out
}

// push feeds the log from memory.
func (l *mixedLog) push(run *logql.Run) error {
	for i := range l.entries {
		run.Push(l.stream[i], &l.entries[i])
	}
	return nil
}

// write makes a corpus of the log.
func (l *mixedLog) write(t *testing.T, dir string) {
	t.Helper()
	w, err := corpus.OpenForWrite(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	run, err := w.BeginRun(&corpus.Manifest{Build: "deployed", Scenario: corpus.Scenario{Name: "mixed"}, Repetition: 1})
	if err != nil {
		t.Fatal(err)
	}
	var streams []*corpus.StreamWriter
	for i, labels := range l.streams {
		s, err := run.Stream(fmt.Sprint("pod-", i), labels)
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, s)
	}
	for i := range l.entries {
		if err := streams[l.stream[i]].Append(&l.entries[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(run.Commit(), w.Close()); err != nil {
		t.Fatal(err)
	}
}

func openMixed(t *testing.T, dir string) *corpus.Run {
	t.Helper()
	c, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("deployed", "mixed", 1)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// from returns a function that feeds a run of a corpus, records that keep
// leaves in.
func from(r *corpus.Run, keep func([]byte) []byte) func(*logql.Run) error {
	return func(run *logql.Run) (err error) {
		entries, err := r.EntriesWhere(keep, 0, 1, 2)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, entries.Close()) }()
		for entries.Scan() {
			run.Push(entries.Stream(), entries.Entry())
		}
		return entries.Err()
	}
}

func equalAnswers(t *testing.T, how string, qs []*logql.Query, want, got []answer) {
	t.Helper()
	for i := range qs {
		same(t, qs[i].String()+" "+how, want[i], got[i])
	}
}

func TestProperty_ProcessorsAndFrames(t *testing.T) {
	l := newMixedLog(800)
	qs := allQueries(t)
	want := l.answers(t, qs, l.push)
	failed := 0
	for _, a := range want {
		if a.Err != "" {
			failed++
		}
	}
	if failed == 0 || failed > len(want)/2 {
		t.Errorf("%d of %d queries fail; some should, most should not", failed, len(want))
	}
	dir := t.TempDir()
	l.write(t, dir)
	for _, frame := range []int{0, 1, 30, math.MaxInt} {
		if frame > 0 {
			recut(t, openMixed(t, dir), frame)
		}
		for _, n := range []int{1, 5} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
				got := l.answers(t, qs, from(openMixed(t, dir), nil))
				equalAnswers(t, fmt.Sprintf("from frames of %d lines on %d processors", frame, n), qs, want, got)
			}()
		}
	}
}

// Records that a prefilter cuts away change no answer.
func TestProperty_Prefilter(t *testing.T) {
	l := newMixedLog(900)
	dir := t.TempDir()
	l.write(t, dir)
	r := openMixed(t, dir)
	used := 0
	for _, q := range allQueries(t) {
		p := q.Prefilter(l.streams)
		if !q.IsLog() || p == nil {
			continue
		}
		used++
		qs := []*logql.Query{q}
		want, got := l.answers(t, qs, from(r, nil)), l.answers(t, qs, from(r, p.Keep))
		same(t, q.String()+" behind its prefilter", want[0].Result, got[0].Result)
	}
	if used < 5 {
		t.Errorf("only %d queries have a prefilter", used)
	}
}

// Queries that run in the same pass do not change each other's answers.
func TestProperty_OtherQueries(t *testing.T) {
	l := newMixedLog(600)
	qs := allQueries(t)
	alone := make([]answer, len(qs))
	for i := range qs {
		alone[i] = l.answers(t, qs[i:i+1], l.push)[0]
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 6 {
		var chosen []*logql.Query
		var want []answer
		for _, i := range rnd.Perm(len(qs))[:1+rnd.IntN(len(qs))] {
			chosen = append(chosen, qs[i])
			want = append(want, alone[i])
		}
		equalAnswers(t, fmt.Sprintf("with %d others", len(chosen)-1), chosen, want, l.answers(t, chosen, l.push))
	}
}

// checkCount holds CountLines to a run that gets line by line, wherever reads
// of the text end.
func checkCount(t *testing.T, q *logql.Query, text []byte) {
	t.Helper()
	var sink counting
	labels := logs.FromMap(loggen.Labels())
	run := logql.NewSet([]*logql.Query{q}, logql.Options{}).NewRun([]logs.Labels{labels}, []logql.Window{{End: 1}}, &sink)
	for line := range bytes.Lines(text) {
		run.Push(0, &logs.Entry{Line: bytes.TrimSuffix(line, []byte("\n"))})
	}
	run.Close()
	for how, r := range map[string]io.Reader{
		"":                 bytes.NewReader(text),
		" from half reads": iotest.HalfReader(bytes.NewReader(text)),
		" with early EOF":  iotest.DataErrReader(bytes.NewReader(text)),
	} {
		n, err := logql.CountLines(context.Background(), q, labels, r)
		if err != nil || n != sink.matches.Load() {
			t.Errorf("%s: CountLines%s = %d, %v; a run keeps %d lines", q, how, n, err, sink.matches.Load())
		}
	}
}

func TestProperty_CountLines(t *testing.T) {
	l := newMixedLog(1200)
	var text []byte
	for i := range l.entries {
		text = append(append(text, l.entries[i].Line...), '\n')
	}
	for _, q := range allQueries(t) {
		if q.IsLog() {
			checkCount(t, q, text)
			checkCount(t, q, text[:len(text)-100])
		}
	}
}
