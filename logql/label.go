package logql

// A label is a name and a value inside the engine. Both point into memory of
// the line in hand or of its stream and are never written to.
type label struct{ name, value []byte }

// A nameRef is a label name that a stage looks up. The slot is where a block
// remembers what it found.
type nameRef struct {
	name  string
	slot  uint8
	bytes []byte // the name
}

func newNameRef(name string) nameRef {
	return nameRef{name: name, slot: nameSlot(name), bytes: []byte(name)}
}

// nameSlot spreads names over 64 slots by their length and outer bytes. Label
// names of one log differ in these nearly always.
func nameSlot[T string | []byte](name T) uint8 {
	n := len(name)
	if n == 0 {
		return 0
	}
	return (uint8(n)*7 + name[0]*3 + name[n-1]*5 + name[n/2]) & 63
}

// A block is the list of fields that a parser took from one line, each name
// once.
type block struct {
	fields []label
	mask   uint64 // of the slots of all names
	err    error  // why the line is not well formed, nil if it is
	// partial says that fields were left out that nobody names; see
	// [cachedBlock].
	partial bool
	// index holds the places of the names once there are manyFields, so that a
	// line of very many fields does not take the square of their time.
	index map[string]int32

	found [64]struct {
		name  string
		index int32
		gen   uint32
	}
	gen uint32
}

// reset empties the block. It forgets what it found by counting on.
func (b *block) reset() {
	b.fields, b.mask, b.err, b.partial = b.fields[:0], 0, nil, false
	if len(b.index) > 16*manyFields {
		b.index = nil // clearing it would cost every line to come
	} else if len(b.index) > 0 {
		clear(b.index)
	}
	b.gen++
}

// manyFields is how many fields make an index pay.
const manyFields = 64

// add appends a field unless the block has one of that name, for of two
// fields with one name Loki keeps the first.
func (b *block) add(name, value []byte) {
	bit := uint64(1) << nameSlot(name)
	if b.mask&bit != 0 && b.scan(string(name)) >= 0 {
		return
	}
	b.mask |= bit
	b.fields = append(b.fields, label{name, value})
	switch n := len(b.fields); {
	case n == manyFields:
		if b.index == nil {
			b.index = make(map[string]int32)
		}
		for i, f := range b.fields {
			b.index[string(f.name)] = int32(i)
		}
	case n > manyFields:
		b.index[string(name)] = int32(n - 1)
	}
}

func (b *block) scan(name string) int {
	if len(b.fields) >= manyFields {
		if i, ok := b.index[name]; ok {
			return int(i)
		}
		return -1
	}
	for i := range b.fields {
		if string(b.fields[i].name) == name {
			return i
		}
	}
	return -1
}

// find returns the index of the field that ref names, or -1. It remembers the
// answer until the next reset, so that many rules that ask for the same name
// search once.
func (b *block) find(ref nameRef) int {
	if b.mask&(1<<ref.slot) == 0 {
		return -1
	}
	f := &b.found[ref.slot]
	if f.gen == b.gen && f.name == ref.name {
		return int(f.index)
	}
	i := b.scan(ref.name)
	f.name, f.index, f.gen = ref.name, int32(i), b.gen
	return i
}

// An arena holds copies of bytes until the next line. Growing it leaves what
// was handed out where it is. A copy is never nil, not even of nothing.
type arena struct{ buf []byte }

func (a *arena) reset() {
	if a.buf == nil {
		a.buf = make([]byte, 0, 4096)
	}
	a.buf = a.buf[:0]
}

func (a *arena) copy(b []byte) []byte {
	n := len(a.buf)
	a.buf = append(a.buf, b...)
	return a.buf[n:len(a.buf):len(a.buf)]
}

func (a *arena) copyString(s string) []byte {
	n := len(a.buf)
	a.buf = append(a.buf, s...)
	return a.buf[n:len(a.buf):len(a.buf)]
}
