package loggen

import (
	"fmt"
	"strings"
)

// A Needle is a text to search the log for.
type Needle struct {
	Name string // how often it is there: rare, few, common, every, none, near
	Text string
}

// Needles returns texts for a line filter. Of the lines about one in 10,000
// has the rare one, one in 70 the few, four in five the common and all but the
// broken the every. The last two are nowhere: of "near" all but the end is in
// many lines.
func Needles() []Needle {
	return []Needle{
		{"rare", `Domain holds no node any more`},
		{"few", `Reconciler error`},
		{"common", `"level":"info"`},
		{"every", `","logger":"`},
		{"none", `segmentation violation`},
		{"near", `"logger":"scheduler","caller":"scheduler/cycle.go:97"`},
	}
}

// Selector returns a stream selector that the log matches.
func Selector() string { return `{namespace="fleet-system", app="fleet-controller"}` }

// never are texts that the log does not hold.
var never = [...]string{
	"out of memory", "quorum lost", "disk pressure", "image pull failed", "token expired", "schema too new",
	"crash loop", "clock moved backwards", "unknown device plugin", "cgroup was removed", "snapshot is corrupt",
}

// seldom are messages that few lines hold, seldomPart texts inside their fields.
var seldom = [...]string{
	"Domain holds no node any more", "Lease lost, stopping", "Observed a panic", "Request refused", "Status of job not written",
	"Quota borrowed beyond the limit", "Watch ended, starting again", "Synchronization with cluster failed", "Serving certificate loaded", "Reconciler error",
}

var seldomPart = [...]string{
	"index out of range", "possibly due to a lost leader", "connection refused", "context deadline exceeded", "is stopped",
	"does not tolerate", "unknown field", "too old resource version", "object was changed since", "than there are",
}

// often are texts that many lines hold.
var often = [...]string{
	"Workload admitted", "Reconciling workload", "Heartbeat answered", "Scheduling cycle finished", "Quota reserved",
	"Cluster chosen for workload", "Job status written", "Workload does not fit", "Event recorded", "Finished workloads swept",
}

// measured are the fields of messages that hold a number.
var measured = map[string]string{
	"Workload admitted": "waited_s", "Heartbeat answered": "rtt_ms", "Scheduling cycle finished": "duration_ms",
	"Finished workloads swept": "duration_ms", "Quota reserved": "borrowed", "Job status written": "status_failed",
	"Serving certificate loaded": "days_left",
}

// Rules returns the first n of a fixed list of alert rules on the log; all are
// distinct. Of each five two have line filters only, two a json stage with
// label filters, and one a regexp or an unwrap. Three in five look for what
// is rare, one for what is common, one for what never comes.
func Rules(n int) []string {
	g := &generator{random: random{state: 500}}
	seen := make(map[string]bool)
	var out []string
	for len(out) < n {
		rule := g.rule(len(out))
		if !seen[rule] {
			seen[rule] = true
			out = append(out, rule)
		}
	}
	return out
}

// rule makes a candidate for the rule with index i.
func (g *generator) rule(i int) string {
	message, part := seldom[g.below(len(seldom))], seldomPart[g.below(len(seldomPart))]
	switch i / 5 % 5 {
	case 1:
		message = often[g.below(len(often))]
	case 3:
		part = fmt.Sprintf("%s: code %d", never[g.below(len(never))], g.below(90))
		message = part
	}
	switch i % 5 {
	case 0, 2:
		return g.lineRule(g.pick(message, message, part))
	case 1, 3:
		return g.jsonRule(message, part)
	}
	if i/5%2 == 0 {
		return g.regexpRule(message)
	}
	return g.unwrapRule(message)
}

// threshold makes a rule fire at a value above a small number, and distinct.
func (g *generator) threshold(expr string) string { return fmt.Sprintf("%s > %d", expr, g.below(40)) }

func (g *generator) lineRule(message string) string {
	filters := []string{fmt.Sprintf("|= %q", message)}
	switch g.below(4) {
	case 0:
		filters = append(filters, fmt.Sprintf("|= %q", g.queue()))
	case 1:
		filters = append(filters, fmt.Sprintf("|= %q", "team-"+g.team()), `!= "dryRun\":true"`)
	case 2:
		filters = append(filters, fmt.Sprintf("|= %q", g.cluster()))
	}
	return g.threshold(fmt.Sprintf(`sum(%s(%s %s [5m]))`, g.pick("count_over_time", "rate"), Selector(), strings.Join(filters, " ")))
}

func (g *generator) jsonRule(message, part string) string {
	c := controllers[g.below(len(controllers))]
	filters := []string{fmt.Sprintf("msg=%q", message)}
	by := "level"
	switch g.below(6) {
	case 0:
		filters = append(filters, fmt.Sprintf("workload_namespace=%q", "team-"+g.team()))
		by = "workload_namespace"
	case 1:
		filters = append(filters, fmt.Sprintf("cluster=%q", g.cluster()))
		by = "cluster"
	case 2:
		filters = []string{`level="error"`, fmt.Sprintf("controller=%q", c.name), fmt.Sprintf("error=~%q", ".*"+part+".*")}
		by = "controller"
	case 3:
		filters = []string{fmt.Sprintf("logger=%q", g.pick("link", "leader", "webhook", "certs", "topology")), `level=~"error|warn"`, fmt.Sprintf("msg=%q", message)}
		by = "logger"
	case 4:
		filters = append(filters, fmt.Sprintf("attempt > %d", 1+g.below(12)))
	default:
		filters = append(filters, fmt.Sprintf("%s_namespace=~%q", c.kind, "team-("+g.team()+"|"+g.team()+")"))
	}
	return g.threshold(fmt.Sprintf(`sum by (%s) (count_over_time(%s | json | %s [5m]))`, by, Selector(), strings.Join(filters, " | ")))
}

func (g *generator) regexpRule(message string) string {
	pattern := g.pick(
		message+".*"+g.team(),
		`(?i)`+strings.ToLower(message)+` .*`+g.cluster(),
		message+`.*"attempt":[3-9]`,
		`node-`+g.cluster()+`-0[0-9]{2}.*`+message,
		`(`+message+`|`+never[g.below(len(never))]+`) `,
	)
	return g.threshold(fmt.Sprintf("sum(count_over_time(%s |~ `%s` [5m]))", Selector(), pattern))
}

func (g *generator) unwrapRule(message string) string {
	value, ok := measured[message]
	if !ok {
		value = "attempt"
	}
	op := g.pick("max_over_time(", "avg_over_time(", "min_over_time(", "quantile_over_time(0.99, ")
	return g.threshold(fmt.Sprintf("%s%s | json | msg=%q | unwrap %s | __error__=\"\" [5m]) by (logger)", op, Selector(), message, value))
}
