package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// evidenceName is the name of each piece that proves one cause.
const evidenceName = "evidence"

// What is left out of a page that has no room for all: the last first.
const (
	always       = iota
	inShort      // what has to be known, and pieces in their short form
	proof        // of what breaks worst
	details      // of sections
	furtherProof // proof of the rest
	changedText  // of messages
	patches      // of repairs
	forInfo      // what nobody has to act on
	everything   // all verdicts
)

// provenFirst is of how many causes the proof goes before the details of sections.
const provenFirst = 6

// A piece of a page is left out where the page has no room for it, or stands
// there in short if it has a short form.
type piece struct {
	name  string
	rank  int
	text  string
	short string
}

// pieces returns what stands below the beginning of a page, in its order.
func (p *page) pieces(causes []*block) []piece {
	var out []piece
	add := func(name string, rank int, f func()) {
		if text := p.part(f); text != "" {
			out = append(out, piece{name: name, rank: rank, text: text})
		}
	}
	for i, b := range causes {
		rank := proof
		if i >= provenFirst {
			rank = furtherProof
		}
		add(evidenceName, rank, func() {
			if i == 0 {
				p.line("\n## Evidence")
			}
			p.evidenceOf(b)
			for _, o := range b.also {
				if p.all {
					p.evidenceOf(o)
				}
			}
		})
	}
	add("what is for information", forInfo, p.news)
	ranks := map[string]int{"accepted": always, "messages": changedText}
	for _, s := range sections {
		if s.pieces != nil {
			out = append(out, s.pieces(p, p.r)...)
			continue
		}
		rank, ok := ranks[s.name]
		if !ok {
			rank = details
		}
		add(s.name, rank, func() { s.markdown(p, p.r) })
	}
	add("the patch of all repairs", patches, p.patch)
	add("notes", always, func() { p.list("Notes", p.r.Notes) })
	add("what was compared", always, p.builds)
	add("all verdicts", everything, p.verdicts)
	add("how to accept a finding", inShort, func() { howToAccept(p, p.r) })
	return out
}

// A growth makes a piece longer: from nothing to its short form, or to all of it.
type growth struct {
	piece int
	whole bool
	rank  int
}

// growthsOf returns how pieces become longer, the most needed first.
func growthsOf(pieces []piece) []growth {
	var steps []growth
	for i := range pieces {
		if pieces[i].short != "" {
			steps = append(steps, growth{i, false, inShort})
		}
		steps = append(steps, growth{i, true, pieces[i].rank})
	}
	slices.SortStableFunc(steps, func(a, b growth) int { return cmp.Compare(a.rank, b.rank) })
	return steps
}

// fit writes the pieces for which there is room, in their order, and names the
// others.
func (p *page) fit(pieces []piece, room int) {
	const names = 600 // bytes for the sentence about what is left out
	shown := make([]string, len(pieces))
	whole := make([]bool, len(pieces))
	for _, s := range growthsOf(pieces) {
		text := pieces[s.piece].short
		if s.whole {
			text = pieces[s.piece].text
		}
		if more := len(text) - len(shown[s.piece]); p.all || more <= room-names {
			shown[s.piece], whole[s.piece] = text, s.whole
			room -= more
		}
	}
	var out []string
	evidence := 0
	for i, piece := range pieces {
		fmt.Fprint(p.w, shown[i])
		switch {
		case whole[i]:
		case piece.name == evidenceName:
			evidence++
		default:
			out = append(out, piece.name)
		}
	}
	if evidence > 0 {
		out = append([]string{"the evidence of " + plural(evidence, "cause")}, out...)
	}
	if len(out) > 0 {
		p.line("\nLeft out, so that a comment can hold this page: %s. A page made with --all has it, and the JSON report.", md(bounded(strings.Join(out, ", "))))
	}
}

// scenarioPieces are the pieces of a section that has one for each scenario,
// below a head. One that says nothing in short is left out whole.
func (p *page) scenarioPieces(head func(), all []scenarioPiece) []piece {
	var out []piece
	for i := range all {
		s := piece{name: all[i].name, rank: details, text: p.part(all[i].whole)}
		if all[i].proves {
			s.rank = proof
		}
		if all[i].short != nil {
			s.short = p.part(all[i].short)
		}
		if s.text == s.short { // there is no more to it
			s.rank, s.short = inShort, ""
		}
		if s.text != "" {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return append([]piece{{name: "the head", rank: always, text: p.part(head)}}, out...)
}

// A scenarioPiece writes what a section tells of one scenario.
type scenarioPiece struct {
	name         string
	whole, short func() // short may be nil
	proves       bool   // it stands with the proof of what breaks
}

// tooMany is the piece that says how many scenarios a section does not tell of.
func tooMany(p *page, n int) scenarioPiece {
	return scenarioPiece{name: "more", whole: func() {
		p.line("\n… and %s (see the JSON report).", plural(n, "more scenario"))
	}}
}
