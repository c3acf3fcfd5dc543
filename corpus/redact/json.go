package redact

import "bytes"

// maxJSONDepth bounds objects and lists within each other; what is deeper is
// read as text.
const maxJSONDepth = 1000

// A jsonWalk reads one value of JSON and marks what is to be replaced in it.
// It changes nothing but texts, and numbers under keys of secrets, so that
// what was JSON stays JSON.
type jsonWalk struct {
	c     *Cleaner
	b     []byte
	depth int // of quoted texts
	level int // of objects and lists
	path  []string
	ahead int // bytes read to know Secrets
	spans []span
}

// scanJSON reads the value at the beginning of b. It returns where it ends, and
// false if it is not JSON.
func (c *Cleaner) scanJSON(b []byte, depth int) ([]span, int, bool) {
	w := &jsonWalk{c: c, b: b, depth: depth}
	end, ok := w.value(0, place{})
	return w.spans, end, ok
}

// A place is where a value stands: its key and what is known of it.
type place struct {
	key    []byte
	class  keyClass
	secret bool // in data of an object of kind Secret
}

func (w *jsonWalk) space(i int) int {
	for i < len(w.b) && isSpace(w.b[i]) {
		i++
	}
	return i
}

func (w *jsonWalk) at(i int) byte {
	if i < len(w.b) {
		return w.b[i]
	}
	return 0
}

func (w *jsonWalk) value(i int, p place) (int, bool) {
	i = w.space(i)
	switch w.at(i) {
	case '{':
		return w.object(i, p)
	case '[':
		return w.list(i, p)
	case '"':
		end := closingQuote(w.b, i+1)
		if end < 0 || bytes.IndexByte(w.b[i+1:end], '\n') >= 0 {
			return i, false
		}
		w.text(i+1, end, p)
		return end + 1, true
	default:
		return w.scalar(i, p)
	}
}

// scalar reads a number, true, false or null.
func (w *jsonWalk) scalar(i int, p place) (int, bool) {
	end := i
	for end < len(w.b) && (isAlnum(w.b[end]) || w.b[end] == '-' || w.b[end] == '+' || w.b[end] == '.') {
		end++
	}
	text := w.b[i:end]
	switch {
	case string(text) == "true", string(text) == "false", string(text) == "null":
		return end, true
	case !isJSONNumber(text):
		return i, false
	}
	if k, ok := p.replaces(true); ok && p.class != weakKey {
		w.spans = append(w.spans, span{start: i, end: end, kind: k, token: w.c.tokens.token(text), quote: true})
	}
	return end, true
}

// replaces reports whether the value at the place is replaced as a whole.
func (p place) replaces(number bool) (kind, bool) {
	switch {
	case p.class == chosenKey:
		return kindField, true
	case p.secret:
		return kindSecretData, true
	case p.class == plainKey, p.class == counterKey && number:
		return 0, false
	}
	return kindSecretKey, true
}

