package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// TestImport_Errors gives what must not be imported; each error names the file
// and says what to do.
func TestImport_Errors(t *testing.T) {
	gz := func(text string) string {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
		w.Write([]byte(text))
		w.Close()
		return b.String()
	}
	json := "{\"ts\":\"2026-11-30T17:00:00Z\"}\n"
	f := func(name, desc string, files map[string]string, want string) {
		t.Helper()
		out, _, err := importFiles(t, desc, files)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want %q in it", name, err, want)
		}
		if c, err := Open(out); err == nil {
			t.Errorf("%s: left a corpus that opens, with %v", name, c.Runs())
		}
		if left, err := os.ReadDir(out); err == nil && len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
	f("unmatched", oneLog, map[string]string{"1.log": json, "x/notes.txt": ""}, "ROOT: 1 file matches no pattern of the import description; name them in logs or files, or put patterns for them into ignore:\n  x/notes.txt")
	f("no file", oneLog, nil, "no file matches the description")
	f("empty", oneLog, map[string]string{"1.log": ""}, "ROOT/1.log: is empty")
	f("one empty of two", oneLog, map[string]string{"1.log": json, "2.log": ""}, "ROOT/2.log: is empty")
	f("empty gzip", oneLog, map[string]string{"1.log": gz("")}, "ROOT/1.log: is empty")
	f("no times", oneLog, map[string]string{"1.log": "a\nb\n"}, "ROOT/1.log: no record has a time in a form that is known")
	f("named format", oneLog+"time: {format: [klog, cri]}", map[string]string{"1.log": json}, "looked for: [klog cri]")
	f("no year", oneLog+"time: {timezone: UTC}", map[string]string{"1.log": "I1130 17:00:00.000000 1 f.go:1] x\n"}, "ROOT/1.log: the time has no year, and no dated record of the run has one; give it in the import description (time: {year:")
	f("no zone", oneLog+"time: {year: 2026}", map[string]string{"1.log": "I1130 17:00:00.000000 1 f.go:1] x\n"}, "ROOT/1.log: the time has no zone, and no dated record of the run writes one")
	f("no day", oneLog+"time: {year: 2026, timezone: UTC}", map[string]string{"1.log": "I0229 17:00:00.000000 1 f.go:1] x\n"}, "February 29 is no day of the year 2026")
	f("zone lacking later", oneLog, map[string]string{"1.log": "{\"ts\":1796058000.5}\nI1130 17:00:00.000000 1 f.go:1] x\n"}, "ROOT/1.log: line 2: the time has no zone")
	f("binary", oneLog, map[string]string{"1.log": "\x7fELF" + strings.Repeat("\x00\x01\x02x", 100)}, "ROOT/1.log: is a binary file, no log")
	f("latin noise", oneLog, map[string]string{"1.log": strings.Repeat("\xff\xfe\xe4x", 100)}, "ROOT/1.log: is a binary file, no log")
	f("UTF-16", oneLog, map[string]string{"1.log": "\xff\xfea\x00b\x00"}, "ROOT/1.log: is UTF-16")
	f("xz", oneLog, map[string]string{"1.log": "\xfd7zXZ\x00xxx"}, "ROOT/1.log: is compressed with xz")
	f("gzip cut short", oneLog, map[string]string{"1.log": gz(json + strings.Repeat("x", 100000))[:60]}, "ROOT/1.log: is cut short")
	f("gzip with text after", oneLog, map[string]string{"1.log": gz(json) + "text and more"}, "ROOT/1.log: cannot be decompressed: gzip: invalid header")
	f("zstd damaged", oneLog, map[string]string{"1.log": "\x28\xb5\x2f\xfdnonsense"}, "ROOT/1.log: ")
	f("bomb", oneLog, map[string]string{"1.log": gz(json + strings.Repeat(strings.Repeat("x", 9999)+"\n", 7000))}, "; more than 500 to 1 is refused")
	f("long line", oneLog, map[string]string{"1.log": json + strings.Repeat("x", MaxRecord+1)}, "ROOT/1.log: line 2 is longer than 16777216 bytes")
	f("same labels", strings.Replace(oneLog, "order: path, ", "", 1), map[string]string{"1.log": json, "2.log": json}, `2.log: has the same labels {app="a"} as 1.log; put a capture`)
	f("same labels in two entries", oneLog+"- {files: x, labels: {app: a}}", map[string]string{"1.log": json, "x": json}, `x: has the labels {app="a"} of 1.log, which another entry`)
	f("capture unknown", strings.Replace(oneLog, "app: a", "app: \"{who}\"", 1), map[string]string{"1.log": json}, "1.log: labels: \"{who}\": {who} is captured by no pattern")
	f("build unknown", strings.Replace(oneLog, "build: {name: b}\n", "", 1), map[string]string{"1.log": json}, "build is not known: capture {build} in run")
	f("build name", strings.Replace(oneLog, "name: b", "name: \"b:c\"", 1), map[string]string{"1.log": json}, `build name "b:c" holds ':'`)
	f("manifest missing", oneLog+"environment: {fromFile: {file: m.json, kubernetes: k}}", map[string]string{"1.log": json}, "m.json: ")
	f("manifest value", oneLog+"environment: {fromFile: {file: m.json, kubernetes: k}}", map[string]string{"1.log": json, "m.json": "{}"}, `m.json: has no value at "k"`)
	f("manifest no JSON", oneLog+"environment: {fromFile: {file: m.json, kubernetes: k}}", map[string]string{"1.log": json, "m.json": "{"}, "m.json: is not valid JSON")
	f("manifest outside", oneLog+"environment: {fromFile: {file: ../m.json, kubernetes: k}}", map[string]string{"1.log": json}, "../m.json: ")
	f("run without log", "version: 1\nrun: \"{scenario}/{build}\"\nlogs:\n- {files: x.log, labels: {app: a}}\nignore: [notes]", map[string]string{"s/b/x.log": json, "s/c/notes": ""}, "s/c: matches the pattern of a run but holds no log")
	f("two runs of one name", "version: 1\nrun: \"{x}\"\nbuild: {name: b}\nscenario: {name: s}\nlogs:\n- {files: x.log, labels: {app: a}}", map[string]string{"1/x.log": json, "2/x.log": json}, "2: is run b/s/1, and so is 1")
}

func TestImport_Links(t *testing.T) {
	root := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	write(t, outside, []byte("{\"ts\":\"2026-11-30T17:00:00Z\"}\n"))
	if err := os.Symlink(outside, filepath.Join(root, "1.log")); err != nil {
		t.Skip(err)
	}
	d, err := ParseDescription("import.yaml", []byte(oneLog))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), d, root, t.TempDir(), ImportOptions{}); err == nil || !strings.Contains(err.Error(), "1.log") {
		t.Errorf("a link out of the tree gave %v", err)
	}
	os.Remove(filepath.Join(root, "1.log"))
	write(t, filepath.Join(root, "0.log"), readFile(t, outside))
	os.Symlink("0.log", filepath.Join(root, "1.log"))
	if _, err := Import(t.Context(), d, root, t.TempDir(), ImportOptions{}); err != nil {
		t.Errorf("a link within the tree gave %v", err)
	}
}
