package logql

// packedEntry is the name under which the packed line stands.
const packedEntry = "_entry"

// scanUnpack reads a packed line: a JSON object whose string fields are labels
// and whose string field "_entry" is the line that was packed. It returns that
// line and calls emit for the other string fields, in order.
//
// A JSON object without a string "_entry" was not packed: packed is false and
// nothing is emitted. So it is with the empty line. Anything else that is not
// a JSON object is an error. All slices are valid until the next call.
func (s *jsonScanner) scanUnpack(line []byte, emit func(key, value []byte) bool) (entry []byte, packed bool, err error) {
	if len(line) == 0 {
		return nil, false, nil
	}
	if line[0] != '{' {
		return nil, false, errJSONNoObject
	}
	err = s.members(line, func(name, raw []byte) bool {
		if len(raw) > 0 && raw[0] == '"' && string(name) == packedEntry {
			entry, packed = raw[1:len(raw)-1], true
		}
		return true
	})
	if err != nil || !packed {
		return nil, false, err
	}
	err = s.members(line, func(name, raw []byte) bool {
		if raw[0] != '"' || string(name) == packedEntry {
			return true
		}
		s.label = appendLabelName(s.label[:0], name)
		return len(s.label) == 0 || emit(s.label, s.text(raw[1:len(raw)-1], true))
	})
	return s.text(entry, true), true, err
}
