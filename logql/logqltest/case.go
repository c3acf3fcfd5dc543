package logqltest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
)

// The kinds of a [Case].
const (
	KindParse   = "parse"
	KindLog     = "log"
	KindInstant = "instant"
	KindRange   = "range"
)

// The statuses of an [Answer].
const (
	StatusOK          = "ok"
	StatusParseError  = "parse_error"
	StatusExecError   = "exec_error"
	StatusUnsupported = "unsupported" // this engine only
)

// A Case is a query with the answer that was recorded for it.
type Case struct {
	ID        string `json:"id"`
	Group     string `json:"group"`
	Corpus    string `json:"corpus"`
	Kind      string `json:"kind"`
	Query     string `json:"query"`
	Start     int64  `json:"start,string"` // nanoseconds since the epoch
	End       int64  `json:"end,string"`
	Step      int64  `json:"step,string"`
	Limit     int    `json:"limit"`
	Direction string `json:"direction"`
	Expect    Answer `json:"expect"`
	Server    string `json:"server"`
}

// ServerDiffers reports whether a real server gave another answer than the
// engine whose answer is recorded. Such cases are no measure of right.
func (c *Case) ServerDiffers() bool { return c.Server == "differs" }

// An Answer is what came of a query. Of the last five fields the one that fits
// the kind of the query is set, and only if Status is ok.
type Answer struct {
	Status  string   `json:"status"`
	Stage   string   `json:"stage,omitempty"` // of a parse case: parse or compile
	Streams []Stream `json:"streams,omitempty"`
	Ordered bool     `json:"ordered,omitempty"` // Vector stands in result order
	Vector  []Sample `json:"vector,omitempty"`
	Matrix  []Series `json:"matrix,omitempty"`
	Scalar  string   `json:"scalar,omitempty"`

	// Err says why a query failed here. Recorded answers have none.
	Err string `json:"err,omitempty"`
}

// A Stream is lines with equal labels. An entry is its time in nanoseconds and
// its line.
type Stream struct {
	Labels  map[string]string `json:"labels"`
	Entries [][2]string       `json:"entries"`
}

// A Sample is one series of an instant answer.
type Sample struct {
	Labels map[string]string `json:"labels"`
	TS     string            `json:"ts"`
	Value  string            `json:"value"`
}

// A Series is one series of a range answer. A point is its time and value.
type Series struct {
	Labels map[string]string `json:"labels"`
	Points [][2]string       `json:"points"`
}

// ReadCases reads a file of cases, one JSON object a line.
func ReadCases(path string) ([]Case, error) {
	var cases []Case
	err := readLines(path, func(line []byte) error {
		var c Case
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		cases = append(cases, c)
		return nil
	})
	return cases, err
}

// A Corpus is the log that a case is run on.
type Corpus struct {
	Streams []logs.Labels
	// Entries are ordered by time, then by the hash of their stream, then as
	// they were pushed: the order in which Loki merges streams.
	Entries []CorpusEntry
}

// A CorpusEntry is an entry of a corpus with the index of its stream.
type CorpusEntry struct {
	Stream int
	Entry  logs.Entry
}

// ReadCorpus reads a corpus, one JSON object a line. Entries that equal an
// earlier one in stream, time, line and metadata are left out, as in a store.
func ReadCorpus(path string) (*Corpus, error) {
	corpus := new(Corpus)
	index := make(map[string]int)
	var dedup logs.Dedup
	err := readLines(path, func(line []byte) error {
		var l struct {
			Labels   map[string]string `json:"labels"`
			TS       int64             `json:"ts,string"`
			Line     string            `json:"line"`
			LineB64  []byte            `json:"line_b64"`
			Metadata map[string]string `json:"metadata"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		labels := logs.FromMap(l.Labels)
		i, ok := index[labels.String()]
		if !ok {
			i = len(corpus.Streams)
			index[labels.String()] = i
			corpus.Streams = append(corpus.Streams, labels)
		}
		e := logs.Entry{Time: l.TS, Line: []byte(l.Line)}
		if l.LineB64 != nil {
			e.Line = l.LineB64
		}
		if len(l.Metadata) > 0 {
			e.Metadata = logs.FromMap(l.Metadata)
		}
		if !dedup.Repeat(i, &e) {
			corpus.Entries = append(corpus.Entries, CorpusEntry{i, e})
		}
		return nil
	})
	hashes := make([]uint64, len(corpus.Streams))
	for i, s := range corpus.Streams {
		hashes[i] = s.Hash()
	}
	slices.SortStableFunc(corpus.Entries, func(a, b CorpusEntry) int {
		return cmp.Or(cmp.Compare(a.Entry.Time, b.Entry.Time), cmp.Compare(hashes[a.Stream], hashes[b.Stream]))
	})
	return corpus, err
}

// ReadCorpora reads the corpora that cases name from a directory.
func ReadCorpora(dir string, cases []Case) (map[string]*Corpus, error) {
	corpora := make(map[string]*Corpus)
	for i := range cases {
		name := cases[i].Corpus
		if name == "" || corpora[name] != nil {
			continue
		}
		c, err := ReadCorpus(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			return nil, err
		}
		corpora[name] = c
	}
	return corpora, nil
}

// readLines calls fn for each line of a file and puts the place before an
// error.
func readLines(path string, fn func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for n := 1; s.Scan(); n++ {
		if err := fn(s.Bytes()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
