package recordtime

import "bytes"

// The years whose every nanosecond fits an int64.
const (
	minYear = 1678
	maxYear = 2261
)

// digits reads exactly n digits at b[i:].
func digits(b []byte, i, n int) (int, bool) {
	if i+n > len(b) {
		return 0, false
	}
	v := 0
	for _, c := range b[i : i+n] {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	return v, true
}

// days returns the days from 1970-01-01 to a date of the Gregorian calendar,
// counting from years that begin in March so that a leap day is the last.
func days(year, month, day int) int {
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 719469
}

var monthDays = [...]int{1: 31, 2: 29, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}

func validDate(year, month, day int) bool {
	if year < minYear || year > maxYear || month < 1 || month > 12 || day < 1 || day > monthDays[month] {
		return false
	}
	return month != 2 || day < 29 || year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

// wall returns nanoseconds since the epoch of a valid date and time.
func wall(year, month, day int, clock int64) int64 {
	return int64(days(year, month, day))*86400e9 + clock
}

// clockAt reads hh:mm:ss with an optional fraction after '.' or ',' at b[i:].
// It returns nanoseconds since midnight, the fraction's digits and where it
// ends.
func clockAt(b []byte, i int) (ns int64, fraction, end int, ok bool) {
	if i+8 > len(b) || b[i+2] != ':' || b[i+5] != ':' {
		return 0, 0, 0, false
	}
	h, ok1 := digits(b, i, 2)
	m, ok2 := digits(b, i+3, 2)
	s, ok3 := digits(b, i+6, 2)
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || s > 60 { // 60: a leap second
		return 0, 0, 0, false
	}
	ns = int64(h*3600+m*60+s) * 1e9
	end = i + 8
	if end+1 < len(b) && (b[end] == '.' || b[end] == ',') && b[end+1] >= '0' && b[end+1] <= '9' {
		unit := int64(1e8)
		for end++; end < len(b) && b[end] >= '0' && b[end] <= '9'; end++ {
			ns += int64(b[end]-'0') * unit // digits past the ninth add nothing
			unit /= 10
			fraction++
		}
	}
	return ns, fraction, end, true
}

// zoneAt reads Z, UTC, GMT, +hh:mm, +hhmm or +hh at b[i:], after at most one
// space where a space is allowed.
func zoneAt(b []byte, i int, space bool) (offset, end int, ok bool) {
	if space && i < len(b) && b[i] == ' ' {
		i++
	}
	if i >= len(b) {
		return 0, 0, false
	}
	switch {
	case b[i] == 'Z' || b[i] == 'z':
		return 0, i + 1, true
	case bytes.HasPrefix(b[i:], []byte("UTC")), bytes.HasPrefix(b[i:], []byte("GMT")):
		return 0, i + 3, true
	case b[i] != '+' && b[i] != '-':
		return 0, 0, false
	}
	sign := 1
	if b[i] == '-' {
		sign = -1
	}
	h, ok := digits(b, i+1, 2)
	if !ok || h > 23 {
		return 0, 0, false
	}
	end = i + 3
	m := 0
	switch {
	case end < len(b) && b[end] == ':':
		if m, ok = digits(b, end+1, 2); !ok {
			return 0, 0, false
		}
		end += 3
	default:
		if m, ok = digits(b, end, 2); ok {
			end += 2
		}
	}
	if m > 59 {
		return 0, 0, false
	}
	return sign * (h*3600 + m*60), end, true
}

// A dated is what dateAt found.
type dated struct {
	stamp    Stamp
	fraction int // digits
	end      int
}

// dateAt reads a date and time at b[i:]: 2006-01-02 or 2006/01/02, then 'T' or
// a space, then the time of day, then perhaps a zone.
func dateAt(b []byte, i int) (dated, bool) {
	var d dated
	if i+19 > len(b) || b[i+4] != b[i+7] || b[i+4] != '-' && b[i+4] != '/' || b[i+10] != 'T' && b[i+10] != ' ' && b[i+10] != 't' {
		return d, false
	}
	year, ok1 := digits(b, i, 4)
	month, ok2 := digits(b, i+5, 2)
	day, ok3 := digits(b, i+8, 2)
	clock, fraction, end, ok4 := clockAt(b, i+11)
	if !ok1 || !ok2 || !ok3 || !ok4 || !validDate(year, month, day) {
		return d, false
	}
	d = dated{Stamp{Wall: wall(year, month, day, clock), NoZone: true}, fraction, end}
	if offset, end, ok := zoneAt(b, end, b[i+10] == ' '); ok {
		d.stamp.Offset, d.stamp.NoZone, d.end = offset, false, end
	}
	return d, true
}

// Value reads the time that b holds as a whole: a date and time of day, with or
// without a zone, or a number since the epoch, in seconds, milliseconds,
// microseconds or nanoseconds by its size. A stamp without a zone says so.
func Value(b []byte) (Stamp, bool) { return text(b) }

// text reads a value that is a date and time, or a number since the epoch, and
// nothing else.
func text(b []byte) (Stamp, bool) {
	b = bytes.TrimSpace(b)
	if d, ok := dateAt(b, 0); ok {
		return d.stamp, d.end == len(b)
	}
	return number(b)
}

// number reads a number since the epoch: seconds, milliseconds, microseconds
// or nanoseconds by its size, so that each gives a year from 1973 to 5138.
// It works on decimal digits, as a float64 would lose nanoseconds.
func number(b []byte) (Stamp, bool) {
	var mantissa int64
	count, point, i := 0, -1, 0
	for ; i < len(b); i++ {
		c := b[i]
		if c == '.' && point < 0 && count > 0 {
			point = count
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		if count < 18 || count == 18 && mantissa < 9e17 {
			mantissa = mantissa*10 + int64(c-'0')
			count++
		} else if point < 0 {
			return Stamp{}, false
		}
	}
	if count == 0 || b[0] == '0' {
		return Stamp{}, false
	}
	if point < 0 {
		point = count
	}
	exponent, ok := exponentOf(b[i:])
	if !ok {
		return Stamp{}, false
	}
	point += exponent // digits before the decimal point
	unit := 0
	switch {
	case point >= 9 && point <= 11:
		unit = 9
	case point >= 12 && point <= 14:
		unit = 6
	case point >= 15 && point <= 17:
		unit = 3
	case point >= 18 && point <= 19:
		unit = 0
	default:
		return Stamp{}, false
	}
	shift := point - count + unit // power of ten from mantissa to nanoseconds
	for ; shift > 0; shift-- {
		if mantissa > (1<<63-1)/10 {
			return Stamp{}, false
		}
		mantissa *= 10
	}
	for ; shift < 0; shift++ {
		mantissa /= 10
	}
	if mantissa >= wall(maxYear+1, 1, 1, 0) {
		return Stamp{}, false
	}
	return Stamp{Wall: mantissa, Number: true}, true
}

// exponentOf reads e+09, E9 or nothing.
func exponentOf(b []byte) (int, bool) {
	if len(b) == 0 {
		return 0, true
	}
	if b[0] != 'e' && b[0] != 'E' {
		return 0, false
	}
	b = b[1:]
	sign := 1
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		if b[0] == '-' {
			sign = -1
		}
		b = b[1:]
	}
	n, ok := digits(b, 0, len(b))
	return sign * n, ok && len(b) > 0 && len(b) <= 3
}
