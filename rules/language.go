package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/logql/syntax"
)

const (
	// maxExpr bounds an expression, in bytes.
	maxExpr = syntax.MaxQueryLen
	// maxTokens bounds a PromQL expression. Its parser sets no bound, and its
	// time grows with the square of a chain of operators: 10,000 tokens take
	// 0.2 s.
	maxTokens = 10_000
)

// A reading is what the two parsers make of an expression.
type reading struct {
	declared   Language // by the file; 0: not declared
	declaredBy string

	logQL, promQL *fault // why a language does not take it; nil: it does
	yieldsLines   bool   // LogQL reads it, but as a log query, which this kind of rule cannot be
	selects       selection
}

// A fault is why a parser refuses an expression: of the bytes [start, end).
type fault struct {
	start, end int
	msg, hint  string
}

// A selection tells how an expression names what it selects.
type selection int

const (
	selectsNothing selection = iota // constants only
	selectsLabels                   // only selectors without a metric's name
	selectsMetric                   // a metric is named
)

// read parses the expression of a draft in both languages.
func (d *draft) read() {
	if len(d.rule.Expr) > maxExpr {
		f := &fault{0, 1, fmt.Sprintf("the expression is longer than %d bytes", maxExpr), ""}
		d.logQL, d.promQL = f, f
		return
	}
	d.logQL, d.yieldsLines = readLogQL(d.rule.Expr, d.rule.Kind)
	d.promQL, d.selects = readPromQL(d.rule.Expr)
	if d.promQL != nil {
		d.selects = guessSelection(d.rule.Expr)
	}
}

// readLogQL says why LogQL does not take an expression. Alerts and recording
// rules need samples, but a log query yields lines.
func readLogQL(expr string, kind Kind) (f *fault, yieldsLines bool) {
	e, err := syntax.Parse(expr)
	var refused *syntax.Error
	switch {
	case errors.As(err, &refused):
		return &fault{refused.Span.Start, refused.Span.End, refused.Msg, refused.Hint}, false
	case err != nil:
		return &fault{0, 1, err.Error(), ""}, false
	}
	if q, ok := e.(*syntax.LogQuery); ok && (kind == Alert || kind == Recording) {
		return &fault{q.Span().Start, q.Span().End,
			fmt.Sprintf("the rule for %s yields log lines, not samples", kindWords(kind)), "count them: count_over_time(… [5m])"}, true
	}
	return nil, false
}

func kindWords(k Kind) string {
	if k == Alert {
		return "an alert"
	}
	return "a recording"
}

// readPromQL says why PromQL does not take an expression, and how it selects.
// Functions that Prometheus has behind a flag are taken, for the flags of the
// server are not known.
func readPromQL(expr string) (*fault, selection) {
	if n := tokens(expr); n > maxTokens {
		return &fault{0, 1, fmt.Sprintf("the expression has more than %d tokens", maxTokens), ""}, selectsNothing
	}
	p := parser.NewParser(parser.Options{EnableExperimentalFunctions: true, EnableBinopFillModifiers: true})
	e, err := p.ParseExpr(expr)
	if err != nil {
		var list parser.ParseErrors
		if !errors.As(err, &list) || len(list) == 0 {
			return &fault{0, 1, err.Error(), ""}, selectsNothing
		}
		at := list[0].PositionRange
		return &fault{int(at.Start), int(at.End), list[0].Err.Error(), ""}, selectsNothing
	}
	s := selectsNothing
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok {
			s = max(s, selectsLabels)
			for _, m := range v.LabelMatchers {
				if m.Name == model.MetricNameLabel {
					s = selectsMetric
				}
			}
		}
		return nil
	})
	return nil, s
}

// certain returns the language of a draft as far as it needs no context.
// What selects nothing goes with the rules around it: "1 > 0" is LogQL alone,
// but no sign that a file is Loki's.
func (d *draft) certain() (Language, string) {
	switch {
	case d.declared != 0:
		return d.declared, d.declaredBy
	case d.selects == selectsNothing:
		return 0, ""
	case d.logQL == nil && d.promQL != nil:
		return LogQL, "only LogQL can read it"
	case d.promQL == nil && d.logQL != nil && !(d.yieldsLines && d.selects == selectsLabels):
		return PromQL, "only PromQL can read it"
	case d.promQL == nil && d.selects == selectsMetric:
		return PromQL, "both languages can read it, and it names a metric"
	}
	return 0, ""
}

