package yamlpos

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse_SyntaxErrors(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		_, problems := Parse(NewFile("f.yaml", []byte(text)))
		var got []string
		for _, p := range problems {
			got = append(got, p.Error())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", text, diff)
		}
	}
	f("a: 1\nb: c: d\n", "f.yaml:2:5: invalid YAML: mapping values are not allowed in this context")
	f("a: 1\n\tb: 2\n", "f.yaml:2:1: invalid YAML: found a tab character that violates indentation; indent with spaces, not tabs")
	f("a:\n  - b\n  c: 1\n", "f.yaml:3:4: invalid YAML: did not find expected '-' indicator")
	f("é: \"x\nb: 1\n", "f.yaml:1:5: invalid YAML: found unexpected end of stream")
	f("a: *x\n", "f.yaml:1:5: invalid YAML: unknown anchor 'x' referenced")
	f("{a: 1} b\n", "f.yaml:1:8: invalid YAML: did not find expected <document start>")
	f("a: \xff\n", "f.yaml:1:4: the file is not UTF-8 text; convert it to UTF-8")
	f("a: 1 # caf\xe9\n---\nb: 1\n", "f.yaml:1:11: the document is not UTF-8 text; convert it to UTF-8")
	f("a: [\n---\nb: 1\n---\nc: 'd\n", "f.yaml:1:4: invalid YAML: did not find expected node content", "f.yaml:5:4: invalid YAML: found unexpected end of stream")
	f("a: \x01\n", "f.yaml:1:4: invalid YAML: control characters are not allowed")
	f("")
	f("# nothing\n---\n---\n")
}

func TestParse_DocumentsBesideErrors(t *testing.T) {
	docs, problems := Parse(NewFile("f", []byte("a: 1\n---\nb: [\n---\nc: 3\n")))
	if len(docs) != 2 || len(problems) != 1 {
		t.Fatalf("%d documents, %d problems; want 2 and 1", len(docs), len(problems))
	}
	if got := docs[1].Position(docs[1].Root).String(); got != "f:5:1" {
		t.Errorf("the last document stands at %s; want f:5:1", got)
	}
}

func TestParse_DocumentsBesideBytes(t *testing.T) {
	docs, problems := Parse(NewFile("f", []byte("a: 1\n---\nb: 1 # caf\xe9\n---\nc: 3\n")))
	if len(docs) != 2 || len(problems) != 1 {
		t.Fatalf("%d documents, %d problems; want 2 and 1", len(docs), len(problems))
	}
	if got := docs[1].Position(docs[1].Root).String(); got != "f:5:1" {
		t.Errorf("the last document stands at %s; want f:5:1", got)
	}
}

func TestFields(t *testing.T) {
	f := func(text, want string, problems ...string) {
		t.Helper()
		docs, errs := Parse(NewFile("f", []byte(text)))
		if len(errs) > 0 {
			t.Fatal(errs[0])
		}
		d := docs[len(docs)-1]
		root := d.Get(d.Root, "x")
		fields, errs := d.Fields(root)
		var got, gotProblems []string
		for _, field := range fields {
			got = append(got, field.Name+"="+field.Value.Value+"@"+strings.TrimPrefix(d.Position(field.Value).String(), "f:"))
		}
		for _, e := range errs {
			gotProblems = append(gotProblems, e.Error())
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("fields of %q (-want +got):\n%s", text, diff)
		}
		if diff := cmp.Diff(problems, gotProblems); diff != "" {
			t.Errorf("problems of %q (-want +got):\n%s", text, diff)
		}
	}
	f("x: {a: 1, b: 2}", "a=1@1:8 b=2@1:14")
	f("x: {a: 1, a: 2}", "a=1@1:8", `f:1:11: key "a" is given twice, first in line 1`)
	f("x: {[a]: 1, b: 2}", "b=2@1:16", "f:1:5: a key must be text")
	f("b: &b {p: 1, q: 2}\nx: {q: 3, <<: *b}", "q=3@2:8 p=1@1:11")
	f("b: &b {p: 1}\nc: &c {p: 2, q: 3}\nx: {<<: [*b, *c], r: 4}", "r=4@3:22 p=1@1:11 q=3@2:17")
	f("x: &x {p: 1, <<: *x}", "p=1@1:11")
	f("x: {<<: 5}", "", "f:1:9: a merge key needs a mapping or a list of mappings")
	f("v: &v |\n  e\nx: {a: *v}", "a=e\n@1:7")
	f("x: 5", "")
}

