package corpus

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A pattern is a path with captures: {name} stands for one or more bytes of
// one path element, * for any, ? for one, ** for whole elements, and [text]
// for text or nothing.
type pattern struct {
	text  string
	re    *regexp.Regexp
	names []string
}

var captureName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// compilePattern reads a pattern.
func compilePattern(text string) (*pattern, error) {
	p := &pattern{text: text}
	if text == "" || strings.HasPrefix(text, "/") || strings.Contains("/"+text+"/", "/../") || strings.Contains(text, "//") || strings.ContainsAny(text, "\\\x00") {
		return nil, fmt.Errorf("pattern %q: want a path below the directory, with /, no .. and no leading /", text)
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	optional := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{':
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				return nil, fmt.Errorf("pattern %q: { without }", text)
			}
			name := text[i+1 : i+end]
			if !captureName.MatchString(name) || slices.Contains(p.names, name) {
				return nil, fmt.Errorf("pattern %q: {%s} is no name, or is there twice", text, name)
			}
			p.names = append(p.names, name)
			b.WriteString(`([^/]+?)`)
			i += end
		case '[':
			if optional {
				return nil, fmt.Errorf("pattern %q: [ inside [", text)
			}
			optional = true
			b.WriteString(`(?:`)
		case ']':
			if !optional {
				return nil, fmt.Errorf("pattern %q: ] without [", text)
			}
			optional = false
			b.WriteString(`)?`)
		case '*':
			re, size := star(text, i)
			b.WriteString(re)
			i += size - 1
		case '?':
			b.WriteString(`[^/]`)
		default:
			_, size := utf8.DecodeRuneInString(text[i:])
			b.WriteString(regexp.QuoteMeta(text[i : i+size]))
			i += size - 1
		}
	}
	if optional {
		return nil, fmt.Errorf("pattern %q: [ without ]", text)
	}
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", text, err)
	}
	p.re = re
	return p, nil
}

// star returns the expression for the stars at text[i:] and how many bytes it
// stands for.
func star(text string, i int) (re string, size int) {
	first := i == 0 || text[i-1] == '/'
	switch {
	case first && strings.HasPrefix(text[i:], "**/"):
		return `(?:.*/)?`, 3
	case first && text[i:] == "**":
		return `.*`, 2
	}
	return `[^/]*`, 1
}

// match returns the captures of name, or nil where it does not match.
func (p *pattern) match(name string) map[string]string {
	m := p.re.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	captures := make(map[string]string, len(p.names))
	for i, n := range p.names {
		captures[n] = m[i+1]
	}
	return captures
}

// elements returns how many path elements the pattern spans.
func (p *pattern) elements() int { return 1 + strings.Count(p.text, "/") }

var captureRef = regexp.MustCompile(`\{([a-zA-Z][a-zA-Z0-9_]*)\}`)

// expand replaces {name} in text by captures. A name without a capture is an
// error. Values given in table for a name stand in for what was captured.
func expand(text string, captures map[string]string, table map[string]map[string]string) (string, error) {
	var missing error
	out := captureRef.ReplaceAllStringFunc(text, func(ref string) string {
		name := ref[1 : len(ref)-1]
		v, ok := captures[name]
		if !ok {
			missing = fmt.Errorf("%q: {%s} is captured by no pattern", text, name)
		}
		if mapped, ok := table[name][v]; ok {
			return mapped
		}
		return v
	})
	return out, missing
}
