package recordtime

import "bytes"

// timeKeys are the keys under which loggers write the time of a record. The
// first of them in the record that holds a time counts.
func timeKey(key []byte) bool {
	switch string(key) {
	case "ts", "time", "timestamp", "@timestamp", "t", "datetime", "T":
		return true
	}
	return false
}

// stampJSON reads the time of a JSON object, such as
//
//	{"level":"info","ts":"2026-11-30T17:28:29.863Z","msg":"…"}
//
// It walks the top level only and stops at the time, so that a record that is
// cut short later still has one.
func stampJSON(line []byte) (Stamp, bool) {
	i := space(line, 0)
	if i >= len(line) || line[i] != '{' {
		return Stamp{}, false
	}
	for i++; ; i++ {
		i = space(line, i)
		end := skipString(line, i)
		if end < 0 {
			return Stamp{}, false
		}
		key := line[i+1 : end-1]
		i = space(line, end)
		if i >= len(line) || line[i] != ':' {
			return Stamp{}, false
		}
		i = space(line, i+1)
		end = skipValue(line, i)
		if end < 0 {
			return Stamp{}, false
		}
		if timeKey(key) {
			value := line[i:end]
			if len(value) > 1 && value[0] == '"' {
				value = value[1 : len(value)-1]
			}
			if s, ok := text(value); ok {
				return s, true
			}
		}
		i = space(line, end)
		if i >= len(line) || line[i] != ',' {
			return Stamp{}, false
		}
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns where the string that begins at b[i] ends, or -1.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		i += j
		escapes := 0
		for b[i-1-escapes] == '\\' { // ends at the opening quote at the latest
			escapes++
		}
		i++
		if escapes%2 == 0 {
			return i
		}
	}
	return -1
}

// skipValue returns where the value that begins at b[i] ends, or -1. Nesting
// is counted, not recursed into.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = skipString(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] != ' ' && b[i] != '\t' && b[i] != '\r' {
		i++
	}
	if i == start || i == len(b) {
		return -1
	}
	return i
}
