package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/align"
)

// MessagesSchema names the version of the JSON form of [RenderMessages].
const MessagesSchema = "stillfires/messages/v1"

// messageFormats is the table of the forms of [RenderMessages].
var messageFormats = []struct {
	name   string
	render func(io.Writer, *analyzer.Report, Options) error
}{
	{"text", messagesText},
	{"json", messagesJSON},
	{"markdown", messagesNotes},
}

// MessageFormats returns the names of the forms of [RenderMessages].
func MessageFormats() []string {
	var names []string
	for _, f := range messageFormats {
		names = append(names, f.name)
	}
	return names
}

// RenderMessages writes what became of the messages and nothing else of r.
func RenderMessages(w io.Writer, name string, r *analyzer.Report, o Options) error {
	for _, f := range messageFormats {
		if f.name == name {
			return f.render(w, r, o)
		}
	}
	return fmt.Errorf("unknown format %q; write one of %s", name, strings.Join(MessageFormats(), ", "))
}

// textRows bounds the messages of one class in text, unless all are asked for.
const textRows = 15

func messagesText(w io.Writer, r *analyzer.Report, o Options) error {
	s := newScreen(w, o, nil)
	m := r.Messages
	s.wrap("", fmt.Sprintf("Log messages of %s and %s in %s: %d as before", nameOf(r.Deployed), nameOf(r.Candidate),
		strings.Join(m.Scenarios, ", "), m.Same))
	if !m.Repeated && len(m.Changes) > 0 {
		s.wrap("", noiseUnknown)
	}
	quote := func(t string) string { return `"` + clean(t) + `"` }
	for _, t := range messageTitles {
		var items []string
		for _, c := range ofClass(m, t.class) {
			items = append(items, messageItem(c, t.class, quote, clean))
		}
		s.items(t.title, items)
	}
	for _, t := range fieldTitles {
		var items []string
		for _, f := range fieldsOf(m, t.class) {
			items = append(items, fieldItem(m, f, clean, clean))
		}
		s.items(t.title, items)
	}
	s.items("Encoding", encodingItems(m, clean))
	s.items("Notes", m.Notes)
	if o.Catalogue {
		s.all = true
		s.items("All of "+nameOf(r.Deployed), catalogueItems(m.Deployed, quote, clean))
		s.items("All of "+nameOf(r.Candidate), catalogueItems(m.Candidate, quote, clean))
	}
	return s.w.Flush()
}

// items writes a heading and what stands under it, if anything does.
func (s *screen) items(title string, items []string) {
	if len(items) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold, fmt.Sprintf("%s (%d)", title, len(items))))
	for i, text := range items {
		if i == textRows && !s.all {
			s.line("  … and %d more (--all shows them)", len(items)-i)
			return
		}
		s.wrapFrom("  - ", "    ", text)
	}
}

func nameOf(b analyzer.Build) string {
	if b.Version != "" && b.Version != b.Name {
		return b.Name + " (" + b.Version + ")"
	}
	return b.Name
}

// messagesNotes writes a section of release notes.
func messagesNotes(w io.Writer, r *analyzer.Report, o Options) error {
	p := &page{w: bufio.NewWriter(w), r: r}
	rows := markdownRows
	if o.All {
		rows = len(r.Messages.Changes) + len(r.Messages.Fields)
	}
	p.line("## Changed log messages\n\nFrom %s to %s, in %s.", md(nameOf(r.Deployed)), md(nameOf(r.Candidate)), md(strings.Join(r.Messages.Scenarios, ", ")))
	p.messages(r.Messages, rows)
	p.list("Notes", r.Messages.Notes)
	if o.Catalogue {
		p.catalogue("All messages of "+nameOf(r.Deployed), r.Messages.Deployed)
		p.catalogue("All messages of "+nameOf(r.Candidate), r.Messages.Candidate)
	}
	return p.w.Flush()
}

func messagesJSON(w io.Writer, r *analyzer.Report, o Options) error {
	m := r.Messages
	out := struct {
		Schema      string             `json:"schema"`
		Deployed    jsonBuild          `json:"deployed"`
		Candidate   jsonBuild          `json:"candidate"`
		Scenarios   []string           `json:"scenarios"`
		Same        int                `json:"same"`
		Messages    []jsonMessage      `json:"messages"`
		Fields      []jsonFieldSummary `json:"fields"`
		Encodings   []jsonEncoding     `json:"encodings"`
		Unparseable []jsonUnparseable  `json:"unparseable"`
		Notes       []string           `json:"notes"`
		Catalogue   *jsonCatalogue     `json:"catalogue"`
	}{
		MessagesSchema, toJSONBuild(r.Deployed), toJSONBuild(r.Candidate), list(m.Scenarios), m.Same, toJSONMessages(m),
		[]jsonFieldSummary{}, []jsonEncoding{}, []jsonUnparseable{}, list(m.Notes), nil,
	}
	if o.Catalogue {
		out.Catalogue = &jsonCatalogue{toJSONCatalogue(m.Deployed), toJSONCatalogue(m.Candidate)}
	}
	for i := range m.Fields {
		f := &m.Fields[i]
		out.Fields = append(out.Fields, jsonFieldSummary{toJSONFieldChange(&f.FieldChange), len(f.Changes), f.Count, namesOfRules(f.Rules)})
	}
	for _, e := range m.Encodings {
		out.Encodings = append(out.Encodings, jsonEncoding{string(align.EncodingChanged), string(e.From), string(e.To), e.Messages, list(e.Scenarios), namesOfRules(e.Rules)})
	}
	for _, u := range m.Unparseable {
		out.Unparseable = append(out.Unparseable, jsonUnparseable{
			u.Scenario, u.Stream, u.Deployed, u.DeployedRecords, u.Candidate, u.CandidateRecords, namesOfRules(u.Rules),
		})
	}
	return encode(w, out)
}

type (
	jsonEncoding struct {
		Class     string   `json:"class"`
		From      string   `json:"from"`
		To        string   `json:"to"`
		Messages  int      `json:"messages"`
		Scenarios []string `json:"scenarios"`
		Rules     []string `json:"rules"`
	}
	jsonUnparseable struct {
		Scenario         string   `json:"scenario"`
		Stream           string   `json:"stream"`
		Deployed         int64    `json:"deployed"`
		DeployedRecords  int64    `json:"deployedRecords"`
		Candidate        int64    `json:"candidate"`
		CandidateRecords int64    `json:"candidateRecords"`
		Rules            []string `json:"rules"`
	}
)
