package recordtime

// stampLogfmt reads the time of key=value pairs:
//
//	ts=2026-11-30T17:28:29.863Z level=info msg="…"
//	time="2026-11-30T17:28:29Z" level=info msg=…
//
// A line whose first word is no pair is prose, not logfmt.
func stampLogfmt(line []byte) (Stamp, bool) {
	first := true
	for i := space(line, 0); i < len(line); i = space(line, i) {
		start := i
		for i < len(line) && line[i] != '=' && line[i] != ' ' && line[i] != '"' {
			i++
		}
		key := line[start:i]
		if i == len(line) || line[i] != '=' || len(key) == 0 {
			if first {
				return Stamp{}, false
			}
			i++
			continue
		}
		first = false
		i++
		var value []byte
		if i < len(line) && line[i] == '"' {
			end := skipString(line, i)
			if end < 0 {
				return Stamp{}, false
			}
			value, i = line[i+1:end-1], end
		} else {
			start := i
			for i < len(line) && line[i] != ' ' {
				i++
			}
			value = line[start:i]
		}
		if timeKey(key) {
			if s, ok := text(value); ok {
				return s, true
			}
		}
	}
	return Stamp{}, false
}
