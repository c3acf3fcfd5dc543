package yamlpos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// plain returns the value of a node as encoding/json decodes it.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, plain(item))
		}
		return list
	}
	switch n.ShortTag() {
	case "!!str":
		return n.Value
	case "!!bool":
		return n.Value == "true"
	case "!!null":
		return nil
	}
	return json.Number(n.Value)
}

// checkJSON compares the tree of a text that is JSON with what encoding/json
// makes of it, and checks all places.
func checkJSON(t testing.TB, text string) {
	t.Helper()
	docs, problems := Parse(NewFile("f.json", []byte(text)))
	if len(docs) != 1 || len(problems) > 0 {
		t.Fatalf("%q: %d documents, problems %v", text, len(docs), problems)
	}
	dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	dec.UseNumber()
	var want any
	if err := dec.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, plain(docs[0].Root)); diff != "" {
		t.Errorf("%q (-want +got):\n%s", text, diff)
	}
	scalars(docs[0].Root, func(n *yaml.Node) {
		checkPlaces(t, docs[0], n)
		if at := docs[0].Offset(n); n.ShortTag() == "!!str" && text[at] != '"' {
			t.Errorf("%q: the string %q stands at byte %d", text, n.Value, at)
		}
	})
}

func TestParse_JSON(t *testing.T) {
	for _, text := range []string{
		`{"a":"b"}`,
		`{"expr": "a\/b \ud83d\ude00 \u00e9 \"c\" \\d\n\te"}`,
		"\ufeff\n[1, -2.5e3, 0, true, false, null, \"null\", {}, [], [[\"x\"]]]\n",
		`["\ud83d", "\ude00x", "\ud83d\u0041", "\ud83d\ud83d\ude00", "\u0000"]`,
		"[\"a\u2028--- b\u2028... c\"]",
		"{\"é😀\": \"a\u2028b\u0085c\u2029\", \"x\": {\"y\" :\t\"z\"\r\n}}",
		"[\"a\x7f   b  \", \"  \"]",
		`{"<<": {"a": "b"}, "": "", "*a": "&b", "!x": "# c"}`,
		"[" + strings.Repeat("\"é\", ", 1000) + `"last"]`,
	} {
		checkJSON(t, text)
	}
}

func TestParse_JSONErrors(t *testing.T) {
	f := func(name, text, want string) {
		t.Helper()
		_, problems := Parse(NewFile(name, []byte(text)))
		if got := fmt.Sprint(problems); got != "["+want+"]" {
			t.Errorf("Parse(%q) gives %s; want %s", text, got, want)
		}
	}
	f("f.json", `{"a": "\/", "b" "c"}`, "f.json:1:17: invalid JSON: invalid character '\"' after object key")
	f("f.json", "{\n\"a\": [1,\n", "f.json:2:9: invalid JSON: unexpected end of JSON input")
	f("f.json", "{a: [b, ]}", "") // YAML in a file of that name
	f("f.yaml", `{"a": "\/", "b" "c"}`, "f.yaml:1:8: invalid YAML: found unknown escape character")
}

func FuzzParse_JSON(f *testing.F) {
	f.Add(`{"expr": "a\/b \ud83d\ude00 \u00e9", "n": [1e3, true, null]}`)
	f.Add("[\"a\u2028b\", \"\\ud83d\"]")
	f.Fuzz(func(t *testing.T, text string) {
		if start := strings.TrimLeft(text, " \t\r\n"); len(text) < 1<<12 && json.Valid([]byte(text)) && (start[0] == '{' || start[0] == '[') && strings.ToValidUTF8(text, "") == text {
			checkJSON(t, text)
		}
	})
}
