package capture

import (
	"context"
	"fmt"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
)

// A Source records something until ctx is done, then takes what is already
// there, within the grace of the sink, and returns. A source that has nothing
// more to record returns nil earlier. An error ends this source only; the
// session keeps it as a reason why the run is incomplete.
type Source interface {
	fmt.Stringer // for progress and messages, such as "pods of kueue-system in management"
	Record(ctx context.Context, to Sink) error
}

// A Sink takes what sources record. It is safe for concurrent use. Its methods
// fail once the session has ended, and when the spool cannot be written; a
// source then returns that error.
type Sink interface {
	// Stream begins the log of one process, or goes on with the one of these
	// labels, also that of before an interruption. A stream has one user at a
	// time.
	Stream(info StreamInfo) (Stream, error)
	// Value keeps one JSON value, of any spacing. The kind is "events",
	// "objects", "probes", "progress" or "actions".
	Value(kind string, key corpus.FileKey, raw []byte) error
	// Scrape keeps the answer of a target to a look at its metrics, in the text
	// format. Failed, if not nil, says why there is none. A body that cannot be
	// read counts as failed.
	Scrape(target logs.Labels, at time.Time, contentType string, body []byte, failed error) error
	// Moment says that the objects of a moment were taken at a time. The first
	// time stays.
	Moment(name string, at time.Time) error
	// Describe changes what is known of the run: builds, environment, scenario,
	// notes. The function is called under a lock; streams and files are not
	// there to be changed.
	Describe(change func(m *corpus.Manifest)) error
	// Note keeps a remark for the reader of a report.
	Note(text string)
	// Incomplete says that something is missing, and why.
	Incomplete(reason string)

	// Moments returns a channel of names of moments that are asked for while
	// the session runs. Each call returns a channel of its own, which is never
	// closed; a source that is slow misses none.
	Moments() <-chan string

	// Interrupted returns when the session before this one, of which this one is
	// the continuation, was last alive; zero: there was none.
	Interrupted() time.Time

	// Keep keeps a text by a name that no other source uses, such as how far the
	// source has come. When it returns, the text lasts, and so does everything
	// that was recorded before. Kept returns what was kept last by the names that
	// begin in a prefix, also before an interruption, by their rest.
	Keep(name, text string) error
	Kept(prefix string) map[string]string

	// Grace is how long a source may go on after its context is done.
	Grace() time.Duration
	// MaxLine is the most bytes of a line that are kept; see [LineReader].
	MaxLine() int
	// Now is the session's clock.
	Now() time.Time
}

// A StreamInfo says what a stream is.
type StreamInfo struct {
	Name   string      // names its file; need not differ from that of others
	Labels logs.Labels // tell it apart from every other stream of the run
	// Times says what the times are that records come with.
	Times Times
	// Format, Year and Timezone are for Times OfRecords: names of formats as an
	// import description has them (none: the log is looked at), and what a
	// format may lack.
	Format   []string
	Year     int
	Timezone string
}

// Times says what the time of a record that is appended to a stream is.
type Times int

// The zero value is no valid Times.
const (
	// Given: somebody else, such as the API server, said when the record was
	// written. It is kept.
	Given Times = iota + 1
	// OfReading: the time at which the record was read. It is kept.
	OfReading
	// OfRecords: as OfReading, but the times that the records themselves hold
	// take its place where they have any.
	OfRecords
)

// A Stream takes the records of one process, over all its restarts. It is for
// one goroutine.
type Stream interface {
	// Append adds a record, without its newline. The line is not kept. A line
	// that is longer than the sink's MaxLine is cut and marked.
	Append(at time.Time, line []byte) error
	// AppendMeta is Append for a record with metadata of its own.
	AppendMeta(at time.Time, line []byte, metadata logs.Labels) error
	// Epoch says that the records that follow are of a new process. Source says
	// where they come from. Build names the build that runs, one of the
	// manifest's; empty: the run's.
	Epoch(source, build string) error
	// Gap says that records of a stretch of time are missing, or may be.
	Gap(from, to time.Time, reason string) error

	// Last returns the latest time that was appended, zero if there is none,
	// also before an interruption.
	Last() time.Time
	// Since returns the records that are not older than a time, in the order
	// they were appended: what a source that reconnects by time must not append
	// again. It reads the spool; ask for seconds, not for hours.
	Since(at time.Time) ([]Record, error)
	// Mark keeps a text with which the source finds its place again after an
	// interruption, such as a file and an offset. It belongs to the last record
	// that was appended.
	Mark(place string) error
	// Place returns the last mark, and the records that were appended after it.
	Place() (mark string, after []Record, err error)

	// Interrupted returns when the session before this one was last alive, and
	// whether there was one that had this stream. Unless the source then calls
	// Bridged, the time from there to the beginning of this session is a gap.
	Interrupted() (since time.Time, ok bool)
	// Bridged says that nothing was lost in the interruption.
	Bridged() error

	// Close ends the use of the stream. It says nothing about its process.
	Close() error
}

// A Record is one record of a stream, as it was appended.
type Record struct {
	Time     time.Time
	Line     []byte
	Metadata logs.Labels
}
