package recordtime

import (
	"bytes"
	"fmt"
)

// A Record is one record of a log.
type Record struct {
	Line  []byte // what the process wrote; valid until the decoder's next step
	Stamp Stamp
	Dated bool   // Stamp holds a time
	Body  string // body format that the line is in; empty for none
	// Foreign says that the line is not in the log's own format: a stack line
	// in a JSON log, text that no transport carried. Empty lines are not
	// foreign, and in a log without a format no line is.
	Foreign bool
}

// A Decoder turns the lines of one log into records.
type Decoder struct {
	choice Choice
	limit  int
	parts  [3]part // pieces of lines not yet whole: unknown output, stdout, stderr
	joined []byte
}

type part struct {
	line  []byte
	stamp Stamp
	open  bool
}

// NewDecoder returns a decoder for the format chosen. A line joined from
// pieces may be limit bytes long.
func NewDecoder(c Choice, limit int) *Decoder { return &Decoder{choice: c, limit: limit} }

// Add takes the next line, without its line end, and reports whether it makes
// a record; a piece of a longer line makes none yet.
func (d *Decoder) Add(line []byte) (Record, bool, error) {
	t := d.choice.transport
	if t == nil {
		return d.record(line), true, nil
	}
	p, ok := t.take(line)
	if !ok {
		return Record{Line: line, Foreign: len(line) > 0}, true, nil
	}
	open := &d.parts[0]
	switch p.output {
	case 'o':
		open = &d.parts[1]
	case 'e':
		open = &d.parts[2]
	}
	if !open.open && !p.partial {
		return d.transported(p.line, p.stamp), true, nil
	}
	if len(open.line)+len(p.line) > d.limit {
		return Record{}, false, fmt.Errorf("a line of pieces is longer than %d bytes", d.limit)
	}
	open.line = append(open.line, p.line...)
	open.stamp, open.open = p.stamp, p.partial
	if p.partial {
		return Record{}, false, nil
	}
	return d.take(open), true, nil
}

// Flush returns, at the end of a log, a record made of pieces whose end is
// missing, and reports whether there was one. Call it until it reports false.
func (d *Decoder) Flush() (Record, bool) {
	for i := range d.parts {
		if d.parts[i].open {
			d.parts[i].open = false
			return d.take(&d.parts[i]), true
		}
	}
	return Record{}, false
}

// take empties p into a record. The time is that of the last piece: then the
// line was whole, and no other record can lie between.
func (d *Decoder) take(p *part) Record {
	d.joined = append(d.joined[:0], p.line...)
	p.line = p.line[:0]
	return d.transported(d.joined, p.stamp)
}

func (d *Decoder) transported(line []byte, stamp Stamp) Record {
	r := d.record(line)
	r.Stamp, r.Dated = stamp, true
	return r
}

// record reads the line's own time.
func (d *Decoder) record(line []byte) Record {
	r := Record{Line: line}
	c := &d.choice
	for i, b := range bodies {
		if !c.accept[i] {
			continue
		}
		if s, ok := b.stamp(line); ok {
			r.Stamp, r.Dated, r.Body = s, true, b.name
			break
		}
	}
	r.Foreign = c.main >= 0 && r.Body != bodies[c.main].name && len(bytes.TrimSpace(line)) > 0
	return r
}
