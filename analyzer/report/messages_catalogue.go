package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/align"
)

// The wire structs of a catalogue: all that a build wrote.
type (
	jsonCatalogue struct {
		Deployed  []jsonCatalogued `json:"deployed"`
		Candidate []jsonCatalogued `json:"candidate"`
	}
	jsonCatalogued struct {
		jsonKind
		Last   *jsonEvidence `json:"last"`
		Places []jsonCall    `json:"places"`
		Counts []jsonCount   `json:"counts"`
		Keys   []jsonKey     `json:"keys"`
		Says   []jsonSaid    `json:"says"`
	}
	jsonCall struct {
		At      string `json:"at"`
		Records int64  `json:"records"`
	}
	jsonCount struct {
		Scenario   string `json:"scenario"`
		Repetition int    `json:"repetition"`
		Records    int64  `json:"records"`
	}
	jsonKey struct {
		Name    string   `json:"name"`
		Types   []string `json:"types"`
		Records int64    `json:"records"`
		Values  []string `json:"values"`
	}
	jsonSaid struct {
		Field   string `json:"field"`
		Text    string `json:"text"`
		Records int64  `json:"records"`
	}
)

// maxSamples bounds the values that are shown of a field.
const maxSamples = 8

func toJSONCatalogue(kinds []*align.Kind) []jsonCatalogued {
	out := []jsonCatalogued{}
	for _, k := range kinds {
		c := jsonCatalogued{
			jsonKind: toJSONKind(k), Last: toJSONEvidence(&k.Last),
			Places: []jsonCall{}, Counts: []jsonCount{}, Keys: []jsonKey{}, Says: []jsonSaid{},
		}
		for _, p := range k.Places {
			c.Places = append(c.Places, jsonCall{p.At, p.Count})
		}
		for _, n := range k.Counts {
			c.Counts = append(c.Counts, jsonCount{n.Scenario, n.Repetition, n.Records})
		}
		for i := range k.Keys {
			key := &k.Keys[i]
			c.Keys = append(c.Keys, jsonKey{key.Name, list(key.Types), key.Count, list(key.Values[:min(len(key.Values), maxSamples)])})
		}
		for _, s := range k.Sentences() {
			c.Says = append(c.Says, jsonSaid{s.Field, s.Said, s.Count})
		}
		out = append(out, c)
	}
	return out
}

// catalogueItems tells of each kind: who writes it and where, how often in each
// scenario, from when to when, and its fields.
func catalogueItems(kinds []*align.Kind, code, plain func(string) string) []string {
	var out []string
	for _, k := range kinds {
		facts := []string{kindPlace(k), placesOf(k)}
		facts = append(facts, scenariosOf(k), instant(k.First.Time)+" to "+instant(k.Last.Time))
		if len(k.Keys) > 0 {
			facts = append(facts, keysOf(k))
		}
		facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
		out = append(out, code(bounded(k.Text))+": "+plain(strings.Join(facts, "; ")))
	}
	return out
}

// placesOf says where the calls stand: "job/reconciler.go:427, :513".
func placesOf(k *align.Kind) string {
	var out []string
	for i, p := range k.Places {
		at := p.At
		if rest, ok := strings.CutPrefix(at, k.Function+":"); ok && i > 0 {
			at = ":" + rest
		}
		out = append(out, at)
	}
	return strings.Join(out, ", ")
}

func scenariosOf(k *align.Kind) string {
	var out []string
	for _, c := range k.Counts {
		name := c.Scenario
		if c.Repetition > 1 {
			name += " (" + strconv.Itoa(c.Repetition) + ")"
		}
		out = append(out, fmt.Sprintf("%s %d", name, c.Records))
	}
	return strings.Join(out, ", ")
}

// keysOf lists the fields with their types, and whether some records lack them.
func keysOf(k *align.Kind) string {
	var out []string
	for i := range k.Keys {
		key := &k.Keys[i]
		s := key.Name + " " + strings.Join(key.Types, " or ")
		if key.Count < key.Looked {
			s += "?"
		}
		out = append(out, s)
	}
	return "fields: " + strings.Join(out, ", ")
}

// catalogue writes all that a build wrote.
func (p *page) catalogue(title string, kinds []*align.Kind) {
	p.line("\n### %s (%d)\n", md(title), len(kinds))
	for _, item := range catalogueItems(kinds, mdCode, md) {
		p.line("- %s", item)
	}
}
