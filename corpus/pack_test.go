package corpus

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus/archive"
)

// packedGolden packs a corpus that has files of every kind.
func packedGolden(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.tar.zst")
	if _, err := Pack(context.Background(), "testdata/golden-v1-facts", file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPack_OpensAsItWas(t *testing.T) {
	for _, dir := range []string{"testdata/golden-v1", "testdata/golden-v1-facts", smallCorpus(t)} {
		file := filepath.Join(t.TempDir(), "c.tar.zst")
		rep, err := Pack(context.Background(), dir, file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Verify(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Verify(context.Background(), file)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Problems) > 0 || got.Digest == "" || got.Digest != rep.Digest {
			t.Errorf("%s, packed: digest %s, reported %s, problems %q", dir, got.Digest, rep.Digest, got.Problems)
		}
		want.Dir, got.Dir = "", ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, packed (-dir +packed):\n%s", dir, diff)
		}
		if entries := mustReadDir(t, filepath.Dir(file)); len(entries) != 1 {
			t.Errorf("beside the packed file there is %v", entries)
		}
	}
}

func mustReadDir(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestPack_SameBytes(t *testing.T) {
	a, b := packedGolden(t), packedGolden(t)
	if !bytes.Equal(readFile(t, a), readFile(t, b)) {
		t.Error("packing a corpus twice gives other bytes")
	}
	// Packing what is packed gives it again.
	again := filepath.Join(t.TempDir(), "again.tar.zst")
	if _, err := Pack(context.Background(), a, again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(readFile(t, a), readFile(t, again)) {
		t.Error("packing a packed corpus gives other bytes")
	}
	dir := filepath.Join(t.TempDir(), "out")
	rep, err := Unpack(context.Background(), a, dir, archive.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	once := filepath.Join(t.TempDir(), "once.tar.zst")
	packed, err := Pack(context.Background(), dir, once)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Digest != packed.Digest || !bytes.Equal(readFile(t, a), readFile(t, once)) {
		t.Errorf("unpacked and packed again: digest %s, was %s, or other bytes", packed.Digest, rep.Digest)
	}
}

func TestPack_Refuses(t *testing.T) {
	good := smallCorpus(t)
	there := filepath.Join(t.TempDir(), "there")
	write(t, there, []byte("mine"))
	damaged := smallCorpus(t)
	log := filepath.Join(damaged, runPath, "logs/a.log.zst")
	text := readFile(t, log)
	text[len(text)-1] ^= 1
	write(t, log, text)
	unfinished := smallCorpus(t)
	write(t, filepath.Join(unfinished, stagingPrefix+"1", "x"), nil)
	tests := []struct{ name, dir, file, want string }{
		{"there already", good, there, "is there already"},
		{"into itself", good, filepath.Join(good, "c.tar.zst"), "lies in the corpus"},
		{"damaged", damaged, filepath.Join(t.TempDir(), "c"), "a.log.zst: checksum does not agree"},
		{"unfinished", unfinished, filepath.Join(t.TempDir(), "c"), "unfinished"},
		{"no corpus", t.TempDir(), filepath.Join(t.TempDir(), "c"), "is not a corpus"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := mustReadDir(t, filepath.Dir(tt.file))
			_, err := Pack(context.Background(), tt.dir, tt.file)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Pack: %v; want %q", err, tt.want)
			}
			if diff := cmp.Diff(before, mustReadDir(t, filepath.Dir(tt.file))); diff != "" {
				t.Errorf("left behind (-before +after):\n%s", diff)
			}
		})
	}
	if string(readFile(t, there)) != "mine" {
		t.Error("a file that was there already was changed")
	}
}

// A packed corpus of which any part is missing, or has another bit, is never
// read as if it were good.
func TestPacked_EveryByte(t *testing.T) {
	dir := smallCorpus(t)
	file := filepath.Join(t.TempDir(), "c.tar.zst")
	if _, err := Pack(context.Background(), dir, file); err != nil {
		t.Fatal(err)
	}
	good := readFile(t, file)
	want, err := Verify(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, i int, bytes []byte) {
		t.Helper()
		write(t, file, bytes)
		got, err := Verify(context.Background(), file)
		if err == nil && len(got.Problems) == 0 && got.Digest != want.Digest {
			t.Errorf("%s %d: opens without an error, as %+v", what, i, got)
		}
		if what == "cut at" && err == nil {
			t.Errorf("%s %d: opens", what, i)
		}
	}
	for i := range good {
		check("cut at", i, good[:i])
		changed := bytes.Clone(good)
		changed[i] ^= 1 << (i % 8)
		check("bit of byte", i, changed)
	}
	check("cut at", len(good)+1, append(bytes.Clone(good), 'x'))
	check("cut at", len(good)+4, append(bytes.Clone(good), good[:4]...))
}

func TestUnpack_LeavesNothing(t *testing.T) {
	file := packedGolden(t)
	good := readFile(t, file)
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	for _, n := range []int{0, 3, 100, len(good) / 2, len(good) - 1} {
		write(t, file, good[:n])
		if _, err := Unpack(context.Background(), file, dir, archive.Limits{}); err == nil {
			t.Errorf("unpacks %d of %d bytes", n, len(good))
		}
	}
	write(t, file, good)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Unpack(ctx, file, dir, archive.Limits{}); err == nil {
		t.Error("unpacks after an interrupt")
	}
	if _, err := Unpack(context.Background(), file, dir, archive.Limits{Files: 3}); err == nil || !strings.Contains(err.Error(), "more than 3 members") {
		t.Errorf("Unpack with 3 files at most: %v", err)
	}
	if left := mustReadDir(t, parent); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(context.Background(), file, dir, archive.Limits{}); err != nil {
		t.Errorf("into an empty directory: %v", err)
	}
	if _, err := Unpack(context.Background(), file, dir, archive.Limits{}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("into a full directory: %v", err)
	}
	if left := mustReadDir(t, parent); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPacked_ChangedWhileRead(t *testing.T) {
	file := packedGolden(t)
	c, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, append(readFile(t, file), 0))
	r := c.runs[0]
	if _, err := r.Entries(); err == nil || !strings.Contains(err.Error(), "was changed while it was read") {
		t.Errorf("Entries of a file that was changed: %v", err)
	}
}

func TestDigest(t *testing.T) {
	at := func(order ...RunInfo) string {
		dir := t.TempDir()
		for _, info := range order {
			writeRun(t, dir, info, map[string][]rec{"a": {{0, info.String()}}})
		}
		c, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return c.Digest()
	}
	x, y := RunInfo{"deployed", "drill", 1}, RunInfo{"candidate", "drill", 1}
	a, b := at(x, y), at(y, x)
	if a != b || !IsDigest(a) {
		t.Errorf("digest %s, written the other way round %s", a, b)
	}
	if c := at(x); c == a {
		t.Error("a corpus without one of the runs has the same digest")
	}
	c, err := Open("testdata/golden-v1")
	if err != nil {
		t.Fatal(err)
	}
	// Reviews have pinned it: it must never change.
	if got, want := c.Digest(), "sha256:1094a5ab15a7a0d0deaf1f476326b20a00f77fac2312eb148da2b079e34bbc94"; got != want {
		t.Errorf("digest of golden-v1 is %s; want %s", got, want)
	}
}

func TestVerify_WarnsAfterExpiry(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenForWrite(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	until := base.Add(time.Hour)
	for i, d := range []*Drill{{RetainUntil: &until, Owner: "sre\x1b[2J"}, {Owner: "nobody asks"}, nil} {
		run, err := w.BeginRun(&Manifest{Build: "deployed", Scenario: Scenario{Name: "drill"}, Repetition: i + 1, Drill: d})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		now  time.Time
		want []string
	}{
		{time.Time{}, []string{}},
		{until, []string{}},
		{until.Add(1), []string{filepath.Join(dir, runPath) + `: the drill was to be kept until 2026-11-30T18:28:29Z, which has passed (owner: "sre\x1b[2J"); delete the run, or have its keeping approved anew`}},
	} {
		rep, err := VerifyAt(context.Background(), dir, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, rep.Warnings); diff != "" || len(rep.Problems) > 0 {
			t.Errorf("at %s: problems %q, warnings (-want +got):\n%s", tt.now, rep.Problems, diff)
		}
	}
}

// Streams whose names differ in case alone lie in files that every system
// tells apart, so what was recorded can always be packed.
func TestPack_NamesOfOneCase(t *testing.T) {
	dir := t.TempDir()
	writeRun(t, dir, one, map[string][]rec{"App": {{0, "x"}}, "app": {{0, "y"}}})
	if _, err := Pack(context.Background(), dir, filepath.Join(t.TempDir(), "c")); err != nil {
		t.Error(err)
	}
	writeRun(t, dir, RunInfo{"Deployed", "drill", 1}, map[string][]rec{"app": {{0, "x"}}})
	if _, err := Pack(context.Background(), dir, filepath.Join(t.TempDir(), "c")); err == nil || !strings.Contains(err.Error(), `differs in case alone from "runs/Deployed"`) {
		t.Errorf("builds Deployed and deployed: %v", err)
	}
}
