package logql

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// What --strict says of a broken line.
var (
	errLogfmtNoKey  = errors.New("logfmt value has no key before its '='")
	errLogfmtKey    = errors.New("logfmt key holds a quote")
	errLogfmtValue  = errors.New("logfmt value without quotes holds '=' or a quote")
	errLogfmtQuote  = errors.New("logfmt value has no closing quote")
	errLogfmtEscape = errors.New("logfmt value has a broken escape")
)

// A logfmtScanner takes logfmt lines apart. It holds the buffers that all
// lines share, so one scanner serves one goroutine at a time. The zero value
// is ready.
type logfmtScanner struct {
	strict    bool // stop at the first broken pair, with an error
	keepEmpty bool // emit keys without a value, or with an empty one

	// want, when set, is the keys that are of use. Other pairs are passed over
	// without being decoded or emitted; they must be sound all the same.
	want *nameSet
	// arena holds what is not a part of a line. Its owner resets it.
	arena arena

	key, val []byte
}

// scanLogfmt calls emit for every pair of line, as [logfmtScanner.scan] does.
func scanLogfmt(line []byte, strict, keepEmpty bool, emit func(key, value []byte)) error {
	s := logfmtScanner{strict: strict, keepEmpty: keepEmpty}
	return s.scan(line, emit)
}

// scan calls emit for every key and value of line, in order, with the key made
// a label name. Both slices last as long as line and the arena.
//
// Any character up to the blank separates pairs. A pair that is broken (a
// quote in the key or inside a bare value, a second '=', a bad escape) is
// passed over up to the next separator; with strict it ends the scan with an
// error. A value that is not UTF-8 counts as empty.
func (s *logfmtScanner) scan(line []byte, emit func(key, value []byte)) error {
	for i := 0; ; {
		for i < len(line) && line[i] <= ' ' {
			i++
		}
		if i == len(line) {
			return nil
		}
		key, value, next, err := s.pair(line, i)
		i = next
		if err != nil {
			if s.strict {
				return err
			}
			for i < len(line) && line[i] > ' ' {
				i++
			}
			continue
		}
		if len(value) == 0 && !s.keepEmpty || len(key) == 0 {
			continue
		}
		emit(key, value)
	}
}

// pair reads the pair that begins at line[i] and returns the place after it.
// The key is empty when the pair is not wanted or the key cannot be a name.
func (s *logfmtScanner) pair(line []byte, i int) (key, value []byte, next int, err error) {
	start := i
	i, high := logfmtValueEnd(line, i)
	if i < len(line) && line[i] == '"' {
		return nil, nil, i, errLogfmtKey
	}
	if i == start {
		return nil, nil, i, errLogfmtNoKey
	}
	key = s.name(line[start:i], high)
	wanted := len(key) > 0
	if i == len(line) || line[i] != '=' {
		return key, nil, i, nil
	}
	i++
	if i < len(line) && line[i] == '"' {
		value, i, err = s.quoted(line, i+1, wanted)
	} else {
		value, i, err = s.bare(line, i)
	}
	if err != nil {
		return nil, nil, i, err
	}
	return key, value, i, nil
}

// name makes key a label name. One that is not wanted has none, nor has one
// that is not UTF-8.
func (s *logfmtScanner) name(key []byte, high bool) []byte {
	if !high && !isDigit(key[0]) {
		// The label name is as long.
		if !s.want.mayHave(len(key), asNameByte(key[len(key)-1])) {
			return nil
		}
	}
	if !isLabelName(key) {
		if high && hasRuneError(key) {
			return nil
		}
		s.key = appendLabelName(s.key[:0], key)
		key = s.key
		if s.want == nil {
			return s.arena.copy(key)
		}
	}
	if s.want != nil {
		return s.want.find(key)
	}
	return key
}

// bare reads the value without quotes that begins at line[i].
func (s *logfmtScanner) bare(line []byte, i int) (value []byte, next int, err error) {
	start := i
	i, high := logfmtValueEnd(line, i)
	if i < len(line) && line[i] > ' ' {
		return nil, i, errLogfmtValue
	}
	value = line[start:i]
	if high && hasRuneError(value) {
		value = nil
	}
	return value, i, nil
}

// logfmtValueEnd returns the place of the first blank, control character, '='
// or quote, which end keys too, at or after line[i], and whether there are bytes beyond ASCII
// before it. As jsonStringEnd it looks at eight bytes at a time.
func logfmtValueEnd(line []byte, i int) (end int, high bool) {
	var seen uint64
	for i+8 <= len(line) {
		w := binary.LittleEndian.Uint64(line[i:])
		blank := (w - (' '+1)*everyByte) &^ w
		equals := w ^ ('=' * everyByte)
		quote := w ^ ('"' * everyByte)
		// The lowest set bit marks the first byte that ends the value.
		hit := (blank | (equals-everyByte)&^equals | (quote-everyByte)&^quote) & highBits
		if hit != 0 {
			n := bits.TrailingZeros64(hit) >> 3
			seen |= w & (1<<(8*n) - 1)
			return i + n, seen&highBits != 0
		}
		seen |= w
		i += 8
	}
	for i < len(line) && line[i] > ' ' && line[i] != '=' && line[i] != '"' {
		seen |= uint64(line[i])
		i++
	}
	return i, seen&highBits != 0
}

// quoted reads the value whose inside begins at line[i].
func (s *logfmtScanner) quoted(line []byte, i int, wanted bool) (value []byte, next int, err error) {
	end, escaped, high := jsonStringEnd(line, i)
	if end < 0 {
		return nil, len(line), errLogfmtQuote
	}
	value, next = line[i:end], end+1
	if escaped {
		var ok bool
		if s.val, ok = appendUnescaped(s.val[:0], value, logfmtEscapes); !ok {
			return nil, next, errLogfmtEscape
		}
		if wanted {
			value = s.arena.copy(s.val)
		}
	}
	if (high || escaped) && wanted && hasRuneError(value) {
		value = nil
	}
	return value, next, nil
}

// checkLogfmtKey reports whether key can be asked for in "logfmt label="key"".
func checkLogfmtKey(key string) error {
	if !isLabelName([]byte(key)) {
		return fmt.Errorf("logfmt key %q must consist of letters, digits and '_' and not begin with a digit", key)
	}
	return nil
}
