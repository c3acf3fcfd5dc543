package query

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/stillfires/stillfires/internal/logs"
)

// A jsonPrinter prints what Loki's HTTP API answers to query and query_range:
//
//	{"status":"success","data":{"resultType":"streams","result":[…],"stats":{}}}
//
// Lines are kept until the end, as they are grouped by labels.
type jsonPrinter struct {
	out     *bufio.Writer
	streams []*jsonStream
	byKey   map[string]*jsonStream
	data    jsonData
}

type jsonAnswer struct {
	Status string   `json:"status"`
	Data   jsonData `json:"data"`
}

type jsonData struct {
	ResultType string   `json:"resultType"`
	Result     any      `json:"result"` // never nil
	Stats      struct{} `json:"stats"`
}

// A jsonStream is lines with equal labels: times in nanoseconds and texts.
type jsonStream struct {
	Stream map[string]string `json:"stream"`
	Values [][2]string       `json:"values"`
	labels logs.Labels
}

// A jsonSeries is a series of a vector, with Value, or a matrix, with Values.
type jsonSeries struct {
	Metric map[string]string `json:"metric"`
	Value  *jsonPoint        `json:"value,omitempty"`
	Values []jsonPoint       `json:"values,omitempty"`
}

// A jsonPoint is [seconds, "value"].
type jsonPoint struct {
	time  int64
	value float64
}

// MarshalJSON implements json.Marshaler.
func (p jsonPoint) MarshalJSON() ([]byte, error) {
	b := append([]byte("["), appendSeconds(nil, p.time)...)
	b = append(b, `,"`...)
	b = append(b, formatValue(p.value)...)
	return append(b, `"]`...), nil
}

// appendSeconds appends a time in seconds, with milliseconds where it has any.
func appendSeconds(b []byte, ns int64) []byte {
	return strconv.AppendFloat(b, float64(sampleTime(ns)/1e6)/1e3, 'f', -1, 64)
}

func openJSON(w *bufio.Writer, _ look) printer {
	return &jsonPrinter{out: w, byKey: map[string]*jsonStream{}, data: jsonData{ResultType: kindStreams}}
}

func (p *jsonPrinter) line(l *line) error {
	key := labelKey(l.labels)
	s := p.byKey[key]
	if s == nil {
		s = &jsonStream{Stream: l.labels.Map(), labels: l.labels}
		p.byKey[key] = s
		p.streams = append(p.streams, s)
	}
	s.Values = append(s.Values, [2]string{strconv.FormatInt(l.time, 10), string(l.text)})
	return nil
}

// labelKey is equal for equal labels only.
func labelKey(ls logs.Labels) string {
	var b []byte
	for _, l := range ls {
		b = strconv.AppendInt(b, int64(len(l.Name)), 10)
		b = append(append(append(b, ':'), l.Name...), l.Value...)
		b = append(strconv.AppendInt(append(b, ':'), int64(len(l.Value)), 10), ';')
	}
	return string(b)
}

func (p *jsonPrinter) metric(a *answer) error {
	p.data.ResultType = a.kind
	if a.kind == kindScalar {
		point := a.series[0].Points[0]
		p.data.Result = jsonPoint{point.Time, point.Value}
		return nil
	}
	result := []jsonSeries{}
	for _, s := range a.series {
		out := jsonSeries{Metric: s.Labels.Map()}
		for _, point := range s.Points {
			out.Values = append(out.Values, jsonPoint{point.Time, point.Value})
		}
		if a.kind == kindVector {
			out.Value, out.Values = &out.Values[0], nil
		}
		result = append(result, out)
	}
	p.data.Result = result
	return nil
}

func (p *jsonPrinter) end() error {
	if p.data.ResultType == kindStreams {
		p.data.Result = sortStreams(p.streams)
	}
	return writeJSON(p.out, jsonAnswer{"success", p.data})
}

// sortStreams orders streams by labels; it never returns nil.
func sortStreams(streams []*jsonStream) []*jsonStream {
	out := append([]*jsonStream{}, streams...)
	slices.SortFunc(out, func(a, b *jsonStream) int { return a.labels.Compare(b.labels) })
	return out
}

// writeJSON writes v and a line end. Text from logs stays as it is but for
// invalid UTF-8, which JSON has no form for: it becomes U+FFFD.
func writeJSON(w *bufio.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}
