package messages

import "bytes"

// afterTransport cuts the time that a container runtime or kubectl puts before
// a line, and the runtime's stream and tag:
//
//	2026-11-30T17:28:29.863123456Z stderr F what the process wrote
//	2026-11-30T17:28:29.863123456Z what the process wrote
func afterTransport(line []byte) ([]byte, bool) {
	if len(line) < 21 || line[10] != 'T' {
		return nil, false
	}
	end := timeEnd(line, 0)
	if end == 0 || end >= len(line) || line[end] != ' ' {
		return nil, false
	}
	rest := line[end+1:]
	if r, ok := bytes.CutPrefix(rest, []byte("stdout ")); ok {
		rest = r
	} else if r, ok := bytes.CutPrefix(rest, []byte("stderr ")); ok {
		rest = r
	} else {
		return rest, true
	}
	if _, text, ok := bytes.Cut(rest, []byte{' '}); ok && (rest[0] == 'F' || rest[0] == 'P') {
		return text, true
	}
	return rest, true
}

// afterTime cuts a time at the beginning of a line, perhaps in brackets, and
// the blanks behind it; without one it returns the line.
func afterTime(line []byte) []byte {
	i := 0
	if len(line) > 0 && line[0] == '<' { // the priority of syslog
		if end := bytes.IndexByte(line, '>'); end > 1 && end < 5 && isDigits(line[1:end]) {
			i = end + 1
		}
	}
	bracket := i < len(line) && line[i] == '['
	if bracket {
		i++
	}
	end := timeEnd(line, i)
	if end == 0 {
		end = monthEnd(line, i)
	}
	if end == 0 {
		end = clockEnd(line, i)
	}
	if end == 0 {
		return line
	}
	if bracket {
		if end == len(line) || line[end] != ']' {
			return line
		}
		end++
	}
	if end < len(line) && line[end] == ':' {
		end++
	}
	if end < len(line) && line[end] != ' ' && line[end] != '\t' {
		return line
	}
	return bytes.TrimLeft(line[end:], " \t")
}

// timeEnd returns where the date and time at b[i:] end, and their zone; 0:
// there are none.
func timeEnd(b []byte, i int) int {
	const form = "dddd-dd-ddTdd:dd:dd"
	if len(b) < i+len(form) || !like(b[i:], form) {
		return 0
	}
	return zoneEnd(b, i+len(form))
}

// monthEnd reads "Nov 30 17:28:29".
func monthEnd(b []byte, i int) int {
	const form = "aaa dd dd:dd:dd"
	if len(b) < i+len(form) {
		return 0
	}
	if !like(b[i:], form) && !like(b[i:], "aaa  d dd:dd:dd") {
		return 0
	}
	return zoneEnd(b, i+len(form))
}

// clockEnd reads a time of day alone: "17:28:29.863", "5:28PM".
func clockEnd(b []byte, i int) int {
	if len(b) >= i+8 && like(b[i:], "dd:dd:dd") {
		return zoneEnd(b, i+8)
	}
	for _, form := range []string{"d:ddAM", "dd:ddAM"} {
		if len(b) >= i+len(form) && like(b[i:], form) {
			return i + len(form)
		}
	}
	return 0
}

// like reports whether b begins with a text of that form: d is a digit, a a
// letter, A the first and M the second letter of AM or PM, - also a slash, T
// also a blank.
func like(b []byte, form string) bool {
	for i := range len(form) {
		c, ok := b[i], false
		switch form[i] {
		case 'd':
			ok = c >= '0' && c <= '9'
		case 'a':
			ok = c|0x20 >= 'a' && c|0x20 <= 'z'
		case 'A':
			ok = c == 'A' || c == 'P'
		case '-':
			ok = c == '-' || c == '/'
		case 'T':
			ok = c == 'T' || c == ' '
		default:
			ok = c == form[i]
		}
		if !ok {
			return false
		}
	}
	return true
}

// zoneEnd skips a fraction of a second and a zone at b[i:].
func zoneEnd(b []byte, i int) int {
	if i+1 < len(b) && (b[i] == '.' || b[i] == ',') && b[i+1] >= '0' && b[i+1] <= '9' {
		for i++; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		}
	}
	j := i
	if j < len(b) && b[j] == ' ' {
		j++
	}
	switch {
	case i < len(b) && b[i] == 'Z':
		return i + 1
	case bytes.HasPrefix(b[j:], []byte("UTC")) || bytes.HasPrefix(b[j:], []byte("GMT")):
		return j + 3
	case len(b) >= j+5 && (b[j] == '+' || b[j] == '-') && isDigits(b[j+1:j+3]):
		k := j + 3
		if b[k] == ':' {
			k++
		}
		if len(b) >= k+2 && isDigits(b[k:k+2]) {
			return k + 2
		}
	}
	return i
}
