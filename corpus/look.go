package corpus

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/logs/recordtime"
)

// A Pattern is a pattern of an import description, ready to match paths.
type Pattern struct{ p *pattern }

// CompilePattern reads a pattern; docs/corpus-format.md says what it can hold.
func CompilePattern(text string) (Pattern, error) {
	p, err := compilePattern(text)
	return Pattern{p}, err
}

// Match returns what the pattern captures of a path, or nil where it does not
// match.
func (p Pattern) Match(name string) map[string]string { return p.p.match(name) }

// A LogLook is what the beginning of a log tells.
type LogLook struct {
	Empty bool
	Dated bool // a record has a time
}

// LookAtLog looks at a log as an import does that is told nothing of its
// format. It reads until a record has a time, which in a log without times is to
// the end. What is no log is an error.
func LookAtLog(fsys fs.FS, name string, limits Limits) (LogLook, error) {
	l, err := openLines(fsys, name, limits)
	if errors.Is(err, errEmpty) {
		return LogLook{Empty: true}, nil
	}
	if err != nil {
		return LogLook{}, err
	}
	sampler, err := recordtime.NewSampler()
	if err != nil {
		return LogLook{}, errors.Join(err, l.close())
	}
	for sampler.Lines() < sampleLines || !sampler.Dated() {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return LogLook{}, errors.Join(err, l.close())
		}
		sampler.Add(line)
	}
	return LogLook{Dated: sampler.Dated()}, l.close()
}

// A ValueLook is what a file of JSON or YAML values holds.
type ValueLook struct {
	Objects int // of Kubernetes, events among them
	Events  int
	Secrets int
	Others  int // values that are no objects
	// IDs are hashes of what names the objects: kind, namespace and name.
	IDs [][sha256.Size]byte
}

// LookAtValues reads a file as an import takes it along. An error says why it
// could not be.
func LookAtValues(fsys fs.FS, name string) (*ValueLook, error) {
	raw, err := openRaw(fsys, name, Limits{Bytes: maxCarried})
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(raw)
	if err = errors.Join(err, raw.Close()); err != nil {
		return nil, err
	}
	if isYAML(name) {
		if text, err = yamlAsJSON(text); err != nil {
			return nil, err
		}
	}
	look := &ValueLook{}
	return look, eachValue(text, func(value []byte) error {
		if len(value) >= maxFactLine {
			return fmt.Errorf("a value of %d bytes; at most %d are allowed", len(value), maxFactLine-1)
		}
		look.add(value)
		return nil
	})
}

func (l *ValueLook) add(value []byte) {
	v := gjson.GetManyBytes(value, "kind", "apiVersion", "metadata.namespace", "metadata.name")
	kind, version := v[0].Str, v[1].Str
	if kind == "" || version == "" {
		l.Others++
		return
	}
	l.Objects++
	group, _, _ := strings.Cut(version, "/")
	switch {
	case kind == "Event" && (version == "v1" || group == "events.k8s.io"):
		l.Events++
	case kind == "Secret" && version == "v1":
		l.Secrets++
	}
	if kind != "Event" {
		id := bytes.Join([][]byte{[]byte(kind), []byte(version), []byte(v[2].Str), []byte(v[3].Str)}, []byte{0})
		l.IDs = append(l.IDs, sha256.Sum256(id))
	}
}
