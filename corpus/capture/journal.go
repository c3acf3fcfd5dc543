package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/stillfires/stillfires/corpus"
)

// spoolVersion is that of the form of spools. A spool of another version is
// not read.
const spoolVersion = 1

// The things that a journal says. Each line of it is one, and is written whole.
const (
	doBegin      = "begin"      // a sitting begins
	doAlive      = "alive"      // the session lives
	doDescribe   = "describe"   // what is known of the run changed
	doSource     = "source"     // a source begins; with Reason: it ended by that error
	doStream     = "stream"     // a stream is begun or gone on with
	doClose      = "close"      // nobody looks at a stream any more
	doEpoch      = "epoch"      // of a stream
	doGap        = "gap"        // likewise
	doMark       = "mark"       // likewise
	doBridged    = "bridged"    // likewise
	doValues     = "values"     // a file of values is begun
	doScrapes    = "scrapes"    // a file of scrapes is begun
	doMoment     = "moment"     // of objects
	doKeep       = "keep"       // a source's place, by its name
	doNote       = "note"       // for the reader of a report
	doIncomplete = "incomplete" // something is missing
	doEnd        = "end"        // the sitting ended, and the run is to be finished
)

// An entry is one line of a journal.
type entry struct {
	At time.Time `json:"at"`
	Do string    `json:"do"`

	Begin    *beginning       `json:"begin,omitempty"`
	Manifest *corpus.Manifest `json:"manifest,omitempty"`

	ID     int               `json:"id,omitempty"`     // of a file of the sitting, from 1
	Stream *streamEntry      `json:"stream,omitempty"` // of doStream
	Record int64             `json:"record,omitempty"` // of the stream in this sitting, from 0: before it
	Offset int64             `json:"offset,omitempty"` // of the file of the stream, likewise
	Source string            `json:"source,omitempty"`
	Build  string            `json:"build,omitempty"`
	Place  string            `json:"place,omitempty"`
	From   *time.Time        `json:"from,omitempty"`
	To     *time.Time        `json:"to,omitempty"`
	Reason string            `json:"reason,omitempty"` // also the text of a note
	Kind   string            `json:"kind,omitempty"`
	Key    *corpus.FileKey   `json:"key,omitempty"`
	Target map[string]string `json:"target,omitempty"`
	Name   string            `json:"name,omitempty"`
}

// A beginning says what a spool is of.
type beginning struct {
	Version    int    `json:"version"`
	ID         string `json:"id"` // the same in all sittings of a spool
	Creator    string `json:"creator"`
	Build      string `json:"build"`
	Scenario   string `json:"scenario"`
	Repetition int    `json:"repetition"`
	MaxLine    int    `json:"maxLine"`
}

// A streamEntry is what a journal says of a stream.
type streamEntry struct {
	Name     string            `json:"name"`
	Labels   map[string]string `json:"labels"`
	Times    Times             `json:"times"`
	Format   []string          `json:"format,omitempty"`
	Year     int               `json:"year,omitempty"`
	Timezone string            `json:"timezone,omitempty"`
}

// maxJournalLine bounds one entry, which can hold a manifest.
const maxJournalLine = 64 << 20

// readJournal reads the entries of a journal up to its end, or to the first
// that is not whole; torn then says what is wrong with it.
func readJournal(name string) (entries []entry, torn string, err error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", nil // the sitting ended before it began
	}
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	in := newLineScanner(f, maxJournalLine)
	for n := 1; ; n++ {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return entries, "", nil
		case errors.Is(err, errTorn):
			return entries, fmt.Sprintf("line %d of its journal is not whole, and was left out", n), nil
		case err != nil:
			return nil, "", fmt.Errorf("%s: %w", name, err)
		}
		var e entry
		dec := json.NewDecoder(bytes.NewReader(line))
		if err := dec.Decode(&e); err != nil {
			return entries, fmt.Sprintf("its journal cannot be read from line %d on", n), nil
		}
		if e.Begin != nil && e.Begin.Version != spoolVersion {
			return nil, "", fmt.Errorf("%s: is of version %d; this stillfires reads version %d: finish it with the one that recorded it (%q)", name, e.Begin.Version, spoolVersion, e.Begin.Creator)
		}
		entries = append(entries, e)
	}
}
