package logql

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompileJSONPath(t *testing.T) {
	f := func(src string, want ...jsonStep) {
		t.Helper()
		got, err := compileJSONPath(src)
		if err != nil {
			t.Errorf("compileJSONPath(%q): %v", src, err)
			return
		}
		if diff := cmp.Diff(jsonPath(want), got, cmp.AllowUnexported(jsonStep{})); diff != "" {
			t.Errorf("compileJSONPath(%q) (-want +got)\n%s", src, diff)
		}
	}
	name := func(s string) jsonStep { return jsonStep{name: s} }
	index := func(n int) jsonStep { return jsonStep{index: n, isIndex: true} }
	f(`a`, name("a"))
	f(`a.b_1.C`, name("a"), name("b_1"), name("C"))
	f(`a[0]`, name("a"), index(0))
	f(`[10]`, index(10))
	f(`["a b"]`, name("a b"))
	f(`["日本"].x["y"][2].z`, name("日本"), name("x"), name("y"), index(2), name("z"))
	f(`a["\"q\\"]`, name("a"), name(`"q\`))
	f(` a . b [ 1 ] `, name("a"), name("b"), index(1))
	f(`[""]`, name(""))

	fails := func(src string) {
		t.Helper()
		if got, err := compileJSONPath(src); err == nil {
			t.Errorf("compileJSONPath(%q) = %v; want an error", src, got)
		}
	}
	for _, src := range []string{
		``, ` `, `.`, `.a`, `a.`, `a..b`, `a b`, `a-b`, `1`, `*`, `a.*`, `a[`, `a[]`, `a[*]`, `a[-1]`, `a[1`, `a["b"`, `a["b`, `a[b]`, `a['b']`, `["a"]b`, `日本`, `a[99999999999999999999]`, `a.1`, `$.a`,
	} {
		fails(src)
	}
}

func TestExtractJSON(t *testing.T) {
	// Each path gives "value", or "-" when the line lacks it.
	f := func(line, paths string, wantErr bool, want ...string) {
		t.Helper()
		var compiled []jsonPath
		for src := range strings.FieldsSeq(paths) {
			p, err := compileJSONPath(src)
			if err != nil {
				t.Fatal(err)
			}
			compiled = append(compiled, p)
		}
		x := newJSONExtractor(compiled)
		for range 2 { // the second time with buffers that were used
			got := make([]string, len(compiled))
			for i := range got {
				got[i] = "-"
			}
			err := x.extract([]byte(line), func(i int, v []byte) {
				if got[i] != "-" {
					t.Errorf("%q: path %d is emitted twice", line, i)
				}
				got[i] = string(v)
			})
			if (err != nil) != wantErr {
				t.Errorf("%q %s: error %v", line, paths, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q %s (-want +got)\n%s", line, paths, diff)
			}
		}
	}
	f(`{"a":1,"b":"x\ty","c":null,"d":true,"e":1.50}`, `a b c d e f`, false, "1", "x\ty", "", "true", "1.50", "-")
	f(`{"o":{"p":{"q":1}},"arr":[1,[2,3],{"x":5}]}`, `o.p.q o.p o arr[0] arr[1][1] arr[2].x arr[9] arr`, false,
		"1", `{"q":1}`, `{"p":{"q":1}}`, "1", "3", "5", "-", `[1,[2,3],{"x":5}]`)
	f(`{"dup":1,"dup":2,"o":{"x":1},"o":{"p":2}}`, `dup o.p`, false, "1", "2")
	f(`{"a":1}`, `a a`, false, "1", "1")
	f(`{"s":"x","n":5}`, `s.x n[0]`, false, "-", "-")
	f(`{"\u0061":1,"e f":2,"日本":3}`, `a ["日本"]`, false, "1", "3")
	f(`[{"a":1},5]`, `[0].a [1] a`, false, "1", "5", "-")
	f(`"just a string"`, `a`, false, "-")
	f(``, `a`, false, "-")
	f(`{"a":1,}`, `a b`, false, "1", "-")
	f(`{"a":1} junk`, `a`, false, "1")
	f(`{"u":"\u00e9","lone":"\ud800x"}`, `u lone`, false, "é", "")
	f("{\"a\":\"\xff\"}", `a`, false, " ")
	f(`{"x":[[[]]],"y":{"a":[{}]},"a":1}`, `a`, false, "1")

	// Broken lines have what comes before the break.
	f(`{bad:1}`, `bad`, false, "-")
	f(`{"trunc":{"a":1`, `trunc.a x`, false, "1", "-")
	f(`{"a":1,"b":`, `a b`, false, "1", "-")
	f(`{"a":1,"s":"abc`, `a`, false, "1")
	f(`{"arr":[1,2`, `arr[1]`, false, "2")
	f(`{"unterminated":"abc`, `unterminated`, true, "-")
	f(`{"trunc":{"a":1`, `trunc`, true, "-")
	f(`{"a":nope}`, `a`, true, "-")

	for _, line := range []string{`42`, `null`, `true`, ` {"a":1}`, `plain`, ` `} {
		f(line, `a`, true, "-")
	}

	deep := strings.Repeat(`{"a":`, 2*maxJSONDepth)
	f(deep, `a.a.a.b`, false, "-")
}

func FuzzExtractJSON(f *testing.F) {
	f.Add(`a.b[0]`, []byte(`{"a":{"b":[1]}}`))
	f.Add(`["x y"]`, []byte(`{"x y":"\u0041`))
	f.Fuzz(func(t *testing.T, src string, line []byte) {
		p, err := compileJSONPath(src)
		if err != nil {
			return
		}
		n := 0
		_ = extractJSON(line, []jsonPath{p, p}, func(i int, v []byte) { n++ })
		if n > 2 {
			t.Errorf("%d values for two paths", n)
		}
	})
}
