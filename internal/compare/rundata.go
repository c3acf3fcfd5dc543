package compare

import (
	"context"
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/replay"
)

// loadFacts begins to read what was recorded beside logs and metrics, while
// the logs are replayed. The function that it returns waits for the end.
func loadFacts(ctx context.Context, run *corpus.Run) func() (*facts.Facts, error) {
	var f *facts.Facts
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		f, err = run.Facts(ctx)
	}()
	return func() (*facts.Facts, error) {
		<-done
		return f, err
	}
}

// describeRun adds to a result what the manifest knows of the run.
func describeRun(res *outcome.Run, run *corpus.Run, f *facts.Facts) {
	m := run.Manifest
	res.Facts, res.Parameters, res.Expected = f, m.Scenario.Parameters, m.Scenario.Expected
	if at := m.Scenario.DeclaredAt; at != nil {
		res.ExpectedAt = at.UnixNano()
	}
	if e := m.Environment; e != nil {
		res.Environment = &outcome.Environment{Kubernetes: e.Kubernetes, Nodes: e.Nodes, Devices: e.Devices, Components: e.Components}
	}
	for i := range m.Builds {
		b := &m.Builds[i]
		res.Builds = append(res.Builds, outcome.BuildInfo{
			Name: b.Name, Component: b.Component, Version: b.Version, Commit: b.Commit, Image: b.Image, Digest: b.Digest,
			Flags: b.Flags, Verbosity: b.Verbosity, Encoding: b.LogEncoding,
		})
	}
	if res.Logs == nil { // there were no records to look at
		res.Logs = logInfos(run)
	}
}

// logInfos describes the streams of a run. Of epochs it knows the time of the
// first record only where they begin with the stream.
func logInfos(run *corpus.Run) []outcome.LogInfo {
	infos := make([]outcome.LogInfo, len(run.Manifest.Streams))
	for i := range infos {
		s := &run.Manifest.Streams[i]
		epochs := s.Epochs
		if len(epochs) == 0 {
			epochs = []corpus.Epoch{{Records: s.Records}}
		}
		infos[i] = outcome.LogInfo{Labels: s.LabelSet(), Records: s.Records, Unparseable: s.Unparseable}
		for _, g := range s.Gaps {
			infos[i].Gaps = append(infos[i].Gaps, outcome.Gap{From: g.From.UnixNano(), To: g.To.UnixNano(), Reason: g.Reason})
		}
		for _, e := range epochs {
			x := outcome.Epoch{Build: e.Build, Start: e.Start, Records: e.Records}
			if e.Start == 0 && e.Records > 0 {
				x.First = s.First.UnixNano()
			}
			infos[i].Epochs = append(infos[i].Epochs, x)
		}
	}
	return infos
}

// epochStarts passes records on and notes when later epochs begin, which no
// manifest says.
type epochStarts struct {
	replay.Entries
	logs  []outcome.LogInfo
	seen  []int64 // records of each stream
	next  []int64 // number of the record that begins the next epoch; -1: none
	epoch []int   // which one that is
}

func newEpochStarts(run *corpus.Run, entries replay.Entries) *epochStarts {
	s := &epochStarts{Entries: entries, logs: logInfos(run)}
	n := len(s.logs)
	s.seen, s.next, s.epoch = make([]int64, n), make([]int64, n), make([]int, n)
	for i := range n {
		s.advance(i)
	}
	return s
}

// advance finds the next epoch of a stream that has records.
func (s *epochStarts) advance(stream int) {
	epochs := s.logs[stream].Epochs
	e := s.epoch[stream] + 1
	for e < len(epochs) && epochs[e].Records == 0 {
		e++
	}
	s.epoch[stream], s.next[stream] = e, -1
	if e < len(epochs) {
		s.next[stream] = epochs[e].Start
	}
}

// Scan goes to the next record.
func (s *epochStarts) Scan() bool {
	if !s.Entries.Scan() {
		return false
	}
	i := s.Stream()
	if s.seen[i] == s.next[i] {
		s.logs[i].Epochs[s.epoch[i]].First = s.Entry().Time
		s.advance(i)
	}
	s.seen[i]++
	return true
}

// factNotes tells the reader what of the recorded facts was left out.
func factNotes(sides ...*side) []string {
	var out []string
	for _, s := range sides {
		for i := range s.results {
			r := &s.results[i]
			if r.Facts == nil {
				continue
			}
			for _, n := range r.Facts.Notes {
				out = append(out, fmt.Sprintf("run %s/%s/%d: %s", r.Build, r.Scenario, r.Repetition, n))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
