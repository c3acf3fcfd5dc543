package logql

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testEnv returns what a template sees of an entry with these labels.
func testEnv(labels map[string]string) *templateEnv {
	return &templateEnv{
		line: []byte(`level=info msg="hello"`),
		ts:   time.Date(2026, 1, 1, 0, 1, 23, 288_000_001, time.UTC).UnixNano(),
		get: func(name string) (string, bool) {
			v, ok := labels[name]
			return v, ok
		},
		labels: func() map[string]string { return labels },
	}
}

func TestTemplate(t *testing.T) {
	env := testEnv(map[string]string{
		"app": "kueue", "msg": "Scheduling cycle finished", "n": "7", "ratio": "0.60315",
		"d": "15us", "size": "1GB", "j": `{"lat":5.25,"tags":["a","b"]}`, "empty": "",
	})
	f := func(src, want string) {
		t.Helper()
		tmpl, err := compileTemplate(src)
		if err != nil {
			t.Errorf("compileTemplate(%q): %v", src, err)
			return
		}
		for range 2 { // the second time with a run that was used before
			got, err := tmpl.execute([]byte("> "), env)
			if err != nil {
				t.Errorf("execute(%q): %v", src, err)
				return
			}
			if string(got) != "> "+want {
				t.Errorf("execute(%q) = %q; want %q", src, got[2:], want)
			}
		}
	}
	f(``, ``)
	f(`static`, `static`)
	f(`{{.app}}/{{ .n }}{{.nope}}`, `kueue/7`)
	f(`{{__line__}}`, `level=info msg="hello"`)
	f(`a {{- .app -}} b`, `akueueb`)
	f(`{{/* note */}}x`, `x`)
	f(`{{.app | upper}} {{ToLower .msg}} {{.msg | title}}`, `KUEUE scheduling cycle finished Scheduling Cycle Finished`)
	f(`{{upper "é日ß"}}`, `É日ß`)
	f(`{{Replace .msg "e" "3" 1}} {{Replace .app "u" "o" -1}} {{.app | replace "ue" "_"}}`, `Sch3duling cycle finished koeoe k__`)
	f(`{{.msg | trunc 4}}|{{.msg | trunc -5}}|{{trunc 0 "abc"}}|{{trunc 9 "abc"}}|{{trunc -9 "abc"}}`, `Sche|ished||abc|abc`)
	f(`{{substr 3 999 "abcdef"}} {{substr -1 2 "abcdef"}} {{substr 1 -1 "abcdef"}} {{substr 1 3 "abcdef"}}`, `def ab bcdef bc`)
	f(`{{trunc 2 "日本語"}}|{{trunc -1 "日本語"}}|{{substr 1 2 "日本語"}}|{{substr 10 5 "abc"}}|{{substr 5 9 "abc"}}|{{substr -1 -1 "abc"}}`, `日本|語|本|||`)
	f(`{{Trim "--a--" "-"}} {{TrimLeft "--a-" "-"}} {{TrimRight "-a--" "-"}} {{TrimPrefix "abc" "a"}} {{TrimSuffix "abc" "c"}}{{TrimSpace "  a "}}`, `a a- -a bc aba`)
	f(`{{trim " a "}}{{trimAll "-" "-b-"}}{{trimPrefix "a" "ab"}}{{trimSuffix "b" "ab"}}`, `abba`)
	f(`{{alignLeft 8 .app}}|{{alignRight 8 .app}}|{{alignLeft 2 "abc"}}|{{alignRight 2 "abc"}}|{{alignLeft 3 "日本語テ"}}|{{alignLeft -1 "ab"}}`,
		`kueue   |   kueue|ab|bc|日本語|ab`)
	f(`{{indent 2 "a\nb"}}{{nindent 1 "c"}}`, "  a\n  b \n c")
	f(`{{repeat 3 "ab"}}{{repeat 0 "x"}}{{repeat 5 ""}}`, `ababab`)
	f(`{{contains "he" "hello"}} {{hasPrefix "he" "hello"}} {{hasSuffix "he" "hello"}}`, `true true false`)
	f(`{{regexReplaceAll "(\\w)(\\w)" "abcd" "$2$1"}} {{regexReplaceAllLiteral "b" "abc" "$1"}} {{regexReplaceAll "x*" "ab" "-"}}`, `badc a$1c -a-b-`)
	f(`{{count "e" .msg}}{{.msg | count "\\w+"}}`, `33`)
	f(`{{b64enc "hello"}} {{b64dec "aGVsbG8="}} {{urlencode "a b/c"}} {{urldecode "a%20b%2Fc"}}`, `aGVsbG8= hello a+b%2Fc a b/c`)
	f(`{{b64dec "!"}}`, `illegal base64 data at input byte 0`)
	f(`{{(fromJson .j).lat}} {{range $i, $e := (fromJson .j).tags}}{{$i}}={{$e}};{{end}}`, `5.25 0=a;1=b;`)
	f(`{{fromJson "{\"foo\": 55}"}} {{fromJson "{"}}`, `map[foo:55] <no value>`)
	f(`{{.empty | default "none"}} {{.nope | default "none"}} {{default "d" "v"}} {{default 5 0}}`, `none none v 5`)

	f(`{{add 1 2 3}} {{sub 5 2}} {{mul 5 2 3}} {{div 7 2}} {{mod .n 4}} {{add "x" 1}} {{mul 3 "4"}}`, `6 3 30 3 3 1 12`)
	f(`{{addf 3.5 2 5}} {{subf 5.5 2 1.5}} {{mulf 5.5 2 2.5}} {{divf 10 2 4}} {{addf 0.1 0.2}} {{divf 1 3}}`, `10.5 2 27.5 1.25 0.3 0.3333333333333333`)
	f(`{{max 1 2 3}} {{min 1 2 3}} {{maxf 1 2.5 3}} {{minf .ratio 0.5}}`, `3 1 3 0.5`)
	f(`{{ceil .ratio}} {{floor .ratio}} {{round .ratio 3}} {{round "abc" 2}} {{round 1.25 1 0.4}} {{round -2.3 0}}`, `1 0 0.603 0 1.3 -3`)
	f(`{{int "3.7"}} {{int "abc"}} {{int "-4.9"}} {{int "."}} {{int 2.9}} {{int true}} {{int "0x1F"}} {{float64 "2.50"}} {{float64 nil}}`, `3 0 -4 0 2 1 31 2.5 0`)
	f(`{{printf "%.3f %05d %-7s|%q" (float64 .ratio) (int .n) .app .app}}`, `0.603 00007 kueue  |"kueue"`)
	f(`{{printf "%d" "str"}} {{printf "%s"}} {{printf "%v %T" .app .app}} {{printf "%*d" 4 2}}`, `%!d(string=str) %!s(MISSING) kueue string    2`)

	f(`{{duration .d}} {{duration_seconds "2m"}} {{.size | bytes}} {{bytes "512B"}}`, `1.5e-05 120 1e+09 512`)
	f(`{{__timestamp__ | unixEpochNanos}} {{__timestamp__ | unixEpochMillis}} {{unixEpoch now}}`, `1767225683288000001 1767225683288 1767225683`)
	f(`{{__timestamp__ | date "2006-01-02"}} {{date "15:04:05" __timestamp__}} {{date "15:04" "text"}} {{date "2006" 0}}`, `2026-01-01 00:01:23 00:01 1970`)
	f(`{{__timestamp__.UTC | date "15:04:05.000000000Z"}} {{__timestamp__}}`, `00:01:23.288000001Z 2026-01-01 00:01:23.288000001 +0000 UTC`)
	f(`{{toDate "2006-01-02" "2026-01-01" | unixEpoch}} {{unixEpoch (toDate "2006-01-02" "bad")}}`, `1767225600 -62135596800`)
	f(`{{toDateInZone "2006-01-02 15:04" "America/New_York" "2026-01-01 10:30" | unixEpoch}}`, `1767281400`)
	f(`{{unixToTime "20454" | unixEpoch}} {{unixToTime "1767225600" | unixEpoch}} {{unixToTime "1767225600000" | unixEpoch}} {{unixToTime "1767225600000000" | unixEpochMillis}} {{unixToTime "1767225600000000000" | unixEpoch}}`,
		`1767225600 1767225600 1767225600 1767225600000 1767225600`)

	f(`{{if eq .app "kueue"}}E{{else}}x{{end}}{{if not .nope}}empty{{end}}`, `Eempty`)
	f(`{{ $x := .app }}{{ $x }}-{{ $x }} {{len .msg}} {{index .app 0}} {{js "it's"}}{{println .n}}{{urlquery .msg}}`, "kueue-kueue 25 107 it\\'s7\nScheduling+cycle+finished")
	f(`{{with .n}}{{.}}{{end}} {{(fromJson "{").a}}`, `7 <no value>`)
	f(`{{define "t"}}<{{.}}>{{end}}{{template "t" .n}}`, `<7>`)
	f(`{{.}}`, `map[app:kueue d:15us empty: j:{"lat":5.25,"tags":["a","b"]} msg:Scheduling cycle finished n:7 ratio:0.60315 size:1GB]`)
	f(`{{$.app}} {{index . "n"}}`, `kueue 7`)
}

