package repair

import (
	"slices"
	"strings"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
)

// member is how a filter begins that looks for a field as it is written in the
// line: "level":"error" in JSON, level=error in logfmt.
var member = regexp.MustCompile(`^(?:"([^"\\]+)": ?|([A-Za-z_][A-Za-z0-9_.-]*)=)("?)`)

// otherMember returns what stands in the target's line for a field that a line
// filter looks for as it is written: another value of the same field, or the
// same value under another name.
func (p *place) otherMember(op syntax.LineFilterOp, wanted string) []alternative {
	at := member.FindStringSubmatchIndex(wanted)
	if at == nil || op == syntax.LinePattern {
		return nil
	}
	name := wanted[max(at[2], at[4]):max(at[3], at[5])]
	key, value := wanted[:at[1]], wanted[at[1]:]
	if strings.Contains(value, `":`) || wanted[0] != '"' && strings.ContainsRune(value, ' ') {
		return nil // more than one field
	}
	was, is := valueOf(p.pair().fields, labelName(name)), valueOf(p.fields, labelName(name))
	if was == "" || was == is {
		return nil
	}
	if is != "" {
		if !isLevel(labelName(name)) && isName(is) || strings.ContainsRune(is, ' ') {
			return nil // the name of another thing, or a sentence: see newMember
		}
		if p.isNew() || p.sameMessage() {
			return p.asWritten(key+is+wanted[at[6]:at[7]], p.valueKind(name))
		}
		return nil
	}
	if op != syntax.LineContains {
		return nil
	}
	var out []alternative
	for _, f := range p.fields {
		if f.value != was || f.label == "" || valueOf(p.pair().fields, f.label) == f.value {
			continue
		}
		out = append(out, p.asWritten(strings.Replace(key, name, f.label, 1)+value, KindField)...)
	}
	return out
}

func (p *place) valueKind(name string) string {
	if isLevel(labelName(name)) {
		return KindLevel
	}
	return KindValue
}

// asWritten returns a text if the target's line holds it.
func (p *place) asWritten(text, kind string) []alternative {
	if len(text) < leastText || !strings.Contains(p.before.line, text) {
		return nil
	}
	return []alternative{{text: text, kind: kind}}
}

// valueOf returns the first value of a label; empty: it is not there.
func valueOf(fields []field, label string) string {
	if i := slices.IndexFunc(fields, func(f field) bool { return f.label == label }); i >= 0 {
		return fields[i].value
	}
	return ""
}
