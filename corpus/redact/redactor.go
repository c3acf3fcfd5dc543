package redact

import (
	"bytes"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/stillfires/stillfires/corpus"
)

// A Redactor is a policy and a key, compiled. It is safe for concurrent use.
type Redactor struct {
	policy   *Policy
	key      *Key
	index    *index
	patterns []pattern
	always   bool // a pattern can match where nothing else is
	chosen   map[string]bool
	paths    [][]string
	keep     []netip.Prefix
	dropped  map[string]bool // keys whose values stay
}

// A pattern is one of the policy's.
type pattern struct {
	name  string
	match *regexp.Regexp
	group int // of which the match is replaced
}

// New compiles a policy and proves it on planted secrets of every kind, in
// every form in which they are looked for, and in a corpus that is written with
// it. A secret that would survive is an error: nothing is to be written with
// such a policy.
func New(p *Policy, key *Key) (*Redactor, error) {
	r, err := compile(p, key)
	if err != nil {
		return nil, err
	}
	if err := r.SelfTest(); err != nil {
		return nil, err
	}
	return r, r.testWritten()
}

func compile(p *Policy, key *Key) (*Redactor, error) {
	r := &Redactor{policy: p, key: key, chosen: map[string]bool{}, dropped: map[string]bool{}, index: &index{}}
	if err := r.compilePatterns(); err != nil {
		return nil, err
	}
	for _, f := range p.Fields {
		path := strings.Split(f, ".")
		name := path[len(path)-1]
		if len(path) == 1 {
			r.chosen[lowerText(name)] = true
		} else {
			r.paths = append(r.paths, path)
		}
		r.always = r.always || len(name) < 3 || strings.Contains(name, "*")
	}
	for _, k := range p.KeepKeys {
		r.dropped[lowerText(k)] = true
	}
	for _, text := range p.KeepAddresses {
		prefix, err := parsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("keepAddresses: %w", err)
		}
		r.keep = append(r.keep, prefix)
	}
	r.fillIndex()
	return r, nil
}

func (r *Redactor) compilePatterns() error {
	for _, p := range r.policy.Patterns {
		re, err := regexp.Compile(p.Match)
		if err != nil {
			return fmt.Errorf("pattern %s: %w", p.Name, err)
		}
		group := 0
		if i := re.SubexpIndex("secret"); i > 0 {
			group = i
		}
		r.patterns = append(r.patterns, pattern{name: p.Name, match: re, group: group})
	}
	return nil
}

func parsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// keeps reports whether an address is one that stays.
func (r *Redactor) keeps(addr netip.Addr) bool {
	addr = addr.Unmap()
	for _, p := range r.keep {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

func (r *Redactor) fillIndex() {
	x := r.index
	x.add(onBearer, "bearer ", "basic ")
	x.add(onKey, keyTexts...)
	for _, k := range keyKinds {
		x.add(onKey, k+"key", k+"_key", k+"-key", k+".key")
	}
	for _, p := range r.policy.Keys {
		x.add(onKey, p)
	}
	for _, f := range r.policy.Fields {
		if name := f[strings.LastIndexByte(f, '.')+1:]; len(name) >= 3 {
			x.add(onKey, name)
		}
	}
	x.add(onScheme, "://")
	x.add(onEscape, `\u0`, `\/\/`)
	exact := func(then trigger, text string) {
		x.addText(triggerText{text: text, then: then, exact: true})
	}
	exact(onPEM, pemBegin)
	exact(onPEM64, pemBase64)
	for i := range cloudForms {
		exact(onCloud, cloudForms[i].prefix)
	}
	exact(onJWT, "eyJ")
	for c := byte('0'); c <= '9'; c++ {
		exact(onAzure, string(c)+azureSecret)
	}
	x.bytes['"'], x.bytes['{'], x.bytes['['] = onQuote, onBrace, onBrace
	if r.policy.Emails {
		x.bytes['@'] = onAt
	}
	if r.policy.IPv4 {
		x.bytes['.'] = onDot
	}
	if r.policy.IPv6 {
		x.bytes[':'] = onColon
	}
	r.always = r.always || len(r.patterns) > 0
}

// chosenPath reports whether a value of JSON stands at a path that the policy
// names.
func (r *Redactor) chosenPath(path []string) bool {
	for _, want := range r.paths {
		if len(want) != len(path) {
			continue
		}
		same := true
		for i := range want {
			same = same && (want[i] == "*" || want[i] == path[i])
		}
		if same {
			return true
		}
	}
	return false
}

// KeyID tells with which key the tokens are made.
func (r *Redactor) KeyID() string { return r.key.ID() }

// Record returns what run.json says of the redaction, without counts.
func (r *Redactor) Record() corpus.Redaction {
	return corpus.Redaction{Policy: r.policy.Name, KeyID: r.key.ID()}
}

// NewCleaner returns a cleaner for the records of one stream, or the values of
// one file, in their order.
func (r *Redactor) NewCleaner() corpus.Cleaner { return r.cleaner() }

func (r *Redactor) cleaner() *Cleaner {
	return &Cleaner{r: r, tokens: newTokenizer(r.key), classes: map[string]keyClass{}, counts: make([]int64, int(kindPattern)+len(r.patterns))}
}

// A Cleaner cleans what follows one another: it knows that a private key may
// go on in the next record. Not for concurrent use.
type Cleaner struct {
	r       *Redactor
	tokens  *tokenizer
	classes map[string]keyClass
	counts  []int64
	pem     pemState
	exact   bool // texts that differ have tokens that differ
	out     [2][]byte
}

// maxClasses bounds the keys that a cleaner remembers.
const maxClasses = 1 << 14

// classOf judges a key by its name and the policy.
func (c *Cleaner) classOf(key []byte) keyClass {
	if class, ok := c.classes[string(key)]; ok {
		return class
	}
	if len(key) > maxName*2 {
		return plainKey
	}
	name := string(key)
	small := lowerText(name)
	class := classify(name)
	switch {
	case c.r.chosen[small]:
		class = chosenKey
	case c.r.dropped[small]:
		class = plainKey
	case !c.r.policy.SecretKeys && class != plainKey:
		class = plainKey
	}
	for _, k := range c.r.policy.Keys {
		if class == plainKey && small == lowerText(k) {
			class = secretKey
		}
	}
	if len(c.classes) >= maxClasses {
		clear(c.classes)
	}
	c.classes[name] = class
	return class
}

// quiet reports whether a text holds nothing to look at.
func (c *Cleaner) quiet(text []byte) bool {
	if c.pem.open || c.r.always {
		return false
	}
	at, _ := c.r.index.next(text, 0, false)
	return at < 0
}

// maxPasses bounds how often a record is cleaned. Each pass can only find what
// tokens put beside each other, which is nearly always nothing.
const maxPasses = 4

// Line returns a record without its secrets. It is valid until the next call,
// and may be the record that was given.
func (c *Cleaner) Line(line []byte) []byte {
	if c.quiet(line) {
		return line
	}
	before := c.pem
	out := line
	for pass := range maxPasses {
		after := c.pem
		c.pem = before
		spans := c.pass(out)
		if pass > 0 {
			c.pem = after
		}
		if len(spans) == 0 {
			break
		}
		for _, s := range spans {
			c.counts[s.kind]++
		}
		buf := &c.out[pass%2]
		*buf = replace((*buf)[:0], out, spans)
		out = *buf
	}
	if c.pem.open {
		if c.pem.left--; c.pem.left <= 0 {
			c.pem = pemState{}
		}
	}
	if len(out) > corpus.MaxRecord && len(out) > len(line) {
		return c.tooLong(line)
	}
	return out
}

// tooLong takes the place of a record that grew beyond what a record may have.
func (c *Cleaner) tooLong(line []byte) []byte {
	token := c.tokens.token(line)
	if text := bytes.TrimSpace(line); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return []byte(`{"msg":"` + token + `"}`)
	}
	return []byte(token)
}

func (c *Cleaner) pass(line []byte) []span {
	text := bytes.TrimSpace(line)
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		before := c.pem
		spans, end, ok := c.scanJSON(text, 0)
		if ok && end == len(text) {
			shift := bytes.Index(line, text[:1])
			for i := range spans {
				spans[i].start, spans[i].end = spans[i].start+shift, spans[i].end+shift
			}
			return merge(spans)
		}
		c.pem = before
	}
	spans, _ := c.scanText(line, 0, nil)
	return spans
}

// Value returns a JSON value of a file without its secrets, as Line does.
func (c *Cleaner) Value(value []byte) []byte { return c.Line(value) }

// Text returns a text without its secrets.
func (c *Cleaner) Text(text string) string { return string(c.Line([]byte(text))) }

// Label returns the value of a label without its secrets: of a stream, of a
// series or of metadata. Values that differ stay different.
func (c *Cleaner) Label(name, value string) string {
	c.exact = true
	defer func() { c.exact = false }()
	class := c.classOf([]byte(name))
	if class != plainKey {
		if from, to, ok := c.secretIn([]byte(value), class); ok && !c.tokens.isToken([]byte(value[from:to])) {
			k := kindSecretKey
			if class == chosenKey {
				k = kindField
			}
			c.counts[k]++
			return value[:from] + c.tokens.token([]byte(value[from:to])) + value[to:]
		}
	}
	return c.Text(value)
}

// Count adds what was replaced, by kind.
func (c *Cleaner) Count(counts map[string]int64) {
	for k, n := range c.counts {
		if n > 0 {
			counts[c.r.kindName(kind(k))] += n
		}
	}
}

func (r *Redactor) kindName(k kind) string {
	if k >= kindPattern {
		return "pattern:" + r.patterns[k-kindPattern].name
	}
	return kindNames[k]
}
