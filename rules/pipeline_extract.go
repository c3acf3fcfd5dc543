package rules

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// extract adds a parser to a flow, which reads the line, or another value if
// the stage has a source. parser is called with a function that gives each
// name its label, and returns the LogQL, or "" if there is nothing to read.
func (t *translator) extract(fl *flow, s stage, names []string, parser func(label func(name string) string) string) {
	why := fl.changed
	source := s.args.get("source")
	from := field{}
	if source.form == formScalar && source.text != "" {
		from = fl.lookup(source.text)
		why = from.why
	} else if source.form == formComputed {
		why = "the source of stage " + s.name + " is computed"
	}
	fields := map[string]field{}
	for _, name := range names {
		switch _, twice := fl.fields[name]; {
		case why != "":
			fields[name] = field{why: why}
		case twice:
			fields[name] = field{why: name + " is extracted more than once"}
		default:
			fields[name] = field{label: t.label(name)}
		}
	}
	text := parser(func(name string) string {
		if f := fields[name]; f.label != "" {
			return f.label
		}
		return t.label(name)
	})
	maps.Copy(fl.fields, fields)
	switch {
	case why != "" || text == "":
	case from.label != "":
		line := t.label("line")
		fl.stages = append(fl.stages, "| label_format "+line+"=`{{ __line__ }}`", "| line_format `{{ ."+from.label+" }}`",
			text, "| line_format `{{ ."+line+" }}`")
	default:
		fl.stages = append(fl.stages, text)
	}
}

// json translates a stage that reads fields of a JSON object.
func (t *translator) json(fl *flow, s stage) {
	expressions := s.args.get("expressions")
	if expressions.form != formMapping {
		t.fault(t.file.Errorf(s.at, max(s.end, s.at+1), "stage json needs expressions"), "write name: path")
		return
	}
	var names []string
	paths, unclear := map[string]string{}, map[string]string{}
	for _, e := range expressions.entries {
		path := e.value.text
		if path == "" {
			path = e.name
		}
		logQL, ok := jsonPath(path)
		if e.value.form == formComputed || !ok {
			unclear[e.name] = fmt.Sprintf("%s is extracted by %q, which the json of LogQL does not have", e.name, path)
			continue
		}
		if _, twice := paths[e.name]; !twice {
			names = append(names, e.name)
		}
		paths[e.name] = logQL
	}
	t.extract(fl, s, names, func(label func(string) string) string {
		var parts []string
		for _, name := range names {
			parts = append(parts, label(name)+"="+quote(paths[name]))
		}
		if len(parts) == 0 {
			return ""
		}
		return "| json " + strings.Join(parts, ", ")
	})
	for name, why := range unclear {
		fl.fields[name] = field{why: why}
	}
	if s.args.get("drop_malformed").isTrue() {
		fl.dropped = true
		fl.close("stage json before it drops lines that are no JSON")
	}
}

// jsonPath turns a JMESPath of names and indexes into a path of LogQL.
func jsonPath(path string) (string, bool) {
	var b strings.Builder
	for rest := path; rest != ""; {
		switch {
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 2 || b.Len() == 0 {
				return "", false
			}
			if _, err := strconv.ParseUint(rest[1:end], 10, 31); err != nil {
				return "", false
			}
			b.WriteString(rest[:end+1])
			rest = rest[end+1:]
			continue
		case rest[0] == '.' && b.Len() > 0:
			rest = rest[1:]
		case b.Len() > 0:
			return "", false
		}
		name, n := pathName(rest)
		if n == 0 {
			return "", false
		}
		b.WriteString("[" + strconv.Quote(name) + "]")
		rest = rest[n:]
	}
	return b.String(), b.Len() > 0
}

// pathName reads the name at the start of a JMESPath: bare or in double quotes.
func pathName(rest string) (name string, length int) {
	if strings.HasPrefix(rest, `"`) {
		end := skipString(rest, 0)
		if end >= len(rest) {
			return "", 0
		}
		name, err := strconv.Unquote(rest[:end+1])
		if err != nil || name == "" {
			return "", 0
		}
		return name, end + 1
	}
	for length < len(rest) && labelName(rest[:length+1]) {
		length++
	}
	return rest[:length], length
}

// regex translates a stage that reads what the named groups of a regexp match.
func (t *translator) regex(fl *flow, s stage) {
	expression := s.args.get("expression")
	if expression.form != formScalar {
		if expression.form == formComputed {
			fl.close("the expression of stage regex is computed")
			return
		}
		t.fault(t.file.Errorf(s.at, max(s.end, s.at+1), "stage regex needs an expression"), "")
		return
	}
	if !t.checkRegexp(expression) {
		fl.close("stage regex before it is not valid")
		return
	}
	_, names := renameGroups(expression.text, func(name string) string { return name })
	if s.args.get("labels_from_groups").isTrue() {
		defer func() {
			for _, name := range names {
				fl.labels[name] = fl.fields[name]
			}
		}()
	}
	t.extract(fl, s, names, func(label func(string) string) string {
		if len(names) == 0 {
			return ""
		}
		renamed, _ := renameGroups(expression.text, label)
		return "| regexp " + quote(renamed)
	})
}

// logfmt translates a stage that reads values of a logfmt line.
func (t *translator) logfmt(fl *flow, s stage) {
	mapping := s.args.get("mapping")
	if mapping.form != formMapping {
		t.fault(t.file.Errorf(s.at, max(s.end, s.at+1), "stage logfmt needs a mapping"), "write name: key")
		return
	}
	var names []string
	keys, unclear := map[string]string{}, map[string]string{}
	for _, e := range mapping.entries {
		key := e.value.text
		if key == "" {
			key = e.name
		}
		if e.value.form == formComputed || !labelName(key) {
			unclear[e.name] = fmt.Sprintf("%s is the key %q, which the logfmt of LogQL cannot name", e.name, key)
			continue
		}
		if _, twice := keys[e.name]; !twice {
			names = append(names, e.name)
		}
		keys[e.name] = key
	}
	t.extract(fl, s, names, func(label func(string) string) string {
		var parts []string
		for _, name := range names {
			parts = append(parts, label(name)+"="+quote(keys[name]))
		}
		if len(parts) == 0 {
			return ""
		}
		return "| logfmt " + strings.Join(parts, ", ")
	})
	for name, why := range unclear {
		fl.fields[name] = field{why: why}
	}
}
