// Package capacity says how long devices stood without useful work after a
// recovery began, and what of a window was used. It reads timelines and the
// objects that runs recorded, and what is declared of devices.
//
// Devices of different classes are never added: an hour of a whole device, of
// a MIG profile and of a time-sliced share are different things. Numbers are
// exact; only their text is rounded.
//
//	side := capacity.Measure(declared, run, line)
//	cmp := capacity.Compare(scenario, deployed, candidate)
package capacity

import "time"

// Allocated stands wherever money is shown.
const Allocated = "allocated value, not a cash saving"

// A Class is a kind of device that is counted apart.
type Class struct {
	Name string
	Kind string // profile.WholeDevice, MIGProfile or DeviceShare; empty: declared by name only
}

// An Inventory is what devices work could have at the restoration.
type Inventory struct {
	// Moments are the snapshots that nodes were read from, ordered; none
	// where everything was declared, or nothing recorded.
	Moments []string
	Classes []ClassUnits // ordered by class
	Notes   []string     // what could not be told
}

// ClassUnits are the devices of one class.
type ClassUnits struct {
	Class    Class
	Declared bool // not derived from nodes
	Total    Amount
	Eligible Amount // Total without Excluded
	Excluded []Exclusion
}

// An Exclusion is devices that work could not have, and why.
type Exclusion struct {
	Units  Amount
	Reason Reason
	Of     string // the node or the work, safe to show
	Detail string
}

// A Reason says why devices do not count.
type Reason string

// The reasons.
const (
	Cordoned  Reason = "cordoned"
	Unhealthy Reason = "unhealthy"
	Reserved  Reason = "reserved" // for others
	Held      Reason = "held"     // by work that ran all along
)

// A Use is what one run made of the devices of one class.
type Use struct {
	Class Class
	// Eligible is nil where neither nodes nor a declaration tell.
	Eligible *Amount
	// Waited is the time from the restoration to useful work of each piece of
	// work, times its units.
	Waited DeviceTime
	// Stranded is the part of Waited in which as many eligible devices did
	// nothing: what waits for devices that are busy strands none. Where
	// Eligible is nil it is all of Waited.
	Stranded DeviceTime
	// Over says that more devices were busy at once than are eligible: what
	// was recorded or declared of them is not all.
	Over bool
	Work []Work // ordered by ID
	// Unknown are pieces of work of which nothing can be said, with the
	// reason; they make the sums lower bounds.
	Unknown []Unknown
}

// A Work is one piece of work.
type Work struct {
	ID       string
	Units    Amount
	Waited   time.Duration
	Censored bool   // it waited longer: useful work was not seen
	Stranded Amount // Units times Waited, in device-nanoseconds
}

// An Unknown is work that cannot be counted.
type Unknown struct{ ID, Why string }

// A DeviceTime is a sum of device time. A censored one is at least that long.
type DeviceTime struct {
	Amount   Amount // in device-nanoseconds
	Censored bool
}

// Minutes returns the device-minutes.
func (d DeviceTime) Minutes() Amount { return d.Amount.Over(int64(time.Minute)) }

// Hours returns the device-hours.
func (d DeviceTime) Hours() Amount { return d.Amount.Over(int64(time.Hour)) }

// A Run is what one run showed.
type Run struct {
	Build, Scenario string
	Repetition      int
	Unlike          bool // the repetition is not set beside the others of its build
	Inventory       Inventory
	Length          time.Duration // from the restoration to the end of the run
	Uses            []Use         // ordered by class
	Notes           []string

	from   int64 // the restoration
	stays  map[Class][]staying
	unseen int  // pieces of later work of which nobody knows what they used
	partly bool // likewise some work that was affected
}
