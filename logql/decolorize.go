package logql

import "bytes"

// decolorize appends line to dst without the ANSI control sequences in it:
// colours, cursor moves, and operating system commands that end with BEL. When
// there are none and dst is nil it returns line itself.
func decolorize(dst, line []byte) []byte {
	i := ansiStart(line)
	if i < 0 && dst == nil {
		return line
	}
	for i >= 0 {
		n := ansiLen(line[i:])
		if n == 0 {
			n = 1
			dst = append(dst, line[:i+n]...)
		} else {
			dst = append(dst, line[:i]...)
		}
		line = line[i+n:]
		i = ansiStart(line)
	}
	return append(dst, line...)
}

// ansiStart returns the place of the first ESC or of the CSI character U+009B,
// or -1.
func ansiStart(line []byte) int {
	esc := bytes.IndexByte(line, 0x1b)
	if csi := bytes.Index(line, []byte("\u009b")); csi >= 0 && (esc < 0 || csi < esc) {
		return csi
	}
	return esc
}

// ansiLen returns the length of the control sequence that b begins with, or 0
// when none follows the ESC or CSI. A sequence without a final byte ends with
// its last digit.
func ansiLen(b []byte) int {
	i := 1
	if b[0] != 0x1b {
		i = len("\u009b")
	}
	for i < len(b) && bytes.IndexByte([]byte("[]()#;?"), b[i]) >= 0 {
		i++
	}
	end := i
	for end < len(b) && (isDigit(b[end]) || b[end] == ';' || 'A' <= b[end] && b[end] <= 'Z' || 'a' <= b[end] && b[end] <= 'z') {
		end++
	}
	if end < len(b) && b[end] == '\a' {
		return end + 1
	}
	end = i + ansiParamsLen(b[i:])
	if end < len(b) && isANSIFinal(b[end]) {
		return end + 1
	}
	for end > i && !isDigit(b[end-1]) {
		end--
	}
	if end == i {
		return 0
	}
	return end
}

// ansiParamsLen returns the length of the parameters that b begins with:
// numbers of up to four digits, with ';' between them.
func ansiParamsLen(b []byte) int {
	if len(b) == 0 || !isDigit(b[0]) {
		return 0
	}
	digits := 0
	for i, c := range b {
		switch {
		case c == ';':
			digits = 0
		case isDigit(c) && digits < 4:
			digits++
		default:
			return i
		}
	}
	return len(b)
}

// isANSIFinal reports whether c ends a control sequence.
func isANSIFinal(c byte) bool {
	switch {
	case isDigit(c), 'A' <= c && c <= 'P', 'f' <= c && c <= 'n':
		return true
	}
	return bytes.IndexByte([]byte("RZctqry=><~"), c) >= 0
}
