package redact

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/strictyaml"
)

// A Policy says what is taken out. What is secret by its form, such as private
// keys, tokens and keys of cloud providers, always is.
type Policy struct {
	// Name stands in run.json.
	Name string
	// SecretKeys takes the values of keys that are named as those of secrets
	// are: password, token, clientSecret and so on.
	SecretKeys bool
	// Keys are further names of keys with secrets, whatever their case.
	Keys []string
	// KeepKeys are names of keys whose values stay though the names are those
	// of secrets.
	KeepKeys []string
	// Fields are replaced as a whole, secret or not: names, found anywhere, or
	// paths from the top of a value of JSON, joined by dots; a star is any one
	// name.
	Fields []string
	Emails bool
	IPv4   bool
	IPv6   bool
	// KeepAddresses are addresses, or prefixes such as 127.0.0.0/8, that stay.
	KeepAddresses []string
	// Patterns find more: the match is replaced, or its group named secret.
	Patterns []Pattern
}

// A Pattern is a regular expression, in RE2's syntax.
type Pattern struct {
	Name  string
	Match string
}

// DefaultPolicy takes what is secret by its form or its key, and emails. IP
// addresses stay.
func DefaultPolicy() *Policy {
	return &Policy{
		Name: "default", SecretKeys: true, Emails: true,
		KeepAddresses: []string{"127.0.0.0/8", "0.0.0.0", "255.255.255.255", "::1", "::"},
	}
}

// policyFile is a policy as it is written. What it does not name is as in
// [DefaultPolicy].
type policyFile struct {
	Version       int           `yaml:"version"`
	Name          string        `yaml:"name"`
	SecretKeys    *bool         `yaml:"secretKeys"`
	Keys          []keyName     `yaml:"keys"`
	KeepKeys      []keyName     `yaml:"keepKeys"`
	Fields        []fieldPath   `yaml:"fields"`
	Emails        *bool         `yaml:"emails"`
	Addresses     *addresses    `yaml:"addresses"`
	KeepAddresses []prefix      `yaml:"keepAddresses"`
	Patterns      []patternFile `yaml:"patterns"`
}

type patternFile struct {
	Name  patternName `yaml:"name"`
	Match expression  `yaml:"match"`
}

// ParsePolicy reads a policy file. Errors name the file, line and column.
func ParsePolicy(file string, text []byte) (*Policy, error) {
	var f policyFile
	if err := strictyaml.Decode(file, text, &f); err != nil {
		return nil, err
	}
	if f.Version != 1 {
		return nil, fmt.Errorf("%s: version is %d; write version: 1", file, f.Version)
	}
	p := DefaultPolicy()
	p.Name = file[strings.LastIndexAny(file, `/\`)+1:]
	if f.Name != "" {
		p.Name = f.Name
	}
	if f.SecretKeys != nil {
		p.SecretKeys = *f.SecretKeys
	}
	if f.Emails != nil {
		p.Emails = *f.Emails
	}
	if f.Addresses != nil {
		p.IPv4, p.IPv6 = f.Addresses.v4, f.Addresses.v6
	}
	if f.KeepAddresses != nil {
		p.KeepAddresses = texts(f.KeepAddresses)
	}
	p.Keys, p.KeepKeys, p.Fields = texts(f.Keys), texts(f.KeepKeys), texts(f.Fields)
	seen := map[patternName]bool{}
	for i, x := range f.Patterns {
		switch {
		case x.Name == "" || x.Match == "":
			return nil, fmt.Errorf("%s: patterns[%d]: write name: NAME and match: EXPRESSION", file, i)
		case seen[x.Name]:
			return nil, fmt.Errorf("%s: patterns[%d]: the name %q is taken; give another", file, i, x.Name)
		}
		seen[x.Name] = true
		p.Patterns = append(p.Patterns, Pattern{string(x.Name), string(x.Match)})
	}
	return p, nil
}

func texts[T ~string](list []T) []string {
	var out []string
	for _, x := range list {
		out = append(out, string(x))
	}
	return out
}

// The types below check a value where it stands in the file.
type (
	keyName     string
	fieldPath   string
	prefix      string
	patternName string
	expression  string
	addresses   struct{ v4, v6 bool }
)

// UnmarshalYAML takes a name of three letters or more, without a dot.
func (k *keyName) UnmarshalYAML(n *yaml.Node) error {
	return checked(n, (*string)(k), func(s string) error {
		if len(s) < 3 || !allOf([]byte(s), isKeyByte) {
			return errors.New("want the name of a key: three or more letters, digits, _, - and dots")
		}
		return nil
	})
}

// UnmarshalYAML takes a name, or names joined by dots.
func (f *fieldPath) UnmarshalYAML(n *yaml.Node) error {
	return checked(n, (*string)(f), func(s string) error {
		for name := range strings.SplitSeq(s, ".") {
			if name == "" {
				return errors.New("want the name of a field, or a path of names joined by dots; * is any one name")
			}
		}
		if strings.HasSuffix(s, "*") && !strings.Contains(s, ".") {
			return errors.New("* alone would replace everything; name a path")
		}
		return nil
	})
}

// UnmarshalYAML takes an address or a prefix.
func (p *prefix) UnmarshalYAML(n *yaml.Node) error {
	return checked(n, (*string)(p), func(s string) error {
		if _, err := netip.ParseAddr(s); err == nil {
			return nil
		}
		_, err := netip.ParsePrefix(s)
		if err != nil {
			return errors.New("want an address such as 10.0.0.1, or a prefix such as 10.0.0.0/8")
		}
		return nil
	})
}

// UnmarshalYAML takes letters, digits, _ and -.
func (p *patternName) UnmarshalYAML(n *yaml.Node) error {
	return checked(n, (*string)(p), func(s string) error {
		if s == "" || len(s) > 64 || !allOf([]byte(s), func(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }) {
			return errors.New("want a name of letters, digits, _ and -")
		}
		return nil
	})
}

// UnmarshalYAML takes a regular expression that does not match the empty text.
func (e *expression) UnmarshalYAML(n *yaml.Node) error {
	return checked(n, (*string)(e), func(s string) error {
		re, err := regexp.Compile(s)
		switch {
		case err != nil:
			return err
		case re.MatchString(""):
			return errors.New("the expression matches the empty text; say what it must find")
		}
		return nil
	})
}

// UnmarshalYAML takes true, false, v4 or v6.
func (a *addresses) UnmarshalYAML(n *yaml.Node) error {
	var s string
	return checked(n, &s, func(s string) error {
		switch s {
		case "true", "all":
			a.v4, a.v6 = true, true
		case "false", "none":
		case "v4":
			a.v4 = true
		case "v6":
			a.v6 = true
		default:
			return errors.New("want v4, v6, all or none")
		}
		return nil
	})
}

func checked(n *yaml.Node, s *string, check func(string) error) error {
	if n.Kind != yaml.ScalarNode {
		return errors.New("want a text")
	}
	*s = n.Value
	return check(n.Value)
}
