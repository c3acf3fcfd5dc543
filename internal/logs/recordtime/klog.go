package recordtime

import "bytes"

// stampKlog reads the header of klog, which has neither year nor zone:
//
//	I1130 17:37:54.260066   19230 flags.go:64] FLAG: --v="2"
func stampKlog(line []byte) (Stamp, bool) {
	if len(line) < 22 || bytes.IndexByte([]byte("IWEFD"), line[0]) < 0 || line[5] != ' ' {
		return Stamp{}, false
	}
	month, ok1 := digits(line, 1, 2)
	day, ok2 := digits(line, 3, 2)
	clock, fraction, i, ok3 := clockAt(line, 6)
	if !ok1 || !ok2 || !ok3 || fraction == 0 || !validDate(2000, month, day) {
		return Stamp{}, false
	}
	// The thread, and the place up to "] ".
	thread := space(line, i)
	number := thread
	for number < len(line) && line[number] >= '0' && line[number] <= '9' {
		number++
	}
	if thread == i || number == thread || number == len(line) || line[number] != ' ' {
		return Stamp{}, false
	}
	i = number + 1
	place := line[i:]
	end := bytes.IndexByte(place, ']')
	if end < 0 || bytes.IndexByte(place[:end], ':') < 0 || bytes.IndexByte(place[:end], ' ') >= 0 {
		return Stamp{}, false
	}
	return Stamp{Wall: wall(2000, month, day, clock), NoYear: true, NoZone: true}, true
}
