package logql

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// An ipMatcher is the argument of ip(): the addresses from first to last.
// Addresses of the other family never match, and neither does an IPv4 address
// written as IPv6.
type ipMatcher struct {
	first, last netip.Addr
}

// compileIP reads the argument of ip(): an address, a range a-b, or a CIDR
// block, of either family.
func compileIP(s string) (*ipMatcher, error) {
	if from, to, ok := strings.Cut(s, "-"); ok {
		first, err := netip.ParseAddr(from)
		if err != nil {
			return nil, fmt.Errorf("%q is not an address", from)
		}
		last, err := netip.ParseAddr(to)
		if err != nil {
			return nil, fmt.Errorf("%q is not an address", to)
		}
		if first.Is4() != last.Is4() {
			return nil, errors.New("the range begins and ends in different families")
		}
		if last.Less(first) {
			return nil, errors.New("the range ends before it begins")
		}
		return &ipMatcher{first.WithZone(""), last.WithZone("")}, nil
	}
	if strings.Contains(s, "/") {
		block, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("%q is not a CIDR block, as in 10.0.0.0/8", s)
		}
		return blockMatcher(block), nil
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address, a range a-b or a CIDR block", s)
	}
	addr = addr.WithZone("")
	return &ipMatcher{addr, addr}, nil
}

// blockMatcher returns the range that a CIDR block covers.
func blockMatcher(block netip.Prefix) *ipMatcher {
	first := block.Masked().Addr()
	b := first.AsSlice()
	for bit := block.Bits(); bit < 8*len(b); bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	last, _ := netip.AddrFromSlice(b)
	return &ipMatcher{first, last}
}

func (m *ipMatcher) contains(a netip.Addr) bool {
	return a.BitLen() == m.first.BitLen() && !a.Less(m.first) && !m.last.Less(a)
}

// matchAddr reports whether an address in the value of a label matches. As in
// a line, text may stand around it.
func (m *ipMatcher) matchAddr(value string) bool {
	return findIP(m, value)
}

// findIn reports whether any address in line matches.
func (m *ipMatcher) findIn(line []byte) bool {
	return findIP(m, line)
}

// The longest texts that can be an address: 255.255.255.255 and eight groups,
// the last two written as IPv4.
const maxIPLen = 45

// findIP looks for addresses anywhere in text. Where digits and a dot, or
// hexadecimal digits and a colon, look like the beginning of an address, the
// longest run of characters that an address may hold is read as one; the
// search goes on after that run, whether it was an address or not. So a full
// stop or a word right before a colon hides an address, as it does in Loki.
func findIP[T string | []byte](m *ipMatcher, text T) bool {
	for i := 0; i < len(text); i++ {
		var class byte
		switch {
		case looksLikeIPv4(text, i):
			class = ipv4Char
		case looksLikeIPv6(text, i):
			class = ipv6Char
		default:
			continue
		}
		end := i
		for end < len(text) && ipChar[text[end]]&class != 0 {
			end++
		}
		if end-i <= maxIPLen {
			if addr, err := netip.ParseAddr(string(text[i:end])); err == nil && m.contains(addr) {
				return true
			}
		}
		i = end - 1
	}
	return false
}

// Classes of characters, bits of ipChar.
const (
	ipv4Char = 1 << iota // digits and '.'
	ipv6Char             // hexadecimal digits, '.' and ':'
	hexChar
)

var ipChar = [256]byte{
	'0': 7, '1': 7, '2': 7, '3': 7, '4': 7, '5': 7, '6': 7, '7': 7, '8': 7, '9': 7,
	'a': 6, 'b': 6, 'c': 6, 'd': 6, 'e': 6, 'f': 6,
	'A': 6, 'B': 6, 'C': 6, 'D': 6, 'E': 6, 'F': 6,
	'.': ipv4Char | ipv6Char, ':': ipv6Char,
}

// looksLikeIPv4 reports whether text[i:] begins with a digit that has a dot
// among the three characters after it.
func looksLikeIPv4[T string | []byte](text T, i int) bool {
	if !isDigit(text[i]) {
		return false
	}
	for j := i + 1; j < len(text) && j <= i+3; j++ {
		if text[j] == '.' {
			return true
		}
		if !isDigit(text[j]) {
			return false
		}
	}
	return false
}

// looksLikeIPv6 reports whether text[i:] begins with "::" or with one to four
// hexadecimal digits and a colon. As in Loki five characters must be left, so
// "::1" counts only where text follows it.
func looksLikeIPv6[T string | []byte](text T, i int) bool {
	if i+5 > len(text) {
		return false
	}
	if text[i] == ':' {
		return text[i+1] == ':'
	}
	j := i
	for j < len(text) && j < i+4 && ipChar[text[j]]&hexChar != 0 {
		j++
	}
	return j > i && j < len(text) && text[j] == ':'
}
