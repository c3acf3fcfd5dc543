package logqltest

import (
	_ "embed"
	"strings"
)

//go:embed artefacts.txt
var artefacts string

// Artefacts returns the cases whose recorded answer is believed to be an
// accident of the recording, with the reason.
func Artefacts() map[string]string {
	out := make(map[string]string)
	for line := range strings.Lines(artefacts) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, _ := strings.Cut(line, " ")
		out[id] = strings.TrimSpace(reason)
	}
	return out
}
