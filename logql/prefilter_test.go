package logql

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
)

func describePrefilter(p *Prefilter) string {
	if p == nil {
		return "none"
	}
	var texts []string
	for _, f := range p.finders {
		texts = append(texts, string(f.text))
	}
	s := strings.Join(texts, "|")
	if p.exact {
		s += ", exact"
	}
	if p.negative {
		s += ", negative"
	}
	return s
}

func TestPrefilter(t *testing.T) {
	f := func(query, want string) {
		t.Helper()
		q := compileAll(t, query)[0]
		if got := describePrefilter(q.prefilter([]logs.Labels{logs.FromMap(map[string]string{"app": "web"})})); got != want {
			t.Errorf("%s: prefilter %s; want %s", query, got, want)
		}
	}
	f(`{app="web"}`, "none")
	f(`{app="web"} |= "lost"`, "lost, exact")
	f(`{app="web"} != "lost"`, "lost, exact, negative")
	f(`{app="web"} |= "lost" or "gone"`, "lost|gone, exact")
	f(`{app="web"} |= ""`, "none")
	f(`{app="web"} |= "a" |= "lost"`, "lost")
	f(`{app="web"} |~ "lost|gone"`, "lost|gone")
	f(`{app="web"} |~ "(?i)lost"`, "none")
	f(`{app="web"} |= ip("10.0.0.1")`, "none")
	f(`{app="web"} |= "x" or ip("10.0.0.1")`, "none")
	f(`{app="web"} | json | msg="Reconciler error"`, `"Reconciler error"|\u`)
	f(`{app="web"} | logfmt | level="error"`, `level=error|level="`)
	f(`{app="web"} | logfmt | log_level="error"`, `error|\`)
	f(`{app="web"} | json | n="10"`, `10|\u`)
	f(`{app="web"} | json | logfmt | level="error"`, `"error"|level=error|\u|level="`)
	f(`{app="web"} | json | msg=~"Reconciler .*"`, `Reconciler |\`)
	f(`{app="web"} | json | path="a/b"`, `"a/b"|\`)
	f(`{app="web"} | json | a_b="lost"`, `"lost"|\`)
	f(`{app="web"} | json | msg!="Reconciler error"`, "none")
	f(`{app="web"} | json | msg=""`, "none")
	f(`{app="web"} | json | app="web"`, "none") // the stream has it
	f(`{app="web"} | msg="lost"`, "none")       // nothing was parsed
	f(`{app="web"} | json | __error__="JSONParserErr"`, "none")
	f(`{app="web"} | json | msg="lost" or msg="gone"`, `"lost"|"gone"|\u`)
	f(`{app="web"} | json | msg="lost" or n > 1`, "none")
	f(`{app="web"} | json | msg="lost", level="critical"`, `"critical"|\u`)
	f(`{app="web"} | json x="a.b" | x="lost"`, "none")
	f(`{app="web"} | line_format "{{.x}}" |= "lost"`, "none")
	f(`{app="web"} |= "lost" | line_format "gone" |= "gone"`, "lost")
	f(`{app="web"} | label_format msg="lost" | msg="lost"`, "none")
	f(`{app="web"} | decolorize |= "lost"`, "none")
	f(`count_over_time({app="web"} |= "lost" [1m])`, "none")
}

// hostileLines are lines that a prefilter could be wrong about.
func hostileLines(rng *rand.Rand, n int) []byte {
	parts := []string{
		`{"level":"error","msg":"Reconciler error","n":1}`, `{"msg":"Reconciler\u0020error","level":"info"}`,
		`{"level":"err\u006fr","msg":"x"}`, `{"msg":"lost \"quoted\""}`, "level=error msg=\"lost here\"", `level="err\x6fr"`,
		"lost", "gone", "", " ", `{"n" : 1}`, `{"n":"1","level" : "error"}`, "log-level=error ", "log.level=\"error\"", "level=error", `"level"=error`, "\xff\xfe lost", "{broken", `{"l\u0065vel":"error"}`, `{"path":"a\/b"}`, `{"a\/b":"lost"}`, `level="err\u006fr"`, `level="error" x="\n"`, `{"a":{"msg":"lost"}}`, `{"msg":["lost"]}`,
		"\x1b[31mlost\x1b[0m", "LOST", "los", "t", strings.Repeat("lo", 50) + "st", `{"app":"web"}`,
	}
	var b bytes.Buffer
	for range n {
		for range rng.IntN(3) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		b.WriteString(parts[rng.IntN(len(parts))])
		b.WriteByte('\n')
	}
	if rng.IntN(2) == 0 {
		b.WriteString("lost without a newline")
	}
	return b.Bytes()
}

// CountLines gives what a run over every line gives, blocks and prefilters or
// not.
func TestCountLines(t *testing.T) {
	queries := []string{
		`{app="web"}`, `{app="web"} |= "lost"`, `{app="web"} != "lost"`, `{app="web"} |= "lost" or "gone"`,
		`{app="web"} |~ "lost|gone"`, `{app="web"} |~ "(?i)lost"`, `{app="web"} |= "lost" != "level"`,
		`{app="web"} | json | msg="Reconciler error"`, `{app="web"} | json | level="error" or level="info"`,
		`{app="web"} | logfmt | level="error"`, `{app="web"} | logfmt | msg=~"lost.*"`, `{app="web"} | json | a_msg="lost"`,
		`{app="web"} | json | path="a/b"`, `{app="web"} | json | n="1"`, `{app="web"} | json | logfmt | level="error"`,
		`{app="web"} | logfmt | log_level="error"`, `{app="web"} | json | level!="error"`, `{app="web"} | json | __error__=""`, `{app="web"} |= "zzz"`,
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		text := hostileLines(rng, 1+rng.IntN(200))
		for _, query := range queries {
			q := compileAll(t, query)[0]
			plain := newLineCounter(q, nil, nil)
			want := plain.countAll(text)
			for _, size := range []int{1, 7, len(text) + 1} {
				got, err := CountLines(t.Context(), q, nil, &slowReader{text, size})
				if err != nil || got != want {
					t.Fatalf("round %d, reads of %d: CountLines(%s) = %d, %v; want %d", round, size, query, got, err, want)
				}
			}
		}
	}
}

// A slowReader gives its text in reads of at most size bytes.
type slowReader struct {
	text []byte
	size int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if len(r.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.size)], r.text)
	r.text = r.text[n:]
	return n, nil
}

func TestFinder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const letters = "abc \n\"e"
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[rng.IntN(len(letters))]
		}
		return b
	}
	for range 20_000 {
		block, text := random(rng.IntN(200)), random(1+rng.IntN(6))
		f := newFinder(text)
		from := rng.IntN(len(block) + 1)
		want := bytes.Index(block[from:], text)
		if want >= 0 {
			want += from
		}
		if got := f.index(block, from); got != want {
			t.Fatalf("index of %q in %q from %d = %d; want %d", text, block, from, got, want)
		}
	}
}

// A query gives the same with the lines that its prefilter keeps as with all.
func TestPrefilter_KeepsWhatTheQueryKeeps(t *testing.T) {
	queries := []string{
		`{app="web"} |= "lost"`, `{app="web"} != "lost"`, `{app="web"} != "lost" or "gone"`, `{app="web"} !~ "lost|gone"`,
		`{app="web"} |= "lost" or "gone"`, `{app="web"} |~ "lost|gone"`, `{app="web"} | json | msg="Reconciler error"`,
		`{app="web"} | logfmt | level="error"`, `{app="web"} | json | level!="error"`, `{app="web"} != "lost" |= "level"`,
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		text := append(hostileLines(rng, 1+rng.IntN(100)), '\n')
		for _, query := range queries {
			q := compileAll(t, query)[0]
			p := q.Prefilter([]logs.Labels{nil})
			if p == nil {
				continue
			}
			want := newLineCounter(q, nil, nil).countAll(text)
			kept := p.Keep(bytes.Clone(text))
			if got := newLineCounter(q, nil, nil).countAll(kept); got != want {
				t.Fatalf("%s: %d lines of those kept, %d of all", query, got, want)
			}
		}
	}
}
