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
	// pieces is in place of markdown where parts of a section can be left out
	// of a page that has no room for all.
	pieces func(*page, *analyzer.Report) []piece
}{
	{"cases", casesTerminal, casesMarkdown, nil},
	{"timelines", timelinesTerminal, nil, timelinePieces},
	{"acceptance", acceptanceTerminal, nil, acceptancePieces},
	{"capacity", capacityTerminal, nil, capacityPieces},
	{"confounders", confoundersTerminal, confoundersMarkdown, nil},
	{"panics", panicsTerminal, panicsMarkdown, nil},
	{"messages", messagesTerminal, messagesMarkdown, nil},
	{"correlation", correlationTerminal, correlationMarkdown, nil},
	{"accepted", acceptedTerminal, acceptedMarkdown, nil},
}
