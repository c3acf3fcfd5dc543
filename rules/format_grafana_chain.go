package rules

import (
	"time"

	"github.com/stillfires/stillfires/internal/source"
)

// A GrafanaChain is the queries and expressions of a Grafana alert rule.
type GrafanaChain struct {
	Nodes     []GrafanaNode // in the order of the file; refIDs are unique
	Condition string        // refID of the node that decides
	// NoDataState says what the alert does when its condition has no data:
	// "NoData" (the default), "Alerting", "OK" or "KeepLast".
	NoDataState string
	// ExecErrState says what it does when a query or an expression fails:
	// "Error" (the default), "Alerting", "OK" or "KeepLast".
	ExecErrState string
	Folder       string // title of the folder, when it is known
}

// A GrafanaNode is one query or expression of a Grafana alert rule.
type GrafanaNode struct {
	RefID string
	Type  string // "query", "reduce", "math", "threshold" or "classic_conditions"

	// Of a query. It looks at the time from From to To before the evaluation:
	// at the end of it when Instant, else at the points that are Step apart.
	Language Language
	Expr     string
	Pos      source.Position // of Expr
	From, To time.Duration
	Instant  bool
	Step     time.Duration
	places   []place

	Input string // refID that a reduce or a threshold takes

	Reducer     string // last, mean, min, max, sum or count
	Mode        string // "" (strict), dropNN or replaceNN
	ReplaceWith float64

	Math *MathExpr

	Conditions []GrafanaCondition // one of a threshold
}

// A GrafanaCondition is the one of a threshold, or one of classic conditions.
type GrafanaCondition struct {
	Evaluator string // gt, lt, eq, ne, gte, lte, within_range, …
	Params    []float64
	Query     string // refID; of a classic condition, as what follows
	Reducer   string
	Or        bool // joined to what stands before by "or" and not by "and"
}

// Position returns where the byte at offset of n.Expr stands in the file.
func (n *GrafanaNode) Position(offset int) source.Position {
	return position(n.Pos, n.places, offset)
}

// Node returns the node with a refID, or nil.
func (c *GrafanaChain) Node(refID string) *GrafanaNode {
	for i := range c.Nodes {
		if c.Nodes[i].RefID == refID {
			return &c.Nodes[i]
		}
	}
	return nil
}
