package panics

import (
	"bytes"
	"slices"
	"strings"
)

// A Finder finds the panics of one run. It is fed the records of all streams.
type Finder struct {
	streams []stream
	of      []*group // what each occurrence came to, by tag - 1; nil: no panic
	tags    int
	groups  map[string]*group
	cut     int64
}

// A stream is what is known of one stream.
type stream struct {
	number  int
	records int64
	// recent are occurrences that later records may belong to, oldest first.
	recent []*occurrence
	// open is the one that the lines of a dump belong to.
	open     *occurrence
	adjacent bool // the record before belongs to open
	// onRequest: a dump of all goroutines that somebody asked for.
	onRequest bool
	// before are the beginnings of bare lines that follow one another; bares
	// counts these, and the last of them stands at (bares-1) modulo the length.
	before [maxBefore][]byte
	bares  int
	// pods are the parts of the stream that kubectl names, in the order they came, and
	// byPod tells where each is. Their lines are mixed.
	pods  []*stream
	byPod map[string]int
}

// part returns the stream of the pod and container that kubectl put before a
// line; s where it put none.
func (s *stream) part(line []byte) *stream {
	if !bytes.HasPrefix(line, []byte(podMark)) {
		return s
	}
	end := bytes.IndexByte(line, ']')
	if end < 0 || end > maxName {
		return s
	}
	i, ok := s.byPod[string(line[:end])]
	if !ok {
		if len(s.pods) == maxPods {
			return s
		}
		if s.byPod == nil {
			s.byPod = map[string]int{}
		}
		i = len(s.pods)
		s.byPod[string(line[:end])] = i
		s.pods = append(s.pods, &stream{number: s.number})
	}
	return s.pods[i]
}

// An occurrence is one panic that happened, as it is read.
type occurrence struct {
	tag int
	found
	raw bool // it begins as the runtime begins the dump that ends a process
	// heads counts the goroutines of that dump; indent is that of its first line.
	heads, indent int
	levelled      bool // that first line is the message of a record with a level
	announced     bool // a record with the stack came before it
	proven        bool // it is a panic whatever its stack says
	ended         bool // nothing came after it from the same process
	// restarted: another process followed.
	restarted  bool
	valueLines int

	first, last Line
	lastRecord  int64
}

// A Line is a record of a panic, cut to what is shown.
type Line struct {
	Stream int
	Time   int64
	Text   []byte
	Cut    bool // it was longer
}

// A moment is a record as it is read.
type moment struct {
	time int64
	line []byte
}

// NewFinder returns a finder for a run of so many streams.
func NewFinder(streams int) *Finder {
	f := &Finder{streams: make([]stream, streams), groups: map[string]*group{}}
	for i := range f.streams {
		f.streams[i].number = i
	}
	return f
}

// Add takes the next record of a stream. It returns the tag of the occurrence
// that the record is part of; 0: none. Which panic the occurrence is of, if any,
// is known at the end: see [Result.Of]. The line is not kept.
func (f *Finder) Add(number int, time int64, line []byte) int {
	s := f.streams[number].part(line)
	s.records++
	if len(s.recent) == 0 && !s.onRequest && !mayTell(line) {
		s.remember(line)
		return 0
	}
	f.expire(s, time)
	m := moment{time, line}
	text := string(line[:min(len(line), maxLine)])
	tag := 0
	// A record may hold several lines; an object holds them escaped.
	for part := range strings.Lines(text) {
		tag = max(tag, f.line(s, m, strings.TrimRight(part, "\r\n")))
	}
	if tag == 0 {
		s.remember(line)
	}
	return tag
}

// remember keeps a bare line: what stands before a printed stack says why.
func (s *stream) remember(line []byte) {
	const most = 256
	if len(line) == 0 || line[0] == '{' {
		s.bares = 0
		return
	}
	b := &s.before[s.bares%maxBefore]
	*b = append((*b)[:0], line[:min(len(line), most)]...)
	s.bares++
}

// said returns the line before a printed stack that says why: the latest that
// has the words of a recoverer, as a value may have several lines, else the last.
func (s *stream) said() string {
	last := ""
	for i := range min(s.bares, maxBefore) {
		text, _, _ := unwrap(string(s.before[(s.bares-1-i)%maxBefore]))
		if wrapper.MatchString(text) {
			return text
		}
		if i == 0 {
			last = text
		}
	}
	return last
}

// Restart says that the next record of a stream is of another process.
func (f *Finder) Restart(number int) {
	s := &f.streams[number]
	f.restart(s)
	for _, p := range s.pods {
		f.restart(p)
	}
}

func (f *Finder) restart(s *stream) {
	for _, o := range s.recent {
		o.ended = o.ended || o.lastRecord == s.records
	}
	for _, o := range slices.Backward(s.recent) {
		if o.raw || o.ended {
			o.restarted, o.proven = true, o.proven || o.endedBy()
			break
		}
	}
	f.foldAll(s)
	s.onRequest, s.bares = false, 0
}

