package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
)

const runPath = "runs/deployed/drill/1/"

// smallCorpus writes a corpus of one run with two streams.
func smallCorpus(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	writeRun(t, dir, one, map[string][]rec{
		"a": {{0, "first"}, {1, "second"}, {5, "third"}},
		"b": {{2, "between"}},
	})
	return dir
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t testing.TB, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// reseal edits a run.json and gives it a checksum that agrees.
func reseal(t testing.TB, dir string, edit func(body string) string) {
	t.Helper()
	name := filepath.Join(dir, runPath, runFile)
	text := readFile(t, name)
	before := string(text[:bytes.LastIndex(text, []byte(sealKey))])
	body := edit(before)
	if body == before {
		t.Fatal("the edit changed nothing")
	}
	sum := sha256.Sum256([]byte(body))
	write(t, name, []byte(body+sealKey+hex.EncodeToString(sum[:])+sealEnd))
}

func replace(from, to string) func(string) string {
	return func(s string) string { return strings.Replace(s, from, to, 1) }
}

// restream puts other bytes in the place of stream a, with a size and checksum
// that agree.
func restream(t testing.TB, dir string, packed []byte) {
	t.Helper()
	name := filepath.Join(dir, runPath, "logs/a.log.zst")
	old := readFile(t, name)
	write(t, name, packed)
	oldSum, newSum := sha256.Sum256(old), sha256.Sum256(packed)
	reseal(t, dir, func(s string) string {
		s = strings.Replace(s, fmt.Sprintf(`"fileBytes": %d`, len(old)), fmt.Sprintf(`"fileBytes": %d`, len(packed)), 1)
		return strings.Replace(s, hex.EncodeToString(oldSum[:]), hex.EncodeToString(newSum[:]), 1)
	})
}

func pack(t testing.TB, frames ...string) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	var out []byte
	for _, f := range frames {
		out = enc.EncodeAll([]byte(f), out)
	}
	return out
}

