package replay

import (
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/outcome"
)

func TestGrafana_PromQL(t *testing.T) {
	lines := []string{"5 a x 1", "15 a x 3", "25 a x 0; y{q=\"1\"} 1; y{q=\"2\"} 1", "35 a x 0; y{q=\"1\"} 1; y{q=\"2\"} 1", "45 a x 0", "55 a x 0"}
	f := func(name, settings string, state outcome.State, want string, data ...string) {
		t.Helper()
		o := runAll(t, scraped(t, lines...), grafanaRule(t, settings, data...)).Outcomes[0]
		if o.State != state || firing(o) != want {
			t.Errorf("%s: state %d, firing %q; want %d, %q (%s)", name, o.State, firing(o), state, want, o.Reason)
		}
	}
	above := threshold1("Z", "A", "type: gt, params: [0]")
	f("instant", "", outcome.Fired, "10-20", prom("A", "", "x"), above)
	f("range", "noDataState: OK", outcome.Fired, "20-40", prom("A", "from: 20", "x"),
		expr("B", "type: reduce, expression: A, reducer: max"), threshold1("Z", "B", "type: gt, params: [2]"))
	f("with LogQL", "noDataState: OK", outcome.Fired, "20-20", prom("A", "", "x"), loki("B", "instant", "", lostCount),
		expr("Z", "type: math, expression: $A && $B"))
	f("with LogQL over a range", "noDataState: OK", outcome.Fired, "20-40", loki("B", "range", "from: 20", lostCount), prom("A", "from: 20", "x"),
		expr("C", "type: reduce, expression: B, reducer: max"), expr("D", "type: reduce, expression: A, reducer: max"), expr("Z", "type: math, expression: $C > 0 && $D > 2 && $D < 4 && $C < 2"))
	// y has two series for one label set at 30 and 40.
	const twice = "x / on (job) y"
	f("error", "noDataState: OK", outcome.NotEvaluated, "", prom("A", "", twice), above)
	f("error is OK", "noDataState: OK\nexecErrState: OK", outcome.Silent, "", prom("A", "", twice), above)
	f("error alerts", "noDataState: OK\nexecErrState: Alerting", outcome.Fired, "30-40", prom("A", "", twice), above)
	f("error keeps", "noDataState: OK\nexecErrState: KeepLast", outcome.Fired, "10-40", prom("A", "", "x > 0 or "+twice), above)
}

// What an alert reads is what the metrics are looked through for.
func TestGrafana_Selectors(t *testing.T) {
	r := grafanaRule(t, "noDataState: OK", prom("A", "", `sum(x{job="a"})`), prom("B", "", "gone"), expr("Z", "type: math, expression: $A > 99 && $B"))
	o := runAll(t, scraped(t, "5 a x 1", "15 a x 3"), r).Outcomes[0]
	if o.State != outcome.Silent || o.Nothing != outcome.NoStream || len(o.Selectors) != 2 || o.Selectors[0].Series != 1 || o.Selectors[0].Start != 4 || o.Selectors[1].Series != 0 || o.Selectors[1].End != 0 {
		t.Errorf("state %d, nothing %d, selectors %+v (%s)", o.State, o.Nothing, o.Selectors, o.Reason)
	}
	none := run(t, r, record(t, lostLines...))
	if none.State != outcome.NotEvaluated || !strings.Contains(none.Reason, "no metrics") {
		t.Errorf("state %d, reason %q", none.State, none.Reason)
	}
}
