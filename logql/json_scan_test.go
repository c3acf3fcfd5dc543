package logql

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// scannedJSON returns the fields of line as "key=value".
func scannedJSON(line string) ([]string, error) {
	var got []string
	err := scanJSON([]byte(line), func(key, value []byte) {
		got = append(got, string(key)+"="+string(value))
	})
	return got, err
}

func TestScanJSON(t *testing.T) {
	f := func(line string, want ...string) {
		t.Helper()
		got, err := scannedJSON(line)
		if err != nil {
			t.Errorf("scanJSON(%q): %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("scanJSON(%q) (-want +got)\n%s", line, diff)
		}
	}
	f(`{}`)
	f(` { } `)
	f(`{"a":1,"b":-2.5E-4,"c":true,"d":false,"e":null,"f":""}`, "a=1", "b=-2.5E-4", "c=true", "d=false", "f=")
	f(`{"a":1.0,"b":100000000000000000000000}`, "a=1.0", "b=100000000000000000000000")
	f("\t{\"ws\" : \"v\" , \"n\" :  { \"k\" : 1 } }\r\n", "ws=v", "n_k=1")
	f(`{"l1":{"l2":{"l3":"deep"},"x":1},"y":2}`, "l1_l2_l3=deep", "l1_x=1", "y=2")
	f(`{"arr":[1,"]",{"x":"}"}],"o":{"arr":[[]]},"z":1}`, "z=1")
	f(`{"a.b":1,"c-d":2,"e f":3,"1x":4,"é":5,"日本":6,"$p":7,"A":8}`, "a_b=1", "c_d=2", "e_f=3", "_1x=4", "_=5", "__=6", "_p=7", "A=8")
	f(`{"n":{"1x":{" y ":1}}}`, "n_1x_y=1")
	f(`{"":1,"_":2," ":3,"-":4,"o":{"":5}}`, "_=2", "_=4", "o=5")
	f(`{"\u0061\"b":1}`, "a_b=1")
	f(`{"a":"x\n\t\"\\\/\b\f\r","u":"\u00e9\u65e5","s":"\ud83d\ude00","n":"\u0000z"}`, "a=x\n\t\"\\/\b\f\r", "u=é日", "s=😀", "n=\x00z")
	f(`{"lone":"\ud800x","low":"\udc00","half":"\ud83d\u0041","bad":"\x","short":"\u12"}`, "lone=", "low=", "half=", "bad=", "short=")
	f("{\"a\":\"\xff\",\"b\":\"x\ufffdy\\n\xc3\",\"c\":\"日本\"}", "a= ", "b=x y\n ", "c=日本")
	f("{\"raw\":\"a\tb\nc\"}", "raw=a\tb\nc")
	f(`{"dup":1,"dup":2}`, "dup=1", "dup=2")
	f(`{"bad":1,}`, "bad=1")
	f(`{"o":{"a":1,},"b":2}`, "o_a=1", "b=2")
	f(`{"a":1}{"a":2}`, "a=1")
	f(`{"a":1} trailing words`, "a=1")
	f(`{"a":01,"b":1x2,"c":-}`, "a=01", "b=1x2", "c=-")
}

func TestScanJSON_Errors(t *testing.T) {
	f := func(line string, want error, fields ...string) {
		t.Helper()
		got, err := scannedJSON(line)
		if !errors.Is(err, want) {
			t.Errorf("scanJSON(%q) gives %v; want %v", line, err, want)
		}
		if diff := cmp.Diff(fields, got); diff != "" && len(fields)+len(got) > 0 {
			t.Errorf("scanJSON(%q) (-want +got)\n%s", line, diff)
		}
	}
	for _, line := range []string{``, ` `, `[1,2,3]`, `"just a string"`, `42`, `null`, `true`, `prefix {"a":1}`, "zero\x00byte"} {
		f(line, errJSONNoObject)
	}
	f(`{`, errJSONTruncated)
	f(`{"unterminated":"abc`, errJSONTruncated)
	f(`{"unterminated":"abc\`, errJSONTruncated)
	f(`{"a":1,"trunc":{"b":1`, errJSONTruncated, "a=1")
	f(`{"a":1,"trunc":[1`, errJSONTruncated, "a=1")
	f(`{"a":1`, errJSONTruncated, "a=1")
	f(`{"a":1,`, errJSONTruncated, "a=1")
	f(`{"a`, errJSONTruncated)
	f(`{"a"`, errJSONColon)
	f(`{"a":`, errJSONTruncated)
	f(`{bad:1}`, errJSONName)
	f(`{'single':'quotes'}`, errJSONName)
	f(`{"a" 1}`, errJSONColon)
	f(`{"a":1 "b":2}`, errJSONComma, "a=1")
	f(`{"a":"x"]`, errJSONComma, "a=x")
	f(`{"a":tru}`, errJSONValue)
	f(`{"a":,}`, errJSONValue)
	f(`{"o":{x},"b":2}`, errJSONName)
	f(`{"\q":1}`, errJSONEscape)
	f(strings.Repeat(`{"a":`, maxJSONDepth)+"1"+strings.Repeat("}", maxJSONDepth), nil, strings.Repeat("a_", maxJSONDepth-1)+"a=1")
	f(strings.Repeat(`{"a":`, maxJSONDepth+1)+"1"+strings.Repeat("}", maxJSONDepth+1), errJSONDepth)
}

func TestScanJSON_LongNames(t *testing.T) {
	line := `{"` + strings.Repeat("a", 100_000) + `":{` + strings.Repeat(`"b":1,`, 10_000) + `}}`
	total := 0
	err := scanJSON([]byte(line), func(key, _ []byte) { total += len(key) })
	if !errors.Is(err, errJSONNames) || total > maxJSONNames {
		t.Errorf("%d bytes of names, error %v; want %v", total, err, errJSONNames)
	}
}

// A scan for some fields gives those of a scan for all, and the same error.
func checkScanFor(t *testing.T, line []byte, names ...string) {
	t.Helper()
	type field struct{ key, value string }
	fields := func(want *nameSet) (out []field, err error) {
		s := jsonScanner{want: want}
		err = s.scan(line, func(key, value []byte) { out = append(out, field{string(key), string(value)}) })
		return out, err
	}
	all, wantErr := fields(nil)
	want := slices.DeleteFunc(all, func(f field) bool { return !slices.Contains(names, f.key) })
	got, err := fields(newNameSet(names))
	if !errors.Is(err, wantErr) {
		t.Errorf("%q: error %v for %q, %v for all", line, err, names, wantErr)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q for %q: got %q; want %q", line, names, got, want)
	}
}

func TestScanJSON_Skips(t *testing.T) {
	f := func(line string, names ...string) {
		t.Helper()
		checkScanFor(t, []byte(line), names...)
	}
	const line = `{"a":1,"b":"\u0041","o":{"c":3,"d.e":"x","p":{"q":true}},"d":4,"d-e":5," f ":"6","1":7,"\u0067":8,"é":9}`
	f(line)
	f(line, "b", "o_c")
	f(line, "o_d_e", "d_e", "o_p_q", "o_p")
	f(line, "o", "_1", "f", "g", "_", "1")
	for i := range line {
		f(line[:i], "a", "o_c", "d")
		f(line[:i]+"}"+line[i:], "a", "o_p_q", "d")
		f(line[:i]+"\""+line[i:], "a", "o_p_q", "d")
	}
	// Braces that are no part of an object make Loki believe that it ends
	// elsewhere.
	f(`{"a":1,"o":{"b":[{],"c":2},"d":3}`, "a", "d")
	f(`{"a":1,"o":{"b":1{,"c":2},"d":3}`, "a", "d")
	f(`{"a":1,"o":{"b":1",c":2},"d":3}`, "a", "d")
	f(`{"a":1,"o":{"b":[{}]},"d":3}`, "a", "d")
	f(`{"o":{"":{"b":1}},"":{"c":2}}`, "o_b", "c")
}

func FuzzScanJSON_Skips(f *testing.F) {
	f.Add([]byte(`{"a":1,"o":{"b":[{],"c":"\n"},"d":3}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		checkScanFor(t, line, "a", "o_c", "d", "a_a_a", "_")
		checkScanFor(t, line)
	})
}

func TestScanJSON_Allocs(t *testing.T) {
	var s jsonScanner
	line := []byte(`{"level":"info","ts":"2026","n":{"a":1,"b":{"c":"x\ty"}},"msg":"é"}`)
	total := 0
	emit := func(key, value []byte) { total += len(key) + len(value) }
	n := testing.AllocsPerRun(100, func() {
		s.arena.reset()
		err := s.scan(line, emit)
		if err != nil {
			t.Error(err)
		}
	})
	if n != 0 {
		t.Errorf("a scan allocates %v times", n)
	}
}

// flattened lists the fields of a decoded document as scan would.
func flattened(dst []string, prefix string, dec *json.Decoder) []string {
	for dec.More() {
		tok, _ := dec.Token()
		name := prefix
		if part := strings.TrimSpace(tok.(string)); part != "" {
			if name != "" {
				name += "_"
			}
			name = string(appendLabelName([]byte(name), []byte(part)))
		}
		tok, _ = dec.Token()
		switch v := tok.(type) {
		case json.Delim:
			if v == '{' {
				dst = flattened(dst, name, dec)
				continue
			}
			for depth := 1; depth > 0; {
				tok, _ = dec.Token()
				if d, ok := tok.(json.Delim); ok && (d == '[' || d == '{') {
					depth++
				} else if ok {
					depth--
				}
			}
		case nil:
		default:
			if name != "" {
				dst = append(dst, fmt.Sprintf("%s=%v", name, v))
			}
		}
	}
	_, _ = dec.Token()
	return dst
}

func FuzzScanJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":{"c":"x\n"},"d":[1,{"e":"]"}],"f":null}`, `{"a":1} x`, `{"é":"\ud83d\ude00"}`, `{"":{"":1}}`, "{\"\xff\":\"\xff\"}", `{"a":1,}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := scannedJSON(string(line))
		if !json.Valid(line) || bytes.TrimSpace(line)[0] != '{' || bytes.Contains(line, []byte(`\u`)) || hasRuneError(line) {
			// encoding/json and Loki differ in these.
			return
		}
		if errors.Is(err, errJSONDepth) || errors.Is(err, errJSONNames) {
			return
		}
		if err != nil {
			t.Fatalf("scanJSON(%q): %v", line, err)
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		_, _ = dec.Token()
		if diff := cmp.Diff(flattened(nil, "", dec), got); diff != "" {
			t.Errorf("scanJSON(%q) (-want +got)\n%s", line, diff)
		}
	})
}

func TestJSONStringEnd(t *testing.T) {
	// Every length and every place of a quote, so that both loops are met.
	for n := range 40 {
		for at := range n {
			b := bytes.Repeat([]byte{'x'}, n)
			b[at] = '"'
			if at > 0 {
				b[at-1] = 0xc3
			}
			end, escaped, high := jsonStringEnd(b, 0)
			if end != at || escaped || high != (at > 0) {
				t.Errorf("length %d, quote at %d: got %d %v %v", n, at, end, escaped, high)
			}
			if at > 0 {
				b[at-1] = '\\'
				if end, escaped, _ = jsonStringEnd(b, 0); end != -1 || !escaped {
					t.Errorf("length %d, escaped quote at %d: got %d %v", n, at, end, escaped)
				}
			}
		}
	}
}

func TestSanitizeLabelName(t *testing.T) {
	f := func(key, want string) {
		t.Helper()
		if got := sanitizeLabelName(key); got != want {
			t.Errorf("sanitizeLabelName(%q) = %q; want %q", key, got, want)
		}
	}
	f("", "")
	f("  ", "")
	f("abc_1", "abc_1")
	f("1abc", "_1abc")
	f(" a b ", "a_b")
	f("tr-ace.id", "tr_ace_id")
	f("日本", "__")
	f("a\xffb\xc3", "a_b_")
	if !utf8.ValidString(sanitizeLabelName("\xff")) {
		t.Error("the name is not UTF-8")
	}
}
