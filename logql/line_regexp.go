package logql

import (
	"bytes"
	"regexp/syntax"
	"slices"

	"github.com/grafana/regexp"
)

// compileLineRegexp compiles the regexp of a line filter. Go's regexps take
// about a microsecond for a line; searching for a text takes a fiftieth of
// that. So a regexp that is a text, a choice of texts, or several of these
// with ".*" between them, is searched for as such, and others run only on
// lines that hold a text they cannot do without.
func compileLineRegexp(pattern string) (lineMatcher, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if m, ok := simpleLineMatcher(tree, re); ok {
		return m, nil
	}
	return &regexpMatcher{re: re, needs: requiredLineTexts(tree, true)}, nil
}

// A regexpMatcher searches for a regexp.
type regexpMatcher struct {
	re *regexp.Regexp
	// needs are texts of which every match holds at least one; none: unknown.
	needs []lineText
}

func (m *regexpMatcher) match(e *entry, line []byte) bool {
	for i := range m.needs {
		if e.mayHold(line, &m.needs[i]) {
			return m.re.Match(line)
		}
	}
	return len(m.needs) == 0 && m.re.Match(line)
}

// mayHold reports whether line holds a text, or with fold set, letters that
// may be equal to those of the text.
func (e *entry) mayHold(line []byte, t *lineText) bool {
	if !t.fold {
		return bytes.Contains(line, t.text)
	}
	lower, odd := e.lowerCase(line)
	return odd || bytes.Contains(lower, t.text)
}

// An anyMatcher matches what one of its matchers does.
type anyMatcher []lineMatcher

func (m anyMatcher) match(e *entry, line []byte) bool {
	for _, x := range m {
		if x.match(e, line) {
			return true
		}
	}
	return false
}

// A foldMatcher searches for an ASCII text without regard to case. Lines with
// letters that may be equal to those of ASCII are left to the regexp.
type foldMatcher struct {
	text []byte // in lower case
	re   *regexp.Regexp
}

func (m *foldMatcher) match(e *entry, line []byte) bool {
	lower, odd := e.lowerCase(line)
	if odd {
		return m.re.Match(line)
	}
	return bytes.Contains(lower, m.text)
}

// A chainMatcher searches for texts that follow one another, each one of a
// choice: "a.*(b|c).*d". For each the first end that can be had leaves the
// most to the next.
type chainMatcher struct {
	links [][]lineText
	re    *regexp.Regexp
}

func (m *chainMatcher) match(e *entry, line []byte) bool {
	if bytes.IndexByte(line, '\n') >= 0 {
		return m.re.Match(line) // ".*" does not reach over the end of a line
	}
	at := 0
	for _, link := range m.links {
		end := -1
		for i := range link {
			text := line
			if link[i].fold {
				lower, odd := e.lowerCase(line)
				if odd {
					return m.re.Match(line)
				}
				text = lower
			}
			if j := bytes.Index(text[at:], link[i].text); j >= 0 {
				if j += at + len(link[i].text); end < 0 || j < end {
					end = j
				}
			}
		}
		if end < 0 {
			return false
		}
		at = end
	}
	return true
}

// lowerCase returns line with its ASCII letters in lower case, valid until the
// next call, and whether it has letters that [hasOddLetter] finds. It remembers
// the result for the line that was pushed.
func (e *entry) lowerCase(line []byte) (lower []byte, odd bool) {
	s := e.lineState
	if s.lowerDone && !e.changed && e.coloured == nil {
		return s.lower, s.lowerOdd
	}
	var ascii bool
	s.lower, ascii = appendLower(s.lower[:0], line)
	s.lowerOdd = !ascii && hasOddLetter(line)
	s.lowerDone = !e.changed && e.coloured == nil
	return s.lower, s.lowerOdd
}

// appendLower appends line with its ASCII letters in lower case, and reports
// whether it is all ASCII.
func appendLower(dst, line []byte) ([]byte, bool) {
	var all byte
	n := len(dst)
	dst = slices.Grow(dst, len(line))[:n+len(line)]
	for i, c := range line {
		all |= c
		dst[n+i] = lowerByte[c]
	}
	return dst, all < 0x80
}

// simpleLineMatcher returns a matcher without a regexp for one that is a text,
// a choice of texts or a chain of these; re is the whole regexp.
func simpleLineMatcher(tree *syntax.Regexp, re *regexp.Regexp) (lineMatcher, bool) {
	tree = bare(tree)
	links := []*syntax.Regexp{tree}
	if tree.Op == syntax.OpConcat {
		links = tree.Sub
	}
	// A search may stop before ".*" at either end.
	for len(links) > 0 && isAnything(links[0]) {
		links = links[1:]
	}
	for len(links) > 0 && isAnything(links[len(links)-1]) {
		links = links[:len(links)-1]
	}
	if len(links) == 0 || len(links) == 1 && links[0].Op == syntax.OpEmptyMatch {
		return newContains(""), true
	}
	chain := &chainMatcher{re: re}
	for len(links) > 0 {
		n := slices.IndexFunc(links, isAnything)
		if n < 0 {
			n = len(links)
		}
		texts, ok := choiceOf(links[:n])
		if !ok {
			return simpleAlternatives(tree, re)
		}
		chain.links = append(chain.links, texts)
		for links = links[n:]; len(links) > 0 && isAnything(links[0]); {
			links = links[1:]
		}
	}
	if len(chain.links) > 1 {
		return chain, true
	}
	var any anyMatcher
	for _, t := range chain.links[0] {
		if t.fold {
			any = append(any, &foldMatcher{t.text, re})
		} else {
			any = append(any, &containsMatcher{t.text})
		}
	}
	if len(any) == 1 {
		return any[0], true
	}
	return any, true
}

// simpleAlternatives is simpleLineMatcher for "a.*b|c".
func simpleAlternatives(tree *syntax.Regexp, re *regexp.Regexp) (lineMatcher, bool) {
	if tree.Op != syntax.OpAlternate {
		return nil, false
	}
	var any anyMatcher
	for _, sub := range tree.Sub {
		m, ok := simpleLineMatcher(sub, re)
		if !ok {
			return nil, false
		}
		any = append(any, m)
	}
	return any, true
}
