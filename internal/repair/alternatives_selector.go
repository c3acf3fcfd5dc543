package repair

import (
	"slices"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
)

// selector returns a selector that chooses the target's stream too.
func (p *place) selector(s *syntax.Selector) []alternative {
	source := p.source(s)
	was := p.pair().Stream
	edited := ""
	for _, m := range slices.Backward(s.Matchers) {
		alone := "{" + p.source(m) + "}"
		value := p.Stream.Get(m.Name)
		if value == was.Get(m.Name) || p.pass(alone, &p.Evidence).passed {
			continue
		}
		if m.Op != syntax.MatchEqual && m.Op != syntax.MatchRegexp {
			p.missing = "the stream of candidate has what " + m.String() + " excludes"
			return nil
		}
		pattern := m.Value + "|" + regexp.QuoteMeta(value)
		if m.Op == syntax.MatchEqual {
			pattern = regexp.QuoteMeta(m.Value) + "|" + regexp.QuoteMeta(value)
		}
		text := m.Name + "=~" + literal(p.rule.Expr[m.ValuePos.Start:m.ValuePos.End], pattern)
		if edited == "" {
			edited = source
		}
		start, end := m.Span().Start-s.Span().Start, m.Span().End-s.Span().Start
		edited = edited[:start] + text + edited[end:]
	}
	if edited == "" {
		p.missing = "no stream of candidate is selected by " + s.String()
		return nil
	}
	return []alternative{{text: edited, kind: KindSelector}}
}

// quoted returns a value for a message, cut where it is long.
func quoted(value string) string {
	const most = 80
	if r := []rune(value); len(r) > most {
		value = string(r[:most]) + "…"
	}
	return `"` + value + `"`
}
