package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// DigestPrefix begins every digest.
const DigestPrefix = "sha256:"

// Digest returns one checksum of all that the corpus says: the SHA-256, as
// "sha256:" and 64 hex digits, of
//
//	stillfires/corpus 1
//	<build>/<scenario>/<n> <checksum of its run.json, hex>
//
// with a line for each run, ordered by bytes. A run.json holds the checksums of
// the files of its run, so what any file holds is in it. Where the corpus lies,
// whether it is packed, file times, the order in which runs were added and the
// program that made it are not.
func (c *Corpus) Digest() string {
	lines := make([]string, len(c.runs))
	for i, r := range c.runs {
		lines[i] = r.String() + " " + r.checksum
	}
	slices.Sort(lines)
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %d\n", corpusFormat, Version)
	for _, line := range lines {
		fmt.Fprintln(sum, line)
	}
	return DigestPrefix + hex.EncodeToString(sum.Sum(nil))
}

// Checksum returns the checksum of the run's run.json, as "sha256:" and 64 hex
// digits.
func (r *Run) Checksum() string { return DigestPrefix + r.checksum }

// IsDigest reports whether s has the form of a digest.
func IsDigest(s string) bool {
	hexed, ok := strings.CutPrefix(s, DigestPrefix)
	return ok && isSHA256(hexed)
}
