package messages

// levelOf reads a level as loggers write it, in any case: names, their usual
// abbreviations, zap's "Level(-3)" and slog's "DEBUG-4". It returns the name
// that all encodings share and the n of V(n).
//
// Zap writes V(n) as level -n, and calls -1 "debug": so "debug" is V(1), and
// Level(-3) is "debug" at V(3). A trace is V(2) at least.
func levelOf(b []byte) (name string, verbosity int, ok bool) {
	if len(b) < 1 || len(b) > 16 {
		return "", 0, false
	}
	var lower [16]byte
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	low := lower[:len(b)]
	switch string(low) {
	case "info", "inf", "information", "informational", "notice":
		return "info", 0, true
	case "debug", "dbg", "fine":
		return "debug", 1, true
	case "trace", "trc", "finer", "finest":
		return "debug", 2, true
	case "warn", "warning", "wrn":
		return "warn", 0, true
	case "error", "err", "eror", "severe":
		return "error", 0, true
	case "panic", "dpanic", "pnc":
		return "panic", 0, true
	case "fatal", "ftl", "fata", "crit", "critical", "alert", "emerg", "emergency":
		return "fatal", 0, true
	}
	if len(low) > 8 && string(low[:6]) == "level(" && low[len(low)-1] == ')' {
		if n, ok := integer(low[6 : len(low)-1]); ok {
			return zapLevel(n)
		}
	}
	return slogLevel(low)
}

// zapLevel names a level by its number; those below info are verbosities.
func zapLevel(n int) (string, int, bool) {
	switch {
	case n < 0:
		return "debug", -n, true
	case n == 0:
		return "info", 0, true
	case n == 1:
		return "warn", 0, true
	case n == 2:
		return "error", 0, true
	case n <= 4:
		return "panic", 0, true
	}
	return "fatal", 0, true
}

// slogLevel reads a level that slog has no name for: the next one below, and
// the distance. Slog's debug is -4, and logr writes V(n) as -n.
func slogLevel(low []byte) (string, int, bool) {
	for i := 4; i < len(low)-1; i++ {
		if low[i] != '+' && low[i] != '-' {
			continue
		}
		n, ok := integer(low[i:])
		if !ok {
			return "", 0, false
		}
		switch string(low[:i]) {
		case "debug":
			return "debug", max(4-n, 1), true
		case "info":
			return "info", 0, true
		case "warn":
			return "warn", 0, true
		case "error":
			return "error", 0, true
		}
	}
	return "", 0, false
}

// numericLevel reads the number that some loggers write for a level: logr the
// n of V(n), bunyan and pino tens from 10 (trace) to 60 (fatal).
func numericLevel(n int) (string, int, bool) {
	switch {
	case n < 0:
		return zapLevel(n)
	case n == 0:
		return "info", 0, true
	case n < 10:
		return "debug", n, true
	case n < 20:
		return "debug", 2, true
	case n < 30:
		return "debug", 1, true
	case n < 40:
		return "info", 0, true
	case n < 50:
		return "warn", 0, true
	case n < 60:
		return "error", 0, true
	case n == 60:
		return "fatal", 0, true
	}
	return "", 0, false
}

// integer reads a decimal number of at most four digits with perhaps a sign.
func integer(b []byte) (n int, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 4 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}
