package messages

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Bounds of what is kept of the fields of a kind.
const (
	maxKeys       = 128
	maxHeads      = 16
	maxValues     = 24
	maxTexts      = 64
	maxValueBytes = 128
	maxHashed     = 256 // bytes of a value that are looked at
	maxSampled    = 24 << 20
)

// A keyStat is one field of the records of a kind.
type keyStat struct {
	name   string
	role   Role
	count  int64
	types  uint8 // bits by Type
	values []value
	texts  []sentence
	cut    bool
}

// A value is a sample of a field. Of all values those with the lowest hashes
// are kept: which ones does not depend on the order of records, and two builds
// that write many of the same values keep the same ones.
type value struct {
	hash uint64
	text string
}

// A sentence is a text of several words in a field, masked; sampled as values
// are, so that its count is exact.
type sentence struct {
	hash  uint64
	text  string
	count int64
	first held
}

// A sampler fills in the fields of kinds.
type sampler struct {
	size    int               // bytes kept
	masked  map[uint64]uint64 // hash of a sentence to that of its template
	scratch []byte
	text    []byte
}

func newSampler() sampler { return sampler{masked: map[uint64]uint64{}} }

// look notes the fields of one record.
func (s *sampler) look(k *kind, r *Record, stream logs.Labels, e *logs.Entry) {
	at := 0
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Role != Plain {
			if f.Top {
				s.head(k, f)
			}
			continue
		}
		ks := k.key(f.Name, at)
		at++
		if ks == nil {
			continue
		}
		ks.count++
		ks.types |= 1 << f.Type
		if f.Type == Object || f.Type == Array {
			continue
		}
		s.value(ks, f, stream, e)
	}
}

// head notes a field that is the logger's own. Of levels the spelling is kept;
// the values of the others are known, or are no one's names.
func (s *sampler) head(k *kind, f *Field) {
	i := slices.IndexFunc(k.heads, func(ks keyStat) bool { return ks.name == string(f.Name) })
	if i < 0 {
		if len(k.heads) >= maxHeads {
			return
		}
		i = len(k.heads)
		k.heads = append(k.heads, keyStat{name: strings.ToValidUTF8(string(f.Name), "\uFFFD"), role: f.Role})
	}
	ks := &k.heads[i]
	ks.count++
	ks.types |= 1 << f.Type
	if f.Role == Level && (len(ks.values) == 0 || ks.values[0].text != string(f.Raw)) {
		raw := f.Raw[:min(len(f.Raw), maxHashed)]
		ks.sample(s, hashOf(raw), raw)
	}
}

// key finds the field of that name, most likely at the place given; nil: there
// is no room for it.
func (k *kind) key(name []byte, at int) *keyStat {
	if at < len(k.keys) && k.keys[at].name == string(name) {
		return &k.keys[at]
	}
	for i := range k.keys {
		if k.keys[i].name == string(name) {
			return &k.keys[i]
		}
	}
	if len(k.keys) >= maxKeys {
		return nil
	}
	k.keys = append(k.keys, keyStat{name: strings.ToValidUTF8(string(name), "\uFFFD")})
	return &k.keys[len(k.keys)-1]
}

func (s *sampler) value(ks *keyStat, f *Field, stream logs.Labels, e *logs.Entry) {
	raw := f.Raw[:min(len(f.Raw), maxHashed)]
	if f.Escaped {
		s.scratch = appendUnescaped(s.scratch[:0], raw)
		raw = s.scratch
	}
	h := hashOf(raw)
	ks.sample(s, h, raw)
	if f.Type == String && bytes.IndexByte(raw, ' ') > 0 {
		s.sentence(ks, h, raw, stream, e)
	}
}

// sample keeps a value if its hash is among the lowest.
func (ks *keyStat) sample(s *sampler, h uint64, raw []byte) {
	n := len(ks.values)
	if n == maxValues && h > ks.values[n-1].hash {
		ks.cut = true
		return
	}
	at, found := slices.BinarySearchFunc(ks.values, h, func(v value, h uint64) int { return cmp.Compare(v.hash, h) })
	if found {
		return
	}
	if n == maxValues {
		ks.cut = true
		s.size -= len(ks.values[n-1].text)
		ks.values = ks.values[:n-1]
	}
	if s.size >= maxSampled {
		ks.cut = true
		return
	}
	text := shown(raw)
	s.size += len(text)
	ks.values = slices.Insert(ks.values, at, value{h, text})
}

// shown is a value that is safe to show.
func shown(raw []byte) string {
	return strings.ToValidUTF8(string(raw[:min(len(raw), maxValueBytes)]), "\uFFFD")
}

// maxMasked bounds the sentences whose template is remembered.
const maxMasked = 4096

