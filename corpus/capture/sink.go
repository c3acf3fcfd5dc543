package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
)

var _ Sink = (*Session)(nil)

// Stream begins a stream or goes on with one; see [Sink].
func (s *Session) Stream(info StreamInfo) (Stream, error) {
	if info.Times < Given || info.Times > OfRecords {
		return nil, fmt.Errorf("stream %s: nothing says what its times are", info.Labels)
	}
	if err := corpus.CheckTimes(info.Format, info.Year, info.Timezone); err != nil {
		return nil, fmt.Errorf("stream %s: %w", info.Labels, err)
	}
	for _, l := range info.Labels {
		if err := corpus.CheckLabelName(l.Name); err != nil {
			return nil, fmt.Errorf("stream %s: %w", info.Labels, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	key := info.Labels.String()
	st := s.streams[key]
	if st == nil {
		st = &stream{session: s, info: info}
		s.streams[key] = st
	}
	if st.used {
		return nil, fmt.Errorf("two sources record a stream with the labels %s; give them a label that tells them apart", info.Labels)
	}
	if st.id == 0 { // new in this sitting
		st.id = s.number()
	}
	e := &entry{Do: doStream, ID: st.id, Stream: &streamEntry{Name: info.Name, Labels: info.Labels.Map(), Times: info.Times, Format: info.Format, Year: info.Year, Timezone: info.Timezone}}
	if err := s.tellLocked(e); err != nil {
		return nil, err
	}
	if st.out == nil {
		out, err := s.open(streamName(st.id))
		if err != nil {
			return nil, s.check(err)
		}
		st.out = out
		st.marks = append(st.marks, indexed{file: s.path(streamName(st.id)), latest: st.last})
	}
	st.used = true
	s.stats.streams = max(s.stats.streams, len(s.streams))
	return st, nil
}

// Value keeps a JSON value; see [Sink].
func (s *Session) Value(kind string, key corpus.FileKey, raw []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return fmt.Errorf("a value of %s is no JSON: %w", kind, err)
	}
	if line.Len() > maxValue {
		return fmt.Errorf("a value of %s of %d bytes; at most %d are kept", kind, line.Len(), maxValue)
	}
	line.WriteByte('\n')
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	name := corpus.FilePath(kind, key)
	f := s.values[name]
	if f == nil {
		if err := corpus.CheckFile(kind, key); err != nil {
			return err
		}
		id := s.number()
		if err := s.tellLocked(&entry{Do: doValues, ID: id, Kind: kind, Key: &key}); err != nil {
			return err
		}
		var err error
		if f, err = s.open(valuesName(id)); err != nil {
			return s.check(err)
		}
		s.values[name], s.keys[name] = f, key
	}
	if !reflect.DeepEqual(s.keys[name], key) {
		return fmt.Errorf("two sources record %s with other fields or values; give one of them a name", name)
	}
	s.stats.values++
	s.stats.bytes += int64(line.Len())
	return s.check(f.write(line.Bytes()))
}

// maxValue bounds one value, in bytes: a frame of a corpus holds no more.
const maxValue = 16 << 20

// scrapes is the file of the scrapes of one target.
type scrapes struct {
	out  *spoolFile
	last time.Time
	up   bool
}

// Scrape keeps a look at the metrics of a target; see [Sink].
func (s *Session) Scrape(target logs.Labels, at time.Time, contentType string, body []byte, failed error) error {
	if failed == nil {
		failed = corpus.CheckScrape(body)
		if failed != nil && contentType != "" {
			failed = fmt.Errorf("%w (its content type is %q)", failed, contentType)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	sc := s.scrapes[target.String()]
	if sc == nil {
		for _, l := range target {
			if err := corpus.CheckLabelName(l.Name); err != nil {
				return fmt.Errorf("target %s: %w", target, err)
			}
		}
		id := s.number()
		if err := s.tellLocked(&entry{Do: doScrapes, ID: id, Target: target.Map()}); err != nil {
			return err
		}
		out, err := s.open(scrapesName(id))
		if err != nil {
			return s.check(err)
		}
		sc = &scrapes{out: out, up: true}
		s.scrapes[target.String()] = sc
	}
	if sc.last.After(at) {
		at = sc.last // a clock that was set back
	}
	sc.last = at
	if failed != nil && sc.up {
		s.stats.problem(fmt.Sprintf("scrape of %s: %v", target, failed))
		if err := s.tellLocked(&entry{Do: doNote, Reason: fmt.Sprintf("the scrape of %s at %s failed: %v", target, at.UTC().Format(time.RFC3339), failed)}); err != nil {
			return err
		}
	}
	sc.up = failed == nil
	s.stats.scrapes++
	text := appendScrape(nil, at, body, failed != nil)
	s.stats.bytes += int64(len(text))
	return s.check(sc.out.write(text))
}

// wholeScrape is the last line of a scrape in a spool.
const wholeScrape = "# whole"

// appendScrape writes a scrape as it stands in a spool. The lines with which a
// scrape begins and ends there are taken out of the body.
func appendScrape(b []byte, at time.Time, body []byte, failed bool) []byte {
	up := 1
	if failed {
		up = 0
	}
	b = fmt.Appendf(b, "# scrape ts=%s up=%d\n", at.UTC().Format("2006-01-02T15:04:05.000Z"), up)
	if !failed {
		for line := range bytes.Lines(body) {
			line = bytes.TrimRight(line, "\r\n")
			if rest, comment := bytes.CutPrefix(line, []byte("#")); comment {
				word, _, _ := strings.Cut(strings.TrimLeft(string(rest), " \t"), " ")
				if word = strings.TrimSpace(word); word == "scrape" || word == "whole" || word == "EOF" {
					continue
				}
			}
			b = append(append(b, line...), '\n')
		}
	}
	return append(append(b, wholeScrape...), '\n')
}

// Moment keeps the time of a moment; see [Sink].
func (s *Session) Moment(name string, at time.Time) error {
	if err := corpus.CheckFile("objects", corpus.FileKey{Moment: name}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.moments[name]; ok {
		return s.usable()
	}
	at = at.UTC()
	if err := s.tellLocked(&entry{Do: doMoment, Name: name, From: &at}); err != nil {
		return err
	}
	s.moments[name] = at
	return nil
}

// Describe changes the manifest; see [Sink].
func (s *Session) Describe(change func(m *corpus.Manifest)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	change(&s.manifest)
	begin := s.spool.begin
	s.manifest.Build, s.manifest.Scenario.Name, s.manifest.Repetition = begin.Build, begin.Scenario, begin.Repetition
	s.manifest.Streams, s.manifest.Files, s.manifest.Moments, s.manifest.Capture = nil, nil, nil, nil
	return s.tellLocked(&entry{Do: doDescribe, Manifest: &s.manifest})
}

// Note keeps a remark; see [Sink].
func (s *Session) Note(text string) {
	_ = s.tell(&entry{Do: doNote, Reason: text}) // an error of the spool is kept
}

// Incomplete says that something is missing; see [Sink].
func (s *Session) Incomplete(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.problem(reason)
	_ = s.tellLocked(&entry{Do: doIncomplete, Reason: reason}) // an error of the spool is kept
}

// Grace is how long sources may take to end; see [Sink].
func (s *Session) Grace() time.Duration { return s.grace }

// MaxLine is the most bytes of a line; see [Sink].
func (s *Session) MaxLine() int { return s.opts.MaxLine }

// Now returns the time.
func (s *Session) Now() time.Time { return s.opts.Now() }

// moments hands names of moments to one source, which may be slow.
type moments struct {
	mu    sync.Mutex
	queue []string
	wake  chan struct{}
	out   chan string
}

// Moments returns a channel of the moments that are asked for; see [Sink].
func (s *Session) Moments() <-chan string {
	m := &moments{wake: make(chan struct{}, 1), out: make(chan string)}
	s.mu.Lock()
	s.watchers = append(s.watchers, m)
	s.mu.Unlock()
	go m.run(s.stop)
	return m.out
}

func (m *moments) run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-m.wake:
		}
		for {
			m.mu.Lock()
			if len(m.queue) == 0 {
				m.mu.Unlock()
				break
			}
			name := m.queue[0]
			m.queue = m.queue[1:]
			m.mu.Unlock()
			select {
			case m.out <- name:
			case <-stop:
				return
			}
		}
	}
}

// Taken reports whether a moment was taken.
func (s *Session) Taken(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, had := s.moments[name]
	return had
}

// Ask asks the sources that record objects for a moment now. The name must not
// have been asked for before.
func (s *Session) Ask(name string) error {
	if err := corpus.CheckFile("objects", corpus.FileKey{Moment: name}); err != nil {
		return err
	}
	s.mu.Lock()
	watchers := slices.Clone(s.watchers)
	_, had := s.moments[name]
	err := s.usable()
	s.mu.Unlock()
	if had {
		return fmt.Errorf("moment %q was taken before", name)
	}
	if err != nil {
		return err
	}
	if len(watchers) == 0 {
		return errors.New("no source records objects")
	}
	for _, m := range watchers {
		m.mu.Lock()
		m.queue = append(m.queue, name)
		m.mu.Unlock()
		select {
		case m.wake <- struct{}{}:
		default:
		}
	}
	return nil
}
