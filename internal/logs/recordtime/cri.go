package recordtime

import "bytes"

// takeCRI takes a line out of the log of a container runtime:
//
//	2026-11-30T17:28:29.863123456Z stderr F what the process wrote
//
// The tag P marks a piece of a longer line, of which F is the last. Further
// tags follow after ':'.
func takeCRI(line []byte) (piece, bool) {
	d, ok := dateAt(line, 0)
	if !ok || d.stamp.NoZone || line[10] != 'T' {
		return piece{}, false
	}
	rest := line[d.end:]
	var p piece
	switch {
	case bytes.HasPrefix(rest, []byte(" stdout ")):
		p.output = 'o'
	case bytes.HasPrefix(rest, []byte(" stderr ")):
		p.output = 'e'
	default:
		return piece{}, false
	}
	tags, text, _ := bytes.Cut(rest[len(" stdout "):], []byte{' '})
	if len(tags) == 0 || tags[0] != 'P' && tags[0] != 'F' || len(tags) > 1 && tags[1] != ':' {
		return piece{}, false
	}
	p.line, p.stamp, p.partial = text, d.stamp, tags[0] == 'P'
	return p, true
}
