package logql

import (
	"bytes"
	"errors"
	"fmt"
)

// A patternPart is a literal or a capture of a pattern. The literals and
// captures of a pattern alternate.
type patternPart struct {
	literal []byte // nil: a capture
	name    string // of the capture, "_" when nothing is to be kept
}

func (p patternPart) isCapture() bool { return p.literal == nil }

// unnamedCapture is the name of captures that keep nothing.
const unnamedCapture = "_"

// splitPattern takes a pattern apart. A capture is a label name in angle
// brackets; any other text, lone brackets too, is literal.
func splitPattern(pattern string) ([]patternPart, error) {
	var parts []patternPart
	rest := []byte(pattern)
	start := 0 // of the literal in hand
	for i := 0; i < len(rest); {
		n := captureLen(rest[i:])
		if n == 0 {
			i++
			continue
		}
		if i > start {
			parts = append(parts, patternPart{literal: rest[start:i]})
		}
		name := string(rest[i+1 : i+n-1])
		if len(parts) > 0 && parts[len(parts)-1].isCapture() {
			return nil, fmt.Errorf("put text between <%s> and <%s>, else nothing tells where the first one ends", parts[len(parts)-1].name, name)
		}
		parts = append(parts, patternPart{name: name})
		i += n
		start = i
	}
	if start < len(rest) {
		parts = append(parts, patternPart{literal: rest[start:]})
	}
	return parts, nil
}

// captureLen returns the length of the capture that b begins with, brackets
// included, or 0.
func captureLen(b []byte) int {
	if len(b) < 3 || b[0] != '<' || isDigit(b[1]) {
		return 0
	}
	i := 1
	for i < len(b) && isNameByte[b[i]] {
		i++
	}
	if i == 1 || i == len(b) || b[i] != '>' {
		return 0
	}
	return i + 1
}

// A patternFilter is a pattern of "|>" and "!>".
type patternFilter struct {
	parts []patternPart
}

// compilePatternFilter reads a pattern of "|>". Only <_> may stand in it, as
// the filter keeps nothing.
func compilePatternFilter(pattern string) (*patternFilter, error) {
	parts, err := splitPattern(pattern)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if p.isCapture() && p.name != unnamedCapture {
			return nil, fmt.Errorf("a line filter keeps nothing, write <_> for <%s>", p.name)
		}
	}
	return &patternFilter{parts}, nil
}

// match reports whether line fits the pattern. A pattern without <_> must
// equal the line. Otherwise the pattern may begin anywhere in the line, but
// must end where the line ends; each <_> stands for at least one byte, up to
// the first place at which the text after it is found, and no other place is
// tried.
func (f *patternFilter) match(line []byte) bool {
	if len(f.parts) == 0 {
		return len(line) == 0
	}
	if len(f.parts) == 1 && !f.parts[0].isCapture() {
		return bytes.Equal(line, f.parts[0].literal)
	}
	rest := line
	for i, p := range f.parts {
		if p.isCapture() {
			continue
		}
		at := bytes.Index(rest, p.literal)
		if at < 0 || at == 0 && i > 0 {
			return false
		}
		rest = rest[at+len(p.literal):]
	}
	endsOpen := f.parts[len(f.parts)-1].isCapture()
	return endsOpen == (len(rest) > 0)
}

// A patternParser is the pattern of "| pattern".
type patternParser struct {
	parts []patternPart
	names []string // of the named captures, in order
}

// compilePatternParser reads the pattern of "| pattern". It needs a named
// capture, and no name twice.
func compilePatternParser(pattern string) (*patternParser, error) {
	if pattern == "" {
		return nil, errors.New("it is empty; name at least one capture, as in <method>")
	}
	parts, err := splitPattern(pattern)
	if err != nil {
		return nil, err
	}
	p := &patternParser{parts: parts}
	seen := make(map[string]bool)
	for _, part := range parts {
		if !part.isCapture() || part.name == unnamedCapture {
			continue
		}
		if seen[part.name] {
			return nil, fmt.Errorf("capture <%s> stands twice", part.name)
		}
		seen[part.name] = true
		p.names = append(p.names, part.name)
	}
	if len(p.names) == 0 {
		return nil, errors.New("name at least one capture, as in <method>")
	}
	return p, nil
}

// parse calls emit for every named capture that line has. The text before the
// first capture must begin the line. A capture reaches to the first place at
// which the text after it is found; when it is found nowhere, the capture
// takes the rest of the line and the others are absent.
func (p *patternParser) parse(line []byte, emit func(name string, value []byte)) {
	if len(line) == 0 {
		return
	}
	rest, parts := line, p.parts
	if !parts[0].isCapture() {
		var ok bool
		if rest, ok = bytes.CutPrefix(rest, parts[0].literal); !ok {
			return
		}
		parts = parts[1:]
	}
	for len(parts) > 0 {
		value, found := rest, false
		if len(parts) > 1 {
			value, rest, found = bytes.Cut(rest, parts[1].literal)
		}
		if parts[0].name != unnamedCapture {
			emit(parts[0].name, value)
		}
		if !found {
			return
		}
		parts = parts[2:]
	}
}
