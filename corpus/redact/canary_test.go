package redact

import (
	"testing"
)

func everything() *Policy {
	p := DefaultPolicy()
	p.IPv4, p.IPv6 = true, true
	p.Keys = []string{"pincode"}
	p.Fields = []string{"customer", "spec.owner.name", "spec.*.phone"}
	p.Patterns = []Pattern{{Name: "ticket", Match: `TCK-[0-9]{4,}`}, {Name: "account", Match: `acct (?P<secret>[A-Z]{2}[0-9]+)`}}
	return p
}

func testKey() *Key { return newKey([]byte("a key of tests alone")) }

// All planted secrets are looked at, not only up to the first that survives.
func TestCanaries(t *testing.T) {
	r, err := compile(everything(), testKey())
	if err != nil {
		t.Fatal(err)
	}
	c := r.cleaner()
	n := 0
	for _, x := range r.canaries() {
		for i, e := range encodings {
			if x.alone && i > 1 {
				break
			}
			n++
			if err := c.plant(&x, e.name, e.wrap(x.text)); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%d planted", n)
	if err := r.testPEM(); err != nil {
		t.Error(err)
	}
	if err := r.testPaths(); err != nil {
		t.Error(err)
	}
}
