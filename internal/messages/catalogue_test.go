package messages

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/shared"
)

// finished is the catalogue of entries.
func finished(entries []logs.Entry) []outcome.Message {
	c := NewCatalogue()
	for i := range entries {
		c.Add(nil, &entries[i])
	}
	list, _, _ := c.Finish()
	return list
}

func recorded(t testing.TB, parts ...string) []logs.Entry {
	t.Helper()
	var out []logs.Entry
	name := shared.Folder(t, append([]string{"corpora"}, parts...)...)
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		if len(sc.Bytes()) > 0 {
			out = append(out, logs.Entry{Time: int64(len(out) / 3), Line: bytes.Clone(sc.Bytes())})
		}
	}
	return out
}

func messageOf(t *testing.T, list []outcome.Message, text string) *outcome.Message {
	t.Helper()
	i := slices.IndexFunc(list, func(m outcome.Message) bool { return m.Text == text })
	if i < 0 {
		t.Fatalf("no message %q", text)
	}
	return &list[i]
}

func TestCatalogue_Keys(t *testing.T) {
	var entries []logs.Entry
	for i := range 100 {
		line := fmt.Sprintf(`{"level":"info","msg":"seen","name":"p-%d","size":%d,"object":{"uid":"u%d"},"note":"Created %d of team-a"}`, i, i%2, i, i)
		if i == 99 {
			line = `{"level":"info","msg":"seen","name":null,"size":"big","object":{},"note":"Deleted all of team-a"}`
		}
		entries = append(entries, logs.Entry{Time: int64(i), Line: []byte(line)})
	}
	list := finished(entries)
	if len(list) != 1 {
		t.Fatalf("%d messages", len(list))
	}
	m := list[0]
	var got []string
	for _, k := range m.Keys {
		got = append(got, fmt.Sprintf("%s %d/%d %v %d %t", k.Name, k.Count, k.Looked, k.Types, len(k.Values), k.Cut))
		for _, text := range k.Texts {
			got = append(got, fmt.Sprintf("  %d %s at %d", text.Count, text.Text, text.First.Time))
		}
	}
	want := []string{
		"name 100/100 [null string] 24 true", "note 100/100 [string] 24 true", "  99 Created <*> of team-a at 0", "  1 Deleted all of team-a at 99",
		"object 100/100 [object] 0 false", "object.uid 99/100 [string] 24 true", "size 100/100 [number string] 3 false",
	}
	if diff := cmp.Diff(want, got); diff != "" || m.First.Time != 0 || m.Last.Time != 99 || m.Count != 100 {
		t.Errorf("%+v (-want +got):\n%s", m, diff)
	}
}

