package logql

import (
	"bytes"
	"regexp/syntax"
	"slices"

	"github.com/grafana/regexp"
)

// compileLineRegexp compiles the regexp of a line filter. Go's regexps take
// about a microsecond for a line; searching for a text takes a fiftieth of
// that. So a regexp that is a text, or a choice of texts, is searched for as
// such, and others run only on lines that hold a text they cannot do without.
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
	return newRegexpMatcher(re, tree), nil
}

// A regexpMatcher searches for a regexp.
type regexpMatcher struct {
	re *regexp.Regexp
	// needs are texts of which every match holds at least one; none: unknown.
	needs []textSearch
}

func newRegexpMatcher(re *regexp.Regexp, tree *syntax.Regexp) *regexpMatcher {
	m := &regexpMatcher{re: re}
	for _, text := range requiredTexts(tree) {
		m.needs = append(m.needs, newTextSearch(text))
	}
	return m
}

func (m *regexpMatcher) match(e *entry, line []byte) bool {
	for i := range m.needs {
		if m.needs[i].in(e, line) {
			return m.re.Match(line)
		}
	}
	return len(m.needs) == 0 && m.re.Match(line)
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

// A foldMatcher searches for an ASCII text without regard to case. Lines that
// are not ASCII are left to the regexp, which knows what is equal but for case
// there.
type foldMatcher struct {
	textSearch // of the text in lower case
	re         *regexp.Regexp
}

func (m *foldMatcher) match(e *entry, line []byte) bool {
	if e.manyTexts && !e.changed && !e.pairs.hold(e, m.probes) && e.pairs.ascii {
		return false
	}
	lower, ascii := e.lowerCase(line)
	if !ascii {
		return m.re.Match(line)
	}
	return bytes.Contains(lower, m.text)
}

// lowerCase returns line in lower case, valid until the next call, and whether
// it is all ASCII. It remembers the result for the line that was pushed.
func (e *entry) lowerCase(line []byte) (lower []byte, ascii bool) {
	s := e.lineState
	if s.lowerDone && !e.changed && e.coloured == nil {
		return s.lower, s.lowerASCII
	}
	s.lower, s.lowerASCII = appendLower(s.lower[:0], line)
	s.lowerDone = !e.changed && e.coloured == nil
	return s.lower, s.lowerASCII
}

func appendLower(dst, line []byte) ([]byte, bool) {
	var all byte
	dst = slices.Grow(dst, len(line))[:len(line)]
	for i, c := range line {
		all |= c
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst[i] = c
	}
	return dst, all < 0x80
}

// simpleLineMatcher returns a matcher without a regexp for one that is a text
// or a choice of texts; re is the whole regexp.
func simpleLineMatcher(tree *syntax.Regexp, re *regexp.Regexp) (lineMatcher, bool) {
	tree = bare(tree)
	switch tree.Op {
	case syntax.OpEmptyMatch:
		return newContains(""), true
	case syntax.OpStar:
		return newContains(""), isAnything(tree)
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return newContains(string(tree.Rune)), true
		}
		lower, ascii := appendLower(nil, []byte(string(tree.Rune)))
		return &foldMatcher{newTextSearch(lower), re}, ascii
	case syntax.OpConcat:
		// A search may stop before ".*" at either end.
		subs := tree.Sub
		for len(subs) > 0 && isAnything(subs[0]) {
			subs = subs[1:]
		}
		for len(subs) > 0 && isAnything(subs[len(subs)-1]) {
			subs = subs[:len(subs)-1]
		}
		switch len(subs) {
		case 0:
			return newContains(""), true
		case 1:
			return simpleLineMatcher(subs[0], re)
		}
	case syntax.OpAlternate:
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
	return nil, false
}
