package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// strictSchema returns the documented schema, made to refuse keys that it does
// not name: so none is left undocumented.
func strictSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	const file = "../../docs/report.schema.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var refuseMore func(any)
	refuseMore = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if _, ok := v["required"]; ok {
				v["additionalProperties"] = false
			}
			for _, inner := range v {
				refuseMore(inner)
			}
		case []any:
			for _, inner := range v {
				refuseMore(inner)
			}
		}
	}
	refuseMore(doc)
	c := jsonschema.NewCompiler()
	if err := c.AddResource(file, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJSON_Schema(t *testing.T) {
	s := strictSchema(t)
	for _, fx := range fixtures {
		text := render(t, "json", fx.report(), Options{})
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", fx.name, err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", fx.name, err)
		}
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"schema":"stillfires/report/v1","verdict":"maybe"}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Validate(v) == nil {
		t.Error("the schema takes anything")
	}
}

// TestJSON_Evidence: lines are valid UTF-8 and bounded.
func TestJSON_Evidence(t *testing.T) {
	in := hostile()
	line := strings.Repeat("got reservation on \xff é ", 1000)
	in.Deployed.Runs[0].Outcomes[0].Evidence[0].Line = line
	in.Candidate.Runs[0].Messages[0].First.Line = strings.Replace(line, "got reservation on", "got the reservation on", 1)
	var r struct {
		Findings []struct {
			Deployed struct {
				Line      string
				Truncated bool
			}
			Nearest []struct{ Line string }
		}
	}
	if err := json.Unmarshal(render(t, "json", analyzer.Compare(in), Options{}), &r); err != nil {
		t.Fatal(err)
	}
	f := r.Findings[0]
	if !f.Deployed.Truncated || len(f.Nearest) == 0 {
		t.Errorf("truncated %v, %d nearest", f.Deployed.Truncated, len(f.Nearest))
	}
	for _, n := range append(f.Nearest, struct{ Line string }{f.Deployed.Line}) {
		if len(n.Line) > analyzer.MaxEvidence || !utf8.ValidString(n.Line) {
			t.Errorf("a line of %d bytes", len(n.Line))
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
	got := toJSONOutcome(&rules.Rule{}, &analyzer.Outcome{Outcome: outcome.Outcome{State: outcome.NotEvaluated}})
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"state":"not-evaluated","nothing":null,"lines":null,"series":null,"peak":null,"headroom":null,"firing":[],"funnel":[],"repetitions":0,"times":0}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

// TestJSON_Unmatched: a rule that is not in the set has a name and no place.
func TestJSON_Unmatched(t *testing.T) {
	var got struct {
		Findings []struct {
			ID            string
			Rule, Subject *string
			File          *string
			Line          *int
		}
	}
	if err := json.Unmarshal(render(t, "json", analyzer.Compare(upgrade()), Options{}), &got); err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Findings {
		if f.Subject != nil && *f.Subject == "WorkerGone" {
			if f.ID != "not-evaluated" || f.Rule == nil || *f.Rule != "WorkerGone" || f.File != nil || f.Line != nil {
				t.Errorf("finding %+v", f)
			}
			return
		}
	}
	t.Error("no finding about WorkerGone")
}
