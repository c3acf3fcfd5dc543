package analyzer

import (
	"fmt"
	"slices"
	"strings"
)

// A Severity says how much a finding matters. The zero Severity is invalid.
type Severity int

// The severities, mildest first.
const (
	Info Severity = iota + 1
	Warn
	Break // something stops working: the rule and the review fail
)

var severityNames = [...]string{Info: "info", Warn: "warn", Break: "break"}

// String returns the severity as it stands in reports and review files.
func (s Severity) String() string {
	if s < Info || s > Break {
		return fmt.Sprintf("severity(%d)", int(s))
	}
	return severityNames[s]
}

// ParseSeverity returns the severity called name.
func ParseSeverity(name string) (Severity, error) {
	for s := Info; s <= Break; s++ {
		if severityNames[s] == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("unknown severity %q; write info, warn or break", name)
}

// An ID names a kind of finding with the severity that it has by default.
type ID struct {
	Name     string
	Severity Severity
	// Implemented reports whether a check of this version yields it. The
	// others are reserved: a review file may already name them.
	Implemented bool
	Doc         string // one line; empty while not implemented
}

// reserved holds the IDs that have a meaning but no check yet. An ID leaves
// this list when its check enters [checks].
var reserved = []ID{
	{Name: "grouping-changed", Severity: Warn},
	{Name: "receiver-lost", Severity: Warn},
	{Name: "uncovered-error", Severity: Warn},
}

// IDs returns every finding ID, ordered by name.
func IDs() []ID {
	ids := slices.Clone(reserved)
	for _, c := range checks {
		ids = append(ids, ID{c.ID, c.Severity, true, c.Doc})
	}
	slices.SortFunc(ids, func(a, b ID) int { return strings.Compare(a.Name, b.Name) })
	return ids
}

// FindingIDs returns the names of all findings, ordered. Lints, which are
// called lint/<name>, are not among them.
func FindingIDs() []string {
	var names []string
	for _, id := range IDs() {
		names = append(names, id.Name)
	}
	return names
}
