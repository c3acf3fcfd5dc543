package logql

import (
	"bytes"
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
)

// The labels by which a pipeline tells that a stage failed on an entry. The
// entry is kept; filters and templates see these names like any other. See
// https://grafana.com/docs/loki/latest/query/#pipeline-errors.
const (
	errorLabel   = "__error__"
	detailsLabel = "__error_details__"
)

// The values of __error__.
const (
	errJSON     = "JSONParserErr"
	errLogfmt   = "LogfmtParserErr"
	errFilter   = "LabelFilterErr"
	errTemplate = "TemplateFormatErr"
	errSample   = "SampleExtractionErr"
)

// extractedSuffix is added to a field whose name is taken by a label of the
// stream or its metadata.
const extractedSuffix = "_extracted"

func indexLabel(ls []label, name string) int {
	for i := range ls {
		if string(ls[i].name) == name {
			return i
		}
	}
	return -1
}

// An opKind says what a step did to the labels of an entry.
type opKind uint8

const (
	opBlock  opKind = iota // add the fields of a block
	opSet                  // set one label
	opDelete               // remove one label
	opOnly                 // remove all labels but the fields of a block
)

// An op is one step by which stages changed the labels of an entry. Keeping
// steps, not a label set, makes it cheap to go back where pipelines part.
type op struct {
	kind  opKind
	block *block
	ref   nameRef
	value []byte
}

// An entry is a line on its way through pipelines.
type entry struct {
	*lineState
	line    []byte
	changed bool // line is not the text that was pushed
	// coloured is the line before decolorize, which line filters look at; nil
	// if there was no decolorize, or a stage wrote the line anew after it.
	coloured []byte
	ops      []op

	err     string // value of __error__, empty: none
	details string // value of __error_details__
	// wanted says that the pipeline asks for __error__ by name and that a
	// parser set it: then it does not fail a metric query.
	wanted bool

	value  float64 // that unwrap took
	hidden string  // label that unwrap took it from

	changes int // counts changes to the fields above
}

// A mark is a state of an entry to go back to.
type mark struct {
	line         []byte
	coloured     []byte
	changed      bool
	ops          int
	err, details string
	wanted       bool
	value        float64
	hidden       string
	changes      int
}

func (e *entry) mark() mark {
	return mark{e.line, e.coloured, e.changed, len(e.ops), e.err, e.details, e.wanted, e.value, e.hidden, e.changes}
}

// reset takes the entry back to a mark. Most stages are filters, which change
// nothing.
func (e *entry) reset(m *mark) {
	if e.changes == m.changes {
		return
	}
	e.changes = m.changes
	e.line, e.coloured, e.changed, e.ops = m.line, m.coloured, m.changed, e.ops[:m.ops]
	e.err, e.details, e.wanted = m.err, m.details, m.wanted
	e.value, e.hidden = m.value, m.hidden
}

// fail marks the entry as one on which a stage failed. The last failure
// stands.
func (e *entry) fail(kind string, cause error) {
	e.err, e.details = kind, cause.Error()
	e.changes++
}

// rewrite gives the entry a line that must last as long as the one pushed.
func (e *entry) rewrite(line []byte) {
	e.line, e.changed, e.coloured = line, true, nil
	e.changes++
}

// filterValue is lookup for label filters: what they see under __error__ is
// set by stages only, not by a field of that name in the line.
func (e *entry) filterValue(ref nameRef) ([]byte, bool) {
	switch ref.name {
	case errorLabel:
		return []byte(e.err), e.err != ""
	case detailsLabel:
		return []byte(e.details), e.details != ""
	}
	return e.lookup(ref)
}

// lookup returns the value of a label and whether the entry has it.
func (e *entry) lookup(ref nameRef) ([]byte, bool) {
	if ref.name == errorLabel {
		if e.err != "" {
			return []byte(e.err), true
		}
	} else if ref.name == detailsLabel && e.details != "" {
		return []byte(e.details), true
	}
	if v, found, ok := e.lookupParsed(ref); found {
		return v, ok
	}
	if e.baseMask&(1<<ref.slot) != 0 {
		if i := indexLabel(e.base, ref.name); i >= 0 {
			return e.base[i].value, true
		}
	}
	return nil, false
}

// lookupParsed looks only at what stages set. With found set, ok says whether
// the label is there or was removed.
func (e *entry) lookupParsed(ref nameRef) (value []byte, found, ok bool) {
	for i := len(e.ops) - 1; i >= 0; i-- {
		switch o := &e.ops[i]; o.kind {
		case opBlock:
			if j := o.block.find(ref); j >= 0 {
				return o.block.fields[j].value, true, true
			}
		case opSet:
			if o.ref.name == ref.name {
				return o.value, true, true
			}
		case opDelete:
			if o.ref.name == ref.name {
				return nil, true, false
			}
		case opOnly:
			if j := o.block.find(ref); j >= 0 {
				return o.block.fields[j].value, true, true
			}
			return nil, true, false
		}
	}
	return nil, false, false
}

