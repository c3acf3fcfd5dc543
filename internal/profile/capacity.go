package profile

import (
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
	Kind  string  `yaml:"kind"`  // GROUP/KIND
	Path  string  `yaml:"path"`  // gjson, to a number
	Class string  `yaml:"class"` // of the devices
	Units Decimal `yaml:"units"` // in place of Path: each object asks for so many
}

// A Rate is what a device costs.
type Rate struct {
	Class      string  `yaml:"class"` // empty: any that has none of its own
	DeviceHour Decimal `yaml:"deviceHour"`
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
		rated[r.Class] = true
	}
}

// RateOf returns what a device of a class costs an hour; nil: not declared.
func (c *Capacity) RateOf(class string) *big.Rat {
	if c == nil {
		return nil
	}
	var any *big.Rat
	for _, r := range c.Rates {
		switch r.Class {
		case class:
			return r.DeviceHour.Rat()
		case "":
			any = r.DeviceHour.Rat()
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
