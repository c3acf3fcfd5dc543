package syntax

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stillfires/stillfires/internal/shared"
)

// A recordedCase is a line of the conformance data: a query and what a Loki
// server answered.
type recordedCase struct {
	ID     string
	Group  string
	Kind   string
	Query  string
	Expect struct{ Status, Stage string }
}

// recordedCases reads the conformance data, or skips the test without them.
func recordedCases(t testing.TB) []recordedCase {
	t.Helper()
	path := filepath.Join(shared.Folder(t, "conformance"), "cases.jsonl")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases, err := readCases(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return cases
}

func readCases(r io.Reader) ([]recordedCase, error) {
	var cases []recordedCase
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var c recordedCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("case %d: %w", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 && lines.Err() == nil {
		return nil, errors.New("no cases")
	}
	return cases, lines.Err()
}

// TestConformance holds the parser to the recorded answers: it takes what the
// server took, and refuses what the server refused while parsing. What was
// refused while compiling is for package logql to refuse, as is an executed
// query without a recorded stage.
func TestConformance(t *testing.T) {
	for _, c := range recordedCases(t) {
		_, err := Parse(c.Query)
		status, stage := c.Expect.Status, c.Expect.Stage
		switch {
		case status == "ok" || status == "exec_error" || stage == "compile":
			if err != nil {
				t.Errorf("%s (%s): Parse(%q) = %v; recorded as %s", c.ID, c.Group, c.Query, err, status)
			}
		case status == "parse_error" && c.Kind == "parse":
			if err == nil {
				t.Errorf("%s (%s): Parse(%q) succeeded; recorded as %s", c.ID, c.Group, c.Query, status)
			}
		case status == "parse_error":
			if err == nil {
				t.Logf("%s (%s): Parse(%q) succeeded; compiling must refuse it", c.ID, c.Group, c.Query)
			}
		default:
			t.Fatalf("%s: unknown status %q", c.ID, status)
		}
	}
}

// TestConformance_RoundTrip prints every recorded query that parses and reads
// the text again.
func TestConformance_RoundTrip(t *testing.T) {
	for _, c := range recordedCases(t) {
		if e, err := Parse(c.Query); err == nil {
			checkRoundTrip(t, c.Query, e)
			checkSpans(t, c.Query, e)
		}
	}
}

func checkRoundTrip(t *testing.T, query string, e Expr) {
	t.Helper()
	text := e.String()
	again, err := Parse(text)
	if err != nil {
		t.Errorf("Parse(%q).String() = %q, which does not parse: %v", query, text, err)
		return
	}
	if !Equal(e, again) {
		t.Errorf("Parse(%q).String() = %q, which parses to another tree", query, text)
	}
	if twice := again.String(); twice != text {
		t.Errorf("printing %q gives %q, and printing that %q", query, text, twice)
	}
}