func (s *sampler) sentence(ks *keyStat, h uint64, raw []byte, stream logs.Labels, e *logs.Entry) {
	template, known := s.masked[h]
	if !known {
		s.text = AppendTemplate(s.text[:0], raw)
		template = hashOf(s.text)
		if len(s.masked) >= maxMasked {
			clear(s.masked)
		}
		s.masked[h] = template
	}
	n := len(ks.texts)
	if n == maxTexts && template > ks.texts[n-1].hash {
		return
	}
	at, found := slices.BinarySearchFunc(ks.texts, template, func(t sentence, h uint64) int { return cmp.Compare(t.hash, h) })
	if found {
		ks.texts[at].count++
		ks.texts[at].first.earliest(stream, e)
		return
	}
	if n == maxTexts {
		s.size -= len(ks.texts[n-1].text) + len(ks.texts[n-1].first.line)
		ks.texts = ks.texts[:n-1]
	}
	if s.size >= maxSampled {
		return
	}
	if known { // in another field
		s.text = AppendTemplate(s.text[:0], raw)
	}
	t := sentence{hash: template, text: string(s.text), count: 1}
	t.first.earliest(stream, e)
	s.size += len(t.text) + len(t.first.line)
	ks.texts = slices.Insert(ks.texts, at, t)
}

// hashOf is a hash that is the same on every machine and in every run.
func hashOf(b []byte) uint64 {
	h := uint64(len(b)) * 0x9E3779B97F4A7C15
	for len(b) >= 8 {
		h = fold(h ^ binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var tail [8]byte
	copy(tail[:], b)
	return fold(fold(h^binary.LittleEndian.Uint64(tail[:])) ^ 0xA0761D6478BD642F)
}

func fold(h uint64) uint64 {
	hi, lo := bits.Mul64(h^0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3)
	return hi ^ lo
}

// absorb adds what another kind knows of its fields.
func (k *kind) absorb(o *kind) {
	k.count += o.count
	k.first.merge(&o.first, true)
	k.last.merge(&o.last, false)
	for _, p := range o.places {
		k.place([]byte(p.At), p.Count)
	}
	for i := range o.keys {
		if ks := k.key([]byte(o.keys[i].name), i); ks != nil {
			ks.absorb(&o.keys[i])
		}
	}
	for i := range o.heads {
		h := &o.heads[i]
		at := slices.IndexFunc(k.heads, func(ks keyStat) bool { return ks.name == h.name })
		if at < 0 {
			at = len(k.heads)
			k.heads = append(k.heads, keyStat{name: h.name, role: h.role})
		}
		k.heads[at].absorb(h)
	}
}

// absorb adds what is known of the same field of another kind.
func (ks *keyStat) absorb(o *keyStat) {
	ks.count += o.count
	ks.types |= o.types
	ks.cut = ks.cut || o.cut
	ks.values = append(ks.values, o.values...)
	slices.SortFunc(ks.values, func(a, b value) int { return cmp.Compare(a.hash, b.hash) })
	ks.values = slices.CompactFunc(ks.values, func(a, b value) bool { return a.hash == b.hash })
	if len(ks.values) > maxValues {
		ks.values, ks.cut = ks.values[:maxValues], true
	}
	ks.absorbTexts(o.texts)
}

func (ks *keyStat) absorbTexts(texts []sentence) {
	for _, t := range texts {
		at, found := slices.BinarySearchFunc(ks.texts, t.hash, func(t sentence, h uint64) int { return cmp.Compare(t.hash, h) })
		if found {
			ks.texts[at].count += t.count
			ks.texts[at].first.merge(&t.first, true)
			continue
		}
		ks.texts = slices.Insert(ks.texts, at, t)
	}
	ks.texts = ks.texts[:min(len(ks.texts), maxTexts)]
}

// list returns fields, ordered by name.
func (k *kind) list(of []keyStat) []outcome.Key {
	out := make([]outcome.Key, 0, len(of))
	for i := range of {
		ks := &of[i]
		key := outcome.Key{Name: ks.name, Role: ks.role.String(), Count: ks.count, Looked: k.count, Cut: ks.cut}
		for t := String; t < numTypes; t++ {
			if ks.types&(1<<t) != 0 {
				key.Types = append(key.Types, t.String())
			}
		}
		slices.Sort(key.Types)
		for _, v := range ks.values {
			key.Values = append(key.Values, v.text)
		}
		slices.Sort(key.Values)
		key.Values = slices.Compact(key.Values)
		for j := range ks.texts {
			t := &ks.texts[j]
			key.Texts = append(key.Texts, outcome.KeyText{Text: t.text, Count: t.count, First: t.first.evidence()})
		}
		slices.SortFunc(key.Texts, func(a, b outcome.KeyText) int { return cmp.Compare(a.Text, b.Text) })
		out = append(out, key)
	}
	slices.SortStableFunc(out, func(a, b outcome.Key) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
