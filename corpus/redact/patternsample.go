package redact

import (
	"regexp"
	"regexp/syntax"
)

// maxSample bounds the text that is made to match a pattern, in bytes.
const maxSample = 4 << 10

// patternCanaries returns, for each pattern of the policy, a text that it
// matches. One for which none is found is left out: what it would take out is
// not known.
func (r *Redactor) patternCanaries() []canary {
	var out []canary
	for i := range r.patterns {
		p := &r.patterns[i]
		text, ok := sampleOf(p.match)
		if !ok {
			continue
		}
		m := p.match.FindStringSubmatchIndex(text)
		secret := text[m[0]:m[1]]
		if n := 2 * p.group; m[n] >= 0 {
			secret = text[m[n]:m[n+1]]
		}
		if secret == "" {
			continue
		}
		out = append(out, canary{what: "match of the pattern " + p.name, secret: secret, text: text, value: secret, alone: true})
	}
	return out
}

// sampleOf returns a text that an expression matches.
func sampleOf(re *regexp.Regexp) (string, bool) {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return "", false
	}
	text := string(appendSample(nil, tree))
	m := re.FindStringIndex(text)
	return text, m != nil && m[1] > m[0]
}

func appendSample(dst []byte, re *syntax.Regexp) []byte {
	if len(dst) > maxSample {
		return dst
	}
	switch re.Op {
	case syntax.OpLiteral:
		return append(dst, string(re.Rune)...)
	case syntax.OpCharClass:
		return append(dst, string(sampleRune(re.Rune))...)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return append(dst, 'q')
	case syntax.OpCapture, syntax.OpQuest, syntax.OpPlus, syntax.OpStar:
		return appendSample(dst, re.Sub[0])
	case syntax.OpRepeat:
		for range max(re.Min, 1) {
			dst = appendSample(dst, re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			dst = appendSample(dst, sub)
		}
	case syntax.OpAlternate:
		return appendSample(dst, re.Sub[0])
	case syntax.OpNoMatch, syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
	}
	return dst
}

// sampleRune returns a letter or digit of a class where it has one.
func sampleRune(ranges []rune) rune {
	for _, want := range "q7Q" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	if len(ranges) == 0 {
		return 'q'
	}
	return ranges[0]
}
