// Package rules loads everything saved that consumes logs or metrics: rule
// files, objects of Kubernetes that hold rules, dashboards and alerts of
// Grafana, saved queries, runbooks, metrics of log pipelines, and patterns of
// automations.
//
// [Load] takes files, folders and globs. What a file holds is told by its
// content; [formats] is the table of what is known. An item that is not valid
// becomes a problem with its place and does not hide the others. Each rule
// knows where every byte of its expression stands in the file
// ([Rule.Position]), and whether it is LogQL or PromQL, and why that was
// decided.
//
//	set, err := rules.Load([]string{"rules/*.yaml"}, rules.Options{})
//
// Expressions are parsed, not compiled: a LogQL query whose line filter holds
// a bad regular expression is found when it is compiled.
package rules

import (
	"sort"
	"time"

	"github.com/stillfires/stillfires/internal/source"
)

// A Kind is what a rule is used for.
type Kind int

// The kinds of rule.
const (
	Alert Kind = iota + 1
	Recording
	Query
	Panel
	Metric
	Pattern
)

// A Language is the query language of a rule.
type Language int

// The languages of a rule.
const (
	LogQL Language = iota + 1
	PromQL
	Other // which is neither; such a rule is never evaluated
)

// A Rule is anything saved that consumes logs or metrics.
type Rule struct {
	Kind  Kind
	Name  string
	Group string
	// Format is what the rule was kept as, such as "rule groups" or
	// "PrometheusRule".
	Format   string
	Language Language
	// LanguageReason says in a few words why the rule was taken to be LogQL
	// or PromQL.
	LanguageReason string

	Expr string
	// Pos is where Expr begins: its first byte that is not a space.
	Pos source.Position
	// places maps byte offsets of Expr to lines and columns of the file.
	places []place

	Interval      time.Duration // of the group; 0: none was given
	QueryOffset   time.Duration
	Limit         int
	For           time.Duration
	KeepFiringFor time.Duration
	Labels        map[string]string // the group's labels included
	Annotations   map[string]string
	Owner         string

	// NotEvaluated says why the rule is listed but cannot be evaluated; empty
	// when it can. The expression of such a rule need not be valid.
	NotEvaluated string
	// variantOf is the name of the rule of the same query with the defaults of
	// its variables; empty for all other rules.
	variantOf string
	// Grafana is the chain of queries and expressions of a Grafana alert; nil
	// for all other rules. Expr is then that of its first query.
	Grafana *GrafanaChain
}

// A place says that Expr[Offset:] begins at Line and Column of the file. It
// holds up to the next place.
type place struct {
	Offset       int
	Line, Column int
	still        bool // all these bytes stand there: they were put in for something else
}

// Position returns where the byte at offset of r.Expr stands in the file. A
// byte that was written as an escape stands where the escape begins, and one that
// was put in for a variable where the variable stands.
func (r *Rule) Position(offset int) source.Position { return position(r.Pos, r.places, offset) }

// position returns where a byte stands whose place is among places, in the file
// of pos.
func position(pos source.Position, places []place, offset int) source.Position {
	i := sort.Search(len(places), func(i int) bool { return places[i].Offset > offset }) - 1
	if i < 0 {
		return pos
	}
	p := places[i]
	pos.Line, pos.Column = p.Line, p.Column
	if !p.still {
		pos.Column += offset - p.Offset
	}
	return pos
}

// A Set is what was found at the places given to [Load].
type Set struct {
	Rules []Rule // ordered by file, then position
	// Problems are items that could not be read or are not valid, ordered
	// likewise. They do not hide the others.
	Problems []*source.Error
	// Broken are the rules among the problems whose names could be read,
	// ordered likewise.
	Broken []Broken
	Files  []string // files that hold rules, or that were named, ordered
	// Notes are what should be known of rules that can be used all the same,
	// ordered likewise.
	Notes []Note
	// Skipped are files of folders and globs, and documents of files, that
	// hold no rules, ordered likewise.
	Skipped []Skip
}

// A Broken rule is one that is not valid. Its name is kept so that one who asks
// for it learns why it is not there.
type Broken struct {
	Kind        Kind
	Name, Group string
	Pos         source.Position // of its first problem
}

// A Note is a remark on a place in a file.
type Note struct {
	Pos source.Position
	Msg string
}

// A Skip is a file or a document that was left out, which is no fault.
type Skip struct {
	Pos    source.Position // a file, or the first line of a document
	Reason string
}

var kindNames = [...]string{Alert: "alert", Recording: "recording", Query: "query", Panel: "panel", Metric: "metric", Pattern: "pattern"}

// String returns the kind as it stands in reports.
func (k Kind) String() string { return kindNames[k] }

var languageNames = [...]string{LogQL: "logql", PromQL: "promql", Other: "other"}

// String returns the language as it stands in reports.
func (l Language) String() string { return languageNames[l] }
