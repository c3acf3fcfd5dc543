package messages

import (
	"bytes"

	"github.com/stillfires/stillfires/internal/outcome"
)

// parseText reads a line that has no form of its own: perhaps a time, then in
// any order a level, a thread in brackets, a logger and the place of the call,
// then the text, and perhaps pairs.
//
//	2026-11-30 17:28:29,863 INFO  [main] com.example.Server - Started in 3 s
//	2026/11/30 17:28:29 [error] 12#12: *3 connect() failed, client: 10.0.0.1
//	2026/11/30 17:28:29 WARN retrying attempt=3
//	ERROR:root:no such file
func (r *Record) parseText(line []byte) {
	r.Encoding = outcome.Text
	rest := afterTime(line)
	timed := len(rest) < len(line)
	rest, preamble := r.preamble(rest, timed)
	if timed || preamble {
		rest = r.cutPairs(rest)
		if len(r.Fields) > 0 {
			r.assignText()
		}
	}
	r.message = rest
}

// assignText gives the fields after a text their roles; the message is the
// text, whatever a field is called.
func (r *Record) assignText() {
	level, verbosity := r.Level, r.Verbosity
	r.assign()
	for i := range r.Fields {
		if r.Fields[i].Role == Message {
			r.Fields[i].Role = Plain
		}
	}
	r.messageEscaped = false
	if level != "" {
		r.Level, r.Verbosity = level, verbosity
	}
}

// preamble reads what stands before the text and reports whether there was a
// level.
func (r *Record) preamble(b []byte, timed bool) (rest []byte, found bool) {
	rest = b
	for range 5 {
		word, after := firstWord(rest)
		if len(word) == 0 {
			break
		}
		if !found && r.textLevel(word, after, timed) {
			rest, found = after, true
			continue
		}
		if n := pythonLevel(r, word); !found && !timed && n > 0 {
			return rest[n:], true
		}
		if (timed || found) && len(r.Function) == 0 && r.setPlace(bytes.TrimRight(word, ":>")) {
			rest = after
			continue
		}
		if !timed && !found {
			break
		}
		if next, ok := r.aside(word, rest, after, found); ok {
			rest = next
			continue
		}
		break
	}
	if !found && r.Level == "" {
		return rest, false
	}
	return bytes.TrimLeft(rest, " \t"), found
}

// textLevel takes a word as the level: in capitals, or in brackets, or after a
// time with a colon behind it.
func (r *Record) textLevel(word, after []byte, timed bool) bool {
	bare := uncoloured(word)
	// Logrus puts the seconds since its start behind the level.
	if i := bytes.IndexByte(bare, '['); i > 0 && bare[len(bare)-1] == ']' && isDigits(bare[i+1:len(bare)-1]) {
		bare = bare[:i]
	}
	marked := len(bare) > 2 && (bare[0] == '[' && bare[len(bare)-1] == ']' || bare[0] == '<' && bare[len(bare)-1] == '>')
	if marked {
		bare = bare[1 : len(bare)-1]
	}
	if n := len(bare); n > 1 && bare[n-1] == ':' {
		bare, marked = bare[:n-1], marked || timed
	}
	if len(bare) == 1 && timed && len(after) > 0 {
		bare = longLevel(bare)
	}
	capitals := len(bare) > 2
	for _, c := range bare {
		capitals = capitals && (c < 'a' || c > 'z')
	}
	if !marked && !capitals {
		return false
	}
	name, verbosity, ok := levelOf(bare)
	if ok {
		r.Level, r.Verbosity = name, verbosity
	}
	return ok
}

// longLevel spells out the letter that some loggers write for a level.
func longLevel(b []byte) []byte {
	switch b[0] {
	case 'I':
		return []byte("INFO")
	case 'W':
		return []byte("WARN")
	case 'E':
		return []byte("ERROR")
	case 'D':
		return []byte("DEBUG")
	case 'F':
		return []byte("FATAL")
	}
	return b
}

// pythonLevel reads "ERROR:name:" at the beginning of a word and returns its
// length; 0: there is none.
func pythonLevel(r *Record, word []byte) int {
	level, rest, ok := bytes.Cut(word, []byte{':'})
	if !ok || len(level) < 4 || level[0] > 'Z' {
		return 0
	}
	logger, _, ok := bytes.Cut(rest, []byte{':'})
	if !ok || len(logger) == 0 {
		return 0
	}
	name, verbosity, ok := levelOf(level)
	if !ok {
		return 0
	}
	r.Level, r.Verbosity, r.Logger = name, verbosity, logger
	return len(level) + len(logger) + 2
}

// aside takes a word before the text that is none of its own: a thread, a
// process, a logger, a dash.
func (r *Record) aside(word, rest, after []byte, found bool) ([]byte, bool) {
	switch {
	case string(word) == "-" || string(word) == "--" || string(word) == "---" || string(word) == "|" || string(word) == ":" || string(word) == ">":
		return after, true
	case word[0] == '[':
		end := bytes.IndexByte(rest, ']')
		if end < 0 || end > 64 {
			return nil, false
		}
		// A thread in brackets, unless it is the text that begins so.
		next, _ := firstWord(rest[end+1:])
		if len(next) == 0 {
			return nil, false
		}
		return bytes.TrimLeft(rest[end+1:], " \t"), true
	case isDigits(word):
		return after, true // a process or a thread
	case len(r.Logger) == 0 && isLogger(bytes.TrimRight(word, ":"), after, word[len(word)-1] == ':'):
		r.Logger = bytes.TrimRight(word, ":")
		return after, true
	case !found && len(r.Logger) == 0 && bytes.HasPrefix(after, []byte("- ")) && isWord(word):
		r.Logger = word // Python's "time - name - LEVEL - text"
		return after, true
	}
	return nil, false
}

// isLogger reports whether a word is a dotted name that a colon or a dash
// parts from the text, such as a class of Java.
func isLogger(word, after []byte, colon bool) bool {
	if !isWord(word) || bytes.IndexByte(word, '.') <= 0 {
		return false
	}
	return colon || bytes.HasPrefix(after, []byte("- ")) || bytes.HasPrefix(after, []byte(": "))
}

func isWord(b []byte) bool {
	for _, c := range b {
		if !isKey(c) && c != '$' {
			return false
		}
	}
	return len(b) > 0
}

func firstWord(b []byte) (word, after []byte) {
	b = bytes.TrimLeft(b, " \t")
	i := bytes.IndexAny(b, " \t")
	if i < 0 {
		return b, nil
	}
	return b[:i], bytes.TrimLeft(b[i:], " \t")
}