func TestDamage(t *testing.T) {
	const at = "2026-11-30T17:28:29Z "
	records := func(lines ...string) string {
		var b strings.Builder
		for i, l := range lines {
			fmt.Fprintf(&b, "2026-11-30T17:28:29.%09dZ %s\n", i, l)
		}
		return strings.Replace(b.String(), ".000000000Z", "Z", 1)
	}
	good := "2026-11-30T17:28:29Z first\n2026-11-30T17:28:29.000000001Z second\n2026-11-30T17:28:29.000000005Z third\n"
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string // part of the error; empty: the corpus is good
	}{
		{"none", func(t *testing.T, dir string) {}, ""},
		{"other frames", func(t *testing.T, dir string) { restream(t, dir, pack(t, good[:27], good[27:])) }, ""},
		{"no corpus.json", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, corpusFile)) }, "corpus.json: file does not exist"},
		{"corpus of version 2", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, corpusFile), []byte(`{"format":"stillfires/corpus","version":2,"creator":"x","new":1}`))
		}, "corpus.json: has format version 2"},
		{"corpus key", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, corpusFile), []byte(`{"format":"stillfires/corpus","version":1,"creator":"x","new":1}`))
		}, `corpus.json: json: unknown field "new"`},
		{"not JSON", func(t *testing.T, dir string) { write(t, filepath.Join(dir, corpusFile), []byte("{\n  nonsense")) }, "corpus.json: 2:3: invalid character"},
		{"run of version 2", func(t *testing.T, dir string) { reseal(t, dir, replace(`"version": 1`, `"version": 2`)) }, "run.json: has format version 2"},
		{"run key", func(t *testing.T, dir string) {
			reseal(t, dir, replace(`"build": `, `"colour": "red", "build": `))
		}, `run.json: json: unknown field "colour"`},
		{"run edited", func(t *testing.T, dir string) {
			name := filepath.Join(dir, runPath, runFile)
			write(t, name, bytes.Replace(readFile(t, name), []byte(`"app": "a"`), []byte(`"app": "z"`), 1))
		}, "run.json: checksum does not agree"},
		{"run cut short", func(t *testing.T, dir string) {
			name := filepath.Join(dir, runPath, runFile)
			write(t, name, readFile(t, name)[:300])
		}, "run.json: "},
		{"run missing", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, runPath, runFile)) }, "run.json: file does not exist: the run is unfinished"},
		{"run moved", func(t *testing.T, dir string) {
			os.Rename(filepath.Join(dir, "runs/deployed"), filepath.Join(dir, "runs/candidate"))
		}, "run.json: is the manifest of run deployed/drill/1; it lies in the place of candidate/drill/1"},
		{"stream missing", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, runPath, "logs/a.log.zst")) }, "a.log.zst: file does not exist, but run.json names it"},
		{"stream cut short", func(t *testing.T, dir string) {
			name := filepath.Join(dir, runPath, "logs/a.log.zst")
			write(t, name, readFile(t, name)[:20])
		}, "a.log.zst: is 20 bytes long"},
		{"stream of a link", func(t *testing.T, dir string) {
			name := filepath.Join(dir, runPath, "logs/a.log.zst")
			os.Rename(name, filepath.Join(t.TempDir(), "x"))
			os.Symlink("/etc/passwd", name)
		}, "a.log.zst: is not a plain file"},
		{"path up", func(t *testing.T, dir string) { reseal(t, dir, replace("logs/a.log.zst", "../../../../x")) }, `run.json: stream "a": its file "../../../../x" is not logs/a.log.zst`},
		{"name up", func(t *testing.T, dir string) {
			reseal(t, dir, func(s string) string {
				return strings.Replace(strings.Replace(s, `"name": "a"`, `"name": "../a"`, 1), "logs/a.log.zst", "logs/../a.log.zst", 1)
			})
		}, `run.json: stream "../a": stream name`},
		{"file up", func(t *testing.T, dir string) {
			reseal(t, dir, replace(`"completeness"`, `"files": [{"path": "objects/../../x.ndjson.zst", "bytes": 1, "sha256": "00"}], "completeness"`))
		}, `run.json: names file "objects/../../x.ndjson.zst"`},
		{"file in run", func(t *testing.T, dir string) { write(t, filepath.Join(dir, runPath, "notes.txt"), nil) }, "notes.txt: does not belong"},
		{"file in logs", func(t *testing.T, dir string) { write(t, filepath.Join(dir, runPath, "logs/c.log.zst"), nil) }, "c.log.zst: does not belong"},
		{"folder in run", func(t *testing.T, dir string) { write(t, filepath.Join(dir, runPath, "x/y"), nil) }, "x: does not belong"},
		{"file in corpus", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "x"), nil) }, "x: does not belong"},
		{"file in runs", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "runs/x"), nil) }, "x: does not belong"},
		{"repetition 01", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "runs/deployed/drill/01/run.json"), nil) }, `repetition "01"`},
		{"unfinished", func(t *testing.T, dir string) { write(t, filepath.Join(dir, stagingPrefix+"1/lock"), nil) }, ".unfinished-1: an import or capture that is unfinished"},
		{"other checksum", func(t *testing.T, dir string) {
			sum := sha256.Sum256(readFile(t, filepath.Join(dir, runPath, "logs/a.log.zst")))
			reseal(t, dir, replace(hex.EncodeToString(sum[:]), strings.Repeat("0", 64)))
		}, "a.log.zst: checksum does not agree"},
		{"more records", func(t *testing.T, dir string) { reseal(t, dir, replace(`"records": 3`, `"records": 4`)) }, "a.log.zst: holds 3 records; run.json says 4"},
		{"more bytes", func(t *testing.T, dir string) { reseal(t, dir, replace(`"bytes": 16`, `"bytes": 17`)) }, "a.log.zst: holds 16 bytes of lines; run.json says 17"},
		{"other last", func(t *testing.T, dir string) { reseal(t, dir, replace(`29.000000005Z`, `29.000000006Z`)) }, "a.log.zst: first and last time"},
		{"no first", func(t *testing.T, dir string) { reseal(t, dir, replace(`"first": "2026-11-30T17:28:29Z",`, ``)) }, `stream "a": must have a first and last time`},
		{"same labels", func(t *testing.T, dir string) { reseal(t, dir, replace(`"app": "a"`, `"app": "b"`)) }, "have the same labels"},
		{"order of streams", func(t *testing.T, dir string) { reseal(t, dir, replace(`"app": "a"`, `"app": "c"`)) }, "not ordered by labels"},
		{"label name", func(t *testing.T, dir string) { reseal(t, dir, replace(`"app": "a"`, `"a-b": "a"`)) }, `label name "a-b"`},
		{"expectation", func(t *testing.T, dir string) {
			reseal(t, dir, replace(`"name": "drill"`, `"name": "drill", "expectations": [{"rule": "r", "expect": "maybe", "declaredAt": "2026-11-30T17:28:29Z"}]`))
		}, `expectation "maybe"`},
		{"older record", func(t *testing.T, dir string) {
			restream(t, dir, pack(t, at+"first\n2026-11-30T17:28:28Z second\n2026-11-30T17:28:29.000000005Z third\n"))
		}, "a.log.zst:2: record is older"},
		{"no prefix", func(t *testing.T, dir string) { restream(t, dir, pack(t, at+"first\nsecond\n")) }, `a.log.zst:2: record does not begin with a UTC time and a space: "second"`},
		{"not UTC", func(t *testing.T, dir string) { restream(t, dir, pack(t, "2026-11-30T17:28:29+01:00 first\n")) }, "a.log.zst:1: record does not begin with a UTC time"},
		{"frame without line end", func(t *testing.T, dir string) { restream(t, dir, pack(t, at+"first\n"+at+"sec", "ond\n")) }, "a.log.zst: a frame does not end at a line end"},
		{"empty frame", func(t *testing.T, dir string) {
			restream(t, dir, append(pack(t, good), 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00))
		}, "a.log.zst: holds an empty frame"},
		{"frame too long", func(t *testing.T, dir string) {
			restream(t, dir, pack(t, records(strings.Repeat("x", frameText), "y")))
		}, "a.log.zst: a frame holds 4194"},
		{"bomb", func(t *testing.T, dir string) {
			restream(t, dir, pack(t, at+strings.Repeat("x", maxFrame)+"\n"))
		}, "a.log.zst: a frame says it holds 33554454 bytes"},
		{"skippable frame", func(t *testing.T, dir string) {
			restream(t, dir, append([]byte{0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9}, pack(t, good)...))
		}, "a.log.zst: holds a skippable frame"},
		{"not zstd", func(t *testing.T, dir string) { restream(t, dir, []byte(good)) }, "a.log.zst: is not zstd"},
		{"text after frames", func(t *testing.T, dir string) { restream(t, dir, append(pack(t, good), "x"...)) }, "a.log.zst: is not zstd"},
		{"cut in a frame", func(t *testing.T, dir string) {
			b := pack(t, good)
			restream(t, dir, b[:len(b)-2])
		}, "a.log.zst: is cut short"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := smallCorpus(t)
			tt.damage(t, dir)
			_, err := readRun(t, dir, one)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if tt.want == "" && err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("error %q; want %q in it", got, tt.want)
			}
			rep, verr := Verify(t.Context(), dir)
			if bad := verr != nil || len(rep.Problems) > 0; bad != (err != nil) {
				t.Errorf("Verify found %v, %v; reading gave %v", rep, verr, err)
			}
		})
	}
}