// isJSONNumber reports whether text is a number as JSON writes it.
func isJSONNumber(text []byte) bool {
	i := 0
	digits := func() bool {
		from := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		return i > from
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	from := i
	if !digits() || text[from] == '0' && i > from+1 {
		return false
	}
	if i < len(text) && text[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(text) && lower[text[i]] == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(text)
}

func (w *jsonWalk) list(i int, p place) (int, bool) {
	if w.level++; w.level > maxJSONDepth {
		return i, false
	}
	defer func() { w.level-- }()
	i = w.space(i + 1)
	if w.at(i) == ']' {
		return i + 1, true
	}
	for flag := plainKey; ; {
		item := p
		i = w.space(i)
		if flag != plainKey && w.at(i) == '"' && w.at(i+1) != '-' {
			item.class = flag // ["--token", "…"]
		}
		flag = plainKey
		start := i
		end, ok := w.value(i, item)
		if !ok {
			return i, false
		}
		if w.at(start) == '"' && w.at(start+1) == '-' && bytes.IndexByte(w.b[start:end], '=') < 0 {
			flag = w.c.classOf(bytes.TrimLeft(w.b[start+1:end-1], "-"))
		}
		switch i = w.space(end); w.at(i) {
		case ',':
			i++
		case ']':
			return i + 1, true
		default:
			return i, false
		}
	}
}

func (w *jsonWalk) object(i int, p place) (int, bool) {
	if w.level++; w.level > maxJSONDepth {
		return i, false
	}
	defer func() { w.level-- }()
	if p.class != chosenKey {
		p.class = plainKey // only what is chosen is so with all that is below it
	}
	start := i
	i = w.space(i + 1)
	if w.at(i) == '}' {
		return i + 1, true
	}
	named := plainKey // class of the value of {"name": "DB_PASSWORD", "value": …}
	for {
		i = w.space(i)
		if w.at(i) != '"' {
			return i, false
		}
		keyEnd := closingQuote(w.b, i+1)
		if keyEnd < 0 {
			return i, false
		}
		raw := w.b[i+1 : keyEnd]
		w.keyText(i+1, keyEnd)
		if i = w.space(keyEnd + 1); w.at(i) != ':' {
			return i, false
		}
		i = w.space(i + 1)
		end, ok := w.member(i, raw, p, start, &named)
		if !ok {
			return i, false
		}
		switch i = w.space(end); w.at(i) {
		case ',':
			i++
		case '}':
			return i + 1, true
		default:
			return i, false
		}
	}
}

// member reads the value of a key of the object that begins at start.
func (w *jsonWalk) member(i int, raw []byte, p place, start int, named *keyClass) (int, bool) {
	key := raw
	if bytes.IndexByte(raw, '\\') >= 0 {
		key = unescape(nil, raw)
	}
	child := place{key: key, class: w.c.classOf(key), secret: p.secret}
	if p.class == chosenKey {
		child.class = chosenKey
	}
	if len(w.c.r.paths) > 0 {
		w.path = append(w.path, string(key))
		defer func() { w.path = w.path[:len(w.path)-1] }()
		if w.c.r.chosenPath(w.path) {
			child.class = chosenKey
		}
	}
	switch string(key) {
	case "data", "stringData":
		if c := w.at(i); c == '{' && w.isSecret(start) {
			child.secret = true
		}
	case "value":
		if child.class == plainKey {
			child.class = *named
		}
	case "name":
		if w.at(i) == '"' {
			if end := closingQuote(w.b, i+1); end > 0 {
				*named = w.c.classOf(w.b[i+1 : end])
			}
		}
	}
	return w.value(i, child)
}

// keyText looks into a key: what is a secret by its form is one there too.
func (w *jsonWalk) keyText(start, end int) {
	w.within(start, end, nil)
}

// text looks into a text between quotes.
func (w *jsonWalk) text(start, end int, p place) {
	if k, ok := p.replaces(false); ok {
		value := w.b[start:end]
		if bytes.IndexByte(value, '\\') >= 0 {
			value = unescape(nil, value)
		}
		if from, to, ok := w.c.secretIn(value, p.class); ok {
			if from == 0 && to == len(value) {
				w.add(start, end, k, value)
				return
			}
			part := []span{{start: from, end: to}}
			mapBack(w.b[start:end], part)
			w.add(start+part[0].start, start+part[0].end, k, value[from:to])
			return
		}
	}
	w.within(start, end, p.key)
}

func (w *jsonWalk) add(start, end int, k kind, value []byte) {
	if start < end && !w.c.tokens.isToken(value) {
		w.spans = append(w.spans, span{start: start, end: end, kind: k, token: w.c.tokens.token(value)})
	}
}

// within searches the text between two quotes.
func (w *jsonWalk) within(start, end int, key []byte) {
	inner := w.b[start:end]
	if w.c.quiet(inner) {
		return
	}
	var spans []span
	if bytes.IndexByte(inner, '\\') >= 0 && w.depth < maxDepth {
		spans, _ = w.c.scanQuoted(inner, w.depth, key)
	} else {
		spans, _ = w.c.scanText(inner, w.depth, key)
	}
	for _, x := range spans {
		x.start, x.end = x.start+start, x.end+start
		w.spans = append(w.spans, x)
	}
}
