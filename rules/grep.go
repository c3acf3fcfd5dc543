package rules

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// regexpStages makes a regexp that may match anywhere in a line LogQL.
func regexpStages(text string) translation {
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		return translation{fault: &fault{0, len(text), regexpMessage(err), "write it as RE2 takes it"}}
	}
	return translation{stages: []string{"|~ " + quote(text)}}
}

// regexpMessage says what is wrong in a regexp.
func regexpMessage(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// A grep is how grep is called.
type grep struct {
	syntax byte // G: basic, E: extended, F: plain text, P: of Perl
	fold   bool // -i
	invert bool // -v
	word   bool // -w
	whole  bool // -x
}

// grepStages makes what is given to grep LogQL: a pattern, which may have
// options before it.
func grepStages(text string) translation {
	g, pattern, why := grepOptions(text)
	if why != "" {
		return translation{why: why}
	}
	if strings.Contains(pattern, "\n") {
		return translation{why: "grep takes each line of the pattern as one of its own: list them one by one"}
	}
	re := ""
	switch g.syntax {
	case 'F':
		re = quoteMeta(pattern)
	case 'G', 'E':
		if re, why = posix(pattern, g.syntax == 'E'); why != "" {
			return translation{why: why}
		}
	default:
		re = pattern
	}
	if _, err := syntax.Parse(re, syntax.Perl); err != nil {
		if g.syntax == 'P' {
			return translation{why: "the regexp is one of Perl that RE2 does not take: " + regexpMessage(err)}
		}
		return translation{fault: &fault{0, len(text), regexpMessage(err), "put a backslash before characters that stand for themselves"}}
	}
	if empty, err := regexp.MatchString("^(?:"+re+")$", ""); g.word && (empty || err != nil) {
		return translation{why: "what option -w makes of an empty match is not clear"}
	}
	op := "|"
	if g.invert {
		op = "!"
	}
	if plain, ok := plainText(re); ok && !g.fold && !g.word && !g.whole {
		return translation{stages: []string{map[string]string{"|": "|= ", "!": "!= "}[op] + quote(plain)}}
	}
	switch {
	case g.whole:
		re = "^(?:" + re + ")$"
	case g.word:
		re = `(?:^|\W)(?:` + re + `)(?:\W|$)`
	}
	if g.fold {
		re = "(?i)" + re
	}
	return translation{stages: []string{op + "~ " + quote(re)}}
}

// grepOptions splits options from the pattern. A text that does not begin with
// a dash is all pattern.
func grepOptions(text string) (g grep, pattern, why string) {
	g.syntax = 'G'
	rest := text
	for strings.HasPrefix(rest, "-") {
		word, after, _ := strings.Cut(rest, " ")
		after = strings.TrimLeft(after, " ")
		switch word {
		case "--", "-e":
			return g, unquoteShell(after), ""
		case "--fixed-strings":
			word = "-F"
		case "--extended-regexp":
			word = "-E"
		case "--perl-regexp":
			word = "-P"
		case "--ignore-case":
			word = "-i"
		case "--invert-match":
			word = "-v"
		}
		for _, c := range strings.TrimPrefix(word, "-") {
			switch c {
			case 'F', 'E', 'G', 'P':
				g.syntax = byte(c)
			case 'i', 'y':
				g.fold = true
			case 'v':
				g.invert = true
			case 'w':
				g.word = true
			case 'x':
				g.whole = true
			case 'c', 'q', 'n', 'o', 's', 'h', 'H', 'a', 'l':
				// They change what is printed.
			default:
				return g, "", "option " + word + " of grep is not known here"
			}
		}
		rest = after
	}
	if rest == text {
		return g, text, ""
	}
	return g, unquoteShell(rest), ""
}

// unquoteShell takes the quotes off a word that is in quotes as a whole.
func unquoteShell(text string) string {
	if n := len(text); n >= 2 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] && strings.IndexByte(text[1:n-1], text[0]) < 0 {
		return text[1 : n-1]
	}
	return text
}