// TestDamage_EveryBit flips each bit of run.json and of a log: reading has to
// give an error each time.
func TestDamage_EveryBit(t *testing.T) {
	dir := smallCorpus(t)
	flipped := func(text []byte, f func(i, bit int, text []byte)) {
		for i := range text {
			for bit := range 8 {
				text[i] ^= 1 << bit
				f(i, bit, text)
				text[i] ^= 1 << bit
			}
		}
	}
	flipped(readFile(t, filepath.Join(dir, runPath, runFile)), func(i, bit int, text []byte) {
		if _, _, err := decodeManifest(text); err == nil {
			t.Errorf("run.json: bit %d of byte %d flipped, and no error", bit, i)
		}
	})
	file := filepath.Join(dir, runPath, "logs/a.log.zst")
	flipped(readFile(t, file), func(i, bit int, text []byte) {
		write(t, file, text)
		if _, err := readRun(t, dir, one); err == nil {
			t.Errorf("log: bit %d of byte %d flipped, and no error", bit, i)
		} else if !strings.Contains(err.Error(), "a.log.zst") {
			t.Errorf("log: bit %d of byte %d: error names no file: %v", bit, i, err)
		}
	})
}

// TestDamage_EveryLength cuts each file at every length.
func TestDamage_EveryLength(t *testing.T) {
	dir := smallCorpus(t)
	for _, name := range []string{"corpus.json", runPath + runFile, runPath + "logs/a.log.zst"} {
		file := filepath.Join(dir, name)
		text := readFile(t, file)
		for n := 0; n < len(text); n += 1 + len(text)/200 {
			if name == "corpus.json" && n == len(text)-1 {
				continue // the newline at the end says nothing
			}
			write(t, file, text[:n])
			if _, err := readRun(t, dir, one); err == nil {
				t.Errorf("%s cut at %d bytes, and no error", name, n)
			}
		}
		write(t, file, text)
	}
}

