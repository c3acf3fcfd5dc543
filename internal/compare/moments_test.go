package compare_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	. "github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/logs"
)

// TestMoments: whether a burst crosses a threshold may depend on the moment of
// evaluation alone. Where it does so on both builds, nothing follows from the
// one that happens to be met.
func TestMoments(t *testing.T) {
	// beats is a log with n records, a second and a half apart, from so many
	// seconds past a minute on.
	beats := func(name string, n int, from, apart time.Duration) string {
		at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
		var b strings.Builder
		line := func(after time.Duration, text string) {
			fmt.Fprintf(&b, "%s %s\n", at.Add(after).Format(time.RFC3339Nano), text)
		}
		line(time.Second, "begin")
		for i := range n {
			line(2*time.Minute+from+time.Duration(i)*apart, "beat "+fmt.Sprint(i))
		}
		line(9*time.Minute, "end")
		path := filepath.Join(t.TempDir(), name+".log")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// Six beats in 50 s are in one window of a minute for 10 s.
	const slow = 10 * time.Second
	met := beats("met", 6, 5*time.Second, slow) // last at :55, out at 1:05: at 1:00
	missed := beats("missed", 6, 30*time.Second, slow)
	few := beats("few", 5, 5*time.Second, slow)
	likely := beats("likely", 6, 5*time.Second, time.Second)
	sure := beats("sure", 12, 5*time.Second, 5*time.Second)
	for _, tt := range []struct {
		name, deployed, candidate string
		alert, query              string
		verdict                   analyzer.Verdict
	}{
		{"by the moment", met, missed, "alert-flaky", "match-flaky", analyzer.Inconclusive},
		{"by the moment, swapped", missed, met, "alert-flaky", "match-flaky", analyzer.Inconclusive},
		{"at no moment on the candidate", met, few, "alert-lost", "match-lost", analyzer.Fail},
		{"at no moment on the deployed build", few, met, "alert-gained", "match-gained", analyzer.Pass},
		{"at every moment on the deployed build", sure, missed, "alert-lost", "match-lost", analyzer.Fail},
		{"at every moment on the candidate", missed, sure, "alert-gained", "match-gained", analyzer.Pass},
		{"at most moments on the deployed build, at few on the candidate", likely, missed, "alert-lost", "match-lost", analyzer.Fail},
		{"the same", met, met, "", "", analyzer.Pass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			expr := `sum(count_over_time({app="heart"} |= "beat" [1m])) > 5`
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("a.yaml", "groups:\n  - name: g\n    interval: 1m\n    rules:\n      - alert: Racing\n        expr: '"+expr+"'\n")
			write("q.yaml", "queries:\n  - {name: Race, language: logql, expr: '"+expr+"'}\n")
			rep, err := Run(t.Context(), Options{
				Deployed: tt.deployed, Candidate: tt.candidate, Rules: []string{dir}, Labels: logs.New(logs.Label{Name: "app", Value: "heart"}),
			})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"Racing": tt.alert, "Race": tt.query}
			for i := range rep.Results {
				res := &rep.Results[i]
				if got := strings.Join(res.Findings, " "); got != want[res.Rule.Name] {
					t.Errorf("%s: %s, want %s", res.Rule.Name, got, want[res.Rule.Name])
				}
				if res.Rule.Name == "Racing" && res.Verdict != tt.verdict {
					t.Errorf("%s is %s, want %s", res.Rule.Name, res.Verdict, tt.verdict)
				}
			}
			for i := range rep.Findings {
				if f := &rep.Findings[i]; f.ID == "alert-flaky" && !strings.Contains(f.Message, "at 1 of 10 on deployed, at 1 of 10 on candidate") {
					t.Errorf("message: %s", f.Message)
				}
			}
		})
	}
}
