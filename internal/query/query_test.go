package query

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/stillfires/stillfires/internal/logs"
)

// ask runs a query on a text from a pipe and returns the answer and remarks.
func ask(t *testing.T, query, text string, set func(*Options)) (answer string, notes []string, err error) {
	t.Helper()
	opt := &Options{Query: query, Stdin: strings.NewReader(text), Format: "text"}
	opt.Note = func(n string) { notes = append(notes, n) }
	if set != nil {
		set(opt)
	}
	var out bytes.Buffer
	err = Run(context.Background(), opt, &out)
	return out.String(), notes, err
}

func mustAsk(t *testing.T, query, text string, set func(*Options)) string {
	t.Helper()
	answer, _, err := ask(t, query, text, set)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

// A log line can hold anything.
const hostileLine = "2026-01-01T00:00:01.000000001Z \x1b]0;title\a red\x1b[31m nul\x00 bad\xff\u202eevil\u200b <b> \"q\", =1+1"

func TestRun_HostileLine(t *testing.T) {
	line := hostileLine[strings.Index(hostileLine, " ")+1:]
	test := func(format string, terminal bool, want string) {
		t.Helper()
		got := mustAsk(t, `|= "evil"`, hostileLine+"\n", func(o *Options) { o.Format, o.Terminal = format, terminal })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, terminal %t (-want +got):\n%s", format, terminal, diff)
		}
	}
	const stamp = "2026-01-01T00:00:01.000000001Z"
	const escaped = `\x1b]0;title\a red\x1b[31m nul\x00 bad\xff\u202eevil\u200b <b> "q", =1+1`
	test("text", false, stamp+" "+line+"\n")
	test("raw", false, line+"\n")
	test("text", true, stamp+" "+escaped+"\n")
	test("raw", true, escaped+"\n")

	var streams struct {
		Data struct {
			Result []struct{ Values [][2]string }
		}
	}
	answer := mustAsk(t, `|= "evil"`, hostileLine+"\n", func(o *Options) { o.Format = "json" })
	if err := json.Unmarshal([]byte(answer), &streams); err != nil {
		t.Fatal(err)
	}
	if got, want := streams.Data.Result[0].Values[0][1], strings.ToValidUTF8(line, "\ufffd"); got != want {
		t.Errorf("json has the line %q; want %q", got, want)
	}
	rows, err := csv.NewReader(strings.NewReader(mustAsk(t, `|= "evil"`, hostileLine+"\n", func(o *Options) { o.Format = "csv" }))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := rows[1][2]; got != line {
		t.Errorf("csv has the line %q; want %q", got, line)
	}
}

func TestRun_LongLine(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	got := mustAsk(t, `|= "xyz"`, "2026-01-01T00:00:01Z begin\n"+long+"yz\n2026-01-01T00:00:02Z end xyz", func(o *Options) { o.Format = "raw" })
	if want := long + "yz\n2026-01-01T00:00:02Z end xyz\n"; got != want {
		t.Errorf("got %d bytes; want %d", len(got), len(want))
	}
	_, _, err := ask(t, `|= "x"`, strings.Repeat("x", 17<<20), nil)
	if err == nil || !strings.Contains(err.Error(), "stdin: line 1 is longer than") {
		t.Errorf("a line of 17 MiB gives %v; want an error that names its place", err)
	}
}

func TestRun_Binary(t *testing.T) {
	_, _, err := ask(t, `|= "x"`, strings.Repeat("\x00\x01\x02\x03", 100), nil)
	if err == nil || !strings.Contains(err.Error(), "binary file") {
		t.Errorf("a binary file gives %v", err)
	}
}

// numbered is a log with one line a second, each twice as often as its
// neighbours' times are equal.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "2026-01-01T00:%02d:%02d.0000000Z line %d\n", i/2/60, i/2%60, i)
	}
	return b.String()
}

func TestRun_BackwardLimit(t *testing.T) {
	text := numbered(1000)
	backward := func(o *Options) { o.Backward, o.Format, o.Limit = true, "raw", 3 }
	answer, notes, err := ask(t, `|= "line"`, text, backward)
	if err != nil {
		t.Fatal(err)
	}
	if want := "line 999\nline 998\nline 997\n"; answer != want {
		t.Errorf("backward gives %q; want %q", answer, want)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "more lines than --limit 3") {
		t.Errorf("remarks are %q; want one of the limit", notes)
	}
	whole := strings.Split(strings.TrimSpace(mustAsk(t, `|= "line"`, text, func(o *Options) { o.Format = "raw" })), "\n")
	reverse := strings.Split(strings.TrimSpace(mustAsk(t, `|= "line"`, text, func(o *Options) { o.Format, o.Backward = "raw", true })), "\n")
	for i := range whole {
		if whole[i] != reverse[len(reverse)-1-i] {
			t.Fatalf("line %d is %q forward and %q backward", i, whole[i], reverse[len(reverse)-1-i])
		}
	}
}

