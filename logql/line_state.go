package logql

import "github.com/stillfires/stillfires/internal/logs"

// A lineState is what all pipelines share while one line passes: the labels
// it came with and what parsers found in its unchanged text, each parser at
// most once.
type lineState struct {
	arena    arena
	in       *logs.Entry
	stream   int
	want     *nameSet // names of fields that the route looks at
	base     []label  // of the stream, then the metadata
	baseMask uint64

	json   cachedBlock
	logfmt [4]cachedBlock // by logfmtFlags

	jsonScan   jsonScanner
	logfmtScan logfmtScanner
	target     *block                  // that they fill
	addField   func(key, value []byte) // adds to target; made once, as each making allocates
	extractors map[*jsonPathStage]*jsonExtractor
	spare      []*block // blocks of changed lines and later parsers
	used       int

	metaBase []label
	scratch  []label  // of one stage
	values   [][]byte // of one stage

	number    uint64     // counts lines
	texts     *textIndex // of the route; nil: none
	textsDone bool       // it was searched for in the line in hand

	lower     []byte // the line in lower case, if lowerDone
	lowerDone bool
	lowerOdd  bool // the line has letters that hasOddLetter finds
}

// A cachedBlock is a block that holds the fields of the line in hand once
// done is set.
//
// The fields that the stages and groupings of the route name are enough for
// most lines: they are cut off by filters. Those that need the whole label set
// complete it by another scan, see [entry.complete]. If that is often asked
// for, all fields are taken at once.
type cachedBlock struct {
	block        block
	done         bool
	asked        bool // the whole label set was asked for
	lines, whole int  // so far, and of these asked for as a whole; both are halved at times
}

// begin empties the block for the next line and returns the names of the
// fields to take, of which only names are needed at first.
func (c *cachedBlock) begin(names *nameSet) *nameSet {
	const recent = 512
	if c.lines++; c.lines > recent {
		c.lines, c.whole = c.lines/2, c.whole/2
	}
	c.done, c.asked = true, false
	c.block.reset()
	if 2*c.whole > c.lines {
		return nil
	}
	c.block.partial = names != nil
	return names
}

// ask notes that the whole label set is needed, and reports whether the line
// must be scanned again for it.
func (c *cachedBlock) ask() bool {
	if !c.asked {
		c.asked = true
		c.whole++
	}
	if !c.block.partial {
		return false
	}
	c.block.reset()
	return true
}

func newLineState() *lineState {
	s := &lineState{extractors: make(map[*jsonPathStage]*jsonExtractor)}
	s.addField = func(key, value []byte) { s.target.add(s.fieldName(key), value) }
	return s
}

// begin takes up the next line.
func (s *lineState) begin(stream *streamState, in *logs.Entry) {
	s.arena.reset()
	s.jsonScan.arena.reset()
	s.logfmtScan.arena.reset()
	s.want = stream.route.want
	s.in, s.stream = in, stream.index
	s.base, s.baseMask = stream.labels, stream.mask
	s.json.done = false
	for i := range s.logfmt {
		s.logfmt[i].done = false
	}
	s.used = 0
	s.lowerDone = false
	s.number++
	s.texts, s.textsDone = stream.route.texts, false
	if len(in.Metadata) > 0 {
		s.addMetadata(in.Metadata)
	}
}

// addMetadata puts the entry's metadata behind the labels of the stream. A
// name that the stream has gets the suffix of extracted fields.
func (s *lineState) addMetadata(meta logs.Labels) {
	s.metaBase = append(s.metaBase[:0], s.base...)
	streamLabels := len(s.base)
	for _, m := range meta {
		name := appendLabelName(nil, []byte(m.Name))
		if indexLabel(s.metaBase[:streamLabels], string(name)) >= 0 {
			name = append(name, extractedSuffix...)
		}
		if indexLabel(s.metaBase, string(name)) >= 0 {
			continue
		}
		s.metaBase = append(s.metaBase, label{name, s.arena.copyString(m.Value)})
		s.baseMask |= 1 << nameSlot(name)
	}
	s.base = s.metaBase
}

// fieldName returns the name under which a parsed field stands: name itself,
// or in memory that lasts as long as the line.
func (s *lineState) fieldName(name []byte) []byte {
	if s.baseMask&(1<<nameSlot(name)) != 0 && indexLabel(s.base, string(name)) >= 0 {
		n := len(s.arena.buf)
		s.arena.buf = append(append(s.arena.buf, name...), extractedSuffix...)
		return s.arena.buf[n:len(s.arena.buf):len(s.arena.buf)]
	}
	return name
}

// newBlock returns an empty block that lasts until the next line.
func (s *lineState) newBlock() *block {
	if s.used == len(s.spare) {
		s.spare = append(s.spare, new(block))
	}
	b := s.spare[s.used]
	s.used++
	b.reset()
	return b
}

// completeBlock adds the fields to b that were left out when the line was
// parsed.
func (s *lineState) completeBlock(b *block) {
	if b == &s.json.block {
		if s.json.ask() {
			s.parseJSON(s.in.Line, b, nil)
		}
		return
	}
	for flags := range s.logfmt {
		if c := &s.logfmt[flags]; b == &c.block && c.ask() {
			s.parseLogfmt(s.in.Line, b, nil, flags&1 != 0, flags&2 != 0)
		}
	}
}
