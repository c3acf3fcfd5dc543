package align

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// Roles of fields that are the logger's own.
const (
	loggerRole  = "logger"
	levelRole   = "level"
	messageRole = "message"
)

// loggerField is the name under which a logger is compared that is written
// without a name: a build may write as a field what another writes as the logger.
const loggerField = "logger"

// What a lost field asks for: the chance that records of the other build lack
// it although nothing changed.
const absentByChance = 0.05

// What a renamed field asks for: the share of values of the one with fewer
// that both have, and how many values tell something whatever they are.
const (
	sharedValues = 0.5
	manyValues   = 6
	// A field holds some values of its own if it has as many as this.
	ownValues = 3
)

// A shape is the fields of one or several kinds.
type shape struct {
	keys   []outcome.Key // ordered by name
	looked int64
}

func shapeOf(kinds []*Kind) shape {
	var s shape
	for _, k := range kinds {
		s.looked += k.looked
		for _, key := range k.Keys {
			if key.Name == k.Field {
				continue // what it says is compared as wording
			}
			s.add(key)
		}
		named := k.Logger == ""
		for _, head := range k.Heads {
			if head.Role == loggerRole {
				named, head.Values = true, []string{k.Logger}
			}
			s.add(head)
		}
		if !named {
			s.add(outcome.Key{Name: loggerField, Count: k.looked, Types: []string{"string"}, Values: []string{k.Logger}})
		}
	}
	return s
}

func (s *shape) add(key outcome.Key) {
	i, ok := slices.BinarySearchFunc(s.keys, key.Name, byName)
	if !ok {
		s.keys = slices.Insert(s.keys, i, outcome.Key{Name: key.Name})
	}
	own := &s.keys[i]
	own.Role = cmp.Or(own.Role, key.Role)
	own.Count += key.Count
	own.Types = union(own.Types, key.Types)
	own.Values = union(own.Values, key.Values)
	own.Cut = own.Cut || key.Cut
}

func byName(k outcome.Key, name string) int { return strings.Compare(k.Name, name) }

func (s *shape) find(name string) *outcome.Key {
	if i, ok := slices.BinarySearchFunc(s.keys, name, byName); ok {
		return &s.keys[i]
	}
	return nil
}

// missing returns the keys of s that o lacks, surely or perhaps.
func (s *shape) missing(o *shape) []*outcome.Key {
	var out []*outcome.Key
	for i := range s.keys {
		k := &s.keys[i]
		if own := o.find(k.Name); k.Count > 0 && (own == nil || own.Count == 0) {
			out = append(out, k)
		}
	}
	return out
}

// chance returns how likely it is that n records lack a key by chance that
// count of looked have.
func chance(count, looked, n int64) float64 {
	p := (float64(count) + 0.5) / (float64(max(looked, count)) + 1)
	return math.Pow(1-p, float64(n))
}

