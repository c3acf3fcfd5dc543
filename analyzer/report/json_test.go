package report

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// keysOf are the keys that the schema names, by object.
var keysOf = map[string]string{
	"report":   "schema verdict deployed candidate scenarios rules findings notes problems",
	"rule":     "name group kind language file line column scenario expect verdict reason findings deployed candidate",
	"outcome":  "state nothing lines series peak headroom firing funnel",
	"finding":  "id severity rule scenario file line column message deployed candidate nearest repair fingerprint",
	"evidence": "stream time line truncated",
}

// TestJSON_Schema: every object has its keys, lists are lists, times are UTC.
func TestJSON_Schema(t *testing.T) {
	for _, fx := range fixtures {
		var top map[string]any
		if err := json.Unmarshal(render(t, "json", fx.report(), Options{}), &top); err != nil {
			t.Fatalf("%s: %v", fx.name, err)
		}
		has := func(object string, v any) map[string]any {
			t.Helper()
			m, ok := v.(map[string]any)
			if !ok {
				t.Fatalf("%s: %s is %T", fx.name, object, v)
			}
			for _, k := range strings.Fields(keysOf[object]) {
				if _, ok := m[k]; !ok {
					t.Errorf("%s: %s lacks %s", fx.name, object, k)
				}
			}
			for k, v := range m {
				lists := []string{"scenarios", "rules", "findings", "notes", "problems", "firing", "funnel", "nearest", "runs", "diff"}
				if _, ok := v.([]any); !ok && slices.Contains(lists, k) {
					t.Errorf("%s: %s.%s is %T, not a list", fx.name, object, k, v)
				}
			}
			return m
		}
		evidence := func(v any) {
			if v == nil {
				return
			}
			e := has("evidence", v)
			if _, err := time.Parse(time.RFC3339Nano, e["time"].(string)); err != nil || !strings.HasSuffix(e["time"].(string), "Z") {
				t.Errorf("%s: time %v", fx.name, e["time"])
			}
			if line := e["line"].(string); len(line) > analyzer.MaxEvidence || !utf8.ValidString(line) {
				t.Errorf("%s: evidence of %d bytes", fx.name, len(line))
			}
		}
		if has("report", top); top["schema"] != "stillfires/report/v1" {
			t.Errorf("schema %v", top["schema"])
		}
		for _, v := range top["rules"].([]any) {
			r := has("rule", v)
			has("outcome", r["deployed"])
			has("outcome", r["candidate"])
		}
		for _, v := range top["findings"].([]any) {
			f := has("finding", v)
			if len(f["fingerprint"].(string)) != 32 {
				t.Errorf("%s: fingerprint %v", fx.name, f["fingerprint"])
			}
			evidence(f["deployed"])
			evidence(f["candidate"])
			for _, n := range f["nearest"].([]any) {
				evidence(n)
			}
		}
	}
}

func TestNumber(t *testing.T) {
	for f, want := range map[float64]string{
		1: "1", 0.5: "0.5", 1e21: "1e+21", math.Inf(1): `"+Inf"`, math.Inf(-1): `"-Inf"`,
	} {
		if got, err := json.Marshal(number(f)); err != nil || string(got) != want {
			t.Errorf("number(%v) = %s, %v; want %s", f, got, err, want)
		}
	}
	if got, err := json.Marshal(number(math.NaN())); err != nil || string(got) != `"NaN"` {
		t.Errorf("number(NaN) = %s, %v", got, err)
	}
}

// TestJSON_Absent: what is not known is null.
func TestJSON_Absent(t *testing.T) {
	got := toJSONOutcome(&analyzer.Outcome{Outcome: outcome.Outcome{State: outcome.NotEvaluated}})
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"state":"not-evaluated","nothing":null,"lines":null,"series":null,"peak":null,"headroom":null,"firing":[],"funnel":[],"repetitions":0,"times":0}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}
