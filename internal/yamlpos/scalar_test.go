package yamlpos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// scalars calls f for every scalar below n.
func scalars(n *yaml.Node, f func(*yaml.Node)) {
	if n == nil {
		return
	}
	if n.Kind == yaml.ScalarNode {
		f(n)
	}
	for _, c := range n.Content {
		scalars(c, f)
	}
}

// checkPlaces fails unless every byte of a scalar's value that is no white
// space stands in the file where its places say.
func checkPlaces(t testing.TB, d *Document, n *yaml.Node) {
	t.Helper()
	if n.ShortTag() == "!!binary" || n.ShortTag() == "!!merge" {
		return
	}
	ps := d.Scalar(n)
	if len(ps) == 0 && n.Value != "" {
		t.Fatalf("no places for %q", n.Value)
	}
	last := -1
	for i := range len(n.Value) {
		c := n.Value[i]
		at := ps.At(i)
		if at < last {
			t.Fatalf("places of %q go back at byte %d", n.Value, i)
		}
		last = at
		if c == ' ' || c == '\t' || c == '\n' {
			continue
		}
		if got := d.File.Text[at]; got != c && !(n.Style&yaml.DoubleQuotedStyle != 0 && escaped(d.File.Text, at)) {
			t.Fatalf("byte %d of %q is %q, but %v of the file is %q\n%s", i, n.Value, c, d.File.Position(at), got, d.File.Text)
		}
	}
}

func escaped(text []byte, at int) bool { return text[at] == '\\' }

func checkText(t testing.TB, text string) (scalarsSeen int) {
	t.Helper()
	docs, _ := Parse(NewFile("f", []byte(text)))
	for _, d := range docs {
		scalars(d.Root, func(n *yaml.Node) {
			checkPlaces(t, d, n)
			scalarsSeen++
		})
	}
	return scalarsSeen
}

func TestScalar(t *testing.T) {
	spellings := map[string]string{
		"plain":                      "expr: sum(rate({app=\"x\"}[5m])) > 0\n",
		"plain, comment":             "expr: a b # c\n",
		"plain, lines":               "expr: sum(\n   a\n     b\n\n\n  c) > 0\nnext: 1\n",
		"plain, CRLF":                "x:\r\n  expr: sum(\r\n    a\r\n\r\n    b)\r\n",
		"plain, tabs":                "expr:\ta\tb\n   \tc\n",
		"single":                     "expr: 'it''s {a=\"x\"}'\n",
		"single, quotes at ends":     "expr: '''a'''''\n",
		"single, lines":              "expr: 'a\n\n   b ''c''\n  d  '\n",
		"double":                     `expr: "{a=\"x\"} |= \"y\\d\" \u00e9é \x41\t|"` + "\n",
		"double, lines":              "expr: \"a\n  b\\\n   c \\\n\n\n  d\\  \n   e\n\n\n  f\"\n",
		"double, long escape":        `expr: "\U0001F600 \N \_ \L \P x"` + "\n",
		"literal":                    "expr: |\n  sum(\n    a\n\n\n      b)\n",
		"literal, strip":             "expr: |-\n  a\n  b\n\n",
		"literal, keep":              "expr: |+\n  a\n  b\n\n\nnext: 1\n",
		"literal, indentation":       "expr: |2\n     a\n    b\n",
		"literal, indentation keep":  "expr: |+1\n   a\n    b\n\n",
		"literal, comment":           "expr: | # why\n  a # b\n  c\n",
		"literal, leading lines":     "expr: |\n\n  \n  a\n   b\n",
		"literal, CRLF":              "expr: |\r\n  a\r\n\r\n    b\r\n  c\r\nn: 1\r\n",
		"literal, tabs":              "expr: |2\n  \ta\n  b\t\n",
		"folded":                     "expr: >\n  sum(\n  a\n\n  b\n    more\n\n    more\n  c)\n",
		"folded, strip, indentation": "expr: >1-\n   a\n  b\n",
		"folded, repeats":            "expr: >\n  a a a\n  a\n  a  a\n",
		"flow":                       "{expr: a b, x: 'c', \"y\": \"d\"}\n",
		"JSON":                       "{\n\t\"expr\": \"sum({a=\\\"b\\\"})\",\n\t\"x\": [\"y\", 1]\n}\n",
		"anchor":                     "a: &x |\n  b\n  c\nd: *x\n",
		"tag":                        "a: !!str 5\nb: !!str &z\n  # hm\n  text\n",
		"UTF-8":                      "äöü: \"ß\" # é\nβ: ∀ x\n𝛾: {ä: ö, ü: =}\n",
		"BOM":                        "\xef\xbb\xbfexpr: a\nb: c\n",
		"NEL, LS and PS":             "a: b\u0085c: |\n  d\u2028  e\u2029  f\ng: h\n  i\u2028  j\n",
		"CR":                         "a: b\rc: |\r  d\r  e\r",
		"documents":                  "# c\n%YAML 1.1\n---\na: 1\n---\nb: |\n  c\n...\n---\nd: 'e'\n",
		"document on the mark":       "--- {a: b}\n--- |\n a\n b\n",
		"null and empty":             "a:\nb: ~\nc: ''\nd: \"\"\ne: |\nf: &g\n",
		"sequence":                   "- |2\n    a\n- - >\n   b\n   c\n- {x: y z}\n",
	}
	for name, text := range spellings {
		t.Run(name, func(t *testing.T) {
			docs, problems := Parse(NewFile("f", []byte(text)))
			for _, p := range problems {
				t.Fatal(p)
			}
			if len(docs) == 0 {
				t.Fatal("no documents")
			}
			if n := checkText(t, text); n == 0 {
				t.Fatal("no scalars")
			}
		})
	}
}

