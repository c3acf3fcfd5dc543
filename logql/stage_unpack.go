package logql

// unpackStage implements "| unpack": the string fields of a JSON object
// become labels, and the field "_entry" the line.
type unpackStage struct{ need *labelNeed }

func (s *unpackStage) process(e *entry) bool {
	b := e.newBlock()
	line, packed, err := e.jsonScan.scanUnpack(e.line, func(key, value []byte) bool {
		b.add(e.fieldName(e.arena.copy(key)), e.arena.copy(value))
		return true
	})
	if err != nil {
		e.fail(errJSON, err)
		e.wanted = s.need.asks
		return true
	}
	if packed {
		e.rewrite(e.arena.copy(line))
		e.addFields(b)
	}
	return true
}

func compileUnpack(need *labelNeed) stage {
	if need.none() {
		return passStage{}
	}
	return &unpackStage{need: need}
}
