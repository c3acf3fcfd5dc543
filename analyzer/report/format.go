// Package report renders an [analyzer.Report]. Renderers are pure: they open
// no file and read no clock, and the same report gives the same bytes. Log
// text is hostile, so each renderer escapes it for its own medium.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
)

// Options say how a report is laid out. Formats ignore what does not concern
// them.
type Options struct {
	// Width is the number of columns of a terminal; 0 means 100.
	Width int
	// Color allows ANSI colours. They never carry meaning alone.
	Color bool
	// All lifts the bounds that keep a terminal report to a screen, and those
	// that keep a page to what a comment may hold.
	All bool
	// Pictures are where the pictures of Report.Timelines are, as paths with
	// slashes relative to the report, in their order; empty: there are none.
	Pictures []string
	// Catalogue adds all that both builds wrote to what became of the messages.
	Catalogue bool
	// Again says how this comparison is made again, for the commands that a
	// report proposes; nil: nobody knows, and it proposes none.
	Again *Again
	// FailOn is what the exit code is chosen by; the report says where that
	// makes it differ from the verdict.
	FailOn analyzer.FailOn
}

// Again says how a comparison is made again.
type Again struct {
	// Program is how the program is called.
	Program string
	// Args are the arguments that say which builds and rules are compared, and
	// how; those of explain and compare alike.
	Args []string
	// First is the arguments of a command to run before, once; nil: none.
	First []string
}

// formats is the table of all formats.
var formats = []struct {
	name   string
	ext    string // of a file in this format
	render func(io.Writer, *analyzer.Report, Options) error
}{
	{"terminal", ".txt", renderTerminal},
	{"json", ".json", renderJSON},
	{"markdown", ".md", renderMarkdown},
}

// Formats returns the names of all formats.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// FormatOf returns the format of files with an extension such as ".json"; it
// is empty for an unknown extension.
func FormatOf(ext string) string {
	for _, f := range formats {
		if f.ext == ext {
			return f.name
		}
	}
	return ""
}

// Render writes r in the format called name.
func Render(w io.Writer, name string, r *analyzer.Report, o Options) error {
	for _, f := range formats {
		if f.name == name {
			return f.render(w, r, o)
		}
	}
	return fmt.Errorf("unknown format %q; write one of %s", name, strings.Join(Formats(), ", "))
}
