package align

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// mask stands for what varies in a text.
const mask = "<*>"

// Bounds of what is compared of a text: words between blanks, to tell whether
// two texts are one, and words of letters, to tell how alike they are.
const (
	maxTokens = 200
	maxWords  = 40
)

// tokens returns the words of a text between blanks. A word that varies, or
// has a digit, is a mask.
func tokens(text string) []string {
	out := strings.Fields(text)
	if len(out) > maxTokens {
		out = out[:maxTokens]
	}
	for i, t := range out {
		if strings.Contains(t, mask) || strings.ContainsAny(t, "0123456789") {
			out[i] = mask
		}
	}
	return out
}

// alike returns the kind among list whose text is a pattern of the same texts.
func alike(list []*Kind, words []string) *Kind {
	for _, k := range list {
		if sameTokens(k.tokens, words) {
			return k
		}
	}
	return nil
}

// sameTokens reports whether two texts are equal, or one is a pattern that the
// other fits. A pattern of masks alone fits only itself.
func sameTokens(a, b []string) bool {
	return slices.Equal(a, b) || fits(a, b) || fits(b, a)
}

// fits reports whether words fit a pattern, whose masks stand for one word or
// more.
func fits(pattern, words []string) bool {
	fixed := 0
	for _, p := range pattern {
		if p != mask {
			fixed++
		}
	}
	if fixed == len(pattern) || fixed < 2 || 2*fixed < len(pattern) {
		return false
	}
	// The usual match of a pattern with stars: after a mismatch the last mask
	// takes one word more.
	p, w, star, from := 0, 0, -1, 0
	for w < len(words) {
		switch {
		case p < len(pattern) && pattern[p] == mask:
			star, from = p, w+1
			p, w = p+1, w+1
		case p < len(pattern) && pattern[p] == words[w]:
			p, w = p+1, w+1
		case star >= 0:
			from++
			p, w = star+1, from
		default:
			return false
		}
	}
	return p == len(pattern)
}

// wordsOf returns the words of a text in lower case, without plural endings,
// masks and words with digits.
func wordsOf(text string) []string {
	var out []string
	text = strings.ReplaceAll(text, mask, " ")
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		w = strings.Trim(strings.ToLower(w), "'")
		if w == "" || strings.ContainsAny(w, "0123456789") {
			continue
		}
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		out = append(out, w)
		if len(out) == maxWords {
			break
		}
	}
	return out
}

// little are words that say little of what a message is about.
var little = map[string]bool{
	"a": true, "an": true, "and": true, "as": true, "at": true, "be": true, "by": true, "for": true, "from": true,
	"has": true, "in": true, "is": true, "it": true, "of": true, "on": true, "or": true, "that": true, "the": true,
	"thi": true, "to": true, "wa": true, "was": true, "were": true, "with": true, "are": true,
}

// opposites are words that turn what a message says into its contrary.
var opposites = [][2]string{
	{"start", "stop"}, {"started", "stopped"}, {"starting", "stopping"}, {"start", "end"}, {"starting", "ending"},
	{"started", "ended"}, {"started", "finished"}, {"starting", "finished"}, {"succeeded", "failed"},
	{"successfully", "failed"}, {"success", "failure"}, {"succes", "failure"}, {"success", "error"}, {"created", "deleted"}, {"create", "delete"},
	{"creating", "deleting"}, {"added", "removed"}, {"add", "remove"}, {"adding", "removing"}, {"enabled", "disabled"},
	{"connected", "disconnected"}, {"connected", "lost"}, {"up", "down"}, {"open", "closed"}, {"opened", "closed"},
	{"opening", "closing"}, {"accepted", "rejected"}, {"admitted", "rejected"}, {"admitted", "evicted"}, {"allowed", "denied"}, {"active", "inactive"},
	{"valid", "invalid"}, {"healthy", "unhealthy"}, {"ready", "unready"}, {"suspended", "unsuspended"}, {"suspending", "unsuspending"},
	{"suspended", "resumed"}, {"suspending", "resuming"}, {"locked", "unlocked"}, {"acquired", "released"}, {"acquiring", "releasing"},
	{"increased", "decreased"}, {"increasing", "decreasing"}, {"before", "after"}, {"bound", "unbound"}, {"attached", "detached"},
	{"mounted", "unmounted"}, {"registered", "unregistered"}, {"scheduled", "unscheduled"}, {"joined", "left"}, {"begin", "end"},
	{"paused", "resumed"}, {"pausing", "resuming"}, {"update", "delete"}, {"update", "create"}, {"updated", "deleted"}, {"updated", "created"},
}

// opposed reports whether what differs between two texts turns one into the
// contrary of the other: an opposite word, or a "not" in one of them.
func opposed(a, b []string) bool {
	onlyA, onlyB := without(a, b), without(b, a)
	negative := func(w string) bool { return w == "not" || w == "no" || w == "never" || w == "cannot" || w == "without" }
	if slices.ContainsFunc(onlyA, negative) != slices.ContainsFunc(onlyB, negative) {
		return true
	}
	for _, pair := range opposites {
		if slices.Contains(onlyA, pair[0]) && slices.Contains(onlyB, pair[1]) ||
			slices.Contains(onlyA, pair[1]) && slices.Contains(onlyB, pair[0]) {
			return true
		}
	}
	for _, w := range onlyA {
		if slices.ContainsFunc(onlyB, func(v string) bool { return negated(w, v) || negated(v, w) }) {
			return true
		}
	}
	return false
}

// negated reports whether long is short with a prefix that negates it.
func negated(short, long string) bool {
	if len(short) < 4 {
		return false
	}
	rest, ok := strings.CutSuffix(long, short)
	return ok && (rest == "un" || rest == "in" || rest == "dis" || rest == "non" || rest == "im" || rest == "de")
}

func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}

// maxLineValues bounds the values that are taken from one line.
const maxLineValues = 100

// valuesOf returns the telling values of the JSON object in a line, ordered.
func valuesOf(line string) []string {
	var out []string
	i := strings.IndexByte(line, '{')
	if i < 0 || !gjson.Valid(line[i:]) {
		return nil
	}
	var walk func(v gjson.Result, depth int)
	walk = func(v gjson.Result, depth int) {
		v.ForEach(func(_, field gjson.Result) bool {
			switch {
			case field.IsObject() && depth < 4:
				walk(field, depth+1)
			case field.Type == gjson.String && telling(field.Str) && len(field.Str) < 256:
				out = append(out, field.Str)
			}
			return len(out) < maxLineValues
		})
	}
	walk(gjson.Parse(line[i:]), 0)
	slices.Sort(out)
	return slices.Compact(out)
}

// Holds reports whether a line is one of the kind's, by the sentence in its
// field; of a kind without a field nothing tells.
func (k *Kind) Holds(line string) bool {
	i := strings.IndexByte(line, '{')
	if k.Field == "" || i < 0 || !gjson.Valid(line[i:]) {
		return false
	}
	text := gjson.Get(line[i:], gjson.Escape(k.Field))
	if !text.Exists() {
		text = gjson.Get(line[i:], k.Field)
	}
	first, _, _ := strings.Cut(text.String(), "\n")
	return sameTokens(k.tokens, tokens(first))
}
