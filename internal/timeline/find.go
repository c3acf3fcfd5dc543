package timeline

import "strings"

// How surely a word names a piece of work.
const (
	byNameAlone = iota + 1
	byAlias
	byNameAndNamespace
	byDerivedName
	byFullName
	byUID
)

// ofTarget returns the piece of work that an action was done to: the one whose
// whole name the target is, whatever it is made of, or else what its words name.
func (x *index) ofTarget(target, more string) int {
	if w, ok := x.byID[target]; ok && target != "" {
		return w
	}
	if namespace := text(more, "namespace"); namespace != "" && target != "" {
		if w, ok := x.byID[namespace+"/"+target]; ok {
			return w
		}
	}
	return x.find(target, more)
}

// find returns the piece of work that a text names, by the word that says it
// most surely; negative: none, or several that are equally likely. More is
// text that may hold the namespace.
func (x *index) find(s, more string) int {
	v := vote{best: -1}
	words := map[string]bool(nil) // of both texts; made when asked for
	last, lastEnd := "", -1
	eachWord(s, func(word string, at int) {
		for _, w := range x.byUID[word] {
			v.add(w, byUID)
		}
		if m := x.byName[word]; m != nil && !isKey(s, at+len(word)) {
			if last != "" && at == lastEnd+1 && s[lastEnd] == '/' {
				v.all(m.in[last], byFullName, byFullName)
			}
			if words == nil {
				words = wordsOf(s, more)
			}
			named := m.namedIn(words, &v)
			if m.count == 1 && !named && !strings.Contains(s, "namespace") {
				v.add(m.only, byNameAlone)
			}
		}
		last, lastEnd = word, at+len(word)
	})
	if v.sure == 0 && len(x.aliases) > 0 {
		if words == nil {
			words = wordsOf(s, more)
		}
		eachWord(s, func(word string, _ int) {
			if w := x.alias(words, word); w >= 0 {
				v.add(w, byAlias)
			}
		})
	}
	return v.best
}

// A vote finds what is named most surely.
type vote struct{ best, sure int }

func (v *vote) add(w, how int) {
	switch {
	case how > v.sure:
		v.best, v.sure = w, how
	case how == v.sure && w != v.best:
		v.best = -1
	}
}

func (v *vote) all(ns []named, how, derived int) {
	for _, n := range ns {
		if n.derived {
			v.add(n.work, derived)
		} else {
			v.add(n.work, how)
		}
	}
}

// namedIn votes for the meanings in namespaces that are among the words, and
// for those without one. It reports whether there are any.
func (m *meanings) namedIn(words map[string]bool, v *vote) bool {
	found := false
	take := func(ns []named) {
		found = found || len(ns) > 0
		v.all(ns, byNameAndNamespace, byDerivedName)
	}
	take(m.in[""])
	if len(m.in) <= len(words) {
		for namespace, ns := range m.in { // votes have no order
			if namespace != "" && words[namespace] {
				take(ns)
			}
		}
		return found
	}
	for word := range words { // likewise
		take(m.in[word])
	}
	return found
}

// wordsOf returns the words of texts, and what of them stands before a dot.
func wordsOf(texts ...string) map[string]bool {
	words := map[string]bool{}
	for _, s := range texts {
		eachWord(s, func(word string, _ int) {
			words[word] = true
			for i := range word {
				if word[i] == '.' && i > 0 {
					words[word[:i]] = true
				}
			}
		})
	}
	return words
}

// isKey reports whether what ends at i is the key of a value, in JSON or
// logfmt: "name" is no work of that name wherever a record has such a field.
func isKey(s string, i int) bool {
	rest := s[i:]
	if strings.HasPrefix(rest, "=") {
		return true
	}
	rest = strings.TrimPrefix(rest, `\`)
	rest, quoted := strings.CutPrefix(rest, `"`)
	return quoted && strings.HasPrefix(strings.TrimLeft(rest, " "), ":")
}

// alias returns the work whose name a word holds, in a namespace that the text
// names if there are several of the name.
func (x *index) alias(words map[string]bool, word string) int {
	for i := range x.aliases {
		name, ok := x.aliases[i].Group(word)
		m := x.byName[name]
		if !ok || m == nil {
			continue
		}
		v := vote{best: -1}
		if m.count == 1 {
			for _, ns := range m.in {
				v.all(ns, byAlias, 0)
			}
		} else {
			m.namedIn(words, &v)
		}
		if v.sure > 0 && v.sure != byDerivedName {
			return v.best
		}
	}
	return -1
}

// eachWord calls do for each word of a text that may be a name.
func eachWord(s string, do func(word string, at int)) {
	for i := 0; i < len(s); {
		for i < len(s) && !nameByte(s[i]) {
			i++
		}
		from := i
		for i < len(s) && nameByte(s[i]) {
			i++
		}
		word := s[from:i]
		for len(word) > 0 && (word[len(word)-1] == '.' || word[len(word)-1] == '-') {
			word = word[:len(word)-1]
		}
		if word != "" {
			do(word, from)
		}
	}
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '-' || c == '.' || c == '_'
}

// hasWord reports whether word stands in s as one.
func hasWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || !nameByte(s[i-1])) && (end == len(s) || !nameByte(s[end]) || s[end] == '.') {
			return true
		}
		from = i + 1
	}
}
