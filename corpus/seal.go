package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxManifest bounds run.json and corpus.json, in bytes.
const maxManifest = 64 << 20

// The last key of run.json is the SHA-256 of every byte before it, so that a
// changed manifest is found out as surely as a changed log.
const sealKey = ",\n  \"checksum\": \"sha256:"
const sealEnd = "\"\n}\n"

// encodeManifest returns run.json for m, with its checksum.
func encodeManifest(m *Manifest) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return nil, err
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n}\n"))
	sum := sha256.Sum256(body)
	return append(append(append(bytes.Clone(body), sealKey...), hex.EncodeToString(sum[:])...), sealEnd...), nil
}

// decodeManifest reads run.json, and returns its checksum too.
func decodeManifest(text []byte) (*Manifest, string, error) {
	if err := checkFormat(text, runFormat); err != nil {
		return nil, "", err
	}
	i := bytes.LastIndex(text, []byte(sealKey))
	if i < 0 {
		return nil, "", errors.New(`does not end with its checksum; it was cut short, or written by hand`)
	}
	body, rest := text[:i], string(text[i+len(sealKey):])
	sum := sha256.Sum256(body)
	checksum := hex.EncodeToString(sum[:])
	if rest != checksum+sealEnd {
		return nil, "", errors.New("checksum does not agree; the manifest was changed after the run was closed")
	}
	var m Manifest
	if err := strictJSON(append(bytes.Clone(body), "\n}\n"...), &m); err != nil {
		return nil, "", err
	}
	return &m, checksum, nil
}

// checkFormat looks at format and version alone, so that a file of a later
// version is refused for its version and not for a key that is new.
func checkFormat(text []byte, format string) error {
	var head struct {
		Format  *string `json:"format"`
		Version *int    `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return jsonError(text, err)
	}
	switch {
	case head.Format == nil || *head.Format != format:
		return fmt.Errorf("is not a %s file: \"format\" is missing or another", format)
	case head.Version == nil:
		return errors.New(`has no "version"`)
	case *head.Version != Version:
		return fmt.Errorf("has format version %d; this stillfires reads version %d only", *head.Version, Version)
	}
	return nil
}

// strictJSON decodes one JSON value and refuses unknown keys and anything
// after it.
func strictJSON(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return jsonError(text, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("holds more than one JSON value")
	}
	return nil
}

// jsonError adds line and column where the JSON package gives an offset.
func jsonError(text []byte, err error) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typ):
		offset = typ.Offset
	}
	if offset < 0 || offset > int64(len(text)) {
		return err
	}
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := int(offset) - bytes.LastIndexByte(before, '\n') - 1
	return fmt.Errorf("%d:%d: %w", line, max(column, 1), err)
}
