package syntax

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// number reads a number, a duration or a size: what begins with a digit or
// with a dot and a digit. Numbers are those of Go, so 0B is a binary number
// without digits and not zero bytes.
func (l *lexer) number() (token, *Error) {
	start := l.pos
	n, problem := numberLen(l.query[start:])
	if problem != "" {
		hint := ""
		switch text := l.query[start : start+n]; {
		case strings.EqualFold(text, "0b"):
			hint = "for zero bytes write 0KB"
		case strings.EqualFold(text, "0o"):
			hint = "0o begins an octal number: put a blank after 0"
		}
		return token{}, l.errorf(start, start+n, hint, "the number %s %s", l.query[start:start+n], problem)
	}
	l.pos = start + n
	if end := l.unitEnd("nuµμmshdwy"); end > l.pos {
		if d, ok := parseDuration(l.query[start:end]); ok {
			l.pos = end
			t := l.token(tDuration, start)
			t.dur = d
			return t, nil
		}
	}
	if end := l.unitEnd("BkKMGTi"); end > l.pos {
		if size, ok := parseBytes(l.query[start:end]); ok {
			l.pos = end
			t := l.token(tBytes, start)
			t.size = size
			return t, nil
		}
	}
	return l.token(tNumber, start), nil
}

// unitEnd returns where a number with units, of these letters, would end.
func (l *lexer) unitEnd(letters string) int {
	rest := l.query[l.pos:]
	return l.pos + len(rest) - len(strings.TrimLeft(rest, "0123456789."+letters))
}

// numberLen returns the length of the Go number at the start of s, or what is
// wrong with its first bytes.
func numberLen(s string) (n int, problem string) {
	base := byte(10)
	if len(s) > 1 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			base, n = 16, 2
		case 'o':
			base, n = 8, 2
		case 'b':
			base, n = 2, 2
		}
	}
	digits := n
	n = skipDigits(s, n, base)
	float := false
	if base >= 10 && n < len(s) && s[n] == '.' {
		float = true
		n = skipDigits(s, n+1, base)
	}
	if n == digits {
		return n, "has no digits"
	}
	exponent := byte('e')
	if base == 16 {
		exponent = 'p'
	}
	if base >= 10 && n < len(s) && s[n]|0x20 == exponent {
		float = true
		n++
		if n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
		from := n
		if n = skipDigits(s, n, 10); n == from {
			return n, "has no digits in its exponent"
		}
	} else if base == 16 && float {
		return n, "needs an exponent (p…)"
	}
	return n, checkDigits(s[:n], base, float)
}

// skipDigits returns the index after the digits of s from i. In base 2 and 8
// it also skips the digits that checkDigits refuses.
func skipDigits(s string, i int, base byte) int {
	for i < len(s) && (isDigit(rune(s[i])) || s[i] == '_' || base == 16 && isHex(s[i])) {
		i++
	}
	return i
}

func isHex(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'f' || c >= '0' && c <= '9' }

// checkDigits returns what is wrong with the digits of a number.
func checkDigits(s string, base byte, float bool) string {
	for i := range len(s) {
		separates := i > 0 && isHex(s[i-1]) && i+1 < len(s) && isHex(s[i+1])
		afterPrefix := i == 2 && base != 10 && i+1 < len(s) && isHex(s[i+1])
		if s[i] == '_' && !separates && !afterPrefix {
			return "has a misplaced _"
		}
	}
	octal := base == 10 && !float && len(s) > 1 && s[0] == '0'
	switch {
	case base == 2 && strings.ContainsAny(s[2:], "23456789"):
		return "has a digit that is not binary"
	case (base == 8 || octal) && strings.ContainsAny(s, "89"):
		return "begins with 0, so its digits are octal: 8 and 9 are none"
	}
	return ""
}

// parseDuration reads a duration of a label filter or an offset: either as Go
// writes them, or with days, weeks and years as in a range.
func parseDuration(s string) (time.Duration, bool) {
	if d, err := time.ParseDuration(s); err == nil {
		return d, true
	}
	d, problem := parseRange(s)
	return d, problem == ""
}

