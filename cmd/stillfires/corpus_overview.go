package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/stillfires/stillfires/corpus"
)

// A corpusOverview is what is known of a corpus as a whole.
type corpusOverview struct {
	Path    string   `json:"path"`
	Digest  string   `json:"digest"`
	Creator string   `json:"creator"`
	Packed  bool     `json:"packed"`
	Builds  []string `json:"builds"`
	Runs    []runSum `json:"runs"`
	Streams int      `json:"streams"`
	Records int64    `json:"records"`
	Bytes   int64    `json:"bytes"` // of lines
}

// A runSum is one run of a corpus with its checksum.
type runSum struct {
	Build       string     `json:"build"`
	Scenario    string     `json:"scenario"`
	Repetition  int        `json:"repetition"`
	State       string     `json:"state"`
	Checksum    string     `json:"checksum"`
	RetainUntil *time.Time `json:"retainUntil"`
}

func overview(path string) (*corpusOverview, error) {
	c, err := corpus.Open(path)
	if err != nil {
		return nil, err
	}
	o := &corpusOverview{Path: path, Digest: c.Digest(), Creator: c.Creator, Packed: corpus.IsPacked(path), Builds: c.Builds(), Runs: []runSum{}}
	for _, info := range c.Runs() {
		run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
		if err != nil {
			return nil, err
		}
		m := run.Manifest
		sum := runSum{Build: info.Build, Scenario: info.Scenario, Repetition: info.Repetition, State: m.Completeness.State, Checksum: run.Checksum()}
		if m.Drill != nil {
			sum.RetainUntil = m.Drill.RetainUntil
		}
		o.Runs = append(o.Runs, sum)
		for i := range m.Streams {
			o.Streams++
			o.Records += m.Streams[i].Records
			o.Bytes += m.Streams[i].Bytes
		}
	}
	return o, nil
}

func (o *corpusOverview) write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, value string) { fmt.Fprintf(tw, "%s\t%s\n", name, plain(value)) }
	kind := ""
	if o.Packed {
		kind = " (packed)"
	}
	row("corpus", o.Path+kind)
	row("digest", o.Digest)
	row("made by", o.Creator)
	row("builds", strings.Join(o.Builds, ", "))
	row("holds", fmt.Sprintf("%s, %s, %s, %d bytes of lines", count(int64(len(o.Runs)), "run"), count(int64(o.Streams), "stream"), count(o.Records, "record"), o.Bytes))
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, r := range o.Runs {
		until := ""
		if r.RetainUntil != nil {
			until = ", kept until " + r.RetainUntil.UTC().Format(time.RFC3339)
		}
		if _, err := fmt.Fprintf(w, "  %s/%s/%d: %s%s\n    %s\n", r.Build, r.Scenario, r.Repetition, r.State, until, r.Checksum); err != nil {
			return err
		}
	}
	return nil
}
