package repair

import (
	"strings"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
)

// A Rename is a field that is known to have another name on the candidate.
type Rename struct {
	From, To string // paths, parts joined by dots
}

// formerNames returns the pieces of the pipeline with a label_format behind its
// parser that gives renamed fields their former names, and lines of the deployed
// build as the candidate would write them. There are no pieces where the query
// names no such field.
func (s *search) formerNames() (pieces []piece, lines []target) {
	for i, n := range s.nodes {
		var fields []syntax.Extraction
		switch n := n.(type) {
		case *syntax.JSONStage:
			fields = n.Extractions
		case *syntax.LogfmtStage:
			fields = n.Extractions
		default:
			continue
		}
		var asked, given []string
		var used []Rename
		for _, r := range s.written.renames {
			label, other, ask := s.namedBy(r, fields)
			if label == "" {
				continue
			}
			if ask != "" {
				asked = append(asked, ask)
			}
			given = append(given, label+"=`{{if ."+label+"}}{{."+label+"}}{{else}}{{."+other+"}}{{end}}`")
			used = append(used, r)
		}
		if len(given) == 0 {
			return nil, nil
		}
		pieces = s.original()
		text := pieces[i].text
		if len(asked) > 0 {
			text += ", " + strings.Join(asked, ", ")
		}
		pieces[i] = piece{text + " | label_format " + strings.Join(given, ", "), KindField, true}
		return pieces, s.asRenamed(used)
	}
	return nil, nil
}

// namedBy returns the label that holds a renamed field, if the query names it,
// the label that holds it on the candidate, and how the parser is asked for that
// one where it names its fields.
func (s *search) namedBy(r Rename, fields []syntax.Extraction) (label, other, ask string) {
	label, other = labelName(r.From), labelName(r.To)
	if len(fields) == 0 {
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(label) + `\b`)
		if !word.MatchString(s.rule.Expr) {
			return "", "", ""
		}
		return label, other, ""
	}
	for i := range fields {
		if f := &fields[i]; f.Path == r.From {
			if f.Label == other {
				other += "_renamed"
			}
			return f.Label, other, other + "=" + literal(`"`, r.To)
		}
	}
	return "", "", ""
}

// asRenamed returns the known lines of the deployed build with their fields
// renamed. Only fields that stay where they are within the record are.
func (s *search) asRenamed(renames []Rename) []target {
	var out []target
	for _, l := range s.known {
		e := l.Evidence
		for _, r := range renames {
			i, j := strings.LastIndexByte(r.From, '.')+1, strings.LastIndexByte(r.To, '.')+1
			if r.From[:i] != r.To[:j] {
				continue
			}
			e.Line = strings.Replace(e.Line, `"`+r.From[i:]+`":`, `"`+r.To[j:]+`":`, 1)
			e.Line = strings.Replace(e.Line, " "+r.From[i:]+"=", " "+r.To[j:]+"=", 1)
		}
		if e.Line != l.Line {
			t := target{line: newLine(e)}
			t.said, t.says = t.spoken(), t.spoken()
			out = append(out, t)
		}
	}
	return out
}
