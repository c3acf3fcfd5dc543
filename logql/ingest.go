package logql

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
)

// Labels that Loki adds when it takes logs in.
const (
	ServiceNameLabel   = "service_name"
	DetectedLevelLabel = "detected_level"
)

// serviceLabels are the stream labels that may name the service, the best
// first.
var serviceLabels = [...]string{
	ServiceNameLabel, "service", "app", "application", "name", "app_kubernetes_io_name",
	"container", "container_name", "k8s_container_name", "component", "workload", "job", "k8s_job_name",
}

// ServiceName returns the value of the label service_name that Loki gives to
// a stream with these labels.
func ServiceName(stream logs.Labels) string {
	for _, name := range serviceLabels {
		if v := stream.Get(name); v != "" {
			return v
		}
	}
	return "unknown_service"
}

// WithServiceNames returns the streams with the label service_name, as Loki
// stores them; those that have it stay as they are.
func WithServiceNames(streams []logs.Labels) []logs.Labels {
	out := make([]logs.Labels, len(streams))
	for i, ls := range streams {
		out[i] = ls
		if _, ok := ls.Lookup(ServiceNameLabel); !ok {
			out[i] = logs.New(append(slices.Clip(ls), logs.Label{Name: ServiceNameLabel, Value: ServiceName(ls)})...)
		}
	}
	return out
}

// levelNames are the fields and labels that may hold the level of an entry.
var levelNames = [...]string{
	"level", "LEVEL", "Level", "severity", "SEVERITY", "Severity", "lvl", "LVL", "Lvl",
	"severity_text", "Severity_Text", "SEVERITY_TEXT", "SeverityText", "log.level",
}

// DetectLevel returns the value of the label detected_level that Loki gives to
// an entry: trace, debug, info, warn, error, critical, fatal or unknown. It
// comes from the first of these that tells one: a label of the stream, the
// structured metadata, a field of the JSON object or logfmt pairs in the line,
// the first word of the line that is a level. A label or metadata with a level
// of another name is taken as it stands.
func DetectLevel(stream, metadata logs.Labels, line []byte) string {
	for _, ls := range []logs.Labels{stream, metadata} {
		if v := ls.Get(DetectedLevelLabel); v != "" {
			return v
		}
	}
	for _, ls := range []logs.Labels{stream, metadata} {
		for _, name := range levelNames {
			v := ls.Get(name)
			if v == "" {
				continue
			}
			if level := levelOf([]byte(v)); level != "" {
				return level
			}
			return v
		}
	}
	if level := otelLevel(metadata.Get("severity_number")); level != "" {
		return level
	}
	if level := levelOf(levelField(line)); level != "" {
		return level
	}
	if level := levelWord(line); level != "" {
		return level
	}
	return "unknown"
}

// otelLevel returns the level of a severity number of OpenTelemetry, which has
// four for each level.
func otelLevel(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 24 {
		return ""
	}
	return [...]string{"trace", "debug", "info", "warn", "error", "fatal"}[(n-1)/4]
}

// levelField returns the value of the first field of the line that is named
// as a level is.
func levelField(line []byte) []byte {
	trimmed := bytes.TrimLeft(line, " \t")
	if len(trimmed) > 0 && trimmed[0] == '{' {
		var s jsonScanner
		return s.levelField(trimmed, 2)
	}
	if bytes.IndexByte(line, '=') < 0 {
		return nil
	}
	var found []byte
	var s logfmtScanner
	// A line may be broken before or after the field.
	_ = s.scan(line, func(key, value []byte) {
		if found == nil && isLevelName(string(key)) {
			found = bytes.Clone(value)
		}
	})
	return found
}

// levelField looks in the object and in those inside it, depth levels in all.
func (s *jsonScanner) levelField(object []byte, depth int) (found []byte) {
	// An object that is broken has the fields before the break.
	_ = s.members(object, func(name, raw []byte) bool {
		switch {
		case raw[0] == '"' && isLevelName(string(name)):
			found = bytes.Clone(s.text(raw[1:len(raw)-1], true))
		case raw[0] == '{' && depth > 1:
			found = s.levelField(raw, depth-1)
		}
		return found == nil
	})
	return found
}

func isLevelName(name string) bool {
	for _, n := range levelNames {
		if n == name {
			return true
		}
	}
	return name == "log_level" // log.level in logfmt
}

// longestLevel is the length of "information".
const longestLevel = 11

// levelOf returns the level that word spells, or "".
func levelOf(word []byte) string {
	if len(word) > longestLevel {
		return ""
	}
	switch strings.ToLower(string(word)) {
	case "trace", "trc":
		return "trace"
	case "debug", "dbg":
		return "debug"
	case "info", "inf", "information":
		return "info"
	case "warn", "wrn", "warning":
		return "warn"
	case "error", "err":
		return "error"
	case "critical":
		return "critical"
	case "fatal":
		return "fatal"
	}
	return ""
}

// levelWord returns the level of the first word in line that spells one.
// Letters, digits and '_' make up words.
func levelWord(line []byte) string {
	for len(line) > 0 {
		n := 0
		for n < len(line) && isNameByte[line[n]] {
			n++
		}
		if n > 2 {
			if level := levelOf(line[:n]); level != "" {
				return level
			}
		}
		line = line[min(n+1, len(line)):]
	}
	return ""
}