// line reads one line of a record.
func (f *Finder) line(s *stream, m moment, line string) int {
	r := parse(line)
	bare := strings.TrimSpace(r.text)
	if r.structured {
		// A collector may have put each line into an object of its own.
		bare = strings.TrimSpace(r.msg)
	}
	if parts := dumpLines(&r, bare); len(parts) > 1 {
		tag := 0
		for _, part := range parts {
			tag = max(tag, f.line(s, m, part))
		}
		return tag
	}
	indent := len(r.text) - len(strings.TrimLeft(r.text, " \t"))
	sh := shapeOf(bare)
	if s.open != nil && !r.structured && s.open.goesOn(sh, indent) {
		sh = foreign
	}
	if s.onRequest {
		if !r.structured && !beginsDump(bare) {
			return 0
		}
		s.onRequest = false
	}
	if strings.HasPrefix(bare, "SIGQUIT: quit") {
		s.onRequest, s.open = true, nil
		return 0
	}
	if s.open != nil && s.open.takes(sh, s.adjacent, r.structured) {
		return f.more(s, m, sh, bare)
	}
	var fd *found
	dump := beginsDump(bare) && r.level != "panic" && r.level != "dpanic"
	if !dump || r.structured {
		fd = examine(&r)
	}
	switch {
	case dump && (fd == nil || len(fd.stack.frames) == 0):
		return f.begin(s, m, bare, indent, r.structured && r.level != "")
	case sh == header:
		o := f.start(s, m, found{form: FormDump, value: valueOf(s.said())})
		o.stack.add(sh, bare)
		return o.tag
	case fd != nil:
		return f.told(s, m, *fd)
	}
	s.adjacent = false
	return 0
}

// newlines puts back the ends of lines that a transport wrote as something
// else: as an escape, or as syslog writes control bytes.
var newlines = strings.NewReplacer(`\n`, "\n", `\t`, "\t", "#012", "\n", "#011", "\t")

// dumpLines returns the lines of a dump that a collector put into one record;
// nil: it is none. A record with a level is a program's own.
func dumpLines(r *record, bare string) []string {
	if r.structured && r.level != "" && r.msgKey != "textPayload" || !strings.Contains(bare, "goroutine ") {
		return nil
	}
	if !strings.Contains(bare, "\n") {
		bare = newlines.Replace(bare)
	}
	first := firstLine(bare)
	if first == bare || !beginsDump(first) && shapeOf(first) != header {
		return nil
	}
	return strings.Split(bare, "\n")
}

