package panics

import (
	"regexp"
	"strings"
)

// runtimeText fits what the runtime itself says of a panic, wherever it
// stands: what others write before or after it is not part of the kind.
var runtimeText = regexp.MustCompile(`\bruntime error: (?:` +
	`(?:index|slice bounds) out of range(?: \[[^\]]*\])?(?: with (?:length|capacity) -?\d+)?` +
	`|invalid memory address or nil pointer dereference|integer divide by zero|integer overflow|floating point error` +
	`|hash of unhashable type .+|comparing uncomparable type .+|negative shift amount` +
	`|make(?:slice|chan|map): \w+ out of range|growslice: len out of range` +
	`|unsafe\.\w+: [\w ]+` +
	`|cannot convert slice with length \d+ to .* with length \d+)` +
	`|assignment to entry in nil map|close of (?:nil|closed) channel|send on closed channel` +
	`|all goroutines are asleep - deadlock!|concurrent map (?:read and map write|iteration and map write|writes)` +
	`|sync: negative WaitGroup counter|sync: (?:R|W)?[uU]nlock of unlocked \w+` +
	`|interface conversion: .+`)

// thrown fits what the runtime says when it gives up; what it says more of is
// in the dump that follows.
var thrown = regexp.MustCompile(`^fatal error: (?:all goroutines are asleep|no goroutines \(main called|concurrent map |sync: ` +
	`|stack overflow$|unexpected signal |fault$|runtime: |out of memory$|signal SIG)`)

// marker fits what the runtime adds to the value of a panic on the way.
var marker = regexp.MustCompile(`(?: \[(?:recovered|repanicked|recovered, repanicked)\])+$`)

// wrapper fits words that recoverers put before the value.
var wrapper = regexp.MustCompile(`(?i)^(?:.*[^\w-])?(?:panic(?:ked)?|recovered)\b[^:"]{0,40}: +`)

// goValue fits a value in Go syntax followed by its text in brackets.
var goValue = regexp.MustCompile(`^(?:".*"|[&*\w.\[\]]*\{.*\}|[\w.*&]+\(.*\)) \((.*)\)$`)

// namedValue fits how the runtime prints a number or a text that has a type of
// its own; others print what is in the brackets.
var namedValue = regexp.MustCompile(`^\w[\w./-]*\.\w+\((".*"|[-+]?\d[\w.+-]*)\)$`)

// valueOf returns the value of a panic in the first line of text: without
// markers, without the words of whoever recovered it.
func valueOf(text string) string {
	text = strings.TrimSpace(text)
	text, _, _ = strings.Cut(text, "\n")
	text = marker.ReplaceAllString(strings.TrimSpace(text), "")
	if loc := runtimeText.FindStringIndex(text); loc != nil {
		return bound(strings.TrimSuffix(text[loc[0]:loc[1]], ")"), maxValue)
	}
	text = wrapper.ReplaceAllString(text, "")
	if m := goValue.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	if m := namedValue.FindStringSubmatch(text); m != nil {
		text = m[1]
		if text[0] == '"' {
			text, _ = quoted(text, 0)
			text = firstLine(text)
		}
	}
	return bound(strings.TrimSpace(text), maxValue)
}

// runtimeSays reports whether text ends with a value that only the runtime
// gives, and that its words prove: a text that goes on speaks about it.
func runtimeSays(text string) bool {
	text = marker.ReplaceAllString(text, "")
	loc := runtimeText.FindStringIndex(text)
	if loc == nil || strings.TrimRight(text[loc[1]:], " .)]}\"'\\") != "" {
		return false
	}
	said, before := text[loc[0]:loc[1]], strings.TrimRight(text[:loc[0]], "\"'(\\")
	if before != "" && !strings.HasSuffix(before, ": ") && !strings.HasSuffix(before, "=") && !strings.HasSuffix(before, " ") {
		return false
	}
	return !strings.HasPrefix(said, "interface conversion") && !strings.HasPrefix(said, "concurrent map")
}

// varying fits what differs from one occurrence to the next: quoted texts,
// addresses, and words with a digit.
var varying = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|`[^`]*`" + `|\[[^\]\[]*\d[^\]\[]*\]|[\w./:@+-]*\d[\w./:@+-]*`)

// typeName fits names of types that have a digit.
var typeName = regexp.MustCompile(`^(?:u?int(?:8|16|32|64)|float(?:32|64)|complex(?:64|128)|[\w./-]*\bv\d+(?:(?:alpha|beta)\d+)?\.[A-Z]\w*)$`)

// kindOf masks what varies in a value.
func kindOf(value string) string {
	s := varying.ReplaceAllStringFunc(value, func(w string) string {
		trimmed := strings.TrimRight(w, ".,:")
		if typeName.MatchString(trimmed) {
			return w
		}
		if w[0] == '[' {
			return "[<*>]"
		}
		return "<*>" + w[len(trimmed):]
	})
	return bound(strings.Join(strings.Fields(s), " "), maxKind)
}

// bound returns s as valid UTF-8 of at most n bytes, in memory of its own.
func bound(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n+4)], "\uFFFD")
	if len(s) <= n {
		return strings.Clone(s)
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return strings.Clone(s[:n])
}