// The logger's own fields are known by name, type and, of levels, spelling.
func TestCatalogue_Heads(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string
	}{
		{`{"level":"info","ts":17.5,"logger":"a","caller":"a/b.go:7","msg":"seen","pod":"web"}`,
			[]string{"caller caller [string] []", "level level [string] [info]", "logger logger [string] []", "msg message [string] []", "ts time [number] []"}},
		{`{"severity":"WARNING","@timestamp":"2026-01-01T00:00:00Z","source":{"function":"f","file":"/a/b.go","line":7},"message":"seen"}`,
			[]string{"@timestamp time [string] []", "message message [string] []", "severity level [string] [WARNING]", "source caller [object] []"}},
		{`time=2026-01-01T00:00:00Z lvl=30 msg=seen pod=web`,
			[]string{"lvl level [number] [30]", "msg message [string] []", "time time [string] []"}},
		{"2026-01-01T00:00:00Z\tINFO\tsetup\tseen\t{\"pod\": \"web\"}", nil},
		{`I1130 17:28:47.123456       1 a.go:99] "seen" pod="web" logger="a"`, []string{"logger logger [string] []"}},
	} {
		list := finished([]logs.Entry{{Line: []byte(tt.line)}, {Time: 1, Line: []byte(tt.line)}})
		var got []string
		for _, k := range list[0].Heads {
			got = append(got, fmt.Sprintf("%s %s %v %v", k.Name, k.Role, k.Types, k.Values))
			if k.Count != 2 {
				t.Errorf("%s: %d of 2 records", k.Name, k.Count)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
	}
}

// What a message says does not depend on times, on names in it, or on the order
// of records of one time.
func TestCatalogue_Copies(t *testing.T) {
	for _, parts := range [][]string{
		{"kueue-multikueue", "ordinary-reconnect", "deployed", "manager-management.stderr.log.gz"},
		{"kueue-multikueue", "ordinary-reconnect-console", "deployed", "manager-worker.stderr.log.gz"},
		{"kueue-multikueue", "ordinary-reconnect", "deployed", "kube-scheduler-worker.log"},
		{"kai-binder", "reported-edge", "deployed-crash", "binder.log.previous-1"},
	} {
		entries := recorded(t, parts...)
		list := finished(entries)
		moved := slices.Clone(entries)
		for i := 0; i+2 < len(moved); i += 3 {
			moved[i], moved[i+2] = moved[i+2], moved[i]
		}
		if diff := cmp.Diff(list, finished(moved)); diff != "" {
			t.Errorf("%v: another order (-want +got):\n%s", parts, diff)
		}
		names := strings.NewReplacer("queued-", "waiting-", "long-", "lengthy-", "2026-11-30T17", "2026-12-01T18", "I1130 17", "I1201 18")
		for i := range moved {
			moved[i] = logs.Entry{Time: entries[i].Time + 3600e9, Line: []byte(names.Replace(string(entries[i].Line)))}
		}
		same := cmp.Options{
			cmpopts.IgnoreFields(outcome.Message{}, "First", "Last"), cmpopts.IgnoreFields(outcome.Key{}, "Values"),
			cmpopts.IgnoreFields(outcome.KeyText{}, "First"),
		}
		if diff := cmp.Diff(list, finished(moved), same); diff != "" {
			t.Errorf("%v: other names (-want +got):\n%s", parts, diff)
		}
	}
}

// The same build in another encoding writes the same messages.
func TestCatalogue_Encodings(t *testing.T) {
	texts := func(scenario string) (out []string) {
		for _, m := range finished(recorded(t, "kueue-multikueue", scenario, "deployed", "manager-management.stderr.log.gz")) {
			if m.Encoding != outcome.Text { // stacks
				out = append(out, fmt.Sprintf("%s %d %s %s %s", m.Level, m.Verbosity, m.Logger, m.Function, m.Text))
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	json, console := texts("ordinary-reconnect"), texts("ordinary-reconnect-console")
	var other []string
	for _, m := range json {
		if !slices.Contains(console, m) {
			other = append(other, m)
		}
	}
	for _, m := range console {
		if !slices.Contains(json, m) {
			other = append(other, m)
		}
	}
	// The two runs are not the same, so a message or two may be in one only.
	if len(json) < 100 || len(other) > 3 {
		t.Errorf("%d messages; in one only:\n%s", len(json), strings.Join(other, "\n"))
	}
}

func TestCatalogue_Recorded(t *testing.T) {
	deployed := finished(recorded(t, "kueue-multikueue", "finished-history", "deployed", "manager-management.stderr.log.gz"))
	for _, text := range []string{
		"Quota reserved in ClusterQueue <*>, wait time since queued was <*>", "Created Workload: <*>", `The workload got reservation on "<*>"`,
	} {
		if m := messageOf(t, deployed, text); m.Level != "debug" || m.Verbosity != 1 || m.Logger != "events" {
			t.Errorf("%+v", m)
		}
	}
	candidate := finished(recorded(t, "kueue-multikueue", "finished-history", "candidate", "manager-management.stderr.log.gz"))
	event := messageOf(t, candidate, "Event occurred")
	note := event.Keys[slices.IndexFunc(event.Keys, func(k outcome.Key) bool { return k.Name == "note" })]
	var notes []string
	for _, text := range note.Texts {
		notes = append(notes, text.Text)
	}
	want := []string{
		"Admitted by ClusterQueue <*>, wait time since reservation was <*>", "Admitted by clusterQueue <*>", "Created Workload: <*>",
		"Quota reserved in ClusterQueue <*>, wait time since queued was <*>", `The workload was admitted on "<*>"`, "Workload '<*>' is declared finished",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// The lines of a stack are a few kinds, however deep it is.
func TestCatalogue_Stacks(t *testing.T) {
	list := finished(recorded(t, "kai-binder", "reported-edge", "deployed-crash", "binder.log.previous-1"))
	n := 0
	for _, m := range list {
		if m.Encoding == outcome.Text {
			n++
		}
	}
	if n > 12 {
		t.Errorf("%d kinds of lines of a goroutine dump", n)
	}
}

// Kinds are bounded, and records beyond them are counted.
func TestCatalogue_Bounds(t *testing.T) {
	c := NewCatalogue()
	for i := range maxKinds + 500 {
		word := strings.Map(func(r rune) rune { return r - '0' + 'k' }, fmt.Sprint(i))
		c.Add(nil, &logs.Entry{Time: int64(i), Line: []byte(word + "ed " + word + "ing")})
	}
	if list, _, cut := c.Finish(); len(list) != maxKinds || cut != 500 {
		t.Errorf("%d kinds, %d cut", len(list), cut)
	}
	// Words that turn out to be values make room, and later ones are known.
	c = NewCatalogue()
	for i := range 3 * maxKinds {
		word := strings.Map(func(r rune) rune { return r - '0' + 'k' }, fmt.Sprint(10_000+i))
		c.Add(nil, &logs.Entry{Time: int64(i), Line: []byte("login of " + word)})
	}
	if list, _, cut := c.Finish(); len(list) != 1 || cut != 0 || list[0].Count != 3*maxKinds {
		t.Errorf("%d kinds, %d cut", len(list), cut)
	}
	// Ever other keys.
	c = NewCatalogue()
	for i := range 1000 {
		c.Add(nil, &logs.Entry{Time: int64(i), Line: fmt.Appendf(nil, `{"msg":"m","k%d":1}`, i)})
	}
	if list, _, cut := c.Finish(); len(list) > maxKeySets+1 || cut != 0 {
		t.Errorf("%d kinds, %d cut", len(list), cut)
	}
}

func TestCatalogue_Steady(t *testing.T) {
	entries := recorded(t, "kueue-multikueue", "ordinary-reconnect", "deployed", "manager-worker.stderr.log.gz")
	c := NewCatalogue()
	add := func() {
		for i := range entries {
			c.Add(nil, &entries[i])
		}
	}
	add()
	if n := testing.AllocsPerRun(3, add); n > float64(len(entries))/10 {
		t.Errorf("%v allocations of %d records", n, len(entries))
	}
}

func BenchmarkCatalogue(b *testing.B) {
	for name, parts := range map[string][]string{
		"json":    {"kueue-multikueue", "finished-history", "deployed", "manager-management.stderr.log.gz"},
		"console": {"kueue-multikueue", "ordinary-reconnect-console", "deployed", "manager-management.stderr.log.gz"},
		"klog":    {"kueue-multikueue", "ordinary-reconnect", "deployed", "kube-scheduler-worker.log"},
	} {
		b.Run("encoding="+name, func(b *testing.B) {
			entries := recorded(b, parts...)
			size := 0
			for i := range entries {
				size += len(entries[i].Line)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			c := NewCatalogue()
			for b.Loop() {
				for i := range entries {
					c.Add(nil, &entries[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(entries)), "ns/record")
		})
	}
}
