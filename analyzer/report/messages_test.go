package report

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// wrote is a message that a build wrote so many times.
func wrote(text, logger, level string, n int64, keys ...outcome.Key) outcome.Message {
	m := outcome.Message{Text: text, Logger: logger, Function: logger + "/" + logger + ".go", Level: level, Encoding: outcome.JSON, Count: n, Keys: keys}
	for i := range m.Keys {
		m.Keys[i].Count, m.Keys[i].Looked = n, n
		if m.Keys[i].Types == nil {
			m.Keys[i].Types = []string{"string"}
		}
	}
	m.First = outcome.Evidence{Stream: logs.New(logs.Label{Name: "app", Value: "disk"}), Time: start, Line: `{"level":"` + level + `","msg":"` + text + `","claim":"data-a"}`}
	m.Last = m.First
	return m
}

// rewritten is a component whose messages changed in every way; hostile text
// is in some.
func rewritten() analyzer.Input {
	in := newInput("drill")
	in.WithoutRules = true
	note := outcome.Key{Name: "note", Texts: []outcome.KeyText{{Text: "Volume <*> was attached", Count: 20, First: outcome.Evidence{Line: `{"msg":"Event","note":"Volume v-1 was attached"}`}}}}
	quiet := wrote("Fan checked", "fan", "debug", 30)
	quiet.Verbosity = 4
	quieter := wrote("Probe of sensor done", "fan", "debug", 30)
	quieter.Verbosity = 5
	console := wrote("Node registered", "node", "info", 12)
	console.Encoding = outcome.Console
	deployed := []outcome.Message{
		wrote("Starting manager", "setup", "info", 1), wrote("Node registered", "node", "info", 12),
		wrote("Successfully loaded settings", "setup", "info", 2), wrote("Volume <*> was attached", "events", "info", 20),
		wrote("Device allocated and attached to pod", "gpu", "info", 15), wrote("Disk is almost full", "disk", "warn", 7),
		wrote("Quota is used up <script>alert(1)</script> `|` @team", "quota", "error", 30),
		wrote("Claim is not bound to a volume", "claim", "info", 9), wrote("Polled", "poll", "info", 100),
		wrote("Link is up", "nic", "info", 7, outcome.Key{Name: "nic", Values: []string{"eth0"}}, outcome.Key{Name: "speed", Types: []string{"number"}}, outcome.Key{Name: "uid"}),
		quiet, quieter,
	}
	candidate := []outcome.Message{
		wrote("Starting manager", "setup", "info", 1), console,
		wrote("Settings loaded", "setup", "info", 2), wrote("Event", "events", "info", 20, note),
		wrote("Device allocated", "gpu", "info", 15), wrote("Device attached to pod", "gpu", "info", 15), wrote("Disk is almost full", "disk", "info", 7),
		wrote("Polled", "poll", "info", 9), wrote("Janitor \x1b[31mfound orphans", "gc", "error", 12),
		wrote("Link is up", "nic", "info", 7, outcome.Key{Name: "device", Values: []string{"eth0"}}, outcome.Key{Name: "mtu"}, outcome.Key{Name: "speed"}),
	}
	link, spelled := &deployed[9], &candidate[9]
	for i, m := range []*outcome.Message{link, spelled} {
		m.Heads = []outcome.Key{{
			Name: "level", Role: "level", Count: m.Count, Looked: m.Count,
			Types: []string{"string"}, Values: []string{[]string{"info", "INFO"}[i]},
		}}
	}
	for _, s := range []struct {
		side *analyzer.Side
		list []outcome.Message
	}{{&in.Deployed, deployed}, {&in.Candidate, candidate}} {
		slices.SortFunc(s.list, func(a, b outcome.Message) int { return outcome.CompareMessages(&a, &b) })
		for i := range s.side.Runs {
			s.side.Runs[i].Messages = s.list
		}
	}
	in.Deployed.Runs[0].Logs = []outcome.LogInfo{{Records: 900}}
	in.Candidate.Runs[0].Logs = []outcome.LogInfo{{Records: 900, Unparseable: 40}}
	in.Candidate.Runs[0].Facts = &facts.Facts{Events: []facts.Event{{Message: "Claim is not bound to any volume", Object: facts.Ref{Namespace: "team-a", Name: "data-a"}}}}
	return in.Input
}

// TestMessagesGolden renders what became of the messages in each form.
func TestMessagesGolden(t *testing.T) {
	r := analyzer.Compare(rewritten())
	for _, f := range messageFormats {
		t.Run(f.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := RenderMessages(&b, f.name, r, Options{Width: 100}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "messages."+f.name)
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
	if err := RenderMessages(&bytes.Buffer{}, "pdf", r, Options{}); err == nil || !strings.Contains(err.Error(), "text, json, markdown") {
		t.Errorf("pdf: %v", err)
	}
}

// TestMessages_EveryClass: the invented component changes in every way, so the
// golden files show all headings.
func TestMessages_EveryClass(t *testing.T) {
	var b bytes.Buffer
	if err := RenderMessages(&b, "markdown", analyzer.Compare(rewritten()), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, titles := range []int{len(messageTitles), len(fieldTitles)} {
		for i := range titles {
			title := fieldTitles[min(i, len(fieldTitles)-1)].title
			if titles == len(messageTitles) {
				title = messageTitles[i].title
			}
			if !strings.Contains(b.String(), "### "+title+" (") {
				t.Errorf("nothing under %q", title)
			}
		}
	}
	if !strings.Contains(b.String(), "### Encoding") || strings.Contains(b.String(), "<script>") || strings.Contains(b.String(), "\x1b") {
		t.Errorf("no encoding, or hostile text is not escaped:\n%s", b.String())
	}
}
