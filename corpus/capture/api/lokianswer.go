package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
)

// An answer is what a Loki answers to a query of a range.
type answer struct {
	Status string `json:"status"`
	Data   *struct {
		ResultType    string         `json:"resultType"`
		EncodingFlags []string       `json:"encodingFlags"`
		Result        []answerStream `json:"result"`
	} `json:"data"`
}

type answerStream struct {
	Stream map[string]string `json:"stream"`
	Values []answerEntry     `json:"values"`
}

// An answerEntry is one entry: its time in nanoseconds, its line, and metadata
// where it has some.
type answerEntry struct {
	at       int64
	line     string
	metadata logs.Labels
}

// UnmarshalJSON reads ["ns", "line"] or ["ns", "line", {…}].
func (e *answerEntry) UnmarshalJSON(text []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	if len(parts) < 2 || len(parts) > 3 {
		return errors.New("an entry that is not a time, a line and perhaps metadata")
	}
	var at string
	if err := json.Unmarshal(parts[0], &at); err != nil {
		return err
	}
	var err error
	if e.at, err = strconv.ParseInt(at, 10, 64); err != nil {
		return fmt.Errorf("an entry whose time %q is no number of nanoseconds", at)
	}
	if err := json.Unmarshal(parts[1], &e.line); err != nil {
		return err
	}
	if len(parts) == 3 {
		e.metadata, err = metadataOf(parts[2])
	}
	return err
}

// metadataOf reads the metadata of an entry: in an object of its own beside the
// labels that the query read out of the line, which are no part of the entry;
// or alone.
func metadataOf(text []byte) (logs.Labels, error) {
	var apart struct {
		StructuredMetadata json.RawMessage `json:"structuredMetadata"`
		Parsed             json.RawMessage `json:"parsed"`
	}
	if err := json.Unmarshal(text, &apart); err != nil {
		return nil, err
	}
	if isObject(apart.StructuredMetadata) || isObject(apart.Parsed) {
		text = apart.StructuredMetadata
		if text == nil {
			return nil, nil
		}
	}
	var m map[string]string
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	return logs.FromMap(m), nil
}

func isObject(text []byte) bool { return len(text) > 0 && text[0] == '{' }

// categorize asks for metadata apart from the labels of streams.
const categorize = "categorize-labels"

// readAnswer reads an answer. Streams come in the order of their labels, each
// once, and entries in that of their times. Backward reports whether the server
// gave entries from the latest back.
func readAnswer(body []byte, parsers bool) (streams []readStream, backward bool, err error) {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, false, fmt.Errorf("the answer cannot be read: %w", err)
	}
	switch {
	case a.Status != "success" || a.Data == nil:
		return nil, false, fmt.Errorf("the answer is of status %q and no success", printable(a.Status, nil))
	case a.Data.ResultType != "streams":
		return nil, false, fmt.Errorf("the answer is of type %q; want streams", printable(a.Data.ResultType, nil))
	case parsers && len(a.Data.Result) > 0 && !slices.Contains(a.Data.EncodingFlags, categorize):
		return nil, false, errParsed
	}
	byKey := map[string]int{}
	for _, s := range a.Data.Result {
		if n := len(s.Values); n > 0 && s.Values[0].at > s.Values[n-1].at {
			backward = true
		}
		ls := logs.FromMap(s.Stream)
		key := ls.String()
		i, ok := byKey[key]
		if !ok {
			i = len(streams)
			byKey[key] = i
			streams = append(streams, readStream{key: key, labels: ls})
		}
		streams[i].entries = append(streams[i].entries, s.Values...)
	}
	slices.SortFunc(streams, func(a, b readStream) int { return cmp.Compare(a.key, b.key) })
	for i := range streams {
		slices.SortStableFunc(streams[i].entries, func(a, b answerEntry) int { return cmp.Compare(a.at, b.at) })
	}
	return streams, backward, nil
}

// errParsed is that labels of streams cannot be told from those that the query
// made.
var errParsed = errors.New("this server does not tell labels that the query reads out of lines from those of streams; leave parsers out of the query")

// A readStream is the entries of one set of labels in an answer.
type readStream struct {
	key     string
	labels  logs.Labels
	entries []answerEntry
}

// An entryKey is what tells entries of a stream apart.
type entryKey struct {
	at   int64
	text string
}

// keyOf returns the key of an entry whose line is as it is kept.
func keyOf(at time.Time, line []byte, metadata logs.Labels) entryKey {
	var b strings.Builder
	b.Write(line)
	for _, l := range metadata {
		fmt.Fprintf(&b, "\x00%s\x00%s", l.Name, l.Value)
	}
	return entryKey{at.UnixNano(), b.String()}
}
