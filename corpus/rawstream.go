package corpus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/logs/recordtime"
)

// RawEntries reads a single log as it comes, without a corpus: the records
// and, where they have them, the times that [ImportRaw] would give them. Use
// it from one goroutine.
//
// The format is chosen by the first lines, as many as an import looks at. A
// pipe that is read live must not be waited for: there the first line that has
// a time chooses, and those before it have none. A log whose times cannot be
// told is read without. An entry without a time has the time 0.
type RawEntries struct {
	name     string // as shown
	ctx      context.Context
	lines    *lineReader
	head     [][]byte // lines read to choose the format, not yet decoded
	decoder  *recordtime.Decoder
	sampler  *recordtime.Sampler // of a live log, until a line has a time
	spec     TimeSpec
	clock    *clock
	undated  string // why there are no times; empty: there are
	verbatim bool
	ended    bool // no more lines, what the decoder holds may follow
	entry    logs.Entry
	err      error
}

const noTime = "no line at its beginning has a time in a form that is known"

// headBytes is the most text that is kept to choose a format.
const headBytes = 1 << 20

// OpenRaw opens the log called name; "-" is opts.Stdin. It waits for the first
// lines, or with live for the first bytes. Of opts the fields Stdin, Time and Limits count.
func OpenRaw(ctx context.Context, name string, live bool, opts RawOptions) (*RawEntries, error) {
	if err := opts.Time.check(); err != nil {
		return nil, err
	}
	r := &RawEntries{name: name, ctx: ctx, spec: opts.Time}
	file, pipe, err := openLive(name, opts.Stdin)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		r.name = "stdin"
	}
	if err := r.open(file, live && pipe, &opts); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", r.name, err), file.Close())
	}
	return r, nil
}