// posix turns a regexp of grep into one of RE2. In a basic one + ? { } | ( )
// stand for themselves, and have their meaning after a backslash.
func posix(pattern string, extended bool) (re, why string) {
	r := posixReader{pattern: pattern, extended: extended, fresh: true}
	for ; r.at < len(pattern) && why == ""; r.at++ {
		c := pattern[r.at]
		was, twice := r.fresh, r.repeated
		r.fresh, r.repeated = false, false
		switch {
		case c == '\\' && r.at+1 == len(pattern):
			why = "the pattern ends in a backslash"
		case c == '\\':
			r.at++
			why = r.escaped(pattern[r.at], was || twice)
		case strings.IndexByte("+?{}|()", c) >= 0:
			why = r.operator(c, extended, was || twice)
		case c == '[':
			end := bracketEnd(pattern, r.at)
			if end < 0 {
				return "", "the brackets are not closed"
			}
			r.out.WriteString(bracket(pattern[r.at : end+1]))
			r.at = end
		case c == '*' && was && !extended:
			r.out.WriteString(`\*`)
		case c == '*' && (was || twice):
			why = "what * repeats is not clear"
		case c == '^' && r.at > 0 && pattern[r.at-1] == '^':
			why = "what grep makes of ^ after ^ is not clear"
		case c == '$' && !extended && strings.HasPrefix(pattern[r.at+1:], "|"):
			why = "what grep makes of $ before | is not clear"
		case c == '^' && !was && !extended, c == '$' && !extended && !lastOf(pattern[r.at+1:]):
			r.out.WriteString(`\` + string(c))
		default:
			r.out.WriteByte(c)
			r.fresh, r.repeated = c == '^', c == '*'
		}
	}
	return r.out.String(), why
}

// A posixReader is at a byte of a regexp of grep.
type posixReader struct {
	pattern  string
	extended bool
	at       int
	out      strings.Builder
	open     int  // groups
	fresh    bool // nothing that can be repeated stands before
	repeated bool // a repetition stands before, or what cannot be repeated
}

// escaped reads the byte after a backslash.
func (r *posixReader) escaped(c byte, unclear bool) (why string) {
	next, before := byte(0), byte(0)
	if r.at+1 < len(r.pattern) {
		next = r.pattern[r.at+1]
	}
	if r.at > 1 {
		before = r.pattern[r.at-2]
	}
	switch {
	case c >= '1' && c <= '9':
		return "RE2 has no references back to groups"
	case strings.IndexByte("wWsSbB", c) >= 0:
		r.out.WriteString(`\` + string(c))
		r.repeated = c == 'b' || c == 'B' // it cannot be repeated
	case c == '<' && wordByte(next), c == '>' && wordByte(before):
		r.out.WriteString(`\b`)
		r.repeated = true
	case c == '<' || c == '>':
		return "RE2 has no \\" + string(c)
	case strings.IndexByte("+?{}|()", c) >= 0:
		return r.operator(c, !r.extended, unclear)
	default:
		r.out.WriteString(quoteMeta(string(c)))
	}
	return ""
}

// operator reads one of + ? { } | ( ), which stands for itself unless it has
// its meaning as written. unclear says that there is nothing for it to repeat.
func (r *posixReader) operator(c byte, meant, unclear bool) (why string) {
	if !meant || c == ')' && r.open == 0 || c == '}' {
		r.out.WriteString(`\` + string(c))
		return ""
	}
	r.repeated = c == '+' || c == '?' || c == '{'
	r.fresh = c == '(' || c == '|'
	switch {
	case r.repeated && unclear:
		return "what " + string(c) + " repeats is not clear"
	case c == '{':
		length := strings.IndexByte(r.pattern[r.at:], '}')
		if length < 0 {
			return "the braces are not closed"
		}
		count := strings.TrimSuffix(r.pattern[r.at:r.at+length], `\`)
		if strings.Trim(count[1:], "0123456789,") != "" {
			return "the braces hold no numbers"
		}
		r.out.WriteString(count + "}")
		r.at += length
		return ""
	case c == '(':
		r.open++
	case c == ')':
		r.open--
	}
	r.out.WriteByte(c)
	return ""
}

// wordByte reports whether a byte of a pattern stands for a letter, a digit or
// a low line.
func wordByte(c byte) bool { return nameByte(c) && c != ':' && c < 0x80 }

// lastOf reports whether a basic regexp, or a part of it, ends before rest.
func lastOf(rest string) bool {
	return rest == "" || strings.HasPrefix(rest, `\)`) || strings.HasPrefix(rest, `\|`)
}

// bracketEnd returns the offset of the bracket that closes the one at i.
func bracketEnd(p string, i int) int {
	i++
	if i < len(p) && p[i] == '^' {
		i++
	}
	for first := true; i < len(p); first = false {
		switch {
		case p[i] == '[' && i+1 < len(p) && strings.IndexByte(":.=", p[i+1]) >= 0:
			end := strings.Index(p[i+2:], p[i+1:i+2]+"]")
			if end < 0 {
				return -1
			}
			i += 2 + end + 2
		case p[i] == ']' && !first:
			return i
		default:
			i++
		}
	}
	return -1
}

// bracket writes a set of characters as RE2 takes it: a backslash stands for
// itself in grep.
func bracket(set string) string {
	head := "["
	inner := set[1 : len(set)-1]
	if strings.HasPrefix(inner, "^") {
		head, inner = "[^", inner[1:]
	}
	var b strings.Builder
	b.WriteString(head)
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case c == '[' && i+1 < len(inner) && inner[i+1] == ':':
			end := strings.Index(inner[i:], ":]")
			if end < 0 {
				b.WriteString(`\[`)
				continue
			}
			b.WriteString(inner[i : i+end+2])
			i += end + 1
		case c == '\\' || c == '[' || c == ']':
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte(']')
	return b.String()
}

// plainText returns the text that a regexp stands for, if it is only that.
func plainText(re string) (string, bool) {
	parsed, err := syntax.Parse(re, syntax.Perl)
	if err != nil || parsed.Op != syntax.OpLiteral || parsed.Flags&syntax.FoldCase != 0 {
		return "", false
	}
	return string(parsed.Rune), true
}

// quoteMeta puts backslashes before the characters that mean something.
func quoteMeta(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(`\.+*?()|[]{}^$`, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