func TestTemplate_Errors(t *testing.T) {
	compileFails := func(src string) {
		t.Helper()
		if _, err := compileTemplate(src); err == nil {
			t.Errorf("compileTemplate(%q) is accepted", src)
		}
	}
	for _, src := range []string{
		`{{.x}`, `{{x}}`, `{{end}}`, `{{.1x}}`, `{{exec "ls"}}`, `{{quote .x}}`, `{{__step__}}`, `{{list 1 2}}`, `{{regexReplaceAll "(\w)" .x "y"}}`,
	} {
		compileFails(src)
	}

	f := func(src string) {
		t.Helper()
		tmpl, err := compileTemplate(src)
		if err != nil {
			t.Errorf("compileTemplate(%q): %v", src, err)
			return
		}
		got, err := tmpl.execute([]byte("kept"), testEnv(map[string]string{"x": strings.Repeat("x", 1000), "nl": strings.Repeat("\n", 1<<20)}))
		if err == nil {
			t.Errorf("execute(%q) gives %d bytes; want an error", src, len(got))
		}
		if string(got) != "kept" {
			t.Errorf("execute(%q) changes what was there", src)
		}
	}
	f(`{{bytes "bad"}}`)
	f(`{{duration "bad"}}`)
	f(`{{urldecode "%zz"}}`)
	f(`{{regexReplaceAll "[" "x" "y"}}`)
	f(`{{count "[" "x"}}`)
	f(`{{div 1 0}}`)
	f(`{{mod 1 "x"}}`)
	f(`{{divf 1 0}}`)
	f(`{{addf 1 "Inf"}}`)
	f(`{{repeat -1 "a"}}`)
	f(`{{indent -1 "a"}}`)
	f(`{{unixToTime "12"}}`)
	f(`{{unixToTime "abcde"}}`)
	f(`{{range .x}}y{{end}}`)
	f(`{{.x.y}}`)
	f(`{{template "t"}}`)
	f(`{{call .x}}`)

	// Results without bound.
	f(`{{repeat 2000000000 "a"}}`)
	f(`{{repeat 2000000000 .x}}`)
	f(`{{alignLeft 2000000000 .x}}`)
	f(`{{alignRight 2000000000 .x}}`)
	f(`{{indent 2000000000 "a"}}`)
	f(`{{indent 4000000 .nl}}`)
	f(`{{replace "" (repeat 4000000 "b") .x}}`)
	f(`{{regexReplaceAll "" .x (repeat 4000000 "b")}}`)
	f(`{{regexReplaceAll "(x+)" .x (repeat 1000000 "$1")}}`)
	f(`{{printf "%999999999d" 1}}{{printf "%900000d%900000d%900000d%900000d%900000d" 1 2 3 4 5}}`)
	f(`{{printf "%*d%*d%*d%*d%*d" 999999 1 999999 1 999999 1 999999 1 999999 1}}`)
	f(`{{range 1000000000}}{{end}}`)
	f(`{{range 1000000000}}{{if true}}a{{end}}{{end}}`)
	f(`{{$s := .x}}{{range 60}}{{$s = print $s $s}}{{end}}`)
	f(`{{$s := "'"}}{{range 60}}{{$s = js $s}}{{end}}`)
	f(`{{$s := .x}}{{range 600}}{{$s = b64enc $s}}{{end}}`)
	f(`{{range 10000}}{{$.x}}{{end}}`)
	f(`{{$s := repeat 4000 .x}}{{range 100000}}{{$t := upper $s}}{{end}}`)
	f(`{{define "t"}}{{template "t"}}{{end}}{{template "t"}}`)
	f(`{{define "a"}}{{template "b"}}{{template "b"}}{{end}}{{define "b"}}{{if true}}{{template "a"}}{{end}}{{end}}{{template "a"}}`)
}

