package logqltest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/stillfires/stillfires/corpus"
)

// maxFrameText is what the corpus format allows a frame of several lines.
const maxFrameText = 4 << 20

// recut writes the streams of a run anew in frames of so many lines, as far as
// the format allows, and seals its manifest again.
func recut(t *testing.T, run *corpus.Run, lines int) {
	t.Helper()
	path := run.Path("run.json")
	manifest, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Manifest.Streams {
		s := &run.Manifest.Streams[i]
		packed := recutFile(t, run.Path(s.File), lines)
		sum := sha256.Sum256(packed)
		manifest = replaceOnce(t, manifest, s.SHA256, hex.EncodeToString(sum[:]))
		at := bytes.Index(manifest, []byte(hex.EncodeToString(sum[:])))
		size := fmt.Appendf(nil, `"fileBytes": %d`, s.FileBytes)
		// The size stands before the sum of its stream.
		from := bytes.LastIndex(manifest[:at], size)
		if from < 0 {
			t.Fatalf("run.json does not say %s of %s", size, s.File)
		}
		rest := bytes.Clone(manifest[from+len(size):])
		manifest = append(fmt.Appendf(manifest[:from], `"fileBytes": %d`, len(packed)), rest...)
	}
	body, _, ok := bytes.Cut(manifest, []byte(",\n  \"checksum\": \"sha256:"))
	if !ok {
		t.Fatal("run.json has no checksum")
	}
	sealed := fmt.Appendf(bytes.Clone(body), ",\n  \"checksum\": \"sha256:%x\"\n}\n", sha256.Sum256(body))
	if err := os.WriteFile(path, sealed, 0o666); err != nil {
		t.Fatal(err)
	}
}

func replaceOnce(t *testing.T, text []byte, from, to string) []byte {
	t.Helper()
	if n := bytes.Count(text, []byte(from)); n != 1 {
		t.Fatalf("run.json holds %s %d times", from, n)
	}
	return bytes.Replace(text, []byte(from), []byte(to), 1)
}

// recutFile rewrites one file and returns what is in it now.
func recutFile(t *testing.T, path string, lines int) []byte {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	text, err := dec.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	packed = packed[:0]
	var frame []byte
	flush := func() {
		if len(frame) > 0 {
			packed = enc.EncodeAll(frame, packed)
			frame = frame[:0]
		}
	}
	n := 0
	for line := range bytes.Lines(text) {
		if n == lines || len(frame)+len(line) > maxFrameText {
			flush()
			n = 0
		}
		frame = append(frame, line...)
		n++
	}
	flush()
	if err := os.WriteFile(path, packed, 0o666); err != nil {
		t.Fatal(err)
	}
	return packed
}
