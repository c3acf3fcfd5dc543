package corpus

import "time"

// A prefixParser reads the time prefix of records. It keeps the last day, as
// records of one stream mostly share it.
type prefixParser struct {
	day   [10]byte
	start int64 // of day, nanoseconds since the epoch
	known bool
}

// minPrefix is the length of "2006-01-02T15:04:05Z ".
const minPrefix = 21

// parse splits "RFC3339Nano line" and reports whether the prefix is one: UTC
// written as Z, at most nine fraction digits, one space.
func (p *prefixParser) parse(text []byte) (ns int64, line []byte, ok bool) {
	if len(text) < minPrefix || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return 0, nil, false
	}
	if !p.known || [10]byte(text[:10]) != p.day {
		t, err := time.Parse("2006-01-02", string(text[:10]))
		if err != nil || t.Year() < minYear || t.Year() > maxYear {
			return 0, nil, false
		}
		p.day, p.start, p.known = [10]byte(text[:10]), t.UnixNano(), true
	}
	h, ok1 := two(text[11:], 24)
	m, ok2 := two(text[14:], 60)
	s, ok3 := two(text[17:], 60)
	if !ok1 || !ok2 || !ok3 {
		return 0, nil, false
	}
	ns = p.start + int64(h*3600+m*60+s)*1e9
	i := 19
	if text[i] == '.' {
		i++
		unit := int64(1e8)
		for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
			if unit == 0 {
				return 0, nil, false
			}
			ns += int64(text[i]-'0') * unit
			unit /= 10
		}
		if i == 20 {
			return 0, nil, false
		}
	}
	if i+1 >= len(text) || text[i] != 'Z' || text[i+1] != ' ' {
		return 0, nil, false
	}
	return ns, text[i+2:], true
}

// The years whose every nanosecond fits an int64.
const (
	minYear = 1678
	maxYear = 2261
)

func two(b []byte, limit int) (int, bool) {
	hi, lo := b[0]-'0', b[1]-'0'
	if hi > 9 || lo > 9 {
		return 0, false
	}
	n := int(hi)*10 + int(lo)
	return n, n < limit
}

// A dayFormat writes time prefixes. It keeps the text of the last second.
type dayFormat struct {
	second int64
	text   []byte // 2006-01-02T15:04:05 of second
}

// appendPrefix appends the time prefix of a record: RFC3339Nano in UTC and a
// space.
func (d *dayFormat) appendPrefix(b []byte, ns int64) []byte {
	second, frac := ns/1e9, ns%1e9
	if frac < 0 {
		second, frac = second-1, frac+1e9
	}
	if d.text == nil || second != d.second {
		d.text = time.Unix(second, 0).UTC().AppendFormat(d.text[:0], "2006-01-02T15:04:05")
		d.second = second
	}
	b = append(b, d.text...)
	if frac > 0 {
		digits := [10]byte{'.'}
		for i := 9; i > 0; i-- {
			digits[i] = byte('0' + frac%10)
			frac /= 10
		}
		n := 10
		for digits[n-1] == '0' {
			n--
		}
		b = append(b, digits[:n]...)
	}
	return append(b, 'Z', ' ')
}