func TestTemplate_Fields(t *testing.T) {
	f := func(src string, all bool, want ...string) {
		t.Helper()
		tmpl, err := compileTemplate(src)
		if err != nil {
			t.Fatalf("compileTemplate(%q): %v", src, err)
		}
		if diff := cmp.Diff(want, tmpl.fields); diff != "" && len(want)+len(tmpl.fields) > 0 {
			t.Errorf("fields of %q (-want +got)\n%s", src, diff)
		}
		if tmpl.allFields != all {
			t.Errorf("allFields of %q = %v; want %v", src, tmpl.allFields, all)
		}
	}
	f(`x`, false)
	f(`{{__line__ | len}}`, false)
	f(`{{.b}}{{.a}}{{.b}}`, false, "a", "b")
	f(`{{if .a}}{{.b}}{{else}}{{printf "%s" .c}}{{end}}`, false, "a", "b", "c")
	f(`{{with .a}}{{.}}{{else}}{{.b}}{{end}}`, false, "a", "b")
	f(`{{with .a}}{{$.b}}{{end}}`, false, "a", "b")
	f(`{{(fromJson .j).x}}`, false, "j")
	f(`{{$x := .a}}{{$x}}`, false, "a")
	f(`{{.}}`, true)
	f(`{{index . "a"}}`, true)
	f(`{{with .a}}{{$}}{{end}}`, true, "a")
	f(`{{define "t"}}{{.a}}{{end}}{{template "t" .}}`, true, "a")
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{`{{.a}} {{__line__}}`, `{{range $i, $e := fromJson .a}}{{$i}}{{end}}`, `{{alignLeft 5 .a | printf "%q"}}`, `{{define "t"}}{{end}}`} {
		f.Add(s, "[1]")
	}
	f.Fuzz(func(t *testing.T, src, value string) {
		tmpl, err := compileTemplate(src)
		if err != nil {
			return
		}
		out, err := tmpl.execute(nil, testEnv(map[string]string{"a": value}))
		if err == nil && len(out) > maxTemplateOutput {
			t.Errorf("%d bytes", len(out))
		}
	})
}
