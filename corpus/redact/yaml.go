package redact

import "bytes"

// YAML in a text is read line by line. Where escapes were not taken away, as in
// a record that was cut, \n ends a line too.

// yamlLine returns where the value of "key: value" on a line of its own ends,
// in a text that is YAML; -1 if this is none.
func (s *textScan) yamlLine(p *pair, value int) int {
	if p.sep != ':' || !p.spaced || p.quoted && s.text[value-1] != ' ' || !s.isYAML() || !s.beginsLine(p) {
		return -1
	}
	end := s.lineEnd(value)
	if i := bytes.Index(s.text[value:end], []byte(" #")); i >= 0 {
		end = value + i
	}
	return value + len(bytes.TrimRight(s.text[value:end], " \t\r"))
}

// isYAML reports whether two lines of the text or more begin with a key.
func (s *textScan) isYAML() bool {
	if s.yaml == 0 {
		s.yaml = 1
		keys := 0
		for i := 0; i < len(s.text) && keys < 2; {
			end := s.lineEnd(i)
			if isKeyLine(s.text[i:end]) {
				keys++
			}
			i = s.nextLine(end)
		}
		if keys >= 2 {
			s.yaml = 2
		}
	}
	return s.yaml == 2
}

// isKeyLine reports whether a line begins with a key and a colon.
func isKeyLine(line []byte) bool {
	line = bytes.TrimLeft(line, " -")
	i := 0
	for i < len(line) && (isKeyByte(line[i]) || line[i] == '/' || line[i] == '"' || line[i] == '\'') {
		i++
	}
	return i > 0 && i < len(line) && line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\r')
}

// beginsLine reports whether nothing but spaces and list marks stand before a
// key on its line.
func (s *textScan) beginsLine(p *pair) bool {
	i := p.start
	if p.quoted && i > 0 {
		i--
	}
	for i > 0 && (s.text[i-1] == ' ' || s.text[i-1] == '-') {
		i--
	}
	return i == 0 || s.text[i-1] == '\n' || i > 1 && s.text[i-1] == 'n' && s.text[i-2] == '\\'
}

func (s *textScan) lineEnd(i int) int {
	for ; i < len(s.text); i++ {
		if s.text[i] == '\n' || s.text[i] == '\\' && i+1 < len(s.text) && s.text[i+1] == 'n' {
			break
		}
	}
	return i
}

// nextLine returns where the line begins that follows one which ends at end.
func (s *textScan) nextLine(end int) int {
	if end < len(s.text) && s.text[end] == '\\' {
		return end + 2
	}
	return end + 1
}

// indent returns how far the line at i is indented, and whether it is empty.
func (s *textScan) indent(i int) (int, bool) {
	n := 0
	for i+n < len(s.text) && s.text[i+n] == ' ' {
		n++
	}
	return n, s.lineEnd(i+n) == i+n
}

// lineStart returns where the line of a place begins.
func (s *textScan) lineStart(i int) int {
	for i > 0 && s.text[i-1] != '\n' && (i < 2 || s.text[i-1] != 'n' || s.text[i-2] != '\\') {
		i--
	}
	return i
}

// blockValue takes the lines of a block, key: | or key: >. It returns 0 if there
// is none.
func (s *textScan) blockValue(p *pair, i int) int {
	end := s.lineEnd(i)
	if len(bytes.Trim(s.text[i:end], "|>+-0123456789 \r")) > 0 || end == len(s.text) {
		return 0
	}
	return s.deeper(end, s.lineStart(p.start), func(from, to int) {
		if _, _, ok := s.c.secretIn(s.text[from:to], p.class); ok || p.class == secretKey {
			s.add(from, to, s.kindOf(p))
		}
	})
}

// deeper calls f with what stands on each line that follows a line end and is
// indented more than the line that begins at parent. It returns where these
// lines end.
func (s *textScan) deeper(end, parent int, f func(from, to int)) int {
	outer, _ := s.indent(parent)
	for {
		line := s.nextLine(end)
		if line >= len(s.text) {
			return len(s.text)
		}
		n, empty := s.indent(line)
		if !empty && n <= outer {
			return line
		}
		end = s.lineEnd(line)
		if to := line + len(bytes.TrimRight(s.text[line:end], " \t\r")); to > line+n {
			f(line+n, to)
		}
	}
}