// do adds a step.
func (e *entry) do(o op) {
	e.ops = append(e.ops, o)
	e.changes++
}

// addFields adds what a parser found. A field that an earlier parser found
// stays as it is.
func (e *entry) addFields(b *block) {
	if len(b.fields) == 0 && !b.partial {
		return
	}
	if len(e.ops) > 0 {
		e.complete()
		e.completeBlock(b)
		rest := e.newBlock()
		for _, f := range b.fields {
			if !e.isParsed(f.name) {
				rest.add(f.name, f.value)
			}
		}
		b = rest
	}
	e.do(op{kind: opBlock, block: b})
}

// setFields adds what a parser found, in place of what earlier ones did.
func (e *entry) setFields(b *block) {
	if len(b.fields) > 0 {
		e.do(op{kind: opBlock, block: b})
	}
}

// complete gives the entry all labels. Before it has those that the route
// names.
func (e *entry) complete() {
	for i := range e.ops {
		if o := &e.ops[i]; o.kind == opBlock {
			e.completeBlock(o.block)
		}
	}
}

// isParsed reports whether an earlier stage set a label.
func (e *entry) isParsed(name []byte) bool {
	_, _, ok := e.lookupParsed(nameRef{name: string(name), slot: nameSlot(name)})
	return ok
}

// stageValues returns n values, all nil, for use within one stage.
func (e *entry) stageValues(n int) [][]byte {
	e.values = slices.Grow(e.values[:0], n)[:n]
	clear(e.values)
	return e.values
}

// set gives a label a value that must last as long as the line.
func (e *entry) set(ref nameRef, value []byte) {
	e.do(op{kind: opSet, ref: ref, value: value})
}

// remove takes a label away.
func (e *entry) remove(ref nameRef) {
	switch ref.name {
	case errorLabel:
		e.err = ""
	case detailsLabel:
		e.details = ""
	}
	e.do(op{kind: opDelete, ref: ref})
}

// appendLabels appends the labels that are left, in no particular order, with
// those that tell of an error.
func (e *entry) appendLabels(dst []label) []label {
	e.complete()
	from, have := len(dst), e.baseMask
	dst = append(dst, e.base...)
	for i := range e.ops {
		o := &e.ops[i]
		switch o.kind {
		case opOnly:
			dst, have = append(dst[:from], o.block.fields...), o.block.mask
			continue
		case opBlock:
			dst = appendFields(dst, from, have, o.block)
			have |= o.block.mask
			continue
		}
		at := indexLabel(dst[from:], o.ref.name)
		switch {
		case o.kind == opDelete && at >= 0:
			dst = slices.Delete(dst, from+at, from+at+1)
		case o.kind == opSet && at >= 0:
			dst[from+at].value = o.value
		case o.kind == opSet:
			dst = append(dst, label{o.ref.bytes, o.value})
			have |= 1 << o.ref.slot
		}
	}
	if e.err != "" {
		dst = replaceLabel(dst, from, errorLabel, e.err)
	}
	if e.details != "" {
		dst = replaceLabel(dst, from, detailsLabel, e.details)
	}
	return dst
}

// appendFields appends the fields of a block to dst[from:], whose names are in
// the slots of have. A field takes the place of a label of its name: of one
// that an earlier parser found, or of metadata when both have got the suffix.
func appendFields(dst []label, from int, have uint64, b *block) []label {
	if have&b.mask == 0 {
		return append(dst, b.fields...)
	}
	var replaced map[int]bool // fields of b; hardly ever any
	known := len(dst)
	for i := from; i < known; i++ {
		if b.mask&(1<<nameSlot(dst[i].name)) == 0 {
			continue
		}
		if j := b.scan(string(dst[i].name)); j >= 0 {
			dst[i].value = b.fields[j].value
			if replaced == nil {
				replaced = make(map[int]bool)
			}
			replaced[j] = true
		}
	}
	for j, f := range b.fields {
		if !replaced[j] {
			dst = append(dst, f)
		}
	}
	return dst
}

func replaceLabel(dst []label, from int, name, value string) []label {
	if i := indexLabel(dst[from:], name); i >= 0 {
		dst[from+i].value = []byte(value)
		return dst
	}
	return append(dst, label{[]byte(name), []byte(value)})
}

func compareLabels(a, b label) int { return bytes.Compare(a.name, b.name) }

// labels returns the label set that is left, in memory of its own.
func (e *entry) labels() logs.Labels {
	ls := e.appendLabels(nil)
	slices.SortFunc(ls, compareLabels)
	return copyLabels(ls)
}

func copyLabels(ls []label) logs.Labels {
	out := make(logs.Labels, len(ls))
	for i, l := range ls {
		out[i] = logs.Label{Name: string(l.name), Value: string(l.value)}
	}
	return out
}