// An around counts the rules of a group or file whose language is certain.
type around [PromQL + 1]int

// sole returns the language that all of them have, or 0.
func (a around) sole() Language {
	switch {
	case a[LogQL] > 0 && a[PromQL] == 0:
		return LogQL
	case a[PromQL] > 0 && a[LogQL] == 0:
		return PromQL
	}
	return 0
}

// A groupKey tells the groups of a file apart: objects may have groups of one
// name.
type groupKey struct {
	home *home
	name string
}

func (d *draft) group() groupKey { return groupKey{d.home, d.rule.Group} }

// decide sets the language of the rules of one file, and the fault of those
// that are not valid in it.
func decide(drafts []*draft) []Note {
	drafts = slices.DeleteFunc(slices.Clone(drafts), func(d *draft) bool { return d.rule.Language != 0 }) // settled
	groups := map[groupKey]*around{}
	var file around
	for _, d := range drafts {
		d.read()
		if groups[d.group()] == nil {
			groups[d.group()] = &around{}
		}
		if language, _ := d.certain(); language != 0 {
			groups[d.group()][language]++
			file[language]++
		}
	}
	for _, d := range drafts {
		language, reason := d.certain()
		switch {
		case d.home != nil && d.home.strict:
			language, reason = d.atHome()
		case language == 0:
			near, where := groups[d.group()].sole(), "of its group"
			if d.rule.Group == "" || *groups[d.group()] == (around{}) {
				near, where = file.sole(), "of its file"
			}
			if near == 0 && d.home != nil && d.selects == selectsNothing {
				near, where = d.home.takes, "of a "+d.home.name
			}
			language, reason = d.byContext(near, where)
		}
		d.rule.Language, d.rule.LanguageReason = language, reason
		refused := d.logQL
		if language == PromQL {
			refused = d.promQL
		}
		if refused != nil && d.rule.NotEvaluated == "" {
			d.fault = d.refuse(refused)
		}
	}
	return mixtures(drafts, groups)
}

// byContext decides the language of an expression that gives no certain sign.
// near is the language of the rules around it, or 0.
func (d *draft) byContext(near Language, where string) (Language, string) {
	can, neither := "both languages can read it", false
	switch {
	case d.logQL != nil && d.promQL != nil:
		can, neither = "neither language can read it", true
	case d.promQL != nil:
		can = "only LogQL can read it"
	case d.logQL != nil && !d.yieldsLines:
		can = "only PromQL can read it"
	}
	switch {
	case neither && hasPipe(d.rule.Expr):
		return LogQL, can + ", and it has a pipeline"
	case neither && d.selects == selectsMetric:
		return PromQL, can + ", and it names a metric"
	case near != 0:
		return near, fmt.Sprintf("%s, and the other rules %s are %s", can, where, near.title())
	case d.promQL == nil && d.logQL != nil && d.yieldsLines:
		return PromQL, "only PromQL gets samples from it"
	case d.promQL == nil && d.logQL != nil:
		return PromQL, can
	case d.promQL != nil && d.logQL == nil:
		return LogQL, can
	case d.selects == selectsLabels:
		return LogQL, can + ", and it selects by labels alone"
	case neither:
		return PromQL, can + ", and it has no selector"
	}
	return LogQL, can + ", it selects nothing, and no rule near it tells"
}

// title returns the name of the language as it is written in prose.
func (l Language) title() string {
	if l == PromQL {
		return "PromQL"
	}
	return "LogQL"
}

// refuse makes the error about an expression that its language does not take.
func (d *draft) refuse(f *fault) *source.Error {
	e := d.errorAt(f.start, f.end, "%v %q is not valid %s: %v", d.rule.Kind, d.rule.Name, d.rule.Language.title(), errors.New(f.msg))
	e.Hint = source.Clip(cmp.Or(f.hint, d.hint), 200)
	return e
}