// beginsDump reports whether a line is the first of the dump with which the
// runtime ends a process.
func beginsDump(s string) bool {
	for _, p := range []string{"panic: ", "fatal error: ", "SIGSEGV: ", "SIGBUS: ", "SIGFPE: ", "SIGILL: "} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// endedBy reports whether the first line of a dump proves it, as the process
// then ended. Records with a level may say such things as well, and programs
// that something is fatal.
func (o *occurrence) endedBy() bool {
	return o.raw && !o.levelled && (o.form != FormFatal || thrown.MatchString(o.value))
}

// goesOn reports whether a line goes on with the value of a panic: the runtime
// moves such lines in. They may look like a stack.
func (o *occurrence) goesOn(sh shape, indent int) bool {
	return o.raw && o.heads == 0 && indent > o.indent && sh != nested && sh != blank
}

// takes reports whether a line of that shape belongs to an open occurrence.
func (o *occurrence) takes(sh shape, adjacent, structured bool) bool {
	dumping := o.stack.goroutines > 0 && (o.raw || !o.stack.done)
	value := o.raw && o.heads == 0 // may still go on
	switch sh {
	case header:
		return o.raw || o.stack.goroutines == 0 && len(o.stack.frames) == 0
	case nested:
		return value
	case call, file, createdBy, elided, note:
		return dumping || adjacent || o.raw && sh == note
	case plainCall, closeQuote:
		return adjacent && !structured
	case blank:
		return adjacent
	}
	// More lines of the value.
	return value && adjacent && !structured && o.valueLines < maxValueLines
}

// more adds a line to the open occurrence.
func (f *Finder) more(s *stream, m moment, sh shape, text string) int {
	o := s.open
	o.touch(s, m)
	o.stack.add(sh, text)
	switch sh {
	case header:
		o.proven = o.proven || o.raw
		if o.raw {
			o.heads++
		}
	case note:
		o.proven = o.proven || o.raw
		if strings.HasPrefix(text, "exit status ") {
			s.open = nil
		}
	case foreign:
		o.valueLines++
	}
	s.adjacent = s.open != nil
	return o.tag
}

// begin starts a dump of the runtime, or takes it as the end of a panic that
// somebody recovered, wrote down and raised again.
func (f *Finder) begin(s *stream, m moment, text string, indent int, levelled bool) int {
	fd := found{form: FormFatal, value: marker.ReplaceAllString(text, "")}
	said, panicked := strings.CutPrefix(text, "panic: ")
	if panicked {
		fd.form, fd.value = FormDump, valueOf(said)
	} else {
		said = strings.TrimPrefix(text, "fatal error: ")
	}
	again := marker.MatchString(said)
	o := f.earlier(s, m, &fd, func(o *occurrence) bool {
		return !o.raw && (again || o.form == FormLog || len(o.stack.frames) == 0)
	})
	if o == nil {
		o = f.start(s, m, fd)
	} else {
		o.form = fd.form
		o.announced = len(o.stack.frames) > 0
		o.stack.done = o.stack.done || o.announced
		o.touch(s, m)
	}
	o.raw, o.indent, o.levelled = true, indent, levelled
	o.proven = o.proven || again || runtimeSays(said)
	s.open, s.adjacent = o, true
	return o.tag
}

// told takes a record that tells of a panic by itself.
func (f *Finder) told(s *stream, m moment, fd found) int {
	o := f.earlier(s, m, &fd, func(o *occurrence) bool {
		return o.ids != "" && o.ids == fd.ids ||
			o.form != fd.form && (len(o.stack.frames) == 0 || len(fd.stack.frames) == 0)
	})
	if o == nil {
		o = f.start(s, m, fd)
	} else {
		o.join(&fd)
		o.touch(s, m)
	}
	// Stack lines that follow are of the logger, if there is one already.
	o.stack.done = o.stack.done || len(o.stack.frames) > 0
	o.proven = o.proven || !fd.perhaps
	s.open, s.adjacent = o, true
	return o.tag
}

// join adds what a later record says of the same panic.
func (o *occurrence) join(fd *found) {
	if len(o.stack.frames) == 0 {
		o.stack = fd.stack
	}
	o.recovered = o.recovered || fd.recovered
	o.by = firstText(o.by, fd.by)
	o.ids = firstText(o.ids, fd.ids)
	o.operation = firstText(o.operation, fd.operation)
	if o.fields == nil {
		o.fields = fd.fields
	}
}

// earlier returns the latest occurrence that a record of the same kind belongs
// to; nil: none.
func (f *Finder) earlier(s *stream, m moment, fd *found, fits func(*occurrence) bool) *occurrence {
	kind := kindOf(fd.value)
	for _, o := range slices.Backward(s.recent) {
		// A logger that panics may do so with an entry of its own.
		same := kindOf(o.value) == kind || o.form == FormLog && opaque(kind)
		if o.ids != "" && fd.ids != "" && o.ids != fd.ids || !same || !fits(o) {
			continue
		}
		joined := o.ids != "" && o.ids == fd.ids
		if joined || s.records-o.lastRecord <= closeRecords {
			return o
		}
	}
	return nil
}

// start opens an occurrence.
func (f *Finder) start(s *stream, m moment, fd found) *occurrence {
	o := &occurrence{found: fd}
	if f.tags < maxOccurrences {
		f.tags++
		f.of = append(f.of, nil)
		o.tag = f.tags
	}
	if len(s.recent) == maxRecent {
		f.fold(s.recent[0])
		s.recent = append(s.recent[:0], s.recent[1:]...)
	}
	s.recent = append(s.recent, o)
	o.first = keep(s, m)
	o.touch(s, m)
	s.open, s.adjacent = o, true
	return o
}

func (o *occurrence) touch(s *stream, m moment) {
	o.last.Stream, o.last.Time, o.last.Cut = s.number, m.time, len(m.line) > maxEvidence
	o.last.Text = append(o.last.Text[:0], m.line[:min(len(m.line), maxEvidence)]...)
	o.lastRecord = s.records
}

func keep(s *stream, m moment) Line {
	n := min(len(m.line), maxEvidence)
	return Line{s.number, m.time, append([]byte(nil), m.line[:n]...), n < len(m.line)}
}

// expire ends the occurrences that are too far back.
func (f *Finder) expire(s *stream, time int64) {
	n := 0
	for _, o := range s.recent {
		if s.records-o.lastRecord <= nearRecords && time-o.last.Time <= nearTime {
			s.recent[n] = o
			n++
			continue
		}
		if s.open == o {
			s.open, s.adjacent = nil, false
		}
		f.fold(o)
	}
	clear(s.recent[n:])
	s.recent = s.recent[:n]
}

func (f *Finder) foldAll(s *stream) {
	for _, o := range s.recent {
		f.fold(o)
	}
	clear(s.recent)
	s.recent, s.open, s.adjacent = s.recent[:0], nil, false
}