func TestWriter_Refuses(t *testing.T) {
	dir := smallCorpus(t)
	w, err := OpenForWrite(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var exists *RunExistsError
	if _, err := w.BeginRun(&Manifest{Build: "deployed", Scenario: Scenario{Name: "drill"}, Repetition: 1}); !errors.As(err, &exists) {
		t.Errorf("a second run of one name gave %v", err)
	}
	for _, name := range []string{"", ".", "..", "a/b", "a:b", ".a", "a\x00", "a ", "-a", strings.Repeat("a", 201), "\xff"} {
		if _, err := w.BeginRun(&Manifest{Build: name, Scenario: Scenario{Name: "drill"}, Repetition: 1}); err == nil {
			t.Errorf("build name %q was taken", name)
		}
	}
	other := t.TempDir()
	write(t, filepath.Join(other, "x"), nil)
	if _, err := OpenForWrite(other, "test"); err == nil || !strings.Contains(err.Error(), "is no corpus and not empty") {
		t.Errorf("a folder of other files gave %v", err)
	}
}

// TestWriter_Interrupted leaves a writer as a killed process does, at each
// step, and looks at what opens then and after the next writer.
func TestWriter_Interrupted(t *testing.T) {
	begin := func(t *testing.T, dir string) (*Writer, []*RunWriter) {
		w, err := OpenForWrite(dir, "test")
		if err != nil {
			t.Fatal(err)
		}
		var runs []*RunWriter
		for _, build := range []string{"candidate", "deployed"} {
			r, err := w.BeginRun(&Manifest{Build: build, Scenario: Scenario{Name: "drill"}, Repetition: 1})
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
		}
		return w, runs
	}
	check := func(t *testing.T, dir string, want int) {
		t.Helper()
		if c, err := Open(dir); err == nil {
			t.Fatalf("an unfinished corpus opens, with runs %v", c.Runs())
		}
		w, err := OpenForWrite(dir, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		c, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(c.Runs()); got != want {
			t.Errorf("%d runs after the next writer; want %d", got, want)
		}
	}
	t.Run("while writing", func(t *testing.T) {
		dir := t.TempDir()
		w, runs := begin(t, dir)
		if err := runs[0].Seal(); err != nil {
			t.Fatal(err)
		}
		w.lock.Close()
		check(t, dir, 0)
	})
	t.Run("while moving", func(t *testing.T) {
		dir := t.TempDir()
		w, runs := begin(t, dir)
		for _, r := range runs {
			if err := r.Seal(); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(w.stage, commitFile), []byte("candidate/drill/1\ndeployed/drill/1"))
		if err := moveRuns(dir, w.stage, []string{"candidate/drill/1"}); err != nil {
			t.Fatal(err)
		}
		w.lock.Close()
		check(t, dir, 2)
	})
	t.Run("alive", func(t *testing.T) {
		dir := t.TempDir()
		w, runs := begin(t, dir)
		other, err := OpenForWrite(dir, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(runs...); err != nil {
			t.Errorf("a live writer was disturbed: %v", err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if c, err := Open(dir); err != nil || len(c.Runs()) != 2 {
			t.Errorf("Open gave %v, %v", c, err)
		}
	})
}

func FuzzStream(f *testing.F) {
	f.Add(pack(f, "2026-11-30T17:28:29Z first\n"))
	f.Add(pack(f, "2026-11-30T17:28:29Z first\n2026-11-30T17:28:30.1Z second\n", "2026-11-30T17:28:31Z \n"))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd})
	dec, err := newDecoder()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		for _, ndjson := range []bool{false, true} {
			file, err := fstest.MapFS{"x": {Data: packed}}.Open("x")
			if err != nil {
				t.Fatal(err)
			}
			s := &streamReader{path: "x", want: &Stream{}, frames: newFrameReader(file, dec, 1), ndjson: ndjson}
			for s.scan() {
			}
			if errors.Is(s.err, errEnd) && len(packed) > 0 {
				t.Error("a stream that no manifest describes was read without error")
			}
			s.frames.close()
		}
	})
}

func FuzzManifest(f *testing.F) {
	text, err := encodeManifest(&Manifest{Format: runFormat, Version: Version, Build: "b", Scenario: Scenario{Name: "s"}, Repetition: 1, Builds: []Build{{Name: "b"}}, Completeness: Completeness{State: Complete}, Streams: []Stream{{Name: "a", File: "logs/a.log.zst", SHA256: strings.Repeat("0", 64)}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text[:bytes.LastIndex(text, []byte(sealKey))])
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		m, _, err := decodeManifest([]byte(string(body) + sealKey + hex.EncodeToString(sum[:]) + sealEnd))
		if err != nil || m.check(RunInfo{m.Build, m.Scenario.Name, m.Repetition}) != nil {
			return
		}
		for name := range m.sizes() {
			if strings.Contains(name, "..") || filepath.IsAbs(name) {
				t.Errorf("a manifest names %q", name)
			}
		}
		if _, err := json.Marshal(m); err != nil {
			t.Error(err)
		}
	})
}
