package panics

import (
	"regexp"
	"strings"
)

// announced fits messages with which recoverers begin; what follows a colon is
// the value.
var announced = regexp.MustCompile(`(?i)\b(?:recovered (?:from )?(?:a )?panic|recovering from (?:a )?panic|panic (?:was )?(?:recovered|caught)|caught (?:a )?panic|panicked)\b(?:[^:\n]{0,60}:\s*(.+))?`)

// recovering fits those of them that say that the panic was recovered.
var recovering = regexp.MustCompile(`(?i)recover|caught`)

// recoveredError fits the text of an error that a panic became.
var recoveredError = regexp.MustCompile(`(?:^|: |= )(?:panic|panic caught|panic recovered|recovered panic): (.+)`)

// serving fits what the servers of package net/http write.
var serving = regexp.MustCompile(`\bhttp2?: panic serving [^\s]+: `)

// observed fits how Kubernetes' libraries begin: what follows is the value, or
// a word or two on where it was.
var observed = regexp.MustCompile(`^Observed a panic(?:$|[:(\s]+[^\w\s]|: | in [\w./-]+(?: [\w./-]+){0,2}: )`)

// another fits words that tell of another process, whose panic a text quotes.
var another = regexp.MustCompile(`(?i)\b(?:exit(?:ed|s)?|terminated|exit code|exit status|CrashLoopBackOff|back-off|logs?|stderr|stdout|output:|says|said)\b`)

// examine says whether a record tells of a panic by itself; nil: it does not.
func examine(r *record) *found {
	f := &found{}
	panicking := f.readStacks(r)
	named := f.value // what an error says before its stack
	f.value = ""
	value := r.first("panic", "panicValue", "panic_value", "panic.message", "recovered", "recover")
	switch {
	case observed.MatchString(r.msg):
		f.form = FormObserved
		f.value = value
		if f.value == "" {
			f.value = afterColon(r.msg)
		}
	case serving.MatchString(r.msg):
		f.form, f.by, f.recovered = FormHTTP, "net/http", true
		f.value = r.msg[serving.FindStringIndex(r.msg)[1]:]
	case r.level == "panic" || r.level == "dpanic":
		f.form, f.value = FormLog, r.msg
		f.perhaps = r.level == "dpanic" && !panicking
	case panicking:
		f.form, f.recovered = FormRecovered, true
		if r.errorText() != "" {
			f.form = FormError
		}
		// The message does not show the value: where nothing does it is not known.
		f.value = firstText(value, r.number("panic", "panicValue", "panic_value", "recovered", "recover"), named, r.errorText(), afterColon(r.msg))
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
		if found && best.goroutines > 0 || !strings.Contains(text, "\n") || r.quotes(key) {
			return
		}
		s, before, ok := panickingStack(text)
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

// panickingStack returns the stack in a text that goes through a panic, and
// what stands before it. The value of a panic may look like the stack of a
// goroutine, too, so every one is tried.
func panickingStack(text string) (s stack, before string, ok bool) {
	const most = 4
	rest := text
	for range most {
		s = stack{}
		before = s.addText(rest)
		if _, _, ok := split(s.frames); ok {
			return s, text[:len(text)-len(rest)+len(before)], true
		}
		next := strings.Index(rest[min(len(rest), len(before)+1):], "\ngoroutine ")
		if next < 0 {
			break
		}
		rest = rest[len(before)+1+next+1:]
	}
	return s, before, false
}

// quotes reports whether a field holds what another process wrote.
func (r *record) quotes(key string) bool {
	if key == r.msgKey || len(r.fields) == 0 {
		return false
	}
	switch strings.ToLower(key[strings.LastIndexByte(key, '.')+1:]) {
	case "log", "logs", "tail", "output", "stderr", "stdout", "transcript", "lastlog", "lastlogs", "podlog", "podlogs",
		"terminationmessage", "containerlog", "containerlogs", "previouslog", "previouslogs":
		return true
	}
	return false
}

func isStackKey(key string) bool { return strings.Contains(strings.ToLower(key), "stack") }

// readText looks for the words of a recovered panic where there is no stack.
func (f *found) readText(r *record, value string) bool {
	if isLiteral(value) {
		value = ""
	}
	if at := announced.FindStringIndex(r.msg); at != nil && !strings.HasPrefix(r.msg, "thread '") { // as Rust writes it
		m := announced.FindStringSubmatch(r.msg)
		f.value = firstText(value, m[1])
		if f.value == "" && r.errorText() != "" {
			f.value = r.errorText()
		}
		// A message may speak of a panic of something else: the value must be
		// one that was recovered here, by its key or by its words.
		ours := (r.level == "error" || r.level == "") && !r.structured ||
			at[0] == 0 && r.level != "info" && r.level != "debug" && !another.MatchString(m[0])
		if value != "" || runtimeSays(f.value) || f.value != "" && ours {
			f.form, f.recovered = FormRecovered, recovering.MatchString(m[0])
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
		m := recoveredError.FindStringSubmatchIndex(text)
		said := m != nil && (marker.MatchString(firstLine(text)) || text == r.errorText())
		if !said && !runtimeSays(firstLine(text)) {
			continue
		}
		if !quotesAnother(text) {
			f.form, f.value, f.recovered = form, text, true
			return true
		}
	}
	return false
}

// quotesAnother reports whether the words before the panic in a text say that
// it was of another process.
func quotesAnother(text string) bool {
	text = firstLine(text)
	end := len(text)
	for _, re := range []*regexp.Regexp{recoveredError, runtimeText} {
		if m := re.FindStringIndex(text); m != nil {
			end = min(end, m[0])
		}
	}
	return another.MatchString(text[:end])
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

// number returns the first number under one of keys.
func (r *record) number(keys ...string) string {
	for _, k := range keys {
		for _, f := range r.fields {
			if f.key == k && !f.isText && strings.ContainsAny(f.value, "0123456789") {
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
