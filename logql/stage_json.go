package logql

import (
	"strings"

	"github.com/stillfires/stillfires/logql/syntax"
)

// jsonStage implements "| json": every scalar field of a JSON object becomes
// a label. Names of nested objects are joined with "_", other characters than
// letters, digits and "_" become "_", arrays and null are passed over.
type jsonStage struct{ need *labelNeed }

func (s *jsonStage) process(e *entry) bool {
	b := e.parsedJSON()
	e.addFields(b)
	if b.err != nil && !s.need.satisfied(b) {
		e.fail(errJSON, b.err)
		e.wanted = s.need.asks
	}
	return true
}

// broken implements [needyStage].
func (s *jsonStage) broken(e *entry) bool { return e.parsedJSON().err != nil }

// parsedJSON returns the fields of the line. Those of an unchanged line are
// found once for all pipelines.
func (e *entry) parsedJSON() *block {
	if e.changed {
		b := e.newBlock()
		e.parseJSON(e.line, b, nil)
		return b
	}
	if !e.json.done {
		e.parseJSON(e.in.Line, &e.json.block, e.json.begin(e.want))
	}
	return &e.json.block
}

// parseJSON adds the fields in want to an empty block. What is wrong with the
// line does not depend on want.
func (s *lineState) parseJSON(line []byte, b *block, want *nameSet) {
	s.jsonScan.want = want
	s.target = b
	b.err = s.jsonScan.scan(line, s.addField)
}

// jsonPathStage implements "| json label="path", label2": only the asked-for
// fields become labels. An absent field gives an empty label.
type jsonPathStage struct {
	labels [][]byte
	paths  []jsonPath
	need   *labelNeed
}

func (s *jsonPathStage) process(e *entry) bool {
	if len(e.line) == 0 {
		return true
	}
	b := e.newBlock()
	values := e.stageValues(len(s.paths))
	err := e.extractor(s).extract(e.line, func(i int, value []byte) {
		values[i] = e.arena.copy(value)
	})
	if err != nil {
		e.fail(errJSON, err)
		e.wanted = s.need.asks
		return true
	}
	e.addAskedFields(b, s.labels, values)
	return true
}

// addAskedFields adds the fields that a stage asks for by name. One that the
// line lacks (its value is nil) becomes an empty label, unless the entry has a
// label of that name.
func (e *entry) addAskedFields(b *block, labels [][]byte, values [][]byte) {
	for i, name := range labels {
		if values[i] != nil {
			b.add(e.fieldName(name), values[i])
		} else if indexLabel(e.base, string(name)) < 0 {
			b.add(name, nil)
		}
	}
	e.addFields(b)
}

// extractor returns the extractor of s in this run: it has buffers, so runs
// that share the stage cannot share it.
func (e *entry) extractor(s *jsonPathStage) *jsonExtractor {
	x := e.extractors[s]
	if x == nil {
		x = newJSONExtractor(s.paths)
		e.extractors[s] = x
	}
	return x
}

func (c *compiler) compileJSON(s *syntax.JSONStage, need *labelNeed) (stage, error) {
	if len(s.Extractions) == 0 {
		if need.none() {
			return passStage{}, nil
		}
		return &jsonStage{need: need}, nil
	}
	p := &jsonPathStage{need: need}
	for _, x := range s.Extractions {
		path, err := compileJSONPath(x.Path)
		if err != nil {
			return nil, c.errorf(x.PathPos, "JSON path %q: %v", x.Path, err)
		}
		p.labels = append(p.labels, []byte(x.Label))
		p.paths = append(p.paths, path)
	}
	if need.none() {
		return passStage{}, nil
	}
	return p, nil
}

// key tells apart needs that make parsers act differently.
func (n *labelNeed) key() string {
	if n.all {
		return ""
	}
	return "\x00" + strings.Join(n.names, ",")
}
