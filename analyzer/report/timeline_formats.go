package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
)

// timelineFormats is the table of the formats of recoveries alone.
var timelineFormats = []struct {
	name   string
	render func(io.Writer, *analyzer.Report, Options) error
}{
	{"text", renderTimelineText},
	{"json", renderTimelineJSON},
	{"csv", renderTimelineCSV},
	{"svg", renderTimelineSVG},
}

// TimelineFormats returns the names of the formats of [RenderTimelines].
func TimelineFormats() []string {
	var names []string
	for _, f := range timelineFormats {
		names = append(names, f.name)
	}
	return names
}

// RenderTimelines writes the recoveries of r in the format called name. A
// picture shows one scenario: of several there is an error.
func RenderTimelines(w io.Writer, name string, r *analyzer.Report, o Options) error {
	for _, f := range timelineFormats {
		if f.name == name {
			return f.render(w, r, o)
		}
	}
	return fmt.Errorf("unknown format %q; write one of %s", name, strings.Join(TimelineFormats(), ", "))
}

func renderTimelineSVG(w io.Writer, r *analyzer.Report, o Options) error {
	switch n := len(r.Timelines); {
	case n == 0:
		return errors.New("there is nothing to draw: no scenario shows a recovery")
	case n > 1:
		var scenarios []string
		for i := range r.Timelines {
			scenarios = append(scenarios, clean(r.Timelines[i].Scenario))
		}
		return fmt.Errorf("a picture shows one scenario, and there are %d: %s; name one with --scenario, or have all written with --svg-dir", n, names(scenarios, 8))
	}
	_, err := w.Write(TimelineSVG(r, 0))
	return err
}

// The wire form of recoveries alone. Its timelines are those of the report.
type jsonTimelines struct {
	Schema    string         `json:"schema"`
	Deployed  jsonBuild      `json:"deployed"`
	Candidate jsonBuild      `json:"candidate"`
	Timelines []jsonTimeline `json:"timelines"`
	Notes     []string       `json:"notes"`
}

func renderTimelineJSON(w io.Writer, r *analyzer.Report, _ Options) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(jsonTimelines{
		Schema: "stillfires/timelines/v1", Deployed: toJSONBuild(r.Deployed), Candidate: toJSONBuild(r.Candidate),
		Timelines: toJSONTimelines(r), Notes: list(r.Notes),
	})
}
