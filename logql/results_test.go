package logql

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
)

func TestResults_Limit(t *testing.T) {
	// The hash of the stream b is the lower of the two.
	streams := []logs.Labels{
		logs.New(logs.Label{Name: "app", Value: "pk"}, logs.Label{Name: "src", Value: "a"}),
		logs.New(logs.Label{Name: "app", Value: "pk"}, logs.Label{Name: "src", Value: "b"}),
	}
	if streams[1].Hash() > streams[0].Hash() {
		t.Fatal("the streams are not in the order that this test needs")
	}
	qs := compileAll(t, `{app="pk"} | keep app`)
	test := func(limit Limit, want ...string) {
		t.Helper()
		sink := NewResults(qs, []Limit{limit}, streams)
		r := NewSet(qs, Options{}).NewRun(streams, []Window{{End: math.MaxInt64}}, sink)
		for at := range int64(3) {
			for i := range 2 {
				for stream, name := range "ab" {
					r.Push(stream, &logs.Entry{Time: at, Line: fmt.Appendf(nil, "%d%c%d", at, name, i)})
				}
			}
		}
		r.Close()
		var got []string
		for _, s := range sink.Result(0).Streams {
			for _, e := range s.Entries {
				got = append(got, e.Line)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %+v (-want +got):\n%s", limit, diff)
		}
	}
	all := []string{"0b0", "0b1", "0a0", "0a1", "1b0", "1b1", "1a0", "1a1", "2b0", "2b1", "2a0", "2a1"}
	back := []string{"2b1", "2b0", "2a1", "2a0", "1b1", "1b0", "1a1", "1a0", "0b1", "0b0", "0a1", "0a0"}
	for n := 1; n <= len(all); n++ {
		test(Limit{Lines: n}, all[:n]...)
		test(Limit{Lines: n, Backward: true}, back[:n]...)
	}
	test(Limit{}, all...)
	test(Limit{Backward: true}, back...)
}
