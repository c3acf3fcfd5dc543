package corpus

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the longest name of a build, scenario or stream, in bytes: file
// systems take 255, and a suffix has to fit.
const maxName = 200

// checkName reports what keeps name from naming a directory or file of a
// corpus on every system. The kind ("build") begins the message.
func checkName(kind, name string) error {
	fault := ""
	switch {
	case name == "":
		fault = "is empty"
	case len(name) > maxName:
		fault = fmt.Sprintf("is longer than %d bytes", maxName)
	case !utf8.ValidString(name):
		fault = "is not valid UTF-8"
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "-"):
		fault = "begins with '.' or '-'"
	case strings.TrimSpace(name) != name || strings.HasSuffix(name, "."):
		fault = "begins or ends with a space, or ends with '.'"
	default:
		for _, r := range name {
			if strings.ContainsRune(`/\:*?"<>|`, r) || !unicode.IsPrint(r) {
				fault = fmt.Sprintf("holds %q", r)
				break
			}
		}
	}
	if fault == "" {
		return nil
	}
	return fmt.Errorf("%s name %q %s", kind, name, fault)
}

// safeName turns text into a valid stream name: every run of other bytes than
// letters, digits, '.', '_' and '-' becomes one '-'.
func safeName(text string) string {
	var b strings.Builder
	dash := false
	for i := 0; i < len(text) && b.Len() < 100; i++ {
		c := text[i]
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
		if !ok {
			dash = true
			continue
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		b.WriteByte(c)
	}
	name := strings.Trim(b.String(), ".-")
	if name == "" {
		return "stream"
	}
	return name
}

// checkPath reports whether name is a slash-separated path that stays below
// the directory it is relative to, written in its only form.
func checkPath(name string) error {
	if name == "" || strings.ContainsAny(name, "\\:\x00") || path.IsAbs(name) || path.Clean(name) != name || name == "." || name == ".." || strings.HasPrefix(name, "../") {
		return fmt.Errorf("path %q does not stay inside the run's directory", name)
	}
	return nil
}
