package rules

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// drop translates a stage that leaves out lines: those that meet all that it
// asks for.
func (t *translator) drop(fl *flow, s stage) {
	fl.dropped = true
	for _, name := range []string{"older_than", "longer_than"} {
		if s.args.get(name).form != formNone {
			fl.close("stage drop before it asks for " + name)
			return
		}
	}
	expression, value := s.args.get("expression"), s.args.get("value")
	if expression.form == formComputed || value.form == formComputed || s.args.get("source").form == formComputed {
		fl.close("stage drop before it is computed")
		return
	}
	if expression.form == formScalar && !t.checkRegexp(expression) {
		fl.close("stage drop before it is not valid")
		return
	}
	sources := s.args.get("source").texts()
	switch {
	case len(sources) == 0 && expression.form == formScalar && fl.changed == "":
		fl.stages = append(fl.stages, "!~ "+quote(expression.text))
	case len(sources) == 0 && expression.form == formScalar:
		fl.close(fl.changed)
	case len(sources) == 1:
		t.dropBy(fl, fl.lookup(sources[0]), expression, value)
	case len(sources) == 0:
		t.fault(t.file.Errorf(s.at, max(s.end, s.at+1), "stage drop does not say what it drops"), "give it an expression or a source")
		fl.close("stage drop before it is not valid")
	default:
		fl.close("stage drop before it joins several sources")
	}
}

// dropBy drops lines by a field.
func (t *translator) dropBy(fl *flow, f field, expression, value setting) {
	switch {
	case f.why != "":
		fl.close("stage drop before it: " + f.why)
	case f.label == "":
		fl.close("stage drop before it asks for a value that is always the same")
	case expression.form == formScalar && value.form == formScalar:
		fl.close("stage drop before it has both an expression and a value")
	case expression.form == formScalar:
		fl.stages = append(fl.stages, fmt.Sprintf(`| %s="" or %s!~%s`, f.label, f.label, quote(anywhere(expression.text))))
	case value.form == formScalar:
		fl.stages = append(fl.stages, "| "+f.label+"!="+quote(value.text))
	default:
		fl.stages = append(fl.stages, "| "+f.label+`=""`)
	}
}

// anywhere turns a regexp that may match anywhere into one that is anchored,
// as regexps on labels are.
func anywhere(re string) string { return "(?s:.*)(?:" + re + ")(?s:.*)" }

// checkRegexp reports a regexp that is not valid.
func (t *translator) checkRegexp(s setting) bool {
	_, err := syntax.Parse(s.text, syntax.Perl)
	if err == nil {
		return true
	}
	msg := err.Error()
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		msg = bad.Code.String()
		if bad.Expr != "" {
			msg += ": " + bad.Expr
		}
	}
	t.fault(t.file.Errorf(s.at, max(s.end, s.at+1), "the regexp is not valid: %v", errors.New(msg)), "")
	return false
}

// renameGroups puts new names on the groups of a valid regexp. It returns the
// names of the groups in their order.
func renameGroups(re string, name func(string) string) (renamed string, names []string) {
	var b strings.Builder
	class := false
	for i := 0; i < len(re); i++ {
		rest := re[i:]
		switch {
		case strings.HasPrefix(rest, `\Q`):
			end := strings.Index(rest, `\E`)
			if end < 0 {
				end = len(rest)
			} else {
				end += 2
			}
			b.WriteString(rest[:end])
			i += end - 1
			continue
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(rest[:2])
			i++
			continue
		case class:
			class = rest[0] != ']'
		case rest[0] == '[':
			class = true
			// A bracket that comes first stands for itself.
			first := 1
			if strings.HasPrefix(rest, "[^") {
				first = 2
			}
			if len(rest) > first && rest[first] == ']' {
				b.WriteString(rest[:first+1])
				i += first
				continue
			}
		default:
			open := ""
			for _, p := range []string{"(?P<", "(?<"} {
				if strings.HasPrefix(rest, p) {
					open = p
				}
			}
			if end := strings.IndexByte(rest, '>'); open != "" && end > len(open) {
				group := rest[len(open):end]
				names = append(names, group)
				b.WriteString("(?P<" + name(group) + ">")
				i += end
				continue
			}
		}
		b.WriteByte(rest[0])
	}
	return b.String(), names
}
