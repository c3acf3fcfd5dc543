package review

import (
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
)

// fingerprintLen is the length of a finding's fingerprint in a report.
const fingerprintLen = 32

// Suppressions are findings that were accepted, and what is wrong with the
// entries that could not be used, each in the order of the files.
type Suppressions struct {
	Accepted []analyzer.Suppression
	Problems []*source.Error
	Files    []string // that were read, the review file not among them
}

// LoadSuppressions returns the suppressions of the review file, of the file
// that it names and of further files. A nil review file has none. What makes a
// file unreadable is an error, which may be an [ErrorList].
func LoadSuppressions(f *File, more ...string) (*Suppressions, error) {
	all := &Suppressions{}
	paths := more
	if f != nil {
		// Its problems are among those of the file.
		all.Accepted = append(all.Accepted, f.Suppressions...)
		if f.SuppressionFile != "" {
			paths = append([]string{f.SuppressionFile}, more...)
		}
	}
	first := map[string]source.Position{}
	for i := range all.Accepted {
		first[all.Accepted[i].Fingerprint] = all.Accepted[i].Pos
	}
	for i, path := range paths {
		if sameFile(path, paths[:i]) {
			continue
		}
		text, err := read(path)
		if err != nil {
			return nil, err
		}
		list, problems, err := parseSuppressions(path, text, analyzer.FindingIDs())
		if err != nil {
			return nil, err
		}
		all.Files = append(all.Files, path)
		all.Problems = append(all.Problems, problems...)
		for _, s := range list {
			if at, ok := first[s.Fingerprint]; ok {
				all.Problems = append(all.Problems, givenTwice(s.Pos, s.Fingerprint, at))
				continue
			}
			first[s.Fingerprint] = s.Pos
			all.Accepted = append(all.Accepted, s)
		}
	}
	return all, nil
}

func givenTwice(pos source.Position, fingerprint string, first source.Position) *source.Error {
	return &source.Error{Pos: pos, Msg: "fingerprint " + fingerprint + " is given twice, first in " + first.String(), Hint: "keep one of them"}
}

// sameFile reports whether path is one of the others, by whatever name.
func sameFile(path string, others []string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false // reading it says why
	}
	for _, other := range others {
		if of, err := os.Stat(other); err == nil && os.SameFile(info, of) {
			return true
		}
	}
	return false
}

// parseSuppressions reads the text of a file of suppressions. Problems are
// those of single entries.
func parseSuppressions(path string, text []byte, ids []string) ([]analyzer.Suppression, []*source.Error, error) {
	r, err := parseDocument(path, text, ids, "file of suppressions", func(r *reader) []key {
		return []key{{"suppressions", r.listed(r.suppressions)}}
	})
	if err != nil {
		return nil, nil, err
	}
	return r.file.Suppressions, r.file.Problems, nil
}

// suppressionsOrFile reads a list, or the path of a file that holds one.
func (r *reader) suppressionsOrFile(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		r.file.SuppressionFile = r.file.relative(r.text(n, "suppressions"))
		return
	}
	r.listed(r.suppressions)(n)
}

// suppressions reads a list of entries. What is wrong with one does not hide
// the others.
func (r *reader) suppressions(n *yaml.Node) {
	first := map[string]source.Position{}
	r.list(n, "suppressions", func(item *yaml.Node) {
		before := len(r.errs)
		s := r.suppression(item)
		if len(r.errs) > before {
			return
		}
		if at, ok := first[s.Fingerprint]; ok {
			r.errs = append(r.errs, givenTwice(s.Pos, s.Fingerprint, at))
			return
		}
		first[s.Fingerprint] = s.Pos
		r.file.Suppressions = append(r.file.Suppressions, s)
	})
}

// suppression reads one entry.
func (r *reader) suppression(n *yaml.Node) analyzer.Suppression {
	s := analyzer.Suppression{Pos: r.doc.Position(n)}
	given := map[string]bool{}
	note := func(name string, read func(*yaml.Node)) key {
		return key{name, func(n *yaml.Node) { given[name] = true; read(n) }}
	}
	prose := func(to *string, what string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if *to = r.text(n, what); *to != "" && strings.TrimSpace(*to) == "" {
				r.fail(n, "write a few words", "%s is blank", what)
			}
		}
	}
	before := len(r.errs)
	r.mapping(n, "a suppression", []key{
		note("fingerprint", func(n *yaml.Node) { s.Fingerprint = r.fingerprint(n) }),
		note("id", func(n *yaml.Node) { s.ID = r.findingID(n) }),
		note("scenario", func(n *yaml.Node) { s.Scenario = r.text(n, "scenario") }),
		note("reason", prose(&s.Reason, "reason")),
		note("owner", prose(&s.Owner, "owner")),
		note("expires", func(n *yaml.Node) { s.Expires = r.day(n) }),
	})
	if n.Kind != yaml.MappingNode {
		return s
	}
	for _, k := range []struct{ name, hint string }{
		{"fingerprint", "copy it from the JSON or Markdown report"},
		{"reason", "say why the finding is accepted"},
		{"owner", "say who answers for it"},
		{"expires", "write the last day on which it holds, such as 2027-01-31"},
	} {
		// Another key may be the missing one, misspelled: that is said.
		if !given[k.name] && len(r.errs) == before {
			r.fail(n, k.hint, "a suppression lacks %s", k.name)
			before = len(r.errs)
		}
	}
	return s
}

func (r *reader) fingerprint(n *yaml.Node) string {
	text := r.text(n, "fingerprint")
	if text == "" {
		return ""
	}
	if len(text) != fingerprintLen || strings.Trim(text, "0123456789abcdef") != "" {
		r.fail(n, "copy it from the JSON or Markdown report", "a fingerprint is %d digits from 0 to 9 and a to f", fingerprintLen)
	}
	return text
}

// day reads a date, which YAML may take for a time or a text.
func (r *reader) day(n *yaml.Node) time.Time {
	const hint = "write the last day on which it holds, such as 2027-01-31"
	if n.Kind != yaml.ScalarNode {
		r.fail(n, hint, "expires must be a date")
		return time.Time{}
	}
	day, err := time.Parse(time.DateOnly, n.Value)
	if err != nil {
		r.fail(n, hint, "expires %q is no date", n.Value)
	}
	return day
}

// findingID reads the ID of a finding.
func (r *reader) findingID(n *yaml.Node) string {
	id := r.text(n, "id")
	if id != "" {
		r.knownID(n, id)
	}
	return id
}

// knownID refuses the ID of no finding.
func (r *reader) knownID(n *yaml.Node, id string) {
	if slices.Contains(r.ids, id) {
		return
	}
	hint := suggest.Hint(id, r.ids)
	if hint == "" {
		hint = "the findings are listed in docs/findings"
	}
	r.fail(n, hint, "there is no finding %q", id)
}
