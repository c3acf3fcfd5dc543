package review

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	digestA = "sha256:" + strings.Repeat("a", 64)
	digestB = "sha256:" + strings.Repeat("b", 64)
)

// A, B and C stand for digests: a file is read easier so.
var spellDigests = strings.NewReplacer("<A>", digestA, "<B>", digestB)

func TestPin(t *testing.T) {
	both := map[string]string{"d/corpus": digestA, "d/other": digestB}
	tests := []struct{ name, in, want string }{
		{
			"comments, order and form stay",
			"# a review\nversion: 1\n\ncorpus: ./corpus # ours\n# the rules\nrules: [a.yaml]   # all\n",
			"# a review\nversion: 1\n\ncorpus: ./corpus # ours\ndigests:\n  ./corpus: <A>\n# the rules\nrules: [a.yaml]   # all\n",
		},
		{
			"two corpora",
			"version: 1\ncorpus: corpus\ncandidate: 'other:v2'\nrules: [a.yaml]\n",
			"version: 1\ncorpus: corpus\ncandidate: 'other:v2'\ndigests:\n  corpus: <A>\n  other: <B>\nrules: [a.yaml]\n",
		},
		{
			"another digest",
			"version: 1\ndigests: # pinned by us\n  corpus: \"<B>\" # of May\ncorpus: corpus\n",
			"version: 1\ndigests: # pinned by us\n  corpus: \"<A>\" # of May\ncorpus: corpus\n",
		},
		{
			"one more",
			"version: 1\ndigests:\n    ./corpus: <A> # same\n\nrules: [a.yaml]\ncorpus: corpus\ndeployed: other:x\n",
			"version: 1\ndigests:\n    ./corpus: <A> # same\n    other: <B>\n\nrules: [a.yaml]\ncorpus: corpus\ndeployed: other:x\n",
		},
		{
			"no line end",
			"version: 1\ncorpus: corpus",
			"version: 1\ncorpus: corpus\ndigests:\n  corpus: <A>",
		},
		{
			"CRLF",
			"version: 1\r\ncorpus: corpus\r\nrules: [a]\r\n",
			"version: 1\r\ncorpus: corpus\r\ndigests:\r\n  corpus: <A>\r\nrules: [a]\r\n",
		},
		{
			"flow",
			"{version: 1, corpus: corpus, rules: [a.yaml]} # short\n",
			"{version: 1, corpus: corpus, digests: {\"corpus\": <A>}, rules: [a.yaml]} # short\n",
		},
		{
			"flow inside",
			"version: 1\ncorpus: corpus\ndeployed: other:x\ndigests: {corpus: <A>}\n",
			"version: 1\ncorpus: corpus\ndeployed: other:x\ndigests: {corpus: <A>, \"other\": <B>}\n",
		},
		{
			"JSON",
			"{\n  \"version\": 1,\n  \"corpus\": \"corpus\",\n  \"rules\": [\"a.yaml\"]\n}\n",
			"{\n  \"version\": 1,\n  \"corpus\": \"corpus\", \"digests\": {\"corpus\": \"<A>\"},\n  \"rules\": [\"a.yaml\"]\n}\n",
		},
		{
			"a value of several lines",
			"version: 1\ncorpus: >-\n  corpus\nrules: [a.yaml]\n",
			"version: 1\ncorpus: >-\n  corpus\nrules: [a.yaml]\ndigests:\n  corpus: <A>\n",
		},
		{
			"quoted over a comment, with an end mark",
			"---\nversion: 1\ncorpus: \"./corp\\\n  us\"\n# end\n...\n",
			"---\nversion: 1\ncorpus: \"./corp\\\n  us\"\n# end\ndigests:\n  ./corpus: <A>\n...\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := spellDigests.Replace(tt.in)
			got, err := Pin("d/s.yaml", []byte(in), both)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(spellDigests.Replace(tt.want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := Pin("d/s.yaml", got, both)
			if diff := cmp.Diff(string(got), string(again)); diff != "" || err != nil {
				t.Errorf("pinned again: %v (-once +twice):\n%s", err, diff)
			}
		})
	}
}

func TestPin_OddNames(t *testing.T) {
	for _, name := range []string{"a b", "#c", "- d", "true", "1", `q"uote`, "ü/c", "a: b", "{x}", "null", "<<"} {
		text := "version: 1\ncorpus: " + quoteKey(name, true) + "\n"
		got, err := Pin("s.yaml", []byte(text), map[string]string{(&File{Path: "s.yaml"}).relative(name): digestA})
		if err != nil {
			t.Errorf("corpus %q: %v", name, err)
			continue
		}
		f, err := parse("s.yaml", got, nil)
		if err != nil || len(f.Digests) != 1 || f.Pinned(f.Corpus) == nil {
			t.Errorf("corpus %q: %v, digests %v of\n%s", name, err, f, got)
		}
	}
}

func TestDigests_Wrong(t *testing.T) {
	good := "version: 1\ncorpus: ./corpus\n"
	tests := []struct{ text, want string }{
		{good + "digests: {}\n", "s.yaml:3:10: digests is empty"},
		{good + "digests:\n", "s.yaml:3:9: digests must be a mapping"},
		{good + "digests: {corpus: abc}\n", `s.yaml:3:19: "abc" is not the digest of a corpus; write sha256: and 64 hex digits`},
		{good + "digests: {corpus: 12}\n", "s.yaml:3:19: a digest must be text"},
		{good + "digests: {corpse: <A>}\n", `s.yaml:3:11: "corpse" is pinned, but is no corpus of this review`},
		{good + "digests:\n  corpus: <A>\n  ./corpus: <A>\n", `s.yaml:5:3: the corpus "./corpus" is pinned twice`},
		{"version: 1\ndeployed: other:x\ndigests: {corpus: <A>}\n", `s.yaml:3:11: "corpus" is pinned, but is no corpus of this review`},
	}
	s := schema(t)
	for _, tt := range tests {
		text := spellDigests.Replace(tt.text)
		_, err := parse("s.yaml", []byte(text), nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("parse(%q): %v; want %q", text, err, tt.want)
		}
		if _, err := Pin("s.yaml", []byte(text), map[string]string{"corpus": digestB}); err == nil {
			t.Errorf("Pin(%q) takes it", text)
		}
		if strings.Contains(tt.want, "pinned") {
			continue // a schema does not know it
		}
		if valid(t, s, text) == nil {
			t.Errorf("the schema takes %q", text)
		}
	}
	if err := valid(t, s, spellDigests.Replace(good+"digests: {./corpus: <A>}\n")); err != nil {
		t.Error(err)
	}
}

func FuzzPin(f *testing.F) {
	for _, seed := range []string{
		"version: 1\ncorpus: c\n", "{version: 1, corpus: c}", `{"version": 1, "corpus": "c"}`, "version: 1\ncorpus: c\ndigests:\n  c: " + digestB,
		"x: &a c\nversion: 1\ncorpus: *a\n", "version: 1\ncorpus: |\n  c\n...\n", "? version\n: 1\n? corpus\n: c\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parse("s.yaml", []byte(text), nil)
		if err != nil {
			return
		}
		want := map[string]string{}
		for _, c := range file.Corpora {
			want[c.Path] = digestA
		}
		got, err := Pin("s.yaml", []byte(text), want)
		if err != nil {
			return
		}
		after, err := parse("s.yaml", got, nil)
		if err != nil || len(after.Digests) < len(want) {
			t.Fatalf("pinned: %v\n%s", err, got)
		}
		for path := range want {
			if d := after.Pinned(path); d == nil || d.Digest != digestA {
				t.Errorf("%q is not pinned in\n%s", path, got)
			}
		}
		again, err := Pin("s.yaml", got, want)
		if err != nil || string(again) != string(got) {
			t.Errorf("pinned again: %v\n%s", err, again)
		}
	})
}
