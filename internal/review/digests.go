package review

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// A Digest pins a corpus: what it must be for the review to hold.
type Digest struct {
	Corpus string // its path
	Digest string // "sha256:" and 64 hex digits
	Pos    source.Position
	Show   string // the line, with a caret
}

// A NamedCorpus is a corpus that a review file names.
type NamedCorpus struct {
	Spelled string // as in the file
	Path    string
}

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// digests reads the digests of corpora. Whether the file names the corpora is
// known when all of it was read.
func (r *reader) digests(n *yaml.Node) {
	before := len(r.errs)
	r.entriesOf(n, "digests", func(field yamlpos.Field) {
		text := r.text(field.Value, "a digest")
		if text != "" && !digestForm.MatchString(text) {
			r.fail(field.Value, "write sha256: and 64 hex digits, as stillfires corpus show prints it", "%q is not the digest of a corpus", text)
			return
		}
		at := r.doc.Errorf(field.Value, "")
		r.file.Digests = append(r.file.Digests, Digest{r.file.relative(field.Name), text, at.Pos, at.Show})
		r.pinned = append(r.pinned, field)
	})
	if len(r.file.Digests) == 0 && len(r.errs) == before {
		r.fail(n, "pin the corpora with stillfires corpus pin, or leave it out", "digests is empty")
	}
}

// checkDigests reports digests of corpora that the file does not name: nobody
// would compare them.
func (r *reader) checkDigests() {
	var known []string
	named := map[string]bool{}
	for _, c := range r.file.Corpora {
		known = append(known, c.Spelled)
		named[filepath.Clean(c.Path)] = true
	}
	first := map[string]bool{}
	for i, field := range r.pinned {
		path := filepath.Clean(r.file.Digests[i].Corpus)
		switch {
		case !named[path]:
			hint := suggest.Hint(field.Name, known)
			if hint == "" {
				hint = "remove the line, or name the corpus"
			}
			r.fail(field.Key, hint, "%q is pinned, but is no corpus of this review", field.Name)
		case first[path]:
			r.fail(field.Key, "keep one of them", "the corpus %q is pinned twice", field.Name)
		}
		first[path] = true
	}
}

// name enters a corpus that the file names, unless it is named already.
func (f *File) name(spelled string) {
	path := f.relative(spelled)
	if spelled == "" || slices.ContainsFunc(f.Corpora, func(c NamedCorpus) bool { return filepath.Clean(c.Path) == filepath.Clean(path) }) {
		return
	}
	f.Corpora = append(f.Corpora, NamedCorpus{spelled, path})
}

// dirOf returns DIR of [DIR:]BUILD.
func dirOf(spec string) string {
	return spec[:max(strings.LastIndexByte(spec, ':'), 0)]
}

// Pinned returns the digest that the file pins for the corpus at path; nil for
// none.
func (f *File) Pinned(path string) *Digest {
	for i := range f.Digests {
		if filepath.Clean(f.Digests[i].Corpus) == filepath.Clean(path) {
			return &f.Digests[i]
		}
	}
	return nil
}

// Drifted is the error of a corpus with another digest than the one pinned.
func (d *Digest) Drifted(got, file string) *source.Error {
	return &source.Error{
		Pos: d.Pos, Show: d.Show,
		Msg: "the corpus " + d.Corpus + " is not the one that was pinned: its digest is " + got + ", pinned is " + d.Digest,
		Hint: "runs were added, removed or changed since; bring back the corpus that was reviewed, or look at what is there now " +
			"(stillfires corpus show " + d.Corpus + ") and pin it anew with stillfires corpus pin -f " + file,
	}
}
