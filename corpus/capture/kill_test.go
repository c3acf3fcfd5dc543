package capture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus"
)

// TestMain lets the test binary be a capture that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("CAPTURE_TEST_DIR"); dir != "" {
		if err := victim(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// victimRecords is how many records a victim writes, if it lives.
const victimRecords = 8000

// pace is what a victim waits after each hundred records: all of them take
// several times as long as what was recorded is held back.
const pace = 10 * time.Millisecond

// victim captures records that a server would give by time, from where a
// victim before it was killed.
func victim(dir string) error {
	opts := options(dir)
	opts.Repetition = 1
	if _, err := os.Stat(corpus.SpoolPath(dir, corpus.RunInfo{Build: "deployed", Scenario: "drill", Repetition: 1})); err == nil {
		opts.Resume = true
	}
	s, err := Begin(opts)
	if err != nil && opts.Resume && strings.Contains(err.Error(), "leave out --resume") {
		opts.Resume = false
		s, err = Begin(opts)
	}
	if err != nil {
		return err
	}
	if err := s.Record(context.Background(), script{"server", serve}); err != nil {
		return err
	}
	_, err = s.Finish(context.Background())
	return err
}

// serve records what was not recorded: several records share a time, and some
// are equal.
func serve(_ context.Context, to Sink) error {
	st, err := to.Stream(StreamInfo{Name: "a", Labels: labels("app", "a"), Times: Given})
	if err != nil {
		return err
	}
	// At once: a kill before it leaves a gap, though nothing is lost.
	if err := st.Bridged(); err != nil {
		return err
	}
	first := 0
	have := map[string]int{}
	if last := st.Last(); !last.IsZero() {
		since := last.Truncate(time.Second)
		records, err := st.Since(since)
		if err != nil {
			return err
		}
		for _, r := range records {
			have[string(r.Line)]++
		}
		first = 100 * int(since.Sub(at(0))/time.Second)
	}
	for i := first; i < victimRecords; i++ {
		text := recordText(i)
		if have[text] > 0 {
			have[text]--
			continue
		}
		if err := st.Append(recordTime(i), []byte(text)); err != nil {
			return err
		}
		if i%100 == 0 {
			time.Sleep(pace)
		}
	}
	return nil
}

// recordTime has hundred records a second, ten of them at one time.
func recordTime(i int) time.Time { return at(float64(i/100) + float64(i%100/10)/10) }

func recordText(i int) string { return fmt.Sprintf("record %d %s", i/2, strings.Repeat("x", i/2%50)) }

// TestKill kills a capture again and again at moments that nobody chose. What
// it leaves is a spool that can be closed or gone on with, or the run; a run
// that was finished before stays as it is.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	s := begin(t, func() Options { o := options(dir); o.Repetition = 7; return o }())
	record(t, s, oneLine)
	if _, err := s.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	finished := corpus.RunInfo{Build: "deployed", Scenario: "drill", Repetition: 7}
	info := corpus.RunInfo{Build: "deployed", Scenario: "drill", Repetition: 1}
	before := tree(t, filepath.Join(dir, "runs"))
	rng := rand.New(rand.NewPCG(1, 2))
	killed, spooled := 0, 0
	for killed < 20 {
		if !kill9(t, dir, time.Duration(rng.IntN(280))*time.Millisecond) {
			break // it finished
		}
		killed++
		if have, err := corpus.HasRun(dir, info); err != nil || have {
			t.Logf("kill %d came after the run was moved into place: %v", killed, err)
			break
		}
		if after := tree(t, filepath.Join(dir, "runs")); after != before {
			t.Fatalf("kill %d changed a finished run:\n%s\n%s", killed, before, after)
		}
		// A copy is closed, while the original is gone on with.
		copied := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		repaired, err := Repair(t.Context(), copied, "test")
		if err != nil {
			t.Fatalf("kill %d: %v", killed, err)
		}
		if c, err := corpus.Open(copied); err != nil {
			t.Fatalf("kill %d: %v", killed, err)
		} else if len(c.Runs()) == 1 {
			continue // it was killed before it had recorded anything
		}
		spooled++
		m := verified(t, copied, info)
		if len(repaired) == 1 && repaired[0].Result != nil && m.Completeness.State != corpus.Incomplete {
			if n := m.Streams[0].Records; n < victimRecords {
				t.Errorf("kill %d: a run of %d records is called whole", killed, n)
			}
		}
		wantRecords(t, copied, info, false)
	}
	t.Logf("%d kills, %d of them left a spool", killed, spooled)
	if spooled < 3 {
		t.Errorf("only %d of %d kills came while something was recorded", spooled, killed)
	}
	for kill9(t, dir, time.Minute) {
	}
	if _, err := Repair(t.Context(), dir, "test"); err != nil {
		t.Fatal(err)
	}
	m := verified(t, dir, info)
	verified(t, dir, finished)
	if m.Completeness.State != corpus.Complete || m.Streams[0].Records != victimRecords {
		t.Errorf("%d records, %+v", m.Streams[0].Records, m.Completeness)
	}
	wantRecords(t, dir, info, true)
}

// kill9 runs a victim and kills it after a time. It reports whether it did.
func kill9(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "CAPTURE_TEST_DIR="+dir)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false
	case !errors.As(err, &exit):
		t.Fatal(err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return true
	}
	if strings.Contains(out.String(), "has run deployed/drill/1 already") {
		return false
	}
	t.Fatalf("the capture failed: %s", out.String())
	return false
}

// wantRecords holds the records of a run to be the first of those that are
// served, each once and in order; all of them if whole is set.
func wantRecords(t *testing.T, dir string, info corpus.RunInfo, whole bool) {
	t.Helper()
	got := records(t, dir, info)
	if whole && len(got) != victimRecords {
		t.Errorf("%d records; want %d", len(got), victimRecords)
	}
	for i, text := range got {
		want := fmt.Sprintf("%s {app=%q} %s", recordTime(i).Format("05.000"), "a", recordText(i))
		if text != want {
			t.Fatalf("record %d of %d is %q; want %q", i, len(got), text, want)
		}
	}
}

// tree returns the names and sizes of all files.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			fmt.Fprintf(&out, "%s %d %s\n", path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestKill_Finishing kills a capture while its spool becomes a run.
func TestKill_Finishing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	spools := 0
	for i := range 5 {
		dir := t.TempDir()
		info := corpus.RunInfo{Build: "deployed", Scenario: "drill", Repetition: 1}
		spool := corpus.SpoolPath(dir, info)
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), "CAPTURE_TEST_DIR="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for done := false; !done; { // until it stages a run
			select {
			case err := <-ended:
				done = true
				ended <- err
			case <-time.After(time.Millisecond):
				staged, _ := filepath.Glob(filepath.Join(dir, ".unfinished-*", "deployed"))
				done = len(staged) > 0
			}
		}
		time.Sleep(time.Duration(rng.IntN(1+i*i)) * time.Millisecond) // the first at once, however fast the machine is
		_ = cmd.Process.Kill()
		<-ended
		if _, err := os.Stat(spool); err == nil {
			spools++
		}
		if _, err := Repair(t.Context(), dir, "test"); err != nil {
			t.Fatal(err)
		}
		if m := verified(t, dir, info); m.Completeness.State != corpus.Complete {
			t.Errorf("all was recorded, but the run is incomplete: %q", m.Completeness.Reasons)
		}
		wantRecords(t, dir, info, true)
	}
	if spools == 0 {
		t.Error("no kill came before the run was finished")
	}
}
