package analyzer

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// fingerprint identifies a finding from one review to the next: no path, line
// number, build version, count or time enters it.
func fingerprint(f *Finding) string {
	parts := []string{f.ID, f.Scenario, "", "", "", f.Subject}
	if f.Rule != nil {
		parts[2], parts[3], parts[4] = f.Rule.Kind.String(), f.Rule.Group, f.Rule.Name
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
