package analyzer

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/profile"
)

// secretForms are texts that must not leave with an alert. What the first
// group holds is the secret, else all that fits.
var secretForms = []struct{ name, form string }{
	{"bearer token", `(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}=*)`},
	{"basic authorization", `(?i)\bauthorization["']?\s*[:=]\s*["']?basic\s+([A-Za-z0-9+/]{8,}=*)`},
	{"JSON Web Token", `\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`},
	{"AWS access key", `\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`},
	{"AWS secret key", `(?i)aws_?secret_?access_?key["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})`},
	{"Google API key", `\bAIza[0-9A-Za-z_-]{35}`},
	{"Google OAuth token", `\bya29\.[0-9A-Za-z_-]{20,}`},
	{"GitHub token", `\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})`},
	{"Slack token", `\bxox[abeprs]-[A-Za-z0-9-]{10,}`},
	{"private key", `-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?s:.*?-----END (?:[A-Z]+ )*PRIVATE KEY-----|.*)`},
	{"password in a URL", `\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"']*:([^\s/@"']+)@`},
	{"GitLab token", `\bglpat-[A-Za-z0-9_-]{20,}`},
	{"Hugging Face token", `\bhf_[A-Za-z0-9]{30,}`},
	{"npm token", `\bnpm_[A-Za-z0-9]{36}\b`},
	{"Stripe key", `\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`},
	{"Azure storage key", `(?i)\baccountkey=([A-Za-z0-9+/]{40,}=*)`},
	{"password", secretKey + `(?:\\?["'])?\s*[:=]\s*\\?["']([^"'\\]{6,})`},
	{"password", secretKey + `=` + secretValue},
	// After a colon a sentence may go on, so that a word is no value there.
	{"password", secretKey + `:\s?["']?([^\s"',;&<>{}]{3,}[0-9!@#$%^*+][^\s"',;&<>{}]*)`},
	{"password", `(?i)--[\w-]*(?:password|passwd|token|api-key)[ =]["']?` + secretValue},
}

// secretKey fits the names of what is secret, at the end of a name, and
// secretValue what stands behind one. The name of a Secret and a token that tells where a
// list goes on are none.
const (
	secretKey   = `(?i)(?:password|passwd|passphrase|\bpwd|client[._-]?secret|api[._-]?key|access[._-]?token|auth[._-]?token)`
	secretValue = `([^\s"',;&<>{}]{6,})`
)

// placeholder reports whether a text that stands where a secret would is none:
// somebody masked it, or it says what is with the secret.
func placeholder(s string) bool {
	s = strings.ToLower(s)
	for _, p := range []string{"(masked", "[redacted", "%!", "${", "$(", "/"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	s = strings.Trim(s, "*.-_[]()%$#x")
	switch s {
	case "", "redacted", "masked", "hidden", "removed", "filtered", "undefined", "required", "incorrect", "invalid", "missing",
		"expired", "changed", "disabled", "enabled", "unknown", "rejected", "accepted", "password", "secret":
		return true
	}
	return false
}

// joinedWords reports whether a text is words of small letters that are joined.
func joinedWords(s string) bool {
	return strings.ContainsAny(s, "-_/.") && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-_/.") == ""
}

// emailForm is the address of a person. It is asked for only where that was
// declared sensitive.
const emailForm = `\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b`

// A secretFinder finds texts that must not leave with an alert.
type secretFinder struct {
	forms []profile.Sensitive
	seen  map[string][]secret // by text that was looked at
}

// A secret is a part of a text, with the name of its form.
type secret struct{ form, text string }

// newSecretFinder adds what was declared to what is built in.
func newSecretFinder(n *profile.Notifications) *secretFinder {
	f := &secretFinder{seen: map[string][]secret{}}
	add := func(name, form string) {
		match, err := profile.NewFound(form)
		if err != nil {
			panic(err) // the table above is wrong
		}
		f.forms = append(f.forms, profile.Sensitive{Name: name, Match: match})
	}
	for _, s := range secretForms {
		add(s.name, s.form)
	}
	if n == nil {
		return f
	}
	if n.Emails {
		add("e-mail address", emailForm)
	}
	f.forms = append(f.forms, n.Sensitive...)
	return f
}

// maxSecretText bounds the bytes of a text that are looked at, and
// maxSecretTexts how many different texts are remembered.
const (
	maxSecretText  = 64 << 10
	maxSecretTexts = 100_000
)

// in returns the secrets of a text, each form in the order of the table.
func (f *secretFinder) in(text string) []secret {
	if len(text) < 6 {
		return nil
	}
	if found, ok := f.seen[text]; ok {
		return found
	}
	var out []secret
	for i, form := range f.forms {
		for _, part := range form.Match.All(text[:min(len(text), maxSecretText)]) {
			s := secret{form.Name, part}
			if i < len(secretForms) && (placeholder(part) || s.form == "bearer token" && joinedWords(part)) || slices.Contains(out, s) {
				continue
			}
			out = append(out, s)
		}
	}
	if len(f.seen) < maxSecretTexts {
		f.seen[text] = out
	}
	return out
}
