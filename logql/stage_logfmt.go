package logql

import (
	"slices"

	"github.com/stillfires/stillfires/logql/syntax"
)

// logfmtStage implements "| logfmt [--strict] [--keep-empty]": every pair of
// key=value becomes a label. Keys without a value are dropped unless
// --keep-empty is given; what is not a pair is passed over unless --strict is.
type logfmtStage struct {
	strict, keepEmpty bool
	need              *labelNeed
}

func (s *logfmtStage) process(e *entry) bool {
	b := e.parsedLogfmt(s.strict, s.keepEmpty)
	e.addFields(b)
	if b.err != nil && !s.need.satisfied(b) {
		e.fail(errLogfmt, b.err)
		e.wanted = s.need.asks
	}
	return true
}

// broken implements [needyStage].
func (s *logfmtStage) broken(e *entry) bool {
	return e.parsedLogfmt(s.strict, s.keepEmpty).err != nil
}

// parsedLogfmt returns the fields of the line. Those of an unchanged line are
// found once for all pipelines.
func (e *entry) parsedLogfmt(strict, keepEmpty bool) *block {
	if e.changed {
		b := e.newBlock()
		e.parseLogfmt(e.line, b, nil, strict, keepEmpty)
		return b
	}
	c := &e.logfmt[logfmtFlags(strict, keepEmpty)]
	if !c.done {
		e.parseLogfmt(e.in.Line, &c.block, c.begin(e.want), strict, keepEmpty)
	}
	return &c.block
}

// logfmtFlags is 1 for strict and 2 for keepEmpty.
func logfmtFlags(strict, keepEmpty bool) (i int) {
	if strict {
		i |= 1
	}
	if keepEmpty {
		i |= 2
	}
	return i
}

// parseLogfmt adds the fields in want to an empty block. What is wrong with
// the line does not depend on want.
func (s *lineState) parseLogfmt(line []byte, b *block, want *nameSet, strict, keepEmpty bool) {
	scan := &s.logfmtScan
	scan.strict, scan.keepEmpty, scan.want = strict, keepEmpty, want
	s.target = b
	b.err = scan.scan(line, s.addField)
}

// logfmtKeyStage implements "| logfmt label="key", label2": only the asked-for
// keys become labels, an absent one an empty label. Of repeated keys the last
// counts, unlike without a list, and a key that is called like the label counts
// as if it were asked for.
type logfmtKeyStage struct {
	labels            [][]byte
	keys              []string
	strict, keepEmpty bool
	need              *labelNeed
}

func (s *logfmtKeyStage) process(e *entry) bool {
	var err error
	values := e.stageValues(len(s.keys))
	scan := &e.logfmtScan
	scan.strict, scan.keepEmpty, scan.want = s.strict, s.keepEmpty, nil
	err = scan.scan(e.line, func(key, value []byte) {
		for i, k := range s.keys {
			if string(key) == k || string(key) == string(s.labels[i]) {
				values[i] = e.arena.copy(value) // not nil
			}
		}
	})
	e.addAskedFields(e.newBlock(), s.labels, values)
	if err != nil {
		e.fail(errLogfmt, err)
		e.wanted = s.need.asks
	}
	return true
}

func (c *compiler) compileLogfmt(s *syntax.LogfmtStage, need *labelNeed) (stage, error) {
	if len(s.Extractions) == 0 {
		if need.none() {
			return passStage{}, nil
		}
		return &logfmtStage{strict: s.Strict, keepEmpty: s.KeepEmpty, need: need}, nil
	}
	k := &logfmtKeyStage{strict: s.Strict, keepEmpty: s.KeepEmpty, need: need}
	for _, x := range s.Extractions {
		if err := checkLogfmtKey(x.Path); err != nil {
			return nil, c.errorf(x.PathPos, "%v", err)
		}
		k.labels = append(k.labels, []byte(x.Label))
		k.keys = append(k.keys, x.Path)
	}
	k.keys = slices.Clip(k.keys)
	if need.none() {
		return passStage{}, nil
	}
	return k, nil
}
