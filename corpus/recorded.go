package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/logs/recordtime"
)

// A ValueWriter writes a file of a run that holds one JSON value a line.
type ValueWriter struct {
	file *fileWriter
	line func([]byte) error
}

// Values adds a file of a kind ("events", "objects", "probes", "progress",
// "actions") to the run. Source says where it comes from. The caller closes it
// before it seals the run.
func (r *RunWriter) Values(kind string, key FileKey, source string) (*ValueWriter, error) {
	if _, ok := fileKinds[kind]; !ok {
		return nil, fmt.Errorf("kind %q: want events, objects, probes, progress or actions", kind)
	}
	if err := checkFields(kind, key.Fields, key.Values); err != nil {
		return nil, err
	}
	f, err := r.file(File{Path: FilePath(kind, key), FileKey: key, Source: source})
	if err != nil {
		return nil, err
	}
	v := &ValueWriter{file: f, line: f.line}
	if kind == "events" {
		v.line = onceEach(f.line)
	}
	return v, nil
}

// Add writes the JSON values of text. The items of a list are values of their
// own, as in an import.
func (v *ValueWriter) Add(text []byte) error { return eachValue(text, v.line) }

// Close ends the file.
func (v *ValueWriter) Close() error { return v.file.close() }

// A ScrapeFile is a text file of scrapes of one target, each of which begins
// with "# scrape ts=TIME up=0|1".
type ScrapeFile struct {
	Name   string // below the file system
	Target logs.Labels
}

// Scrapes writes the metrics of the run from files of scrapes. On an error the
// run has no metrics. It is called at most once.
func (r *RunWriter) Scrapes(ctx context.Context, fsys fs.FS, files []ScrapeFile) error {
	j := &runJob{
		im:       &importer{ctx: ctx, fsys: fsys, opts: &ImportOptions{}},
		plan:     &runPlan{info: r.info},
		manifest: r.manifest,
		out:      r,
	}
	for _, f := range files {
		j.plan.metrics = append(j.plan.metrics, &metricPlan{spec: &MetricSpec{Format: formatMetricsText, AllowEmpty: true}, name: f.Name, labels: labels.FromMap(f.Target.Map())})
	}
	if err := j.writeMetrics(); err != nil {
		r.manifest.Files = slices.DeleteFunc(r.manifest.Files, func(f File) bool { return f.Path == MetricsFile })
		if rm := os.Remove(filepath.Join(r.dir, MetricsFile)); !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
		return err
	}
	for i := range r.manifest.Files {
		if r.manifest.Files[i].Path == MetricsFile {
			r.manifest.Files[i].Source = "scrapes"
		}
	}
	return nil
}

// CheckScrape reports whether the text of one scrape can be read.
func CheckScrape(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	at := int64(0)
	plan := &metricPlan{spec: &MetricSpec{Format: formatMetricsText}, name: "scrape", time: &at}
	target := &metricTarget{numbers: newSeriesNumbers(), known: map[string]int{}}
	s, err := openMetrics(oneFile(body), plan, "the answer", target, Limits{})
	if err != nil {
		return err
	}
	for err == nil {
		err = s.next()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, s.lines.close())
}

// oneFile is a file system of one file, whatever its name.
type oneFile []byte

// Open opens the file.
func (f oneFile) Open(string) (fs.File, error) {
	return &memoryFile{Reader: *bytes.NewReader(f)}, nil
}

type memoryFile struct{ bytes.Reader }

func (f *memoryFile) Stat() (fs.FileInfo, error) { return memoryInfo(f.Reader.Size()), nil }
func (f *memoryFile) Close() error               { return nil }

type memoryInfo int64

func (i memoryInfo) Name() string       { return "memory" }
func (i memoryInfo) Size() int64        { return int64(i) }
func (i memoryInfo) Mode() fs.FileMode  { return 0o444 }
func (i memoryInfo) ModTime() time.Time { return time.Time{} }
func (i memoryInfo) IsDir() bool        { return false }
func (i memoryInfo) Sys() any           { return nil }

// A Clock gives the records of a log that was read while it was written their
// times, as an import does; see docs/corpus-format.md. What a record does not
// say of year and zone is given.
type Clock struct{ c clock }

// ErrNoZone is that the records of a log write times without a zone, and none
// was given.
var ErrNoZone = errors.New("the times of the records have no zone")

// NewClock returns a clock. First is the time of the log's first dated record,
// which records before it get. Year is that of the first record where records
// lack it; timezone is empty where it is not known.
func NewClock(first recordtime.Stamp, year int, timezone string) (*Clock, error) {
	zone, err := parseZone(timezone)
	if err != nil {
		return nil, err
	}
	k := &Clock{clock{year: year, zone: zone, ref: func() (reference, error) { return reference{}, ErrNoZone }}}
	if k.c.ahead, err = k.c.resolve(first); err != nil {
		return nil, err
	}
	return k, nil
}

// Next returns the time of the next record, in nanoseconds since the epoch.
func (k *Clock) Next(r *recordtime.Record) (int64, error) { return k.c.next(r) }

// Timing returns what the clock saw, for the stream's entry in the manifest.
func (k *Clock) Timing() Timing {
	return Timing{Source: "record", Year: k.c.usedYear, Zone: k.c.usedZone, From: k.c.usedFrom, Undated: k.c.undated, Moved: k.c.moved}
}

// CheckTimes reports what is wrong with names of formats, year and timezone.
func CheckTimes(formats []string, year int, timezone string) error {
	return (&TimeSpec{Format: formats, Year: year, Timezone: timezone}).check()
}

// A LineWriter writes a file of a run that is no log, line by line.
type LineWriter struct{ file *fileWriter }

// Copy adds a file of another run to the run. Its size and checksum are filled
// in; the lines are the caller's to copy.
func (r *RunWriter) Copy(info File) (*LineWriter, error) {
	info.Bytes, info.SHA256 = 0, ""
	f, err := r.file(info)
	if err != nil {
		return nil, err
	}
	return &LineWriter{file: f}, nil
}

// Line writes one line, without its newline.
func (w *LineWriter) Line(line []byte) error { return w.file.line(line) }

// Close ends the file.
func (w *LineWriter) Close() error { return w.file.close() }
