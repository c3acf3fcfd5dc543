package corpus

import "testing"

// BenchmarkFacts loads what was recorded beside logs and metrics of the run
// that has most of it.
func BenchmarkFacts(b *testing.B) {
	dir := b.TempDir()
	importTree(b, "kueue-multikueue", dir)
	c, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	run, err := c.OpenRun("deployed", "finished-history", 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f, err := run.Facts(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if len(f.Events) == 0 {
			b.Fatal("no events")
		}
	}
}
