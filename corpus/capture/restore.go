package capture

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
)

// manifest returns what the spool knows of its run.
func (s *spool) manifest() *corpus.Manifest {
	m := &corpus.Manifest{}
	for _, sit := range s.sittings {
		for i := range sit.entries {
			if e := &sit.entries[i]; e.Do == doDescribe && e.Manifest != nil {
				m = e.Manifest
			}
		}
	}
	m.Build, m.Scenario.Name, m.Repetition = s.begin.Build, s.begin.Scenario, s.begin.Repetition
	if len(m.Builds) == 0 {
		m.Builds = []corpus.Build{{Name: m.Build}}
	}
	m.Streams, m.Files, m.Moments, m.Capture = nil, nil, nil, nil
	return m
}

// restore takes over the streams, moments and places of the sittings before.
func (s *Session) restore() error {
	for _, sit := range s.spool.sittings {
		byID := map[int]*stream{}
		for i := range sit.entries {
			e := &sit.entries[i]
			switch e.Do {
			case doStream:
				if e.Stream == nil {
					return fmt.Errorf("%s: its journal has a stream that is none", sit.dir)
				}
				byID[e.ID] = s.restored(e.Stream)
				byID[e.ID].before = sit.alive
			case doKeep:
				s.kept[e.Name] = e.Place
			case doMoment:
				if e.From != nil {
					s.moments[e.Name] = *e.From
				}
			}
		}
		for id, st := range byID {
			if err := st.readBack(sit, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Session) restored(e *streamEntry) *stream {
	ls := logs.FromMap(e.Labels)
	st := s.streams[ls.String()]
	if st == nil {
		st = &stream{session: s, info: StreamInfo{Name: e.Name, Labels: ls, Times: e.Times, Format: e.Format, Year: e.Year, Timezone: e.Timezone}}
		s.streams[ls.String()] = st
	}
	return st
}

// readBack makes the index of the stream's file of a sitting, and finds the
// last mark that the records of the file reach.
func (t *stream) readBack(sit *sitting, id int) error {
	name := filepath.Join(sit.dir, streamName(id))
	r, err := openRecords(name, 0)
	if err != nil {
		return err
	}
	t.marks = append(t.marks, indexed{file: name, latest: t.last})
	var marks []*entry
	for i := range sit.entries {
		if e := &sit.entries[i]; e.Do == doMark && e.ID == id {
			marks = append(marks, e)
		}
	}
	offset := int64(0)
	for err == nil {
		for len(marks) > 0 && marks[0].Record <= r.n {
			t.place = placed{text: marks[0].Place, set: true, file: name, offset: offset}
			marks = marks[1:]
		}
		if offset-t.marks[len(t.marks)-1].offset >= indexEvery {
			t.marks = append(t.marks, indexed{file: name, offset: offset, latest: t.last})
		}
		var rec Record
		if rec, err = r.next(); err == nil {
			offset = r.lines.read
			if rec.Time.After(t.last) {
				t.last = rec.Time
			}
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, r.close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Interrupted returns when the sitting before this one was last alive; zero if
// this is the first.
func (s *Session) Interrupted() time.Time {
	for _, sit := range slices.Backward(s.spool.sittings) {
		if !sit.alive.IsZero() {
			return sit.alive
		}
	}
	return time.Time{}
}
