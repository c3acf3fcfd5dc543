package report

import (
	"encoding/json"

	"github.com/stillfires/stillfires/internal/capacity"
)

// The wire structs of capacity. Numbers are exact up to six digits after the
// point, money up to two; each is rounded once, halves away from zero.
type (
	jsonCapacity struct {
		// Value says what amounts of money are.
		Value     string            `json:"value"`
		Incidents json.Number       `json:"incidents"`
		Classes   []jsonClass       `json:"classes"`
		Windows   []jsonPlanned     `json:"windows"`
		Runs      []jsonCapacityRun `json:"runs"`
		Notes     []string          `json:"notes"`
	}
	jsonClass struct {
		Class     string          `json:"class"`
		Kind      *string         `json:"kind"`
		Deployed  *jsonDeviceTime `json:"deployed"`
		Candidate *jsonDeviceTime `json:"candidate"`
		Each      jsonEach        `json:"repetitions"`
		Saved     *jsonSaved      `json:"saved"`
		Window    jsonWindowPair  `json:"window"`
	}
	jsonEach struct {
		Deployed  []jsonDeviceTime `json:"deployed"`
		Candidate []jsonDeviceTime `json:"candidate"`
	}
	jsonDeviceTime struct {
		DeviceMinutes json.Number `json:"deviceMinutes"`
		AtLeast       bool        `json:"atLeast"`
	}
	jsonSaved struct {
		DeviceMinutes json.Number  `json:"deviceMinutes"`
		DeviceHours   json.Number  `json:"deviceHours"`
		Share         *json.Number `json:"share"`
		AtLeast       bool         `json:"atLeast"`
		AtMost        bool         `json:"atMost"`
		Rate          *json.Number `json:"rate"`
		Value         *json.Number `json:"value"`
		Currency      *string      `json:"currency"`
		OfIncidents   *jsonOfMany  `json:"ofIncidents"`
	}
	jsonOfMany struct {
		DeviceHours json.Number  `json:"deviceHours"`
		Value       *json.Number `json:"value"`
	}
	jsonWindowPair struct {
		Deployed  *jsonWindow  `json:"deployed"`
		Candidate *jsonWindow  `json:"candidate"`
		Gap       *json.Number `json:"gap"`
	}
	jsonWindow struct {
		Devices     json.Number  `json:"devices"`
		Seconds     float64      `json:"seconds"`
		Available   json.Number  `json:"availableHours"`
		Busy        json.Number  `json:"busyHours"`
		AtLeast     bool         `json:"atLeast"`
		Utilisation *json.Number `json:"utilisation"`
		Cost        *json.Number `json:"cost"`
		PerBusyHour *json.Number `json:"costPerBusyHour"`
		Currency    *string      `json:"currency"`
	}
	jsonPlanned struct {
		Title       string      `json:"title"`
		Class       string      `json:"class"`
		Undisturbed jsonWindow  `json:"undisturbed"`
		LostSeconds *float64    `json:"lostSeconds"`
		Lost        *jsonWindow `json:"lost"`
		Deployed    *jsonWindow `json:"deployed"`
		Candidate   *jsonWindow `json:"candidate"`
		Reason      *string     `json:"reason"`
		// Value says what its costs are; null: it has none.
		Value *string `json:"value"`
	}
	jsonCapacityRun struct {
		Role       string      `json:"role"`
		Repetition int         `json:"repetition"`
		Moments    []string    `json:"moments"`
		Inventory  []jsonUnits `json:"inventory"`
		Uses       []jsonUse   `json:"uses"`
		Notes      []string    `json:"notes"`
	}
	jsonUnits struct {
		Class    string          `json:"class"`
		Kind     *string         `json:"kind"`
		Declared bool            `json:"declared"`
		Total    json.Number     `json:"total"`
		Eligible json.Number     `json:"eligible"`
		Excluded []jsonExclusion `json:"excluded"`
	}
	jsonExclusion struct {
		Units  json.Number `json:"units"`
		Reason string      `json:"reason"`
		Of     string      `json:"of"`
		Detail *string     `json:"detail"`
	}
	jsonUse struct {
		Class    string         `json:"class"`
		Waited   jsonDeviceTime `json:"waited"`
		Stranded jsonDeviceTime `json:"stranded"`
		Work     []jsonWaiting  `json:"work"`
		Unknown  []jsonUnknown  `json:"unknown"`
	}
	jsonWaiting struct {
		ID      string      `json:"id"`
		Units   json.Number `json:"units"`
		Seconds float64     `json:"seconds"`
		AtLeast bool        `json:"atLeast"`
	}
	jsonUnknown struct {
		ID     string `json:"id"`
		Reason string `json:"reason"`
	}
)

// jsonDigits are the digits after the point of exact numbers, moneyDigits those
// of money.
const (
	jsonDigits  = 6
	moneyDigits = 2
)

func exact(a capacity.Amount) json.Number { return json.Number(a.Text(jsonDigits)) }

func money(a capacity.Amount) json.Number { return json.Number(a.Fixed(moneyDigits)) }

// maybe returns what a function yields that says whether there is anything.
func maybe(as func(capacity.Amount) json.Number) func(capacity.Amount, bool) *json.Number {
	return func(a capacity.Amount, ok bool) *json.Number {
		if !ok {
			return nil
		}
		n := as(a)
		return &n
	}
}