// compareFields says what became of the fields of a pair.
func compareFields(d, c []*Kind) []FieldChange {
	deployed, candidate := shapeOf(d), shapeOf(c)
	var out []FieldChange
	retyped := map[string]bool{}
	for i := range deployed.keys {
		k := &deployed.keys[i]
		o := candidate.find(k.Name)
		if o == nil {
			continue
		}
		f := FieldChange{Name: k.Name, Role: k.Role, Weak: k.Count < 2 && o.Count < 2}
		switch {
		case otherType(k.Types, o.Types), emptied(k, o):
			f.Weak = f.Weak || emptied(k, o) && min(k.Count, o.Count) < fewRecords
			retyped[k.Name] = true
			f.Class, f.Deployed, f.Candidate = FieldTypeChanged, k.Types, o.Types
		case k.Role == levelRole && o.Role == levelRole && sameLevel(d, c) && otherValues(k.Values, o.Values):
			f.Class, f.Deployed, f.Candidate, f.Weak = LevelSpelled, k.Values, o.Values, false
		default:
			continue
		}
		out = append(out, f)
	}
	lost, gained := deployed.missing(&candidate), candidate.missing(&deployed)
	lost, gained = outside(lost, retyped), outside(gained, retyped)
	renamed, lost, gained := renames(lost, gained, kept(&deployed, &candidate))
	out = append(out, renamed...)
	out = append(out, oneSided(FieldLost, lost, &deployed, &candidate)...)
	out = append(out, oneSided(FieldGained, gained, &candidate, &deployed)...)
	slices.SortFunc(out, func(a, b FieldChange) int {
		return cmp.Or(cmp.Compare(rank(a.Class), rank(b.Class)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// emptied reports whether a field that was never null is nothing else any more.
func emptied(d, c *outcome.Key) bool {
	return len(d.Types) > 0 && !slices.Contains(d.Types, "null") && slices.Equal(c.Types, []string{"null"})
}

// sameLevel reports whether two kinds are of one level, however it is spelled.
func sameLevel(d, c []*Kind) bool {
	return d[0].Level != "" && d[0].Level == c[0].Level && d[0].Verbosity == c[0].Verbosity
}

// otherValues reports whether two lists have nothing in common.
func otherValues(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) })
}

// oneSided lists the fields of own that the other build lacks. An optional one
// that may be absent by chance is no change; many fields of one object, as of a
// map, are told of once.
func oneSided(class Class, keys []*outcome.Key, own, other *shape) []FieldChange {
	const many = 4
	var out []FieldChange
	inside := map[string][]string{}
	keys = roots(keys)
	for _, k := range keys {
		if i := strings.LastIndexByte(k.Name, '.'); i > 0 {
			inside[k.Name[:i]] = append(inside[k.Name[:i]], k.Name)
		}
	}
	for _, k := range keys {
		weak := chance(k.Count, own.looked, other.looked) > absentByChance
		if k.Name == loggerField && k.Role == "" || weak && optional(own, k.Name) {
			continue
		}
		f := FieldChange{Class: class, Name: k.Name, Role: k.Role, Weak: weak}
		if i := strings.LastIndexByte(k.Name, '.'); i > 0 && len(inside[k.Name[:i]]) >= many {
			f.Name = k.Name[:i] + ".*"
			if n := len(out); n > 0 && out[n-1].Name == f.Name {
				out[n-1].Within = append(out[n-1].Within, k.Name)
				continue
			}
			f.Within = []string{k.Name}
		}
		if class == FieldLost {
			f.Deployed = k.Types
		} else {
			f.Candidate = k.Types
		}
		out = append(out, f)
	}
	return out
}

// kept returns the values of the fields that both builds have: they prove no
// renaming, as they stand in the record anyway.
func kept(a, b *shape) map[string]bool {
	out := map[string]bool{}
	for i := range a.keys {
		if o := b.find(a.keys[i].Name); o != nil {
			for _, v := range o.Values {
				out[v] = true
			}
		}
	}
	return out
}

// optional reports whether some records lack a field that others have.
func optional(s *shape, name string) bool {
	k := s.find(name)
	return k != nil && k.Count < s.looked
}

// otherType reports whether no value of a field has a type that it had; null
// is no type of its own.
func otherType(a, b []string) bool {
	real := func(types []string) []string {
		return slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	}
	a, b = real(a), real(b)
	return otherValues(a, b)
}

// outside leaves out the fields inside of others.
func outside(keys []*outcome.Key, of map[string]bool) []*outcome.Key {
	return slices.DeleteFunc(keys, func(k *outcome.Key) bool {
		for i := range len(k.Name) {
			if k.Name[i] == '.' && of[k.Name[:i]] {
				return true
			}
		}
		return false
	})
}

// roots leaves out the fields inside of an object that is listed itself.
func roots(keys []*outcome.Key) []*outcome.Key {
	names := map[string]bool{}
	for _, k := range keys {
		names[k.Name] = true
	}
	return outside(keys, names)
}

// renames pairs fields that are gone with new ones that hold the same values,
// best first. What remains is returned too.
func renames(lost, gained []*outcome.Key, kept map[string]bool) (out []FieldChange, lostOnly, gainedOnly []*outcome.Key) {
	type link struct {
		from, to *outcome.Key
		score    float64
		shared   []string
	}
	var links []link
	for _, from := range lost {
		for _, to := range gained {
			if score, shared := sameField(from, to, kept); score > 0 {
				links = append(links, link{from, to, score, shared})
			}
		}
	}
	slices.SortStableFunc(links, func(a, b link) int { return -cmp.Compare(a.score, b.score) })
	taken := map[*outcome.Key]bool{}
	for _, l := range links {
		if taken[l.from] || taken[l.to] {
			continue
		}
		taken[l.from], taken[l.to] = true, true
		out = append(out, FieldChange{
			Class: FieldRenamed, Name: l.from.Name, To: l.to.Name, Role: l.from.Role,
			Deployed: l.from.Types, Candidate: l.to.Types, Shared: l.shared,
		})
	}
	gone := func(k *outcome.Key) bool { return taken[k] }
	return out, slices.DeleteFunc(lost, gone), slices.DeleteFunc(gained, gone)
}

// sameField says how well two fields agree: 0 if they are not one. Names that
// differ in case and separators alone are one if the types agree; others are if
// they share values that no field holds which both builds have, or if they are
// the same to the logger.
func sameField(from, to *outcome.Key, kept map[string]bool) (score float64, shared []string) {
	if from.Role != "" && from.Role == to.Role {
		return 4, nil
	}
	if otherType(from.Types, to.Types) {
		return 0, nil
	}
	names := 0.0
	if a, b := bare(from.Name), bare(to.Name); a == b {
		names = 1
	} else if leaf(from.Name) == leaf(to.Name) || strings.Contains(b, a) || strings.Contains(a, b) {
		names = 0.5
	}
	tell := false
	for _, v := range from.Values {
		i := slices.IndexFunc(to.Values, func(w string) bool { return v == w || bare(v) == bare(w) })
		if i >= 0 {
			shared = append(shared, v)
			tell = tell || telling(v) && !kept[v]
		}
	}
	least := min(len(from.Values), len(to.Values))
	// Many small numbers that agree tell as much as one name.
	tell = tell || len(shared) >= manyValues && 5*len(shared) >= 4*least
	if least > 0 && tell && float64(len(shared)) >= sharedValues*float64(least) {
		return 1 + float64(len(shared))/float64(least) + names, shared
	}
	if names == 1 || sameShort(from, to, kept) {
		return 1 + names, shared
	}
	return 0, nil
}

// sameShort reports whether two fields hold the same few short names, as often,
// and no field that both builds have holds one of them. Small numbers may agree
// by chance.
func sameShort(from, to *outcome.Key, kept map[string]bool) bool {
	return len(from.Values) >= ownValues && slices.Equal(from.Values, to.Values) && !from.Cut && !to.Cut && from.Count == to.Count &&
		!slices.ContainsFunc(from.Values, func(v string) bool { return len(v) < 2 || digitsOnly(v) || kept[v] })
}

// leaf returns the last part of a name, in lower case.
func leaf(name string) string { return bare(name[strings.LastIndexByte(name, '.')+1:]) }
