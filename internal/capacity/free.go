package capacity

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
)

func nodeOf(o *facts.Object) string {
	if o.Kind != "Pod" {
		return ""
	}
	return gjson.Get(o.Raw, "spec.nodeName").String()
}

func specOf(o *facts.Object) gjson.Result { return gjson.Get(o.Raw, "spec") }

// A turn is a time at which waiting or busy units change.
type turn struct {
	at            int64
	waiting, busy Amount
}

// turns returns the changes from the restoration on, in time order.
func (m *measure) turns(class Class) []turn {
	from := m.line.Restored.At
	var out []turn
	for _, s := range m.stays[class] {
		minus := Units(0).Minus(s.units)
		if s.waits {
			end := s.until
			if s.useful != 0 {
				end = s.useful
			}
			out = append(out, turn{at: from, waiting: s.units}, turn{at: max(end, from), waiting: minus})
		}
		if s.useful != 0 {
			out = append(out, turn{at: max(s.useful, from), busy: s.units}, turn{at: max(s.until, s.useful, from), busy: minus})
		}
	}
	slices.SortStableFunc(out, func(a, b turn) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return out
}

// stranded sums the time in which work waited although eligible devices were
// not busy: more work than devices does not strand more than all of them. Over
// says that more devices were busy than there are said to be: then some that may
// have done nothing are missing, too, and the sum is a lower bound.
func (m *measure) stranded(class Class, eligible Amount, censored bool) (sum DeviceTime, over bool) {
	var waiting, busy Amount
	last := m.line.Restored.At
	tooMany := int64(0) // since when, as one stretch
	for _, t := range m.turns(class) {
		idle := eligible.Minus(busy)
		if idle.Sign() >= 0 {
			tooMany = t.at
		}
		over = over || t.at-max(tooMany, m.line.Restored.At) > int64(overlap)
		if idle = idle.Least(waiting); idle.Sign() > 0 {
			sum.Amount = sum.Amount.Plus(idle.Times(Units(t.at - last)))
		}
		last = t.at
		waiting, busy = waiting.Plus(t.waiting), busy.Plus(t.busy)
	}
	if over {
		m.notes = append(m.notes, fmt.Sprintf("class %s: more devices were busy at once than the %s that count as eligible, so some are missing from what was recorded or declared; what is stranded is a lower bound, and how well they are used is not known", short(class.Name), eligible))
	}
	sum.Censored = censored || over
	return sum, over
}

// overlap is how long work may seem to use the devices of what it follows: times
// are not more exact.
const overlap = 2 * time.Second

// busyTime sums the time in which work computed between two times.
func busyTime(stays []staying, from, to int64) Amount {
	var sum Amount
	for _, s := range stays {
		if s.useful == 0 {
			continue
		}
		if d := min(s.until, to) - max(s.useful, from); d > 0 {
			sum = sum.Plus(s.units.Times(Units(d)))
		}
	}
	return sum
}
