package analyzer

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/stillfires/stillfires/rules"
)

// fingerprint identifies a finding from one review to the next: no path, line
// number, build version, count or time enters it. Rules that share kind, group
// and name are twins; what they ask for tells their findings apart, so that
// who accepts a finding of one accepts none of the other.
func fingerprint(f *Finding, twin bool) string {
	parts := []string{f.ID, f.Scenario, "", "", "", f.Subject}
	if f.Rule != nil {
		parts[2], parts[3], parts[4] = f.Rule.Kind.String(), f.Rule.Group, f.Rule.Name
	}
	if twin {
		parts = append(parts, f.Rule.Expr, f.Rule.For.String())
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// A ruleName is what a fingerprint knows a rule by.
type ruleName struct {
	kind        rules.Kind
	group, name string
}

func nameOf(r *rules.Rule) ruleName { return ruleName{r.Kind, r.Group, r.Name} }

// twins counts the rules of each name.
func twins(set []rules.Rule) map[ruleName]int {
	n := make(map[ruleName]int, len(set))
	for i := range set {
		n[nameOf(&set[i])]++
	}
	return n
}
