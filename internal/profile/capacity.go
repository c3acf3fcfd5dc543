package profile

import (
	"cmp"
	"math/big"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/strictyaml"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// Capacity says which devices work can have, how much of them a piece of work
// asks for, and what they cost. docs/capacity.md explains the keys.
type Capacity struct {
	// Units are eligible units by declaration. Of a class that is declared no
	// node is asked.
	Units []DeclaredUnits `yaml:"units"`
	// Devices say which resources of nodes are devices, and of which class.
	// The first that fits counts; those of [DefaultDevices] stand behind them.
	Devices  []DeviceClass   `yaml:"devices"`
	Reserved Reserved        `yaml:"reserved"`
	Requests []DeviceRequest `yaml:"requests"` // none: what pods request
	Rates    []Rate          `yaml:"rates"`
	// Window is the length of the stretch after the restoration whose
	// utilisation is measured. None: that of the shortest run.
	Window Duration `yaml:"window"`
	// Windows are stretches by declaration, of which a loss takes a part.
	Windows []PlannedWindow `yaml:"windows"`
	// Incidents is how many such losses are reckoned with. None: one.
	Incidents Decimal `yaml:"incidents"`
}

// With returns what holds if c, of a review file, stands above what a profile
// says. Either may be nil. Each key of c that is given takes the place of the
// profile's.
func (c *Capacity) With(base *Capacity) *Capacity {
	if c == nil {
		return base
	}
	out := *c
	if base == nil {
		return &out
	}
	if len(out.Units) == 0 {
		out.Units = base.Units
	}
	if len(out.Devices) == 0 {
		out.Devices = base.Devices
	}
	if len(out.Reserved.Labels) == 0 && len(out.Reserved.Taints) == 0 {
		out.Reserved = base.Reserved
	}
	if len(out.Requests) == 0 {
		out.Requests = base.Requests
	}
	if len(out.Rates) == 0 {
		out.Rates = base.Rates
	}
	if len(out.Windows) == 0 {
		out.Windows = base.Windows
	}
	out.Window, out.Incidents = cmp.Or(out.Window, base.Window), cmp.Or(out.Incidents, base.Incidents)
	return &out
}

// A PlannedWindow is a stretch of time in which devices are wanted.
type PlannedWindow struct {
	Title   string   `yaml:"title"`
	Class   string   `yaml:"class"`
	Devices Decimal  `yaml:"devices"`
	Length  Duration `yaml:"length"`
	// Busy is the share of it in which work computes if nothing is lost.
	Busy Percent `yaml:"busy"`
	// Lost is the time at its beginning that is lost. None: what each build
	// took, by what was recorded.
	Lost Duration `yaml:"lost"`
}

// A Percent is a share as it is written, such as 60%.
type Percent string

// UnmarshalText reads a share of at most 100%.
func (p *Percent) UnmarshalText(text []byte) error {
	number, ok := strings.CutSuffix(string(text), "%")
	if number = strings.TrimSpace(number); !ok || !decimalText.MatchString(number) {
		return errNoPercent
	}
	*p = Percent(number)
	if p.Rat().Cmp(big.NewRat(1, 1)) > 0 {
		return errNoPercent
	}
	return nil
}

// Rat returns the share, 0 to 1; nil: none was given.
func (p Percent) Rat() *big.Rat {
	r := Decimal(p).Rat()
	if r == nil {
		return nil
	}
	return r.Quo(r, big.NewRat(100, 1))
}

// DeclaredUnits is how many units of a class work can have.
type DeclaredUnits struct {
	Class string  `yaml:"class"`
	Units Decimal `yaml:"units"`
	// Busy says how many of them jobs hold that the loss does not stop.
	Busy Decimal `yaml:"busy"`
}

// The kinds of device.
const (
	WholeDevice = "whole"
	MIGProfile  = "mig"   // a hardware slice of a device
	DeviceShare = "share" // a time-sliced or MPS share
)

// A DeviceClass turns a resource of nodes into a class of device.
type DeviceClass struct {
	// Name is that of the class; empty: that of the resource, and of a share
	// how many there are of a device.
	Name     string             `yaml:"name"`
	Kind     string             `yaml:"kind"` // whole, mig or share
	Resource Pattern            `yaml:"resource"`
	Labels   map[string]Pattern `yaml:"labels"` // of the node
	// Replicas is the label that says how many shares a device has.
	Replicas string `yaml:"replicas"`
	// Profile is the label from whose value, by its first group of the pattern
	// in Labels, the MIG profile is read.
	Profile string `yaml:"profile"`
}

// Reserved says which nodes are for others.
type Reserved struct {
	Labels map[string]Pattern `yaml:"labels"` // any of them
	Taints []string           `yaml:"taints"` // keys, globs
}

// A DeviceRequest says where objects of work say what they ask for.
type DeviceRequest struct {
	Kind string `yaml:"kind"` // GROUP/KIND
	// Entity is the entity of the correlation that the object must be; empty:
	// any that belongs to the work.
	Entity string  `yaml:"entity"`
	Path   string  `yaml:"path"`  // gjson, to a number
	Class  string  `yaml:"class"` // of the devices
	Units  Decimal `yaml:"units"` // in place of Path: each object asks for so many
}

// A Rate is what a device costs.
type Rate struct {
	Class      string  `yaml:"class"` // empty: any that has none of its own
	DeviceHour Decimal `yaml:"deviceHour"`
	Currency   string  `yaml:"currency"` // stands behind amounts; may be empty
}

// A Decimal is a number as it is written, so that nothing is rounded.
type Decimal string

// UnmarshalText reads a number that is not negative.
func (d *Decimal) UnmarshalText(text []byte) error {
	if !decimalText.Match(text) {
		return errNoNumber
	}
	*d = Decimal(text)
	return nil
}

var decimalText = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,15})?$`)

// Rat returns the number; nil: none was given.
func (d Decimal) Rat() *big.Rat {
	if d == "" {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return nil
	}
	return r
}

// ReadCapacity reads what a document says of capacity; path names it in errors.
func ReadCapacity(doc *yamlpos.Document, n *yaml.Node, path string) (*Capacity, []*source.Error) {
	c := &Capacity{}
	f := &faults{doc: doc, root: yamlpos.Resolve(n)}
	if err := strictyaml.DecodeNode(doc, n, path, c); err != nil {
		return nil, sourceErrors(doc, n, err)
	}
	c.check(f)
	return c, f.sources()
}

func (c *Capacity) check(f *faults, path ...any) {
	at := func(more ...any) spot { return f.at(append(append([]any{}, path...), more...)...) }
	seen := map[string]bool{}
	for i, u := range c.Units {
		switch {
		case u.Class == "":
			at("units", i).fail("write class: NAME", "units of no class")
		case seen[u.Class]:
			at("units", i, "class").fail("keep one of them", "the units of class %q are declared twice", u.Class)
		case u.Units == "":
			at("units", i).fail("write units: 32", "class %q has no number of units", u.Class)
		case u.Busy != "" && u.Busy.Rat().Cmp(u.Units.Rat()) > 0:
			at("units", i, "busy").fail("write a number of at most its units", "more units of class %q are busy than there are", u.Class)
		}
		seen[u.Class] = true
	}
	for i, d := range c.Devices {
		if d.Resource.Text == "" {
			at("devices", i).fail("write resource: PATTERN, such as vendor.example/gpu", "a class of device is of no resource")
		}
		if d.Kind != WholeDevice && d.Kind != MIGProfile && d.Kind != DeviceShare {
			at("devices", i, "kind").fail("write whole, mig or share", "there is no kind of device %q", d.Kind)
		}
	}
	for i, r := range c.Requests {
		switch {
		case r.Kind == "" || r.Class == "":
			at("requests", i).fail("write kind: GROUP/KIND and class: NAME", "a request needs the kind of the object and the class of the device")
		case (r.Path == "") == (r.Units == ""):
			at("requests", i).fail("write one of path and units", "a request has a path to a number, or a number of units")
		}
	}
	rated := map[string]bool{}
	for i, r := range c.Rates {
		if r.DeviceHour == "" {
			at("rates", i).fail("write deviceHour: 4.00", "a rate has no price")
		}
		if rated[r.Class] {
			at("rates", i).fail("keep one of them", "class %q has two rates", r.Class)
		}
		if !currencyText.MatchString(r.Currency) {
			at("rates", i, "currency").fail("write a code or a sign, such as EUR", "%q is no currency", r.Currency)
		}
		rated[r.Class] = true
	}
	c.checkWindows(at)
}

var currencyText = regexp.MustCompile(`^[\p{L}\p{Sc}]{0,8}$`)

func (c *Capacity) checkWindows(at func(...any) spot) {
	if c.Window < 0 {
		at("window").fail("write window: 8h", "the window has no length")
	}
	if strings.Contains(string(c.Incidents), ".") || c.Incidents != "" && c.Incidents.Rat().Sign() == 0 {
		at("incidents").fail("write incidents: 10", "the number of incidents is no whole number above zero")
	}
	for i, w := range c.Windows {
		switch {
		case w.Class == "" || w.Devices == "" || w.Length <= 0 || w.Busy == "":
			at("windows", i).fail("write class: NAME, devices: 4, length: 8h and busy: 60%", "a window needs the class of its devices, their number, its length and the share of it in which they are busy")
		case w.Lost < 0 || w.Lost > w.Length:
			at("windows", i, "lost").fail("write a time of at most its length", "what is lost of a window cannot be more than all of it")
		}
	}
}

// RateOf returns the rate of a class; nil: none is declared.
func (c *Capacity) RateOf(class string) *Rate {
	if c == nil {
		return nil
	}
	var any *Rate
	for i := range c.Rates {
		switch c.Rates[i].Class {
		case class:
			return &c.Rates[i]
		case "":
			any = &c.Rates[i]
		}
	}
	return any
}

// DefaultDevices are the resources that are known to be devices.
func DefaultDevices() []DeviceClass {
	must := func(text string) Pattern {
		p, err := NewPattern(text)
		if err != nil {
			panic("profile: " + err.Error())
		}
		return p
	}
	whole := strings.Join([]string{
		`(nvidia|amd)\.com/gpu`, `gpu\.intel\.com/(i915|xe)`, `google\.com/tpu`, `habana\.ai/gaudi`,
		`aws\.amazon\.com/neuron(core|device)?`, `huawei\.com/Ascend.*`,
	}, "|")
	return []DeviceClass{
		{Kind: MIGProfile, Resource: must(`nvidia\.com/mig-(.+)`)},
		{Kind: DeviceShare, Resource: must(`.+/gpu\.shared`), Replicas: "nvidia.com/gpu.replicas"},
		{
			Kind: DeviceShare, Resource: must(`nvidia\.com/gpu`), Replicas: "nvidia.com/gpu.replicas",
			Labels: map[string]Pattern{"nvidia.com/gpu.replicas": must(`0*([2-9]|[1-9][0-9]+)`)},
		},
		{
			Kind: MIGProfile, Resource: must(`nvidia\.com/gpu`), Profile: "nvidia.com/gpu.product",
			Labels: map[string]Pattern{"nvidia.com/mig.strategy": must(`single`), "nvidia.com/gpu.product": must(`.*-MIG-(.+)`)},
		},
		{Kind: WholeDevice, Resource: must(whole)},
	}
}
