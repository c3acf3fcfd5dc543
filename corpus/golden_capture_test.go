package corpus

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestGolden_Capture opens a captured run, which has the keys that imported ones
// lack: how it was captured, the coverage of its streams, and cut records.
func TestGolden_Capture(t *testing.T) {
	const dir = "testdata/golden-v1-capture"
	rep, err := Verify(t.Context(), dir)
	if err != nil || len(rep.Problems) > 0 {
		t.Fatalf("verify: %v %v", err, rep)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("deployed", "drill", 1)
	if err != nil {
		t.Fatal(err)
	}
	m := run.Manifest
	if m.Capture == nil || m.Capture.ID == "" || m.Capture.MaxLine != 1024 || !m.Capture.Ended.After(m.Capture.Started) {
		t.Fatalf("capture %+v", m.Capture)
	}
	if diff := cmp.Diff([]string{"file app.log"}, m.Capture.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	s := m.Streams[0]
	if s.Records != 3 || s.Cut != 1 || len(s.Gaps) != 1 || m.Completeness.State != Incomplete {
		t.Errorf("%d records, %d cut, gaps %v, %+v", s.Records, s.Cut, s.Gaps, m.Completeness)
	}
	lost := s.Gaps[0].To.Sub(s.Gaps[0].From)
	if whole := s.Coverage.To.Sub(s.Coverage.From); s.Coverage.Share <= 0.5 || s.Coverage.Share > 1-float64(lost)/float64(whole) {
		t.Errorf("coverage %+v with a gap of %s", s.Coverage, lost)
	}
	if e := m.Scenario.Expectations; len(e) != 1 || e[0].DeclaredAt.Sub(m.Capture.Started).Abs() > time.Second {
		t.Errorf("expectations %+v; the capture started at %s", e, m.Capture.Started)
	}
}
