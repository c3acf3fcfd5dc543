package query

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/logql"
)

// noteInput says what must be known of the logs before the answer.
func (x *execution) noteInput() {
	for _, n := range x.logs.notes {
		x.opt.Note(n)
	}
	if x.logs.assumed && !x.query.bare && len(x.query.Pipelines()) > 0 {
		x.opt.Note("selectors assumed: without --labels every selector is taken to match")
	}
	if x.opt.Format == "text" && x.query.IsLog() && !x.opt.Count && len(x.logs.common) > 0 {
		x.opt.Note("labels of all streams: " + printable(x.logs.common.String()))
	}
	if x.opt.IngestLabels {
		return
	}
	for _, name := range []string{logql.ServiceNameLabel, logql.DetectedLevelLabel} {
		if x.names(name) {
			x.opt.Note(name + " is added, as Loki does when it takes logs in")
		}
	}
}

// noteOutput says what is not in the answer.
func (x *execution) noteOutput() {
	switch {
	case x.cut > 0 && len(x.logs.runs) > 1:
		x.opt.Note(fmt.Sprintf("cut: in %d of %d runs there are more lines than --limit %d", x.cut, len(x.logs.runs), x.opt.Limit))
	case x.cut > 0:
		x.opt.Note(fmt.Sprintf("cut: there are more lines than --limit %d", x.opt.Limit))
	}
	if !x.query.IsLog() && x.matched == 0 {
		x.opt.Note("the answer is empty: no series has a sample")
	}
	var left []string
	if x.empty > 0 {
		left = append(left, number(x.empty, "empty line"))
	}
	if x.repeats > 0 {
		left = append(left, number(x.repeats, "exact repeat"))
	}
	if len(left) > 0 {
		x.opt.Note("left out, as when rules are replayed: " + strings.Join(left, ", "))
	}
	if x.logs.late == nil || x.opt.Count || x.opt.Format == "raw" || !x.query.IsLog() {
		return
	}
	if text := x.logs.late(); text != "" {
		x.opt.Note(text)
	}
}

func number(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
