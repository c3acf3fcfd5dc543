package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// Pin returns the text of a review file with the digests of its corpora
// written into it, and nothing else changed: comments, order and form stay. The
// digests are by the path of the corpus as [File].Corpora has it. The new
// text was read again, and says the same but for the digests. Where the form of
// the file leaves no place for them the error says what to write by hand.
func Pin(path string, text []byte, digests map[string]string) ([]byte, error) {
	f, err := parse(path, text, analyzer.FindingIDs())
	if err != nil {
		return nil, err
	}
	corpora := f.Corpora
	for _, c := range corpora {
		want, ok := digests[c.Path]
		if !ok {
			continue
		}
		if text, err = pinOne(path, text, c, want); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// pinOne writes one digest.
func pinOne(path string, text []byte, c NamedCorpus, digest string) ([]byte, error) {
	before, err := parse(path, text, analyzer.FindingIDs())
	if err != nil {
		return nil, err
	}
	if d := before.Pinned(c.Path); d != nil && d.Digest == digest {
		return text, nil
	}
	file := yamlpos.NewFile(path, text)
	docs, _ := yamlpos.Parse(file) // it was read above
	p := &pinner{doc: docs[0], text: text, corpus: c.Spelled, digest: digest}
	for _, out := range p.ways(before) {
		if after, err := parse(path, out, analyzer.FindingIDs()); err == nil && onlyPinned(before, after, c, digest) && sameBesides(text, out) {
			return out, nil
		}
	}
	return nil, p.doc.Errorf(p.doc.Root, "there is no place for the digest that leaves the file as it is otherwise; write by hand, at the top level: digests: {%s: %s}", quoteKey(c.Spelled, true), digest)
}

// onlyPinned reports whether two readings of a file differ in one digest alone.
func onlyPinned(before, after *File, c NamedCorpus, digest string) bool {
	d := after.Pinned(c.Path)
	if d == nil || d.Digest != digest {
		return false
	}
	others := func(f *File) map[string]string {
		out := map[string]string{}
		for _, d := range f.Digests {
			if filepath.Clean(d.Corpus) != filepath.Clean(c.Path) {
				out[d.Corpus] = d.Digest
			}
		}
		return out
	}
	return maps.Equal(others(before), others(after))
}

// sameBesides reports whether two texts say the same, digests aside.
func sameBesides(a, b []byte) bool {
	said := func(text []byte) (v map[string]any, ok bool) {
		err := yaml.Unmarshal(text, &v)
		delete(v, "digests")
		return v, err == nil
	}
	x, okX := said(a)
	y, okY := said(b)
	return okX && okY && reflect.DeepEqual(x, y)
}

// A pinner finds places for a digest.
type pinner struct {
	doc    *yamlpos.Document
	text   []byte
	corpus string // as spelled
	digest string
}

// ways returns the texts that the file can become, the best first.
func (p *pinner) ways(before *File) [][]byte {
	root := p.doc.Root
	if root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "digests" {
			continue
		}
		value := root.Content[i+1]
		if value.Kind != yaml.MappingNode {
			return nil // an alias: others share it
		}
		return p.within(value, before)
	}
	return p.beside(root)
}

// within changes the digests that there are.
func (p *pinner) within(digests *yaml.Node, before *File) [][]byte {
	for i := 0; i+1 < len(digests.Content); i += 2 {
		key, value := digests.Content[i], digests.Content[i+1]
		if filepath.Clean(before.relative(key.Value)) != filepath.Clean(before.relative(p.corpus)) {
			continue
		}
		if at := p.verbatim(value); at >= 0 {
			return [][]byte{p.splice(at, at+len(value.Value), p.digest)}
		}
		return nil
	}
	last := len(digests.Content) - 1
	return p.after(digests, digests.Content[last-1], digests.Content[last], p.entry(digests))
}

// beside adds the key, after what names the corpora or at the end.
func (p *pinner) beside(root *yaml.Node) [][]byte {
	var ways [][]byte
	flow := root.Style&yaml.FlowStyle != 0 || p.doc.JSON()
	block := "digests: {" + p.entry(&yaml.Node{Style: yaml.FlowStyle}) + "}"
	if !flow {
		indent := strings.Repeat(" ", max(root.Content[0].Column-1, 0))
		block = "digests:" + p.newline() + indent + "  " + p.entry(root)
	} else if p.doc.JSON() {
		block = `"digests": {` + p.entry(root) + "}"
	}
	place := -1
	for i := 0; i+1 < len(root.Content); i += 2 {
		if slices.Contains([]string{"corpus", "deployed", "candidate"}, root.Content[i].Value) {
			place = i
		}
	}
	for _, i := range []int{place, len(root.Content) - 2} {
		if i >= 0 {
			ways = append(ways, p.after(root, root.Content[i], root.Content[i+1], block)...)
		}
	}
	if !flow {
		ways = append(ways, p.atEnd(root, block))
	}
	return ways
}

// entry spells one entry of digests in the form of the mapping.
func (p *pinner) entry(mapping *yaml.Node) string {
	if p.doc.JSON() {
		return quoteKey(p.corpus, true) + `: "` + p.digest + `"`
	}
	return quoteKey(p.corpus, mapping.Style&yaml.FlowStyle != 0) + ": " + p.digest
}

// after returns the text with entry after that of key and value.
func (p *pinner) after(mapping, key, value *yaml.Node, entry string) [][]byte {
	at := p.verbatim(value)
	if mapping.Style&yaml.FlowStyle != 0 || p.doc.JSON() {
		end := p.flowEnd(value, at)
		if end < 0 {
			return nil
		}
		return [][]byte{p.splice(end, end, ", "+entry)}
	}
	if at < 0 {
		return nil
	}
	end := at + len(value.Value)
	if i := bytes.IndexByte(p.text[end:], '\n'); i >= 0 {
		end += i + 1
	} else {
		end = len(p.text)
	}
	return [][]byte{p.line(end, key.Column, entry)}
}

// flowEnd returns where the spelling of a value in a flow mapping ends.
func (p *pinner) flowEnd(value *yaml.Node, at int) int {
	if at < 0 {
		return -1
	}
	end := at + len(value.Value)
	if value.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 || p.doc.JSON() && value.ShortTag() == "!!str" {
		end++
	}
	return end
}

// atEnd adds a line to the end of the document.
func (p *pinner) atEnd(root *yaml.Node, entry string) []byte {
	end := len(p.text)
	if i := bytes.Index(p.text, []byte("\n...")); i >= 0 {
		end = i + 1
	}
	return p.line(end, root.Content[0].Column, entry)
}

// line adds an indented line at the offset, where a line begins or the file
// ends.
func (p *pinner) line(at, column int, entry string) []byte {
	text := strings.Repeat(" ", max(column-1, 0)) + entry + p.newline()
	if at > 0 && p.text[at-1] != '\n' {
		text = p.newline() + strings.TrimSuffix(text, p.newline())
	}
	return p.splice(at, at, text)
}

// newline returns the line end that the file has.
func (p *pinner) newline() string {
	if i := bytes.IndexByte(p.text, '\n'); i > 0 && p.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// verbatim returns the offset at which the value of a scalar stands as it is;
// -1 where it does not.
func (p *pinner) verbatim(n *yaml.Node) int {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return -1
	}
	at := p.doc.Offset(n)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 || p.doc.JSON() && n.ShortTag() == "!!str" {
		at++
	}
	if at > len(p.text) || !bytes.HasPrefix(p.text[at:], []byte(n.Value)) {
		return -1
	}
	return at
}

func (p *pinner) splice(from, to int, text string) []byte {
	return slices.Concat(p.text[:from], []byte(text), p.text[to:])
}

// plainKey are paths that mean themselves as a key of YAML.
var plainKey = regexp.MustCompile(`^[./]*[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

// quoteKey spells a path as a key.
func quoteKey(path string, quoted bool) string {
	if !quoted && plainKey.MatchString(path) {
		return path
	}
	text, err := json.Marshal(path)
	if err != nil {
		panic(fmt.Sprintf("a text always encodes: %v", err))
	}
	return string(text)
}
