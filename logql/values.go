package logql

import "github.com/stillfires/stillfires/internal/logs"

// Label is one name and value.
type Label = logs.Label

// Labels is a set of labels, sorted by name, each name once. Make one with
// [NewLabels] or [LabelsOf].
type Labels = logs.Labels

// Entry is one record of a log stream.
type Entry = logs.Entry

// NewLabels returns the labels given as a set. Of two with one name the last
// stays.
func NewLabels(ls ...Label) Labels { return logs.New(ls...) }

// LabelsOf returns the pairs of m as a set.
func LabelsOf(m map[string]string) Labels { return logs.FromMap(m) }
