package logql

// members calls fn for every member of the object in line, nested ones aside,
// with its name decoded and the text of its value. The name is valid until fn
// returns; when it returns false the walk ends without an error.
func (s *jsonScanner) members(line []byte, fn func(name, raw []byte) bool) error {
	i := skipJSONSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return errJSONNoObject
	}
	for i++; ; {
		name, value, err := s.member(line, i)
		if err != nil {
			return err
		}
		if value < 0 {
			return nil
		}
		end, err := jsonValueEnd(line, value)
		if err != nil {
			return err
		}
		if !fn(name, line[value:end]) {
			return nil
		}
		var last bool
		if i, last, err = jsonMemberEnd(line, end, '}'); err != nil || last {
			return err
		}
	}
}

// member reads the name of the member that begins at or after line[i] and
// returns it decoded, with the place of its value, -1 at the object's end.
func (s *jsonScanner) member(line []byte, i int) (name []byte, value int, err error) {
	i = skipJSONSpace(line, i)
	if i >= len(line) {
		return nil, 0, errJSONTruncated
	}
	if line[i] == '}' {
		return nil, -1, nil
	}
	if line[i] != '"' {
		return nil, 0, errJSONName
	}
	end, escaped, _ := jsonStringEnd(line, i+1)
	if end < 0 {
		return nil, 0, errJSONTruncated
	}
	name = line[i+1 : end]
	if escaped {
		var ok bool
		if s.key, ok = appendUnescaped(s.key[:0], name, jsonEscapes); !ok {
			return nil, 0, errJSONEscape
		}
		name = s.key
	}
	i = skipJSONSpace(line, end+1)
	if i >= len(line) || line[i] != ':' {
		return nil, 0, errJSONColon
	}
	if i = skipJSONSpace(line, i+1); i >= len(line) {
		return nil, 0, errJSONTruncated
	}
	return name, i, nil
}

// jsonMemberEnd reads what stands between two members or elements: it returns
// the place after the comma, or last when the object or array ends there.
func jsonMemberEnd(line []byte, i int, shut byte) (next int, last bool, err error) {
	i = skipJSONSpace(line, i)
	switch {
	case i >= len(line):
		return i, false, errJSONTruncated
	case line[i] == ',':
		return i + 1, false, nil
	case line[i] == shut:
		return i + 1, true, nil
	}
	return i, false, errJSONComma
}

// jsonValueEnd returns the place after the value that begins at line[i].
func jsonValueEnd(line []byte, i int) (int, error) {
	switch line[i] {
	case '"':
		end, _, _ := jsonStringEnd(line, i+1)
		if end < 0 {
			return 0, errJSONTruncated
		}
		return end + 1, nil
	case '{', '[':
		end := jsonBlockEnd(line, i)
		if end < 0 {
			return 0, errJSONTruncated
		}
		return end, nil
	}
	end, _ := jsonTokenEnd(line, i)
	if !isJSONScalar(line[i:end]) {
		return 0, errJSONValue
	}
	return end, nil
}