// Lines of one time from several streams stand in the order of the hashes of
// their labels, whatever the order of the files.
func TestRun_OrderOfFiles(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i := range 6 {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%c.log", 'a'+i)))
		text := strings.ReplaceAll(numbered(20), "line", fmt.Sprintf("file %d line", i))
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	forward := mustAsk(t, `|= "line"`, "", func(o *Options) { o.Files = files })
	files[0], files[5], files[1], files[2] = files[5], files[0], files[2], files[1]
	if diff := cmp.Diff(forward, mustAsk(t, `|= "line"`, "", func(o *Options) { o.Files = files })); diff != "" {
		t.Errorf("the order of files changes the answer:\n%s", diff)
	}
	// As they come, or imported first: the answer is the same.
	imported := mustAsk(t, `|= "line"`, "", func(o *Options) { o.Files, o.From = files, "+0s" })
	if diff := cmp.Diff(forward, imported); diff != "" {
		t.Errorf("an import changes the answer:\n%s", diff)
	}
}

func TestRun_Compressed(t *testing.T) {
	dir := t.TempDir()
	test := func(name string, pack func(io.Writer) io.WriteCloser) {
		t.Helper()
		var buf bytes.Buffer
		w := pack(&buf)
		if _, err := io.WriteString(w, numbered(10)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, buf.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := mustAsk(t, `|= "line 3"`, "", func(o *Options) { o.Files, o.Format = []string{file}, "raw" }); got != "line 3\n" {
			t.Errorf("%s gives %q", name, got)
		}
		if got := mustAsk(t, `|= "line 3"`, buf.String(), func(o *Options) { o.Format = "raw" }); got != "line 3\n" {
			t.Errorf("%s from a pipe gives %q", name, got)
		}
		if err := os.WriteFile(file, buf.Bytes()[:buf.Len()-6], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ask(t, `|= "line"`, "", func(o *Options) { o.Files = []string{file} }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s cut short gives %v; want an error that names it", name, err)
		}
	}
	test("a.gz", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	test("a.zst", func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return z
	})
}

// What was found is written before the next line is waited for.
func TestRun_Flows(t *testing.T) {
	in, feed := io.Pipe()
	answer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		opt := &Options{Query: `|= "hello"`, Stdin: in, Format: "raw", Note: func(string) {}}
		done <- errors.Join(Run(context.Background(), opt, out), out.Close())
	}()
	buf := make([]byte, 100)
	for i := range 3 {
		line := fmt.Sprintf("hello number %d\n", i)
		if _, err := io.WriteString(feed, line); err != nil {
			t.Fatal(err)
		}
		n, err := answer.Read(buf)
		if err != nil || string(buf[:n]) != line {
			t.Fatalf("after %q came %q, %v", line, buf[:n], err)
		}
	}
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A program that is told to end does not wait for its input.
func TestRun_Interrupted(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, &Options{Query: `|= "hello"`, Stdin: in, Format: "raw", Note: func(string) {}}, io.Discard)
	}()
	if _, err := io.WriteString(feed, "hello world\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v; want that it was cancelled", err)
	}
}

// A brokenPipe is a reader that has had enough.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestRun_BrokenPipe(t *testing.T) {
	opt := &Options{Query: `|= "line"`, Stdin: strings.NewReader(numbered(50_000)), Format: "text", Note: func(string) {}}
	if err := Run(context.Background(), opt, brokenPipe{}); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Run = %v; want the error of the writer", err)
	}
}

func TestPrintable(t *testing.T) {
	test := func(in, want string) {
		t.Helper()
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q; want %q", in, got, want)
		}
	}
	test("plain text, größer 日本 😀\ttab", "plain text, größer 日本 😀\ttab")
	test("a\nb\rc", `a\nb\rc`)
	test("\x1b[2J", `\x1b[2J`)
	test("\xff\xfe", `\xff\xfe`)
	test("\ufffd", "\ufffd")
	test("a\u202eb\u2066c\u00adc", `a\u202eb\u2066c\u00adc`)
	test("\u009b31m", `\u009b31m`)
	test(`back\slash "quote"`, `back\slash "quote"`)
}

func TestAddLabels(t *testing.T) {
	r := &logRun{extra: logs.New(logs.Label{Name: "build", Value: "v1"}, logs.Label{Name: "scenario", Value: "s"})}
	got := r.addLabels(logs.New(logs.Label{Name: "build", Value: "of the stream"}))
	if want := `{build="of the stream", run_build="v1", scenario="s"}`; got.String() != want {
		t.Errorf("addLabels = %s; want %s", got, want)
	}
}

func TestRun_TemporaryFilesGo(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	test := func(query string) {
		t.Helper()
		_, _, err := ask(t, query, numbered(10), nil)
		left, readErr := os.ReadDir(dir)
		if readErr != nil || len(left) > 0 {
			t.Errorf("%s (%v) leaves %v, %v", query, err, left, readErr)
		}
	}
	test(`count_over_time({app="x"}[5m])`)
	test(`sum_over_time({app="x"} | logfmt | unwrap line [5m])`)
}
