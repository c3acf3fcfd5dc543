package report

import (
	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/correlate"
)

// The wire structs of correlation and notifications.
type (
	jsonCorrelation struct {
		Profile     string           `json:"profile"`
		Identifiers []jsonIdentifier `json:"identifiers"`
		Links       []jsonLink       `json:"links"`
		Chain       jsonChain        `json:"chain"`
		Alerts      []jsonAlertName  `json:"alerts"`
		NotJudged   []string         `json:"notJudged"`
		Notes       []string         `json:"notes"`
	}
	jsonIdentifier struct {
		Entity     string    `json:"entity"`
		Title      string    `json:"title"`
		Identifier string    `json:"identifier"`
		Deployed   jsonNamed `json:"deployed"`
		Candidate  jsonNamed `json:"candidate"`
	}
	jsonNamed struct {
		Known  int              `json:"known"`
		Named  int              `json:"named"`
		Fields []jsonNamedField `json:"fields"`
	}
	jsonNamedField struct {
		Field   string  `json:"field"`
		InText  bool    `json:"inText"`
		Message *string `json:"message"`
		Logger  *string `json:"logger"`
		Things  int     `json:"things"`
		Records int64   `json:"records"`
	}
	jsonLink struct {
		From      string       `json:"from"`
		To        string       `json:"to"`
		FromTitle string       `json:"fromTitle"`
		ToTitle   string       `json:"toTitle"`
		Deployed  jsonLinkSide `json:"deployed"`
		Candidate jsonLinkSide `json:"candidate"`
	}
	jsonLinkSide struct {
		Known   int              `json:"known"`
		Made    int              `json:"made"`
		Objects []jsonObjectWay  `json:"objects"`
		Logs    []jsonLinkInLogs `json:"logs"`
	}
	jsonObjectWay struct {
		By    string `json:"by"`
		Pairs int    `json:"pairs"`
	}
	jsonLinkInLogs struct {
		By    string      `json:"by"`
		Key   *string     `json:"key"`
		From  jsonLinkEnd `json:"from"`
		To    jsonLinkEnd `json:"to"`
		Pairs int         `json:"pairs"`
	}
	jsonLinkEnd struct {
		Field   string  `json:"field"`
		InText  bool    `json:"inText"`
		Message *string `json:"message"`
		Logger  *string `json:"logger"`
	}
	jsonChain struct {
		Steps     []string       `json:"steps"`
		Deployed  jsonChainCount `json:"deployed"`
		Candidate jsonChainCount `json:"candidate"`
	}
	jsonChainCount struct {
		Known  []int `json:"known"`
		Walked []int `json:"walked"`
	}
	jsonAlertName struct {
		Rule       string `json:"rule"`
		Where      string `json:"where"`
		Name       string `json:"name"`
		Entity     string `json:"entity"`
		Identifier string `json:"identifier"`
		Deployed   int    `json:"deployed"`
		Candidate  int    `json:"candidate"`
	}
	jsonNotification struct {
		Rule      string      `json:"rule"`
		Scenario  string      `json:"scenario"`
		Context   string      `json:"context"`
		Deployed  jsonCarried `json:"deployed"`
		Candidate jsonCarried `json:"candidate"`
	}
	jsonCarried struct {
		Alerts int `json:"alerts"`
		With   int `json:"with"`
	}
)

func toJSONCorrelation(r *analyzer.Report) *jsonCorrelation {
	c := r.Correlation
	if c == nil {
		return nil
	}
	out := &jsonCorrelation{
		Profile: c.Profile, Identifiers: []jsonIdentifier{}, Links: []jsonLink{}, Alerts: []jsonAlertName{},
		Chain:     jsonChain{list(c.Steps), toJSONChain(&c.Chains.Deployed), toJSONChain(&c.Chains.Candidate)},
		NotJudged: list(c.NotJudged), Notes: list(c.Notes),
	}
	for i := range c.Identifiers {
		row := &c.Identifiers[i]
		out.Identifiers = append(out.Identifiers, jsonIdentifier{
			row.Entity, row.Title, row.Identifier, toJSONNamed(&row.Deployed), toJSONNamed(&row.Candidate),
		})
	}
	for i := range c.Links {
		l := &c.Links[i]
		out.Links = append(out.Links, jsonLink{
			l.From, l.To, l.FromTitle, l.ToTitle, toJSONLinkSide(&l.Deployed), toJSONLinkSide(&l.Candidate),
		})
	}
	for _, a := range c.Alerts {
		out.Alerts = append(out.Alerts, jsonAlertName{a.RuleName, a.Where, a.Name, a.Entity, a.Identifier, a.Deployed, a.Candidate})
	}
	return out
}

func toJSONChain(n *correlate.ChainCount) jsonChainCount {
	return jsonChainCount{append([]int{}, n.Known...), append([]int{}, n.Walked...)}
}

func toJSONNamed(n *correlate.NamedCount) jsonNamed {
	out := jsonNamed{n.Known, n.Named, []jsonNamedField{}}
	for _, f := range n.Fields {
		out.Fields = append(out.Fields, jsonNamedField{f.Field, f.InText, text(f.Message), text(f.Logger), f.Things, f.Records})
	}
	return out
}

func toJSONLinkSide(n *correlate.LinkCount) jsonLinkSide {
	out := jsonLinkSide{n.Known, n.Made, []jsonObjectWay{}, []jsonLinkInLogs{}}
	for _, o := range n.Objects {
		out.Objects = append(out.Objects, jsonObjectWay{o.Text, o.Pairs})
	}
	end := func(f *correlate.FieldCount) jsonLinkEnd {
		return jsonLinkEnd{f.Field, f.InText, text(f.Message), text(f.Logger)}
	}
	for i := range n.Ways {
		w := &n.Ways[i]
		out.Logs = append(out.Logs, jsonLinkInLogs{string(w.By), text(w.Key), end(&w.From), end(&w.To), w.Pairs})
	}
	return out
}

func toJSONNotifications(all []analyzer.Notification) []jsonNotification {
	out := []jsonNotification{}
	for _, n := range all {
		out = append(out, jsonNotification{
			n.Rule.Name, n.Scenario, n.Context,
			jsonCarried{n.Deployed.Total, n.Deployed.With}, jsonCarried{n.Candidate.Total, n.Candidate.With},
		})
	}
	return out
}
