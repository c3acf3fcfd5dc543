package logql

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestSet_QueriesDoNotDisturbEachOther runs random choices of rules together
// and each alone.
func TestSet_QueriesDoNotDisturbEachOther(t *testing.T) {
	log := zapLog(600)
	for i := range log.entries {
		switch {
		case i%50 == 7:
			log.entries[i].Line = log.entries[i].Line[:100]
		case i%50 == 8:
			log.entries[i].Line = []byte("panic: runtime error")
		}
	}
	texts := append(zapRules(),
		`{app="kueue"} | json | level="error"`,
		`{app="kueue"} | json | __error__="JSONParserErr"`,
		`{app="kueue"} |= "e" | json level, msg | line_format "{{.msg}}" | keep level`,
		`sum by (level) (count_over_time({app="kueue"} | json [10s])) / on () group_left sum(count_over_time({app="kueue"} | json [10s]))`,
		`sum by (__error__) (count_over_time({app="kueue"} | json | __error__!="" [10s] offset -3s))`)
	type answer struct {
		result Result
		failed bool
		funnel [][]StageCount
	}
	answers := func(texts ...string) []answer {
		qs := compileAll(t, texts...)
		windows := log.windows(len(qs), time.Second)
		sink := NewResults(qs, make([]Limit, len(qs)), log.streams)
		r := log.run(t, NewSet(qs, Options{MaxSeries: 100}), windows, sink)
		var out []answer
		for i := range qs {
			out = append(out, answer{sink.Result(i), r.Err(i) != nil, r.Funnel(i)})
		}
		return out
	}
	alone := make([]answer, len(texts))
	for i, text := range texts {
		alone[i] = answers(text)[0]
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 12 {
		pick := rnd.Perm(len(texts))[:1+rnd.IntN(len(texts))]
		var chosen []string
		for _, i := range pick {
			chosen = append(chosen, texts[i])
		}
		for j, got := range answers(chosen...) {
			want := alone[pick[j]]
			if want.failed {
				// What came before the failure depends on when instants are
				// evaluated, the failure does not.
				got.result, want.result = Result{}, Result{}
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{}), cmpopts.EquateNaNs()); diff != "" {
				t.Fatalf("%s with %d others (-alone +together):\n%s", chosen[j], len(chosen)-1, diff)
			}
		}
	}
}

// Runs of one set share its stages and may go on at once.
func TestSet_RunsAtOnce(t *testing.T) {
	log := zapLog(300)
	texts := append(zapRules(),
		`{app="kueue"} | json level, msg | line_format "{{.msg | upper}}" | label_format x="{{.level}}"`,
		`{app="kueue"} | logfmt | unpack | decolorize |> "<_>error<_>"`)
	qs := compileAll(t, texts...)
	set := NewSet(qs, Options{})
	results := make([]discard, 4)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { log.run(t, set, log.windows(len(qs), time.Second), &results[i]) })
	}
	wg.Wait()
	for _, r := range results[1:] {
		if r != results[0] {
			t.Errorf("runs at once yield %v and %v", results[0], r)
		}
	}
}
