package report

import "github.com/stillfires/stillfires/analyzer"

// Sections are the parts of a report between what breaks and the verdicts:
// what changed in the messages, panics and the like. Each has a file of its
// own; a section that has nothing to say writes nothing. In JSON each is a key
// of its own, see json.go.
var sections = []struct {
	name     string
	terminal func(*screen, *analyzer.Report) // a few lines: the screen is small
	markdown func(*page, *analyzer.Report)
}{
	{"cases", casesTerminal, casesMarkdown},
	{"timelines", timelinesTerminal, timelinesMarkdown},
	{"acceptance", acceptanceTerminal, acceptanceMarkdown},
	{"capacity", capacityTerminal, capacityMarkdown},
	{"confounders", confoundersTerminal, confoundersMarkdown},
	{"panics", panicsTerminal, panicsMarkdown},
	{"messages", messagesTerminal, messagesMarkdown},
	{"correlation", correlationTerminal, correlationMarkdown},
	{"accepted", acceptedTerminal, acceptedMarkdown},
}
