package logql

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

// The index finds just the texts that searches for each find.
func TestTextIndex_FindsWhatSearchesFind(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	letters := []byte("abcABCsSkK \"_\x7f[{@`\x00é\xff")
	word := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[rnd.IntN(len(letters))]
		}
		return b
	}
	hits := 0
	for range 400 {
		line := word(rnd.IntN(80))
		if rnd.IntN(8) == 0 {
			line = append(line, longS...)
		}
		var texts []lineText
		shortest := rnd.IntN(12)
		for range 1 + rnd.IntN(30) {
			text := word(1 + shortest + rnd.IntN(12))
			if n := len(line); rnd.IntN(2) == 0 && n > shortest {
				from := rnd.IntN(n - shortest)
				text = bytes.Clone(line[from : from+1+shortest+rnd.IntN(n-from-shortest)])
			}
			fold := rnd.IntN(3) == 0
			if fold {
				text, _ = appendLower(nil, text)
			}
			texts = append(texts, lineText{text, fold})
		}
		x := newTextIndex(texts)
		if rnd.IntN(2) == 0 { // it chooses the grams after these lines
			x.learned = enoughLines - 1 - rnd.IntN(3)
		}
		lower, _ := appendLower(nil, line)
		for range 3 { // also when it was used before
			x.search(line)
			for i, text := range texts {
				want := bytes.Contains(line, text.text)
				if text.fold {
					want = bytes.Contains(lower, text.text)
				}
				if x.holds(int32(i)) != want || text.in(line) != want {
					t.Fatalf("%q (fold %v) in %q: index %v, search %v; want %v", text.text, text.fold, line, x.holds(int32(i)), text.in(line), want)
				}
				if want {
					hits++
				}
			}
			if odd := x.folds && hasOddLetter(line); x.odd != odd {
				t.Fatalf("%q: odd %v; want %v", line, x.odd, odd)
			}
		}
	}
	if hits < 1000 {
		t.Errorf("only %d texts were found", hits)
	}
}

func BenchmarkTextIndex(b *testing.B) {
	log := fleetLog(2000)
	var all gates
	all.known = make(map[string]int32)
	for _, q := range compileAll(b, loggen.Rules(500)...) {
		for _, p := range q.plans {
			for _, s := range p.stages {
				all.add(&node{stage: s.stage})
			}
		}
	}
	x := newTextIndex(all.texts)
	b.Logf("%d texts, grams of %d at every %d, %d by themselves", len(x.texts), x.gram, x.stride, len(x.texts)-len(x.long))
	b.SetBytes(log.bytes)
	found := 0
	for b.Loop() {
		for i := range log.entries {
			x.search(log.entries[i].Line)
			found += len(x.found)
		}
	}
	b.ReportMetric(float64(found)/float64(b.N*len(log.entries)), "found/line")
}
