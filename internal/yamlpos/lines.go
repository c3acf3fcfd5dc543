package yamlpos

import (
	"bytes"
	"sort"
)

// A segment is the range of a file that one document takes.
type segment struct{ start, end int }

// split cuts a file before each "---" line and after each "..." line. Both
// end a document wherever they stand in the first column, even in a scalar.
// What holds only directives, comments and blank lines is joined to the
// document that follows.
func split(text []byte) []segment {
	base := byteOrderMark(text)
	var segments []segment
	start, substance := base, false
	cut := func(at int) {
		if substance {
			segments = append(segments, segment{start, at})
			start, substance = at, false
		}
	}
	for at := base; at < len(text); {
		next := nextLine(text, at, len(text))
		line := text[at:next]
		switch {
		case marker(line, "---"):
			cut(at)
			substance = true
		case marker(line, "..."):
			substance = true // the marker belongs to the document that it ends
			cut(next)
		default:
			trimmed := bytes.TrimSpace(line)
			if len(trimmed) > 0 && trimmed[0] != '#' && line[0] != '%' {
				substance = true
			}
		}
		at = next
	}
	if substance {
		segments = append(segments, segment{start, len(text)})
	}
	return segments
}

// byteOrderMark returns the length of the mark that a file may begin with.
func byteOrderMark(text []byte) int {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return 0
}

func marker(line []byte, mark string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(mark))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r')
}

// yamlLines returns the offsets at which the lines of text[start:end] begin.
func yamlLines(text []byte, start, end int) []int {
	lines := []int{start}
	for at := start; ; {
		at = nextLine(text, at, end)
		lines = append(lines, at)
		if at >= end {
			return lines
		}
	}
}

// nextLine returns the offset just after the line end that follows at.
func nextLine(text []byte, at, end int) int {
	for at < end {
		if n := breakLength(text, at, end); n > 0 {
			return at + n
		}
		at++
	}
	return end
}

// breakLength returns the length of the line end at an offset, or 0. YAML 1.1
// ends lines at \r\n, \n, \r, NEL, LS and PS.
func breakLength(text []byte, at, end int) int {
	switch rest := text[at:end]; {
	case len(rest) == 0:
		return 0
	case rest[0] == '\n':
		return 1
	case rest[0] == '\r':
		if len(rest) > 1 && rest[1] == '\n' {
			return 2
		}
		return 1
	case rest[0] == 0xC2 && len(rest) > 1 && rest[1] == 0x85:
		return 2
	case rest[0] == 0xE2 && len(rest) > 2 && rest[1] == 0x80 && (rest[2] == 0xA8 || rest[2] == 0xA9):
		return 3
	}
	return 0
}

// lineOf returns the index of the line that holds an offset.
func lineOf(lines []int, offset int) int {
	return sort.SearchInts(lines, offset+1) - 1
}

// blankLength returns the length of the space, tab or line end at an offset,
// or 0.
func blankLength(text []byte, at, end int) int {
	if at < end && (text[at] == ' ' || text[at] == '\t') {
		return 1
	}
	return breakLength(text, at, end)
}

// skipBlank returns the offset of the first byte at or after at that is no
// space, tab or line end.
func skipBlank(text []byte, at, end int) int {
	for {
		n := blankLength(text, at, end)
		if n == 0 {
			return at
		}
		at += n
	}
}

// skipProperties returns the offset of the content of a node whose tag or
// anchor begins at at.
func skipProperties(text []byte, at, end int) int {
	for at < end && (text[at] == '&' || text[at] == '!') {
		// The parser ends an anchor at the first byte that is no letter,
		// digit, - or _: in "&a:b" the value is ":b".
		anchor := text[at] == '&'
		at++
		for at < end && blankLength(text, at, end) == 0 && (!anchor || anchorByte(text[at])) {
			at++
		}
		at = skipBlank(text, at, end)
		for at < end && text[at] == '#' {
			at = skipBlank(text, nextLine(text, at, end), end)
		}
	}
	return at
}

func anchorByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}
