package capacity

import (
	"time"

	"github.com/stillfires/stillfires/internal/profile"
)

// A Window is what was used of the devices of a class in a stretch of time.
type Window struct {
	Class   Class
	Devices Amount // available
	Length  time.Duration
	Busy    Amount // in device-nanoseconds
	// AtLeast says that more may have been used: of some work nobody knows
	// when it computed.
	AtLeast bool
	Rate    *Rate // nil: not declared
}

// A Rate is the price of an available device-hour.
type Rate struct {
	Hour     Amount
	Currency string
}

func rateOf(declared *profile.Capacity, class string) *Rate {
	r := declared.RateOf(class)
	if r == nil {
		return nil
	}
	return &Rate{Exactly(r.DeviceHour.Rat()), r.Currency}
}

// Available returns the device-hours that there were.
func (w Window) Available() Amount {
	return w.Devices.Times(Units(int64(w.Length))).Over(int64(time.Hour))
}

// BusyHours returns the device-hours in which work computed.
func (w Window) BusyHours() Amount { return w.Busy.Over(int64(time.Hour)) }

// Utilisation returns the share of the available time that was used; false
// where none was available.
func (w Window) Utilisation() (Amount, bool) { return w.BusyHours().Of(w.Available()) }

// Cost returns what the available device-hours are worth by the declared rate;
// false: there is none.
func (w Window) Cost() (Amount, bool) {
	if w.Rate == nil {
		return Amount{}, false
	}
	return w.Available().Times(w.Rate.Hour), true
}

// CostPerBusyHour returns the cost of a device-hour in which work computed;
// false: no rate is declared, or none was used.
func (w Window) CostPerBusyHour() (Amount, bool) {
	cost, ok := w.Cost()
	if !ok {
		return Amount{}, false
	}
	return cost.Of(w.BusyHours())
}

// Gap returns by how many busy device-hours the other window has less.
func (w Window) Gap(other Window) Amount { return w.BusyHours().Minus(other.BusyHours()) }

// A Planned is a declared window, as it is when nothing is lost, and what is
// left of it.
type Planned struct {
	Title       string
	Undisturbed Window
	// Lost is what is left if the declared time is lost; else Deployed and
	// Candidate are what is left by what each build took. Nil: not declared, or
	// not measured.
	Lost, Deployed, Candidate *Window
	LostTime                  time.Duration // declared; 0: not
	Why                       string        // what cannot be said of a build; empty: all can
}

// Plan reckons the declared windows of which it is declared how much is lost.
func Plan(declared *profile.Capacity) []Planned {
	if declared == nil {
		return nil
	}
	var out []Planned
	for i := range declared.Windows {
		if w := &declared.Windows[i]; w.Lost != 0 {
			p := planned(declared, w)
			p.LostTime = time.Duration(w.Lost)
			left := p.Undisturbed.without(Exactly(w.Devices.Rat()).Times(Units(int64(w.Lost))), w)
			p.Lost = &left
			out = append(out, p)
		}
	}
	return out
}

func planned(declared *profile.Capacity, w *profile.PlannedWindow) Planned {
	list := classesOf(declared)
	whole := Window{
		Class: Class{w.Class, list.kindOf(w.Class)}, Devices: Exactly(w.Devices.Rat()), Length: time.Duration(w.Length),
		Rate: rateOf(declared, w.Class),
	}
	whole.Busy = whole.Devices.Times(Units(int64(whole.Length))).Times(Exactly(w.Busy.Rat()))
	return Planned{Title: w.Title, Undisturbed: whole}
}

// without returns what is left of a window of which device time is lost, which
// would have been as busy as the rest.
func (w Window) without(lost Amount, plan *profile.PlannedWindow) Window {
	left := w
	left.Busy = w.Busy.Minus(lost.Times(Exactly(plan.Busy.Rat())))
	if left.Busy.Sign() < 0 {
		left.Busy = Amount{}
	}
	return left
}

// plan reckons the declared windows with what each build took.
func (c *Comparison) plan(declared *profile.Capacity) {
	if declared == nil {
		return
	}
	for i := range declared.Windows {
		w := &declared.Windows[i]
		if w.Lost != 0 {
			continue
		}
		p := planned(declared, w)
		pair := c.class(w.Class)
		for _, side := range []struct {
			of   *DeviceTime
			left **Window
			role string
		}{{pairTime(pair, false), &p.Deployed, "deployed"}, {pairTime(pair, true), &p.Candidate, "candidate"}} {
			switch {
			case side.of == nil:
				p.why("what " + side.role + " stranded of the class was not measured")
			case side.of.Censored:
				p.why("what " + side.role + " stranded of the class is only known to be at least so much")
			default:
				left := p.Undisturbed.without(side.of.Amount, w)
				*side.left = &left
			}
		}
		c.Planned = append(c.Planned, p)
	}
}

// why adds what cannot be said.
func (p *Planned) why(text string) {
	if p.Why != "" {
		text = p.Why + "; " + text
	}
	p.Why = text
}

func pairTime(p *ClassPair, candidate bool) *DeviceTime {
	switch {
	case p == nil:
		return nil
	case candidate:
		return p.Candidate
	}
	return p.Deployed
}

// class returns the pair of a class by its name; nil: nothing is known of it.
func (c *Comparison) class(name string) *ClassPair {
	for i := range c.Classes {
		if c.Classes[i].Class.Name == name {
			return &c.Classes[i]
		}
	}
	return nil
}

// window describes the stretch of a length from the restoration on; false
// where nobody knows how many devices there were, more were busy, or the run is
// shorter.
func (r *Run) window(class Class, length time.Duration, declared *profile.Capacity) (Window, bool) {
	u := r.use(class)
	if u == nil || u.Eligible == nil || u.Over || u.Eligible.Sign() == 0 || length <= 0 || length > r.Length {
		return Window{}, false
	}
	return Window{
		Class: class, Devices: *u.Eligible, Length: length, Busy: busyTime(r.stays[class], r.from, r.from+int64(length)),
		AtLeast: len(u.Unknown) > 0 || r.unseen > 0 || r.partly, Rate: rateOf(declared, class.Name),
	}, true
}

func (r *Run) use(class Class) *Use {
	for i := range r.Uses {
		if r.Uses[i].Class == class {
			return &r.Uses[i]
		}
	}
	return nil
}
