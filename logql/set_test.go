package logql

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stillfires/stillfires/internal/logs"
)

// hostileLog is zapLog with lines that are broken, escaped, written in other
// cases and alphabets, with labels and metadata that are called as fields are.
func hostileLog(n int) *testLog {
	log := zapLog(n)
	labels := log.streams[1].Map()
	labels["level"] = "stream"
	log.streams[1] = logs.FromMap(labels)
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range log.entries {
		e := &log.entries[i]
		at := rnd.IntN(len(e.Line))
		switch rnd.IntN(24) {
		case 0:
			e.Line = e.Line[:at]
		case 1:
			e.Line = slices.Insert(e.Line, at, []byte{'"', '}', '{', '\\', 0xff, '[', ','}[rnd.IntN(7)])
		case 2:
			e.Line = []byte("panic: runtime error")
		case 3:
			e.Line = bytes.ToUpper(e.Line)
		case 4:
			// The long s and the sign for kelvin are letters of other cases.
			e.Line = bytes.ReplaceAll(bytes.ReplaceAll(e.Line, []byte("s"), []byte("ſ")), []byte("k"), []byte("\u212a"))
		case 5:
			e.Line = bytes.ReplaceAll(e.Line, []byte("e"), []byte(`\u0065`))
		case 6:
			e.Metadata = logs.FromMap(map[string]string{"logger": "scheduler", "msg": "panic"})
		case 7:
			e.Line = append([]byte(`{"level":"error","o":{"level":"x","a":[{],"b":1},`), e.Line[1:]...)
		case 8:
			e.Line = bytes.ReplaceAll(bytes.ReplaceAll(e.Line, []byte(`":`), []byte(`=`)), []byte(`,"`), []byte(" "))
		case 9:
			e.Line = fmt.Appendf(nil, `{"msg":"webhook %s lost","n":%d}`, []string{"is", "IS", "\xff"}[rnd.IntN(3)], i)
		}
	}
	return log
}

// hostileRules are rules for hostileLog that use stages in many ways.
func hostileRules() []string {
	return append(slices.Concat(zapRules(), mixRules(120)),
		`{app="kueue"} | json | level="error"`,
		`{app="kueue"} | json | __error__="JSONParserErr"`,
		`{app="kueue"} |= "e" | json level, msg | line_format "{{.msg}}" | keep level`,
		`sum by (level) (count_over_time({app="kueue"} | json [10s])) / on () group_left sum(count_over_time({app="kueue"} | json [10s]))`,
		`sum by (__error__) (count_over_time({app="kueue"} | json | __error__!="" [10s] offset -3s))`,
		`{app="kueue"} | json | level_extracted="error" | drop msg, logger="scheduler"`,
		`{app="kueue"} | json | drop level | logfmt | json`,
		`{app="kueue"} | logfmt --keep-empty | level=~"error|info" | label_format a=msg, b="{{.logger}}"`,
		`{app="kueue"} | logfmt --strict | json | workload_name!=""`,
		`{app="kueue"} | json | o_b="1"`,
		`{app="kueue"} | json | o_level="x" or level!="info"`,
		`{app="kueue"} | json | keep level, msg | json`,
		`{app="kueue"} | decolorize |= "error" | json | msg!~"(?i)reconciler.*"`,
		`{app="kueue"} |= "error" | line_format "{{.app}} {{__line__}}" |= "kueue" !~ "(?i)kueue {.level.:.err" | json`,
		`{app="kueue"} |~ "(?i)SCHEDULER|webhook is" != "debug" !~ "(?i)info"`,
		`{app="kueue"} |~ "(?i)task|workloads?.*scheduler"`,
		`{app="kueue"} !~ "\ufffd" |~ "webhook .\ufffd? ?lost|webhook . lost"`,
		`{app="kueue"} |~ "(?i)webhook is .*lost|lea[d]er"`,
		`count_over_time({app="kueue"} | json [10s])`,
		`sum without (pod) (count_over_time({app="kueue"} | json | level="error" [10s]))`,
		`sum by (level, level_extracted) (count_over_time({app="kueue"} | json [10s]))`,
		`{app="kueue"} | regexp "msg.:.(?P<m>[A-Z][a-z]+)" | m="Workload" | json | level="info"`,
		`{app="kueue"} | pattern "<_>level\":\"<level>\"<_>" | level="error" | json`)
}

// A setAnswer is all that a run says of one query.
type setAnswer struct {
	result Result
	failed bool
	funnel [][]StageCount
}

func (l *testLog) answers(t *testing.T, everyField bool, texts ...string) []setAnswer {
	t.Helper()
	qs := compileAll(t, texts...)
	sink := NewResults(qs, make([]Limit, len(qs)), l.streams)
	r := NewSet(qs, Options{MaxSeries: 100}).NewRun(l.streams, l.windows(len(qs), time.Second), sink)
	if everyField {
		for _, rt := range r.routes {
			rt.want = nil
		}
	}
	for i := range l.entries {
		r.Push(l.stream[i], &l.entries[i])
	}
	r.Close()
	var out []setAnswer
	for i := range qs {
		out = append(out, setAnswer{sink.Result(i), r.Err(i) != nil, r.Funnel(i)})
	}
	return out
}

func checkAnswer(t *testing.T, what string, want, got setAnswer) {
	t.Helper()
	if want.failed {
		// What came before the failure depends on when instants are
		// evaluated, the failure does not.
		got.result, want.result = Result{}, Result{}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(setAnswer{}), cmpopts.EquateNaNs()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// TestSet_QueriesDoNotDisturbEachOther runs random choices of rules together
// and each alone.
func TestSet_QueriesDoNotDisturbEachOther(t *testing.T) {
	log := hostileLog(400)
	texts := hostileRules()
	alone := make([]setAnswer, len(texts))
	for i, text := range texts {
		alone[i] = log.answers(t, true, text)[0]
		checkAnswer(t, text+": without the fields that nobody names", alone[i], log.answers(t, false, text)[0])
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 12 {
		pick := rnd.Perm(len(texts))[:1+rnd.IntN(len(texts))]
		var chosen []string
		for _, i := range pick {
			chosen = append(chosen, texts[i])
		}
		for j, got := range log.answers(t, false, chosen...) {
			checkAnswer(t, fmt.Sprintf("%s with %d others", chosen[j], len(chosen)-1), alone[pick[j]], got)
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
