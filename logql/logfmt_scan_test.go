package logql

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func scannedLogfmt(line string, strict, keepEmpty bool) ([]string, error) {
	var got []string
	err := scanLogfmt([]byte(line), strict, keepEmpty, func(key, value []byte) {
		got = append(got, string(key)+"="+string(value))
	})
	return got, err
}

func TestScanLogfmt(t *testing.T) {
	// f gives the pairs with --keep-empty; those without a value must be
	// missing without it. wantErr is the error with --strict.
	f := func(line string, wantErr error, want ...string) {
		t.Helper()
		got, err := scannedLogfmt(line, false, true)
		if err != nil {
			t.Errorf("scanLogfmt(%q): %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" && len(got)+len(want) > 0 {
			t.Errorf("scanLogfmt(%q) (-want +got)\n%s", line, diff)
		}
		var full []string
		for _, p := range want {
			if !strings.HasSuffix(p, "=") {
				full = append(full, p)
			}
		}
		got, _ = scannedLogfmt(line, false, false)
		if diff := cmp.Diff(full, got); diff != "" && len(got)+len(full) > 0 {
			t.Errorf("scanLogfmt(%q) without keepEmpty (-want +got)\n%s", line, diff)
		}
		if _, err := scannedLogfmt(line, true, false); !errors.Is(err, wantErr) {
			t.Errorf("scanLogfmt(%q) with strict gives %v; want %v", line, err, wantErr)
		}
	}
	f(``, nil)
	f(`   `, nil)
	f(`a=1 b="x y" c=-3`, nil, "a=1", "b=x y", "c=-3")
	f(`e="" f= bare g="x=y" h='sq v'`, nil, "e=", "f=", "bare=", "g=x=y", "h='sq", "v_=")
	f(`a="esc \"q\" x" b="tab\tx" d="u\u00e9" e="bs\\" q="\'"`, nil, `a=esc "q" x`, "b=tab\tx", "d=ué", `e=bs\`, "q='")
	f(`a=1 f="unterminated b=2`, errLogfmtQuote, "a=1")
	f(`a=1 a=2`, nil, "a=1", "a=2")
	f(`=noval x=1`, errLogfmtNoKey, "x=1")
	f(`foo=bar=buzz ok=1`, errLogfmtValue, "ok=1")
	f(`eq== ok=1`, errLogfmtValue, "ok=1")
	f(`fo"o=bar ok=1`, errLogfmtKey, "ok=1")
	f(`k="a"b c=1`, nil, "k=a", "b=", "c=1")
	f(`q="a b"c=1`, nil, "q=a b", "c=1")
	f(`"quoted key"=v ok=1`, errLogfmtKey, "ok=1")
	f(`a = b c= d`, errLogfmtNoKey, "a=", "b=", "c=", "d=")
	f(`dots.in.key=1 dash-key=2 1digit=3 é=4 日本=5`, nil, "dots_in_key=1", "dash_key=2", "_1digit=3", "_=4", "__=5")
	f("ctl=a\x01b ok=1", nil, "ctl=a", "b=", "ok=1")
	f("tab=1\tsep=2", nil, "tab=1", "sep=2")
	f("msg=\"multi\nline\" k=v", nil, "msg=multi\nline", "k=v")
	f(`x="\x41" y="\101" ok=1`, errLogfmtEscape, "ok=1")
	f(`un="\u12" ok=1`, errLogfmtEscape, "ok=1")
	f(`lone="\ud800" ok=1`, nil, "lone=", "ok=1")
	f("k=\xff v=1 q=\"\xff\" \xff=1", nil, "k=", "v=1", "q=")
	f(`json={"k":"v"} n=1`, errLogfmtValue, "n=1")
	f(`only words`, nil, "only=", "words=")
	f(`a=%20x b=100% c=$5 d=#tag`, nil, "a=%20x", "b=100%", "c=$5", "d=#tag")
}

func TestScanLogfmt_StrictKeepsWhatCameBefore(t *testing.T) {
	got, err := scannedLogfmt(`a=1 b== c=3`, true, false)
	if !errors.Is(err, errLogfmtValue) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"a=1"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A scan for some keys gives those of a scan for all, and the same error.
func TestScanLogfmt_Skips(t *testing.T) {
	const line = "a=1 b=\"\\n\" c.d=3 d 1=5 é=6 e=\"x\ty\" \xff=1 f=\xff g=\"\\q\" h"
	f := func(line string, strict bool, names ...string) {
		t.Helper()
		pairs := func(want *nameSet) (out []string, err error) {
			s := logfmtScanner{strict: strict, keepEmpty: true, want: want}
			err = s.scan([]byte(line), func(key, value []byte) { out = append(out, string(key), string(value)) })
			return out, err
		}
		all, wantErr := pairs(nil)
		var want []string
		for i := 0; i < len(all); i += 2 {
			if slices.Contains(names, all[i]) {
				want = append(want, all[i], all[i+1])
			}
		}
		got, err := pairs(newNameSet(names))
		if !errors.Is(err, wantErr) {
			t.Errorf("%q: error %v for %q, %v for all", line, err, names, wantErr)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q for %q: got %q; want %q", line, names, got, want)
		}
	}
	for i := range line {
		for _, strict := range []bool{false, true} {
			f(line[:i], strict)
			f(line[:i], strict, "a", "c_d", "_1")
			f(line[:i]+"\""+line[i:], strict, "b", "_", "d", "f")
			f(line[:i]+"="+line[i:], strict, "e", "g", "h")
		}
	}
}

func TestCheckLogfmtKey(t *testing.T) {
	for _, key := range []string{"a", "_x1", "A"} {
		if err := checkLogfmtKey(key); err != nil {
			t.Errorf("checkLogfmtKey(%q): %v", key, err)
		}
	}
	for _, key := range []string{"", "1digit", "日本", "y z", "y.z", "a-b"} {
		if err := checkLogfmtKey(key); err == nil {
			t.Errorf("checkLogfmtKey(%q) is accepted", key)
		}
	}
}

func FuzzScanLogfmt(f *testing.F) {
	for _, s := range []string{`a=1 b="x\ty" c`, `"=`, `a="\u`, "a=\"\xff\\\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		loose, _ := scannedLogfmt(string(line), false, true)
		strict, err := scannedLogfmt(string(line), true, true)
		if len(strict) > len(loose) {
			t.Errorf("%q: strict finds more", line)
		}
		if diff := cmp.Diff(loose[:len(strict)], strict); diff != "" && len(strict) > 0 {
			t.Errorf("%q: strict finds other pairs (-loose +strict)\n%s", line, diff)
		}
		if err == nil && len(strict) != len(loose) {
			t.Errorf("%q: strict finds fewer pairs without an error", line)
		}
		for _, p := range loose {
			name, _, _ := strings.Cut(p, "=")
			if !isLabelName([]byte(name)) {
				t.Errorf("%q: %q is no label name", line, name)
			}
		}
	})
}

func TestLogfmtValueEnd(t *testing.T) {
	// Every length, place and kind of end, after every byte there is.
	for n := range 20 {
		for at := range n {
			for _, c := range []byte{' ', '\t', 0, '=', '"'} {
				for before := range 256 {
					b := bytes.Repeat([]byte{'x'}, n)
					b[at] = c
					wantEnd, wantHigh := at, false
					if at > 0 {
						b[at-1] = byte(before)
						if before <= ' ' || before == '=' || before == '"' {
							wantEnd--
						} else {
							wantHigh = before >= 0x80
						}
					}
					if end, high := logfmtValueEnd(b, 0); end != wantEnd || high != wantHigh {
						t.Fatalf("logfmtValueEnd(%q) = %d, %v; want %d, %v", b, end, high, wantEnd, wantHigh)
					}
				}
			}
		}
	}
}
