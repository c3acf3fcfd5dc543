package recordtime

import "bytes"

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// stampSyslog reads the header of a syslog line:
//
//	<165>1 2026-11-30T17:28:29.003Z host app 123 ID47 - text    RFC 5424
//	<34>Nov 30 17:28:29 host app[123]: text                     RFC 3164
//
// RFC 3164 has neither year nor zone; its priority is often left out in files.
func stampSyslog(line []byte) (Stamp, bool) {
	rest, priority := line, false
	if len(line) > 0 && line[0] == '<' {
		end := bytes.IndexByte(line[:min(len(line), 5)], '>')
		if end < 2 {
			return Stamp{}, false
		}
		if _, ok := digits(line, 1, end-1); !ok {
			return Stamp{}, false
		}
		rest, priority = line[end+1:], true
	}
	if priority && len(rest) > 2 && rest[0] == '1' && rest[1] == ' ' {
		d, ok := dateAt(rest, 2)
		if !ok || d.stamp.NoZone || d.end >= len(rest) || rest[d.end] != ' ' {
			return Stamp{}, false
		}
		return d.stamp, true
	}
	return stampRFC3164(rest)
}

func stampRFC3164(b []byte) (Stamp, bool) {
	if len(b) < 16 || b[3] != ' ' || b[6] != ' ' {
		return Stamp{}, false
	}
	month := bytes.Index([]byte(months), b[:3])
	if month < 0 || month%3 != 0 {
		return Stamp{}, false
	}
	day, ok := digits(b, 4, 2)
	if b[4] == ' ' {
		day, ok = digits(b, 5, 1)
	}
	clock, _, end, ok2 := clockAt(b, 7)
	if !ok || !ok2 || end >= len(b) || b[end] != ' ' || !validDate(2000, month/3+1, day) {
		return Stamp{}, false
	}
	return Stamp{Wall: wall(2000, month/3+1, day, clock), NoYear: true, NoZone: true}, true
}