func toJSONCapacity(c *capacity.Comparison) *jsonCapacity {
	if c == nil {
		return nil
	}
	out := &jsonCapacity{
		Value: capacity.Allocated, Incidents: exact(c.Incidents), Classes: make([]jsonClass, 0, len(c.Classes)),
		Windows: toJSONPlanned(c.Planned), Runs: []jsonCapacityRun{}, Notes: list(c.Notes),
	}
	for i := range c.Classes {
		out.Classes = append(out.Classes, toJSONClass(c, &c.Classes[i]))
	}
	for i := range c.Deployed {
		out.Runs = append(out.Runs, toJSONCapacityRun("deployed", &c.Deployed[i]))
	}
	for i := range c.Candidate {
		out.Runs = append(out.Runs, toJSONCapacityRun("candidate", &c.Candidate[i]))
	}
	return out
}

func toJSONClass(c *capacity.Comparison, p *capacity.ClassPair) jsonClass {
	out := jsonClass{
		Class: p.Class.Name, Kind: text(p.Class.Kind), Deployed: toJSONDeviceTime(p.Deployed), Candidate: toJSONDeviceTime(p.Candidate),
		Each:   jsonEach{toJSONDeviceTimes(p.EachDeployed), toJSONDeviceTimes(p.EachCandidate)},
		Window: jsonWindowPair{Deployed: toJSONWindow(p.Windows.Deployed), Candidate: toJSONWindow(p.Windows.Candidate)},
	}
	if d, n := p.Windows.Deployed, p.Windows.Candidate; d != nil && n != nil {
		gap := exact(n.Gap(*d))
		out.Window.Gap = &gap
	}
	if p.Saved == nil {
		return out
	}
	out.Saved = &jsonSaved{
		DeviceMinutes: exact(p.SavedMinutes()), DeviceHours: exact(p.SavedHours()), AtLeast: p.SavedAtLeast, AtMost: p.SavedAtMost,
		Value: maybe(money)(p.Value()),
	}
	if p.Share != nil {
		out.Saved.Share = maybe(exact)(*p.Share, true)
	}
	if p.Rate != nil {
		out.Saved.Rate, out.Saved.Currency = maybe(exact)(p.Rate.Hour, true), text(p.Rate.Currency)
	}
	if c.Incidents.Compare(capacity.Units(1)) != 0 {
		value, ok := p.Value()
		out.Saved.OfIncidents = &jsonOfMany{exact(p.SavedHours().Times(c.Incidents)), maybe(money)(value.Times(c.Incidents), ok)}
	}
	return out
}

func toJSONDeviceTime(d *capacity.DeviceTime) *jsonDeviceTime {
	if d == nil {
		return nil
	}
	return &jsonDeviceTime{exact(d.Minutes()), d.Censored}
}

func toJSONDeviceTimes(all []capacity.DeviceTime) []jsonDeviceTime {
	out := make([]jsonDeviceTime, 0, len(all))
	for i := range all {
		out = append(out, *toJSONDeviceTime(&all[i]))
	}
	return out
}

func toJSONWindow(w *capacity.Window) *jsonWindow {
	if w == nil {
		return nil
	}
	out := &jsonWindow{
		Devices: exact(w.Devices), Seconds: w.Length.Seconds(), Available: exact(w.Available()), Busy: exact(w.BusyHours()), AtLeast: w.AtLeast,
		Utilisation: maybe(exact)(w.Utilisation()), Cost: maybe(money)(w.Cost()), PerBusyHour: maybe(money)(w.CostPerBusyHour()),
	}
	if w.Rate != nil {
		out.Currency = text(w.Rate.Currency)
	}
	return out
}

func toJSONPlanned(all []capacity.Planned) []jsonPlanned {
	out := make([]jsonPlanned, 0, len(all))
	for i := range all {
		p := &all[i]
		x := jsonPlanned{
			Title: p.Title, Class: p.Undisturbed.Class.Name, Undisturbed: *toJSONWindow(&p.Undisturbed),
			Lost: toJSONWindow(p.Lost), Deployed: toJSONWindow(p.Deployed), Candidate: toJSONWindow(p.Candidate), Reason: text(p.Why),
		}
		if p.Undisturbed.Rate != nil {
			x.Value = text(capacity.Allocated)
		}
		if p.LostTime != 0 {
			s := p.LostTime.Seconds()
			x.LostSeconds = &s
		}
		out = append(out, x)
	}
	return out
}

func toJSONCapacityRun(role string, r *capacity.Run) jsonCapacityRun {
	out := jsonCapacityRun{Role: role, Repetition: r.Repetition, Moments: list(r.Inventory.Moments), Inventory: []jsonUnits{}, Uses: []jsonUse{}, Notes: list(r.Notes)}
	for i := range r.Inventory.Classes {
		u := &r.Inventory.Classes[i]
		x := jsonUnits{Class: u.Class.Name, Kind: text(u.Class.Kind), Declared: u.Declared, Total: exact(u.Total), Eligible: exact(u.Eligible), Excluded: []jsonExclusion{}}
		for _, e := range u.Excluded {
			x.Excluded = append(x.Excluded, jsonExclusion{exact(e.Units), string(e.Reason), e.Of, text(e.Detail)})
		}
		out.Inventory = append(out.Inventory, x)
	}
	for i := range r.Uses {
		u := &r.Uses[i]
		x := jsonUse{Class: u.Class.Name, Waited: *toJSONDeviceTime(&u.Waited), Stranded: *toJSONDeviceTime(&u.Stranded), Work: []jsonWaiting{}, Unknown: []jsonUnknown{}}
		for _, w := range u.Work {
			x.Work = append(x.Work, jsonWaiting{w.ID, exact(w.Units), w.Waited.Seconds(), w.Censored})
		}
		for _, w := range u.Unknown {
			x.Unknown = append(x.Unknown, jsonUnknown{w.ID, w.Why})
		}
		out.Uses = append(out.Uses, x)
	}
	return out
}
