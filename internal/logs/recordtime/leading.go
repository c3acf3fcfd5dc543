package recordtime

// stampLeading reads a date and time at the beginning of a line of text,
// perhaps in brackets:
//
//	2026-11-30 17:28:29,863 INFO …
//	2026/11/30 17:28:29 …
//	[2026-11-30T17:28:29.863Z] …
//
// It has no zone where the line writes none.
func stampLeading(line []byte) (Stamp, bool) {
	i := 0
	if len(line) > 0 && line[0] == '[' {
		i = 1
	}
	d, ok := dateAt(line, i)
	if !ok || d.end < len(line) && (line[d.end] >= '0' && line[d.end] <= '9') {
		return Stamp{}, false
	}
	return d.stamp, true
}
