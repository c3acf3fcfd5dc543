package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzLine cleans any record: it never panics, JSON stays JSON, no line is lost
// and cleaning again changes nothing.
func FuzzLine(f *testing.F) {
	r, err := compile(everything(), testKey())
	if err != nil {
		f.Fatal(err)
	}
	for _, x := range r.canaries() {
		for _, e := range encodings {
			f.Add([]byte(e.wrap(x.text)))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) > 1<<16 {
			return
		}
		c := r.cleaner()
		out := bytes.Clone(c.Line(line))
		if json.Valid(line) && !json.Valid(out) {
			t.Errorf("%q is JSON, %q is not", line, out)
		}
		if a, b := bytes.Count(line, []byte("\n")), bytes.Count(out, []byte("\n")); b > a {
			t.Errorf("%q has %d newlines, %q has %d", line, a, out, b)
		}
		if again := r.cleaner().Line(bytes.Clone(out)); !bytes.Equal(again, out) {
			t.Errorf("%q\nbecame %q\nand then %q", line, out, again)
		}
	})
}

// FuzzPlanted puts a secret into any surroundings, in each encoding.
func FuzzPlanted(f *testing.F) {
	r, err := compile(everything(), testKey())
	if err != nil {
		f.Fatal(err)
	}
	f.Add("some text ", " and more", uint8(0), uint8(1))
	f.Add(`{"a":"b`, `"}`, uint8(3), uint8(2))
	f.Add("x=\"1\" y='", "\n- z: 4\n", uint8(9), uint8(4))
	plants := r.canaries()
	f.Fuzz(func(t *testing.T, before, after string, which, how uint8) {
		x := plants[int(which)%len(plants)]
		e := encodings[int(how)%len(encodings)]
		if x.alone || len(before)+len(after) > 1<<12 || strings.Contains(before+after, x.secret) {
			return
		}
		// The surroundings are of the text, not of its words.
		line := e.wrap(before + "\n" + x.text + "\n" + after)
		if out := r.cleaner().Line([]byte(line)); bytes.Contains(out, []byte(x.secret)) {
			t.Errorf("%s, %s, survives in %q: %q", x.what, e.name, line, out)
		}
	})
}
