package logql

import (
	"maps"
	"slices"
)

// TemplateFunctions returns the names of the functions that templates have
// beside those of text/template, sorted. Some of the latter are among them, as
// they are bounded here.
func TemplateFunctions() []string {
	return slices.Sorted(maps.Keys(new(templateRun).funcs()))
}
