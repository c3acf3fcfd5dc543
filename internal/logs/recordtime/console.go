package recordtime

import "bytes"

// stampConsole reads the first column of zap's console encoding:
//
//	2026-11-30T17:31:30.894Z	INFO	binder-plugins	Feature flags	{…}
//	1.7960598908940e+09	INFO	…
//
// Zap writes the time as ISO 8601, RFC 3339 or a number since the epoch. A
// number counts only where the second column is a level.
func stampConsole(line []byte) (Stamp, bool) {
	tab := bytes.IndexByte(line[:min(len(line), 64)], '\t')
	if tab < 0 {
		return Stamp{}, false
	}
	s, ok := text(line[:tab])
	if !ok || !s.Number {
		return s, ok
	}
	level := line[tab+1:]
	if i := bytes.IndexByte(level, '\t'); i >= 0 {
		level = level[:i]
	}
	return s, isLevel(level)
}

func isLevel(b []byte) bool {
	if i := bytes.IndexByte(b, 'm'); i > 0 && b[0] == '\x1b' { // coloured
		b = b[i+1:]
	}
	for _, l := range [...]string{"DEBUG", "INFO", "WARN", "ERROR", "DPANIC", "PANIC", "FATAL", "LEVEL("} {
		if len(b) >= len(l) && bytes.EqualFold(b[:len(l)], []byte(l)) {
			return true
		}
	}
	return false
}
