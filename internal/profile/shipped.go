package profile

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/stillfires/stillfires/internal/suggest"
)

//go:embed profiles/*.yaml
var shipped embed.FS

// Shipped returns the profiles that come with the program, ordered by name.
func Shipped() ([]*Profile, error) {
	entries, err := shipped.ReadDir("profiles")
	if err != nil {
		return nil, err
	}
	var out []*Profile
	for _, e := range entries {
		file := path.Join("profiles", e.Name())
		text, err := shipped.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p, err := Parse(file, text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// Load returns the profile that a user named: one that is shipped by its
// name, or the file at a path. A path has a separator or ends in .yaml or
// .yml.
func Load(name string) (*Profile, error) {
	if IsPath(name) {
		return read(name)
	}
	all, err := Shipped()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	hint := suggest.Hint(name, names)
	if hint == "" {
		hint = "shipped are " + strings.Join(names, ", ")
	}
	return nil, fmt.Errorf("there is no profile %q; %s; write none for none, or the path of a file that ends in .yaml", name, hint)
}

// IsPath reports whether a user named a file, not a profile that is shipped.
func IsPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

func read(name string) (*Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	p, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	p.Path = name
	return p, nil
}
