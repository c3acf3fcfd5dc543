package panics

import (
	"regexp"
	"strings"
)

// announced fits messages with which recoverers begin; what follows a colon is
// the value.
var announced = regexp.MustCompile(`(?i)\b(?:recovered (?:from )?(?:a )?panic|recovering from (?:a )?panic|panic (?:was )?(?:recovered|caught)|caught (?:a )?panic|panicked)\b(?:[^:\n]{0,60}:\s*(.+))?`)

// recoveredError fits the text of an error that a panic became.
var recoveredError = regexp.MustCompile(`(?:^|: |= )(?:panic|panic caught|panic recovered|recovered panic): (.+)`)

const (
	observed = "Observed a panic"
	serving  = "http: panic serving "
)

// examine says whether a record tells of a panic by itself; nil: it does not.
func examine(r *record) *found {
	f := &found{}
	panicking := f.readStacks(r)
	named := f.value // what an error says before its stack
	f.value = ""
	value := r.first("panic", "panicValue", "panic_value", "panic.message", "recovered", "recover")
	switch {
	case strings.HasPrefix(r.msg, observed):
		f.form = FormObserved
		f.value = value
		if f.value == "" {
			f.value = afterColon(r.msg[len(observed):])
		}
	case strings.Contains(r.msg, serving):
		f.form, f.by, f.recovered = FormHTTP, "net/http", true
		_, f.value, _ = strings.Cut(r.msg[strings.Index(r.msg, serving)+len(serving):], ": ")
	case r.level == "panic" || r.level == "dpanic":
		f.form, f.value = FormLog, r.msg
	case panicking:
		f.form, f.recovered = FormRecovered, true
		if r.errorText() != "" {
			f.form = FormError
		}
		f.value = firstText(value, named, r.errorText(), afterColon(r.msg), r.msg)
	default:
		if !f.readText(r, value) {
			return nil
		}
	}
	f.finish(r)
	if f.value == "" && len(f.stack.frames) == 0 && f.form != FormObserved {
		return nil
	}
	return f
}

// readStacks looks for a stack that goes through a panic in the values of the
// record, and keeps it. Loggers add a stack of their own, often under the same
// key; it goes through no panic, unless the record was written while one was
// under way.
func (f *found) readStacks(r *record) bool {
	var best stack
	found := false
	read := func(key, text string) {
		if found && best.goroutines > 0 || !strings.Contains(text, "\n") {
			return
		}
		var s stack
		before := s.addText(text)
		_, _, ok := split(s.frames)
		if !ok || found && s.goroutines == 0 {
			return
		}
		best, found = s, true
		if !isStackKey(key) || strings.TrimSpace(before) != "" {
			f.value = before
		}
	}
	for _, fd := range r.fields {
		if fd.isText {
			read(fd.key, fd.value)
		}
	}
	if len(r.fields) == 0 {
		read("msg", r.msg)
	}
	if !found && (r.level == "panic" || r.level == "dpanic") {
		best.addText(r.first("stacktrace", "stack", "stack_trace"))
	}
	f.stack = best
	return found
}

func isStackKey(key string) bool { return strings.Contains(strings.ToLower(key), "stack") }

// readText looks for the words of a recovered panic where there is no stack.
func (f *found) readText(r *record, value string) bool {
	if isLiteral(value) {
		value = ""
	}
	if m := announced.FindStringSubmatch(r.msg); m != nil {
		f.value = firstText(value, m[1])
		if f.value == "" && r.errorText() != "" {
			f.value = r.errorText()
		}
		// A message may speak of a panic of something else: the value must be
		// one that was recovered here, by its key or by its words.
		if value != "" || runtimeSays(f.value) || f.value != "" && (r.level == "error" || r.level == "") && !r.structured {
			f.form, f.recovered = FormRecovered, true
			return true
		}
	}
	for _, text := range []string{r.errorText(), value, r.msg} {
		if text == "" {
			continue
		}
		form := FormError
		if text == r.msg {
			form = FormRecovered
			if r.level == "info" || r.level == "debug" {
				continue
			}
		}
		m := recoveredError.FindStringSubmatch(text)
		if m != nil && (marker.MatchString(firstLine(text)) || text == r.errorText()) || runtimeSays(firstLine(text)) {
			f.form, f.value, f.recovered = form, text, true
			return true
		}
	}
	return false
}

// finish cuts the value down and adds what the record says besides.
func (f *found) finish(r *record) {
	f.value = valueOf(f.value)
	f.fields, f.ids = r.context()
	f.operation = r.operation()
}

// errorText returns the text of the error that a record holds.
func (r *record) errorText() string {
	return r.first("error", "err", "error.message", "error.msg", "exception", "reason", "grpc.error")
}

// first returns the value of the first of keys that has one.
func (r *record) first(keys ...string) string {
	for _, k := range keys {
		for _, f := range r.fields {
			if f.key == k && f.isText && f.value != "" {
				return f.value
			}
		}
	}
	return ""
}

// joining are keys that records of one attempt share.
var joining = []string{"reconcileID", "requestID", "request_id", "requestId", "traceID", "trace_id", "traceId", "x-request-id"}

// context returns what the record says that ties it to a workload or request.
func (r *record) context() (map[string]string, string) {
	out := map[string]string{}
	for _, f := range r.fields {
		switch {
		case len(out) == maxFields:
		case !f.isText, f.value == "", len(f.value) > maxFieldValue, strings.ContainsAny(f.value, "\n\t"):
		case skipped(f.key):
		default:
			if _, ok := out[f.key]; !ok {
				out[bound(f.key, maxFieldValue)] = bound(f.value, maxFieldValue)
			}
		}
	}
	var ids []string
	for _, k := range joining {
		if v := out[k]; v != "" {
			ids = append(ids, k+"="+v)
		}
	}
	if len(out) == 0 {
		out = nil
	}
	return out, strings.Join(ids, " ")
}

// skipped are keys that tell nothing of what failed.
func skipped(key string) bool {
	switch strings.ToLower(key) {
	case "level", "severity", "lvl", "ts", "time", "timestamp", "@timestamp", "msg", "message", "log", "error", "err",
		"caller", "logger", "stream", "controllergroup", "controllerkind", "panic", "panicgovalue", "recovered":
		return true
	}
	return isStackKey(key)
}

// operation names what failed: a controller, a method, a logger.
func (r *record) operation() string {
	for _, k := range []string{"controller", "grpc.method", "method", "handler", "worker", "operation", "logger"} {
		if v := r.first(k); v != "" && len(v) <= maxFieldValue {
			if k == "controller" || k == "worker" || k == "handler" {
				return k + " " + bound(v, maxFieldValue)
			}
			return bound(v, maxFieldValue)
		}
	}
	return ""
}

func afterColon(s string) string {
	_, v, _ := strings.Cut(s, ": ")
	return v
}

func firstText(of ...string) string {
	for _, s := range of {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
