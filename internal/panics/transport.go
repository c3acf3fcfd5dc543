package panics

import "strings"

// podMark begins what kubectl logs --prefix puts before a line.
const podMark = "[pod/"

// maxLayers is how many transports may have put something before a line.
const maxLayers = 4

// unwrap cuts off what transports and text loggers put before a line: colours,
// a time, the marks of a container runtime, the pod that kubectl names, the
// header of syslog or klog, docker's object. level is that of a klog header;
// klog says that there was one.
func unwrap(line string) (text, level string, klog bool) {
	text = dropColours(strings.TrimRight(line, "\r\n"))
	for range maxLayers { // one within the other
		rest, ok := cutTransport(text)
		if !ok {
			break
		}
		text = rest
	}
	if rest, l, ok := cutKlog(text); ok {
		return rest, l, true
	}
	return text, "", false
}

// dropColours cuts out the marks by which terminals colour a text.
func dropColours(s string) string {
	const mark = "\x1b["
	if !strings.Contains(s, mark) {
		return s
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, mark)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		s = strings.TrimLeft(after, "0123456789;")
		if s != "" && s[0] == 'm' {
			s = s[1:]
		}
	}
}

// cutTransport takes one layer of transport off.
func cutTransport(s string) (string, bool) {
	switch {
	case s == "":
		return s, false
	case s[0] == '{':
		if strings.HasPrefix(s, `{"log":"`) && strings.Contains(s, `"stream":"std`) {
			v, _ := quoted(s, len(`{"log":`))
			return strings.TrimRight(v, "\r\n"), true
		}
		return s, false
	case strings.HasPrefix(s, podMark):
		_, rest, ok := strings.Cut(s, "] ")
		return rest, ok
	case s[0] == '<' || letter(s[0]):
		if rest, ok := cutSyslog(s); ok {
			return rest, true
		}
		return cutService(s)
	}
	return cutTime(s)
}

// cutTime takes a time, perhaps in brackets, and what a container runtime
// writes behind it:
//
//	2026-11-30T17:24:50.330Z stderr F text
//	2026/11/30 17:24:50 text
func cutTime(s string) (string, bool) {
	in := s
	bracket := s[0] == '['
	if bracket {
		in = s[1:]
	}
	n := timeLength(in)
	if bracket && n > 0 && n < len(in) && in[n] == ']' {
		n++
	} else if bracket {
		return s, false
	}
	if n == 0 || n >= len(in) || in[n] != ' ' {
		return s, false
	}
	rest := in[n+1:]
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

// timeLength returns the length of a time such as 2026-11-30T17:24:50.330Z or
// 2026/11/30 17:24:50 at the beginning of s; 0: there is none.
func timeLength(s string) int {
	const shortest = len("2026-11-30T17:24:50")
	if len(s) < shortest || s[4] != s[7] || s[4] != '-' && s[4] != '/' || s[10] != 'T' && s[10] != ' ' || !isClock(s[11:]) || !isDigits(s[:4]) {
		return 0
	}
	n := shortest
	for n < len(s) && n < 40 && strings.IndexByte("0123456789.,+-:Z", s[n]) >= 0 {
		n++
	}
	return n
}

// isClock reports whether s begins with a time of day, such as 17:24:50.
func isClock(s string) bool {
	return len(s) >= 8 && s[2] == ':' && s[5] == ':' && isDigits(s[:2]) && isDigits(s[3:5]) && isDigits(s[6:8])
}

// cutSyslog takes the header of syslog:
//
//	<165>1 2026-11-30T17:28:29.003Z host app 123 ID47 - text
//	<34>Nov 30 17:28:29 host app[123]: text
func cutSyslog(s string) (string, bool) {
	rest := s
	if s[0] == '<' {
		end := strings.IndexByte(s[:min(len(s), 6)], '>')
		if end < 2 || !isDigits(s[1:end]) {
			return s, false
		}
		rest = s[end+1:]
		if strings.HasPrefix(rest, "1 ") {
			return cutSyslogData(rest[2:])
		}
	}
	const month = len("Nov 30 ")
	if len(rest) < month+9 || rest[3] != ' ' || rest[6] != ' ' || !isDigits(strings.TrimLeft(rest[4:6], " ")) ||
		!strings.Contains("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", rest[:3]) || !isClock(rest[month:]) {
		return s, false
	}
	_, rest, _ = strings.Cut(rest[month:], " ")
	host, text, ok := strings.Cut(rest, " ")
	if !ok || strings.HasSuffix(host, ":") { // no host: the text begins here
		return rest, true
	}
	if tag, after, ok := strings.Cut(text, ": "); ok && !strings.Contains(tag, " ") && tag != "panic" {
		return after, true
	}
	if tag, ok := strings.CutSuffix(text, ":"); ok && strings.HasSuffix(tag, "]") && !strings.Contains(tag, " ") {
		return "", true // an empty line
	}
	return text, true
}

// cutSyslogData takes what RFC 5424 puts between its version and the text:
// time, host, program, process, message and data.
func cutSyslogData(s string) (string, bool) {
	for range 5 {
		_, rest, ok := strings.Cut(s, " ")
		if !ok {
			return "", false
		}
		s = rest
	}
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		return strings.TrimPrefix(strings.TrimPrefix(rest, " "), "\ufeff"), true
	}
	if end := strings.Index(s, "] "); strings.HasPrefix(s, "[") && end > 0 {
		return strings.TrimPrefix(s[end+2:], "\ufeff"), true
	}
	return "", false
}

// cutService takes the name that docker compose puts before a line.
func cutService(s string) (string, bool) {
	const longest = 64
	name, rest, ok := strings.Cut(s, " | ")
	if !ok || len(name) > longest || strings.Contains(strings.TrimRight(name, " "), " ") {
		if name, ok := strings.CutSuffix(s, " |"); ok && len(name) <= longest && !strings.Contains(strings.TrimRight(name, " "), " ") {
			return "", true
		}
		return s, false
	}
	return rest, true
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

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
