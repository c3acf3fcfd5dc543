package recordtime

// takeKubectl takes a line out of what kubectl logs --timestamps prints, which
// is also the form of the logs in a corpus:
//
//	2026-11-30T17:28:29.863123456Z what the process wrote
func takeKubectl(line []byte) (piece, bool) {
	d, ok := dateAt(line, 0)
	if !ok || d.stamp.NoZone || line[10] != 'T' || d.end >= len(line) || line[d.end] != ' ' {
		return piece{}, false
	}
	return piece{line: line[d.end+1:], stamp: d.stamp}, true
}

// nanoseconds reports whether the time before a line has seven digits or more
// after the point: kubectl writes nine, less the zeros at the end. Processes
// that begin their lines with a time mostly write three or six.
func nanoseconds(line []byte) bool {
	d, ok := dateAt(line, 0)
	return ok && d.fraction >= 7
}
