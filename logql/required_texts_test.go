package logql

import (
	"bytes"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/grafana/regexp"
)

func requiredOf(t *testing.T, pattern string) [][]byte {
	t.Helper()
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return requiredTexts(tree)
}

func TestRequiredTexts(t *testing.T) {
	f := func(pattern, want string) {
		t.Helper()
		if got := string(bytes.Join(requiredOf(t, pattern), []byte(" | "))); got != want {
			t.Errorf("requiredTexts(%q) = %q; want %q", pattern, got, want)
		}
	}
	f("got reservation on|was admitted on", "got reservation on | was admitted on")
	f("^panic: |Observed a panic", "panic:  | Observed a panic")
	f(`panic: .+ \[recovered\]`, " [recovered]")
	f(`^\S+\tERROR\t`, "\tERROR\t")
	f("a+", "a")
	f("(?:abc){2,}", "abc")
	f("(?:abc)*", "")
	f("abc?", "ab")
	f("abc|d*", "")
	f("(?i)panic", "")
	f("x\uFFFDy", "")
	f(".*", "")
	f("", "")
}

func TestChoiceOf(t *testing.T) {
	f := func(pattern, want string) {
		t.Helper()
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		texts, ok := choiceOf([]*syntax.Regexp{tree})
		got := "unknown"
		if ok {
			var all []string
			for _, x := range texts {
				s := string(x.text)
				if x.fold {
					s += " in any case"
				}
				all = append(all, s)
			}
			got = strings.Join(all, " | ")
		}
		if got != want {
			t.Errorf("choiceOf(%q) = %q; want %q", pattern, got, want)
		}
	}
	f("evic(ted|ting)", "evicted | evicting")
	f("a[0-2]b?", "a0b | a0 | a1b | a1 | a2b | a2")
	f("(?i)Quota 9", "quota 9 in any case")
	f("(?i)é", "unknown")
	f("(?i:ab)c", "unknown")
	f("(?i:ab)1", "ab1 in any case")
	f("[0-9][0-9]", "unknown")
	f("[^a]", "unknown")
	f("a*", "unknown")
	f("^a", "unknown")
	f("a?", "unknown")
	f("x\uFFFD", "unknown")
}

// No line that the regexp matches may lack all texts.
func TestRequiredTexts_LoseNoMatch(t *testing.T) {
	patterns := []string{
		"(?i)task", "(?i)x[sk]y", "(?i:s)a|(?i)k+", "(?i)panic.*(?-i:x)", "a(?i)b ?c",
		"got reservation on|was admitted on", "^panic: |Observed", "(?i)panic", "(?i)PaNic: x",
		`a(b|c)d`, `(?i)(foo|bar)+baz`, `x{2,3}y`, `\bab\b`, `[ab]c`, `a.?b`, "é|è", "(?i)é", "x\uFFFD",
	}
	alphabet := []string{"panic", "PANIC", ": ", "a", "b", "c", "d", "x", "y", "é", "É", "foo", "BAR", "baz",
		"got reservation on", "\xff", "\uFFFD", "ſ", "K", " "}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range patterns {
		re, texts := regexp.MustCompile(p), requiredOf(t, p)
		tree, err := syntax.Parse(p, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		folded := requiredLineTexts(tree, true)
		for range 3000 {
			var b strings.Builder
			for range rng.IntN(8) {
				b.WriteString(alphabet[rng.IntN(len(alphabet))])
			}
			line := []byte(b.String())
			found := len(texts) == 0
			for _, text := range texts {
				found = found || bytes.Contains(line, text)
			}
			if re.Match(line) && !found {
				t.Fatalf("%q matches %q, which lacks %q", p, line, texts)
			}
			found = len(folded) == 0 || hasOddLetter(line)
			for i := range folded {
				found = found || folded[i].in(line)
			}
			if re.Match(line) && !found {
				t.Fatalf("%q matches %q, which lacks %v", p, line, folded)
			}
		}
	}
}
