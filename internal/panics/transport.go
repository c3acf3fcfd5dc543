package panics

import "strings"

// unwrap cuts off what transports and text loggers put before a line: a time,
// the marks of a container runtime, klog's header, docker's object. level is
// that of a klog header; klog says that there was one.
func unwrap(line string) (text, level string, klog bool) {
	text = strings.TrimRight(line, "\r\n")
	for range 3 { // one within the other
		rest, ok := cutContainer(text)
		if !ok {
			break
		}
		text = rest
	}
	if rest, l, ok := cutKlog(text); ok {
		return rest, l, true
	}
	return cutLogTime(text), "", false
}

// cutContainer takes one layer of transport off.
func cutContainer(s string) (string, bool) {
	if strings.HasPrefix(s, `{"log":"`) && strings.Contains(s, `"stream":"std`) {
		v, _ := quoted(s, len(`{"log":`))
		return strings.TrimRight(v, "\r\n"), true
	}
	if n := timeLength(s); n > 0 && n < len(s) && s[n] == ' ' {
		rest := s[n+1:]
		for _, stream := range []string{"stderr ", "stdout "} {
			if r, ok := strings.CutPrefix(rest, stream); ok && len(r) >= 2 && (r[0] == 'F' || r[0] == 'P') && r[1] == ' ' {
				return r[2:], true
			}
			if rest == strings.TrimSpace(stream)+" F" {
				return "", true
			}
		}
		return rest, true
	}
	return s, false
}

// timeLength returns the length of a time such as 2026-11-30T17:24:50.330Z at
// the beginning of s; 0: there is none.
func timeLength(s string) int {
	const shortest = len("2026-11-30T17:24:50")
	if len(s) < shortest || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || !isDigits(s[:4]) {
		return 0
	}
	n := shortest
	for n < len(s) && n < 40 && strings.IndexByte("0123456789.,+-:Z", s[n]) >= 0 {
		n++
	}
	return n
}

// cutKlog takes a header such as "E1130 17:24:50.330123       1 main.go:12] ".
func cutKlog(s string) (rest, level string, ok bool) {
	if len(s) < 30 || strings.IndexByte("IWEF", s[0]) < 0 || !isDigits(s[1:5]) || s[5] != ' ' || s[8] != ':' {
		return "", "", false
	}
	end := strings.Index(s[:min(len(s), 200)], "] ")
	if end < 0 {
		return "", "", false
	}
	level = map[byte]string{'I': "info", 'W': "warn", 'E': "error", 'F': "fatal"}[s[0]]
	return s[end+2:], level, true
}

// cutLogTime takes a time as package log writes it: 2026/11/30 17:24:50.
func cutLogTime(s string) string {
	if len(s) > 20 && s[4] == '/' && s[7] == '/' && s[10] == ' ' && s[13] == ':' && s[16] == ':' && isDigits(s[:4]) {
		rest := s[19:]
		if strings.HasPrefix(rest, ".") {
			rest = strings.TrimLeft(rest[1:], "0123456789")
		}
		return strings.TrimLeft(rest, " ")
	}
	return s
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