// spell writes a value in the given style, with random folds.
func spell(r *rand.Rand, style int, lines []string) string {
	pad := strings.Repeat(" ", 2+r.IntN(5))
	nl := []string{"\n", "\r\n"}[r.IntN(2)]
	join := nl + strings.Repeat(nl, r.IntN(2)) + pad
	switch style {
	case 0:
		return strings.Join(lines, join)
	case 1:
		return "'" + strings.ReplaceAll(strings.Join(lines, join), "'", "''") + "'"
	case 2:
		var b strings.Builder
		for i, line := range lines {
			if i > 0 {
				b.WriteString([]string{`\n`, `\t`, ` \` + nl + pad, join, " "}[r.IntN(5)])
			}
			for _, c := range line {
				switch {
				case c == '"' || c == '\\':
					b.WriteString(`\` + string(c))
				case r.IntN(12) == 0 && c < 256:
					fmt.Fprintf(&b, `\x%02x`, c)
				case r.IntN(12) == 0:
					fmt.Fprintf(&b, `\U%08X`, c)
				default:
					b.WriteRune(c)
				}
			}
		}
		return `"` + b.String() + `"`
	}
	head := []string{"|", ">"}[style-3] + []string{"", "+", "-"}[r.IntN(3)]
	var b strings.Builder
	b.WriteString(head + nl)
	for i, line := range lines {
		if i > 0 && r.IntN(3) == 0 {
			b.WriteString(nl)
		}
		more := ""
		if i > 0 {
			more = strings.Repeat(" ", r.IntN(3))
		}
		b.WriteString(pad + more + line + nl)
	}
	return b.String()
}

func TestScalar_Random(t *testing.T) {
	words := []string{"sum", "(", ")", "{app=x}", "ä", "it's", "|=", "∀x", "\"q\"", "[5m]", "a\\d", "> 0", "  "}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		want := 0
		for k := range 3 {
			lines := make([]string, 1+r.IntN(4))
			for i := range lines {
				line := "w"
				for range 1 + r.IntN(4) {
					line += " " + words[r.IntN(len(words))]
				}
				lines[i] = strings.TrimSpace(line)
			}
			fmt.Fprintf(&b, "ü%d: %s\n", k, spell(r, r.IntN(5), lines))
			want += 2
		}
		text := b.String()
		if _, problems := Parse(NewFile("f", []byte(text))); len(problems) > 0 {
			t.Fatalf("%v\n%s", problems[0], text)
		}
		if got := checkText(t, text); got != want {
			t.Fatalf("seed %d: %d scalars; want %d\n%s", seed, got, want, text)
		}
	}
}

func TestPlaces_Shift(t *testing.T) {
	ps := Places{{Offset: 0, At: 10}, {Offset: 4, At: 20, Still: true}, {Offset: 6, At: 30}}
	for by := range 8 {
		shifted := ps.Shift(by)
		for i := range 8 - by {
			if got, want := shifted.At(i), ps.At(i+by); got != want {
				t.Errorf("Shift(%d).At(%d) = %d; want %d", by, i, got, want)
			}
		}
		if !slices.IsSortedFunc(shifted, func(a, b Place) int { return a.Offset - b.Offset }) {
			t.Errorf("Shift(%d) = %v is not ordered", by, shifted)
		}
	}
}

func FuzzScalar(f *testing.F) {
	f.Add("a: |\n  b\n   c\n")
	f.Add("a: \"b\\\n  c\\u00e9\\\"\"\n--- \nd: 'e''f'\n")
	f.Add("a: &x >2-\n    b\n\n  c\n<<: *x\n")
	f.Add("\xef\xbb\xbf{a: [b, c\u2028 d]}\r\n...\n%YAML 1.1\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		checkText(t, text)
	})
}
