package capture

import (
	"context"
	"testing"
)

// What a sitting recorded can be asked for in the next one, also before that
// has records of its own.
func TestStream_SinceInterruption(t *testing.T) {
	dir := t.TempDir()
	info := StreamInfo{Name: "a", Labels: labels("app", "a"), Times: Given}
	s := begin(t, options(dir))
	record(t, s, func(_ context.Context, to Sink) error {
		st, err := to.Stream(info)
		if err != nil {
			return err
		}
		for i, line := range []string{"one", "two", "three"} {
			if err := st.Append(at(float64(i)), []byte(line)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.Leave(); err != nil {
		t.Fatal(err)
	}
	opts := options(dir)
	opts.Resume = true
	s = begin(t, opts)
	record(t, s, func(_ context.Context, to Sink) error {
		st, err := to.Stream(info)
		if err != nil {
			return err
		}
		got, err := st.Since(at(1))
		if err != nil || len(got) != 2 || string(got[0].Line) != "two" || string(got[1].Line) != "three" {
			t.Errorf("%v %q", err, got)
		}
		return nil
	})
	if err := s.Discard(); err != nil {
		t.Fatal(err)
	}
}