// openLive opens what name names and reports whether it is a pipe.
func openLive(name string, stdin io.Reader) (fs.File, bool, error) {
	if name == "-" {
		if stdin == nil {
			return nil, false, errors.New("standard input is not there to be read")
		}
		return pipeFile{io.NopCloser(stdin)}, true, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, false, err
	}
	if info.IsDir() {
		return nil, false, fmt.Errorf("%s: is a directory; name a log file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, false, err
	}
	if info.Mode().IsRegular() {
		return f, false, nil
	}
	return pipeFile{f}, true, nil
}

// A pipeFile is a pipe in the place of a file.
type pipeFile struct{ io.ReadCloser }

// Stat implements fs.File.
func (pipeFile) Stat() (fs.FileInfo, error) { return pipeInfo{}, nil }

// A pipeInfo passes for that of a plain file: what is asked of it is whether
// it can be read as one.
type pipeInfo struct{ fs.FileInfo }

// Mode implements fs.FileInfo.
func (pipeInfo) Mode() fs.FileMode { return 0 }

func (r *RawEntries) open(file fs.File, live bool, opts *RawOptions) error {
	raw := &rawFile{file: file, limits: opts.Limits.orDefault(), closeZst: func() {}}
	if err := raw.begin(); err != nil {
		return err
	}
	r.lines = &lineReader{raw: raw, in: bufio.NewReaderSize(raw, 128<<10)}
	if _, err := r.lines.in.Peek(1); err != nil && err != io.EOF {
		return err
	}
	begin, _ := r.lines.in.Peek(r.lines.in.Buffered())
	if err := checkText(begin); err != nil {
		if errors.Is(err, errEmpty) {
			err = errors.New("is empty: there is nothing to read")
		}
		return err
	}
	sampler, err := recordtime.NewSampler(opts.Time.Format...)
	if err != nil {
		return err
	}
	if live {
		r.sampler = sampler
		return nil
	}
	if err := r.sample(sampler); err != nil {
		return err
	}
	return r.choose(sampler)
}

// Verbatim reports whether every line of the log is a record as the process
// wrote it, without the prefix of a transport such as CRI.
func (r *RawEntries) Verbatim() bool { return r.verbatim }

// choose takes the format that the sampler tells.
func (r *RawEntries) choose(sampler *recordtime.Sampler) error {
	r.decoder = recordtime.NewDecoder(sampler.Choice(), MaxRecord)
	r.verbatim = !sampler.Choice().Transported()
	return r.setClock(sampler.Choice())
}

// sample reads the head of the log.
func (r *RawEntries) sample(sampler *recordtime.Sampler) error {
	for size := 0; size < headBytes; {
		if sampler.Dated() && sampler.Lines() >= sampleLines {
			return nil
		}
		line, err := r.lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		sampler.Add(line)
		r.head = append(r.head, slices.Clone(line))
		size += len(line)
	}
	return nil
}

// setClock sets the clock by the first dated record of the head.
func (r *RawEntries) setClock(choice recordtime.Choice) error {
	spec := &r.spec
	zone, err := parseZone(spec.Timezone)
	if err != nil {
		return err
	}
	var ref reference
	r.clock = &clock{year: spec.Year, zone: zone, ref: func() (reference, error) { return ref, nil }}
	if spec.Start != nil {
		r.clock.ahead, r.clock.given = spec.Start.UnixNano(), true
		return nil
	}
	first, err := r.dated(choice, &ref)
	if err != nil {
		return err
	}
	if first == nil {
		r.undated = noTime
		return nil
	}
	noYear := first.NoYear && r.clock.year == 0 && !ref.hasYear
	noZone := first.NoZone && r.clock.zone == nil && !ref.hasZone
	switch {
	case noYear && noZone:
		r.undated = "its times have no year and no zone; give --year and --timezone"
	case noYear:
		r.undated = "its times have no year; give --year"
	case noZone:
		r.undated = "its times have no zone; give --timezone"
	default:
		r.clock.ahead, err = r.clock.resolve(*first)
	}
	return err
}

// dated returns the first time in the head, nil if there is none, and adds to
// ref what the others tell.
func (r *RawEntries) dated(choice recordtime.Choice, ref *reference) (*recordtime.Stamp, error) {
	var first *recordtime.Stamp
	d := recordtime.NewDecoder(choice, MaxRecord)
	add := func(rec recordtime.Record) {
		if rec.Dated && first == nil {
			first = &rec.Stamp
		}
		if rec.Dated {
			ref.add(rec.Stamp, r.name)
		}
	}
	for _, line := range r.head {
		rec, ok, err := d.Add(line)
		if err != nil {
			return nil, err
		}
		if ok {
			add(rec)
		}
	}
	for rec, ok := d.Flush(); ok; rec, ok = d.Flush() {
		add(rec)
	}
	return first, nil
}

// Undated says why entries have no times; it is empty if they have. Of a live
// log that is known only once Scan has reached a time or the end.
func (r *RawEntries) Undated() string { return r.undated }

// Scan steps to the next record and reports whether there is one. It waits
// for a pipe. After false Err tells an end from a fault.
func (r *RawEntries) Scan() bool {
	for r.err == nil {
		rec, ok, err := r.next()
		if errors.Is(err, io.EOF) {
			return false
		}
		if err == nil && ok {
			r.entry = logs.Entry{Line: rec.Line}
			if r.undated == "" && r.sampler == nil {
				r.entry.Time = r.time(&rec)
			}
		}
		if err != nil {
			r.err = fmt.Errorf("%s: %w", r.name, err)
			return false
		}
		if ok {
			return true
		}
	}
	return false
}

// time returns the time of a record. One whose time cannot be told, such as a
// klog line without a year among others, counts as undated: an import would
// look for the year in the rest of the log, which is not there yet.
func (r *RawEntries) time(rec *recordtime.Record) int64 {
	t, err := r.clock.next(rec)
	if err != nil {
		rec.Dated = false
		t, _ = r.clock.next(rec) // fails on dated records only
	}
	return t
}

// next decodes a line, or takes what the decoder holds at the end.
func (r *RawEntries) next() (recordtime.Record, bool, error) {
	if r.ended {
		if r.sampler != nil {
			r.sampler, r.undated = nil, noTime
		}
		if r.decoder == nil {
			return recordtime.Record{}, false, io.EOF
		}
		if rec, ok := r.decoder.Flush(); ok {
			return rec, true, nil
		}
		return recordtime.Record{}, false, io.EOF
	}
	var line []byte
	if len(r.head) > 0 {
		line, r.head = r.head[0], r.head[1:]
	} else {
		var err error
		if r.lines.n%4096 == 0 && r.ctx.Err() != nil {
			return recordtime.Record{}, false, r.ctx.Err()
		}
		if line, err = r.lines.next(); errors.Is(err, io.EOF) {
			r.ended = true
			return recordtime.Record{}, false, nil
		} else if err != nil {
			return recordtime.Record{}, false, err
		}
	}
	if r.sampler != nil {
		return r.probe(line)
	}
	rec, ok, err := r.decoder.Add(line)
	if err != nil {
		err = fmt.Errorf("line %d: %w", r.lines.n-int64(len(r.head)), err)
	}
	return rec, ok, err
}

// probe looks for a time in a line of a live log that had none so far.
func (r *RawEntries) probe(line []byte) (recordtime.Record, bool, error) {
	r.sampler.Add(line)
	if !r.sampler.Dated() {
		return recordtime.Record{Line: line}, true, nil
	}
	r.head = [][]byte{line}
	err := r.choose(r.sampler)
	r.head, r.sampler = nil, nil
	if err != nil {
		return recordtime.Record{}, false, err
	}
	return r.decoder.Add(line)
}

// Entry returns the record. It is valid until the next Scan.
func (r *RawEntries) Entry() *logs.Entry { return &r.entry }

// Err returns the first fault, nil at the end of a good log.
func (r *RawEntries) Err() error { return r.err }

// Close closes the log.
func (r *RawEntries) Close() error { return r.lines.close() }