// rangeUnits are the units of a range in the order in which they must stand.
var rangeUnits = [...]struct {
	name string
	size time.Duration
}{
	{"y", 365 * 24 * time.Hour}, {"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour},
	{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond},
}

// parseRange reads the text between the brackets of a range, or says what is
// wrong with it.
func parseRange(s string) (d time.Duration, problem string) {
	switch s {
	case "":
		return 0, "is empty"
	case "0":
		return 0, ""
	}
	rest, unit := s, 0
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == 0 {
			return 0, "is no duration"
		}
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		if err != nil {
			return 0, "is too long"
		}
		rest = rest[digits:]
		letters := len(rest) - len(strings.TrimLeftFunc(rest, isWordLetter))
		name := rest[:letters]
		rest = rest[letters:]
		for unit < len(rangeUnits) && rangeUnits[unit].name != name {
			unit++
		}
		if unit == len(rangeUnits) {
			return 0, unitProblem(name)
		}
		size := rangeUnits[unit].size
		if n > int64((math.MaxInt64-d)/size) {
			return 0, "is too long"
		}
		d += time.Duration(n) * size
		unit++
	}
	return d, ""
}

func isWordLetter(r rune) bool { return isWordPart(r) && !isDigit(r) }

func unitProblem(name string) string {
	if name == "" {
		return "needs a unit after each number"
	}
	for _, u := range rangeUnits {
		if u.name == name {
			return "has its units out of order"
		}
	}
	return "has the unknown unit " + strconv.Quote(shorten(name))
}

// byteUnits are the units of sizes. Of equal ones the first is printed.
var byteUnits = [...]struct {
	name string
	size uint64
}{
	{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9},
	{"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"KB", 1e3}, {"B", 1},
	{"Ti", 1 << 40}, {"T", 1e12}, {"Gi", 1 << 30}, {"G", 1e9},
	{"Mi", 1 << 20}, {"M", 1e6}, {"Ki", 1 << 10}, {"K", 1e3},
}

// parseBytes reads a size such as 1.5KiB.
func parseBytes(s string) (uint64, bool) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789."))
	f, err := strconv.ParseFloat(s[:digits], 64)
	if err != nil {
		return 0, false
	}
	for _, u := range byteUnits {
		if strings.EqualFold(u.name, s[digits:]) {
			f *= float64(u.size)
			if f >= math.MaxUint64 {
				return 0, false
			}
			return uint64(f), true
		}
	}
	return 0, false
}

// parseFilterNumber reads the number of a label filter, which may be any
// number of Go.
func parseFilterNumber(s string) (float64, bool) {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f, true
	}
	n, err := strconv.ParseInt(s, 0, 64)
	return float64(n), err == nil
}

// formatNumber prints a number that parses to the same value.
func formatNumber(f float64) string {
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e15) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// formatDuration prints a duration of a label filter or an offset.
func formatDuration(d time.Duration) string {
	const day = 24 * time.Hour
	if d > 0 && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := strings.Replace(d.String(), "µ", "u", 1)
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// formatRange prints the window of a range aggregation, without brackets.
// Less than a millisecond cannot be written and is cut off.
func formatRange(d time.Duration) string {
	var b strings.Builder
	for _, u := range rangeUnits[2:] { // weeks and years read worse than days
		if n := d / u.size; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			d -= n * u.size
		}
	}
	if b.Len() == 0 {
		return "0s"
	}
	return b.String()
}

// formatBytes prints a size in the unit that gives the shortest text with at
// most two decimals.
func formatBytes(size uint64) string {
	if size == 0 {
		return "0KB" // 0B would be read as a binary number
	}
	best := ""
	for _, u := range byteUnits {
		if u.size > size || len(u.name) == 1 || !strings.HasSuffix(u.name, "B") {
			continue
		}
		number := strconv.FormatFloat(float64(size)/float64(u.size), 'f', -1, 64)
		_, decimals, _ := strings.Cut(number, ".")
		got, ok := parseBytes(number + u.name)
		if ok && got == size && len(decimals) <= 2 && (best == "" || len(number+u.name) < len(best)) {
			best = number + u.name
		}
	}
	if best == "" {
		return strconv.FormatUint(size, 10) + "B"
	}
	return best
}
