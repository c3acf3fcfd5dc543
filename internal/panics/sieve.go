package panics

import "bytes"

// clues are the texts of which one is in every line that can begin a panic.
var clues = []string{
	"panic", "Panic", "PANIC", "runtime error: ", "nil map", "goroutine ", "fatal error: ",
	"closed channel", "are asleep", "SIGQUIT: quit", "SIGSEGV: ", "SIGBUS: ", "SIGFPE: ", "SIGILL: ",
}

// A triple is three letters of a clue.
type triple struct {
	letters uint32
	clue    string
	at      int // where in the clue they stand
}

// A sieve finds lines that hold a clue. It looks at every third place of a
// line only: of three triples that follow one another in a clue, one stands at
// such a place. It costs a tenth of searching for one clue after the other.
type sieve struct {
	marks   [1 << 12 / 64]uint64 // a bit for each hash of a triple
	triples []triple
}

var clueSieve = newSieve(clues)

func newSieve(clues []string) *sieve {
	s := &sieve{}
	for _, c := range clues {
		for at := range 3 {
			t := triple{uint32(c[at]) | uint32(c[at+1])<<8 | uint32(c[at+2])<<16, c, at}
			s.triples = append(s.triples, t)
			h := hashTriple(t.letters)
			s.marks[h/64] |= 1 << (h % 64)
		}
	}
	return s
}

func hashTriple(t uint32) uint32 { return t * 0x9E3779B1 >> 20 }

// holds reports whether line has a clue.
func (s *sieve) holds(line []byte) bool {
	for i := 2; i < len(line); i += 3 {
		t := uint32(line[i-2]) | uint32(line[i-1])<<8 | uint32(line[i])<<16
		h := hashTriple(t)
		if s.marks[h/64]&(1<<(h%64)) != 0 && s.clueAt(line, i-2, t) {
			return true
		}
	}
	return false
}

func (s *sieve) clueAt(line []byte, i int, letters uint32) bool {
	for _, t := range s.triples {
		if t.letters == letters && i >= t.at && bytes.HasPrefix(line[i-t.at:], []byte(t.clue)) {
			return true
		}
	}
	return false
}

// mayTell reports whether a line can begin a panic. It is asked of every line.
func mayTell(line []byte) bool { return clueSieve.holds(line) }