// Aliases that refer to many aliases must not take time or memory that grows
// with what they stand for.
func TestFields_AliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 {k: v}\n")
	for i := 1; i < 60; i++ {
		prev := string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		cur := string(rune('0'+i/10)) + string(rune('0'+i%10))
		if i == 1 {
			prev = "0"
		}
		b.WriteString("a" + cur + ": &a" + cur + " {<<: [*a" + prev + ", *a" + prev + ", *a" + prev + "]}\n")
	}
	b.WriteString("x: *a59\n")
	docs, errs := Parse(NewFile("f", []byte(b.String())))
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	fields, _ := docs[0].Fields(docs[0].Get(docs[0].Root, "x"))
	if len(fields) != 1 || fields[0].Name != "k" {
		t.Errorf("fields = %v; want k", fields)
	}
}

func TestExcerpt(t *testing.T) {
	f := func(text string, start, end int, want string) {
		t.Helper()
		if diff := cmp.Diff(want, NewFile("f", []byte(text)).Excerpt(start, end)); diff != "" {
			t.Errorf("Excerpt(%q, %d, %d) (-want +got):\n%s", text, start, end, diff)
		}
	}
	f("a\r\n\tbc d\r\ne", 4, 6, "\tbc d\n\t^^")
	f("ab", 2, 3, "ab\n  ^")
	f("", 0, 0, "\n^")
	long := strings.Repeat("é", 500)
	f(long, 500, 502, "…"+strings.Repeat("é", 60)+strings.Repeat("é", 60)+"…\n"+strings.Repeat(" ", 61)+"^")
}

// Lines can be very long, and their characters of several bytes.
func TestPosition_LongLine(t *testing.T) {
	var b strings.Builder
	b.WriteString("\ufeff# head: é\u2028\n---\n[")
	var want []int // columns
	line := 3
	for i := range 2000 {
		item := strings.Repeat("é€😀", i%3) + strings.Repeat("k", i%7)
		text := b.String()
		want = append(want, len(text)-strings.LastIndexByte(text, '\n'))
		b.WriteString(strconv.Quote(item) + ", ")
	}
	b.WriteString("]\n")
	docs, problems := Parse(NewFile("f", []byte(b.String())))
	if len(problems) > 0 || len(docs) != 1 {
		t.Fatalf("%d documents, problems %v", len(docs), problems)
	}
	for i, n := range docs[0].Root.Content {
		if p := docs[0].Position(n); p.Line != line || p.Column != want[i] {
			t.Fatalf("item %d stands at %v; want %d:%d", i, p, line, want[i])
		}
	}
}

// A text within a scalar is placed in the file that holds it, escapes and all.
func TestNested(t *testing.T) {
	f := func(text, inner string, wantPos, wantShow string) {
		t.Helper()
		docs, problems := Parse(NewFile("f", []byte(text)))
		if len(problems) > 0 {
			t.Fatal(problems[0])
		}
		file := docs[0].Nested(docs[0].Get(docs[0].Root, "json"))
		at := strings.Index(string(file.Text), inner)
		got := file.Errorf(at, at+len(inner), "x")
		if got.Pos.String() != wantPos || got.Show != wantShow {
			t.Errorf("%q: %v\n%s\nwant %s\n%s", text, got.Pos, got.Show, wantPos, wantShow)
		}
	}
	f("json: |\n  {\n    \"a\": 1\n  }\n", "1", "f:3:10", "    \"a\": 1\n         ^")
	f(`{"json": "{\"a\": \"b\"}"}`, `"b"`, "f:1:19", `{"json": "{\"a\": \"b\"}"}`+"\n                  ^^^^")
	f(`{"json": "{}"}`, "{", "f:1:11", `{"json": "{}"}`+"\n          ^")
}
