package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/prose"
)

// everyEvidence calls do for all that can show a milestone or date work.
func everyEvidence(m *profile.Milestones, do func(e *profile.Evidence)) {
	lists := [][]profile.Evidence{m.Work.Submitted, m.Work.Finished, m.Work.Failed, m.Work.Units, m.Failure, m.Restored}
	for i := range m.List {
		lists = append(lists, m.List[i].By)
	}
	for _, by := range lists {
		for i := range by {
			do(&by[i])
		}
	}
}

// Queries returns the log queries that the milestones need, each once.
func Queries(m *profile.Milestones) []outcome.MarkQuery {
	if m == nil {
		return nil
	}
	var out []outcome.MarkQuery
	seen := map[string]bool{}
	add := func(l *profile.LogSource) {
		if l == nil || seen[markKey(l.Query, l.Labels)] {
			return
		}
		seen[markKey(l.Query, l.Labels)] = true
		out = append(out, outcome.MarkQuery{Query: l.Query, Labels: l.Labels})
	}
	everyEvidence(m, func(e *profile.Evidence) { add(e.Log) })
	for i := range m.Suspects {
		add(&m.Suspects[i].Log)
	}
	return out
}

// logs finds the lines that a query chose.
func (g *gatherer) logs(s *source) {
	marks := g.marks[markKey(s.e.Log.Query, s.e.Log.Labels)]
	read := 0
	for i := range g.run.Logs {
		l := &g.run.Logs[i]
		if !g.streamOf(s.e.Cluster, l.Labels) || l.Records == 0 {
			continue
		}
		read++
		for _, x := range l.Gaps {
			why := fmt.Sprintf("the log%s lacks records from %s to %s", ofCluster(s.e.Cluster), clock(x.From), clock(x.To))
			if x.Reason != "" {
				why += ": " + short(x.Reason)
			}
			s.gaps = append(s.gaps, gap{x.To, why})
		}
	}
	slices.SortStableFunc(s.gaps, func(a, b gap) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.why, b.why)) })
	switch {
	case marks == nil:
		s.none = "no log was read"
		return
	case marks.Why != "":
		s.none = "the query could not be run"
		g.note("the query %q of a milestone was not run: %s", short(s.e.Log.Query), short(marks.Why))
		return
	case len(g.run.Logs) > 0 && read == 0:
		s.none = "no log" + ofCluster(s.e.Cluster) + " was recorded"
		return
	}
	if marks.Cut > 0 {
		g.note("the query %q of a milestone chose more lines than are kept; %d, from %s on, were not looked at", short(s.e.Log.Query), marks.Cut, clock(marks.CutAt))
		s.gaps = append(s.gaps, gap{g.end, "more lines were chosen than are kept: those from " + clock(marks.CutAt) + " on were not looked at"})
	}
	for i := range marks.Lines {
		l := &marks.Lines[i]
		if !g.streamOf(s.e.Cluster, l.Stream) {
			continue
		}
		h := hit{at: l.Time, res: precision(l.Time), work: g.named(s.e.Log, l), clock: g.clockOf(l.Stream), line: l.Line}
		if own, ok := ownTime(l.Line); ok {
			h.at, h.arrived = g.happened(own, l.Time)
		}
		s.add(h)
	}
	if len(s.hits) == 0 && len(s.gaps) == 0 && !g.lineElsewhere(s.e) {
		s.unwritten, s.none = true, "no line"+ofCluster(s.e.Cluster)+" that shows it is in any run of the build, which may not write it at this verbosity, or words it otherwise"
	}
}

// lineElsewhere reports whether the query of a source chose lines of another
// run of the build. What a build never writes tells nothing by its absence.
func (g *gatherer) lineElsewhere(e *profile.Evidence) bool {
	key := markKey(e.Log.Query, e.Log.Labels)
	for _, r := range g.others {
		for i := range r.Marks {
			m := &r.Marks[i]
			if markKey(m.Query, m.Labels) == key && slices.ContainsFunc(m.Lines, func(l outcome.Mark) bool { return g.streamOf(e.Cluster, l.Stream) }) {
				return true
			}
		}
	}
	return false
}

// named returns the work that a line is about.
func (g *gatherer) named(q *profile.LogSource, l *outcome.Mark) int {
	if len(q.Labels) == 0 {
		return g.index.find(l.Line, "")
	}
	for _, label := range l.Labels {
		if w := g.index.find(label.Value, l.Line); w >= 0 {
			return w
		}
	}
	return -1
}

// streamOf reports whether a stream is of the cluster that a profile means: by
// the patterns of its role, or by the name of the cluster in its label.
func (g *gatherer) streamOf(want string, stream logs.Labels) bool {
	if want == "" {
		return true
	}
	i := slices.IndexFunc(g.things.corr.Clusters, func(r profile.ClusterRole) bool { return r.Name == want })
	if i < 0 {
		return profile.Glob(want, stream.Get("cluster"))
	}
	if role, known := g.things.roles[stream.Get("cluster")]; known {
		return role == want
	}
	patterns := g.things.corr.Clusters[i].Logs
	if len(patterns) == 0 {
		return true
	}
	for name, p := range patterns {
		if !p.Fits(stream.Get(name)) {
			return false
		}
	}
	return true
}

func (g *gatherer) clockOf(stream logs.Labels) string {
	return cmp.Or(short(stream.Get("cluster")), short(stream.Get("host")), short(stream.Get("node")), "the log")
}

// How far the own time of a record may lie from when it arrived.
const (
	lateBy  = time.Hour
	aheadBy = time.Second // of another clock, and nothing arrives before it happens
)

// happened returns when something happened that a record dates itself, and when
// the record arrived; 0: at that time.
func (g *gatherer) happened(own, arrived int64) (at, late int64) {
	switch d := time.Duration(arrived - own); {
	case d < -aheadBy:
		g.note("log records state times later than those at which they arrived, by more than %s: the clock of what wrote them is ahead, so the time of arrival counts", aheadBy)
		return arrived, 0
	case d > lateBy:
		return arrived, 0
	case max(d, -d) > time.Millisecond:
		return own, arrived
	}
	return arrived, 0
}

func ofCluster(cluster string) string {
	if cluster == "" {
		return ""
	}
	return " of " + short(cluster)
}

func counted(n int, one, many string) string { return prose.Counted(int64(n), one, many) }

func (g *gatherer) note(format string, args ...any) { g.notes[fmt.Sprintf(format, args...)] = true }

// ownTime returns the time that a record states, as RFC 3339 or a number, under
// one of the usual keys or at its beginning.
func ownTime(line string) (int64, bool) {
	if strings.HasPrefix(line, "{") {
		for _, key := range []string{"ts", "time", "timestamp", `\@timestamp`} {
			if v := gjson.Get(line, key); v.Exists() {
				return timeOf(v)
			}
		}
		return 0, false
	}
	word := line
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		word = line[:i]
	}
	return timeOf(gjson.Result{Type: gjson.String, Str: word})
}
