package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A canary is a planted secret and a text that holds it, as programs write it.
type canary struct {
	what   string // kind and form
	secret string // must not survive
	text   string
	alone  bool // the text is a record or a value by itself
	value  string
}

// A SelfTestError says which planted secret survived.
type SelfTestError struct {
	What     string // kind and form
	Encoding string
	Fault    string
}

// Error says what survived and that nothing was written.
func (e *SelfTestError) Error() string {
	return fmt.Sprintf("self-test: a planted %s, %s: %s; nothing was written", e.What, e.Encoding, e.Fault)
}

// pw is what stands for a secret without a form of its own.
const pw = "cAnary7Zq0vX"

// keyForms are the ways in which a key and its value are written: %k and %v.
var keyForms = []struct{ what, text string }{
	{"key=value", `user=x %k=%v next=1`},
	{"key=value at the end", `login %k=%v`},
	{"key: value", `login %k: %v`},
	{"key=\"value\"", `x=1 %k="%v" y=2`},
	{"JSON", `{"id":1,"%k":"%v","on":true}`},
	{"JSON with spaces", `got { "%k" : "%v" }, so`},
	{"list of JSON", `{"%k":["%v","%v"]}`},
	{"YAML", "apiVersion: v1\nspec:\n  %k: %v\n  size: 3\n"},
	{"YAML with quotes", "spec:\n- %k: '%v'\n  size: 3\n"},
	{"YAML block", "spec:\n  %k: |\n    %v\n  size: 3\n"},
	{"YAML in braces", `spec: {%k: %v, size: 3}`},
	{"environment of a pod", `{"env":[{"name":"%k","value":"%v"}]}`},
	{"struct of Go", `opened {Name:x %k:%v Size:3}`},
	{"flag", `run --%k=%v --size 3`},
	{"flag and value", `run --%k %v --size 3`},
	{"list of flags", `{"args":["--%k","%v","--size"]}`},
	{"query of a URL", `GET https://api.example/v1?size=3&%k=%v&x=1 200`},
	{"XML", `<spec><%k>%v</%k></spec>`},
	{"connection string", `Server=db;%k=%v;Size=3`},
	{"cut JSON", `{"id":1,"%k":"%v","on":tr`},
	{"list of flags that was cut", `{"args":["--%k","%v","--si`},
	{"environment of a pod that was cut", `{"env":[{"name":"%k","value":"%v"},{"na`},
	{"cut JSON in JSON", `x":1,\"%k\":\"%v\",\"on\":tr`},
}

func planted(form, key, value string) string {
	return strings.NewReplacer("%k", key, "%v", value).Replace(form)
}

// canaries are the planted secrets of the policy.
func (r *Redactor) canaries() []canary {
	var out []canary
	add := func(what, secret, format string) {
		out = append(out, canary{what: what, secret: secret, text: strings.ReplaceAll(format, "%s", secret), value: secret})
	}
	c := r.cleaner()
	keys := append([]string{"password", "clientSecret", "DB_PASSWORD", "api-key", "access_token", "private_key"}, r.policy.Keys...)
	for _, f := range r.policy.Fields {
		if !strings.Contains(f, ".") {
			keys = append(keys, f)
		}
	}
	for _, k := range keys {
		if class := c.classOf([]byte(k)); class != secretKey && class != chosenKey {
			continue // the policy keeps it
		}
		for _, f := range keyForms {
			out = append(out, canary{what: "value of " + k + " as " + f.what, secret: pw, text: planted(f.text, k, pw), value: pw})
		}
	}
	add("password in a URL", pw, "dial postgres://app:%s@db.example:5432/x?size=1 failed")
	add("token in a URL", pw, "clone https://%s@example.com/a.git")
	add("bearer token", pw, "curl -H 'Authorization: Bearer %s' -v")
	add("bearer token", pw, "headers map[Accept:[text] Authorization:[Bearer %s]]")
	add("header", pw, `{"headers":{"Authorization":["Bearer %s"]}}`)
	add("basic auth", base64.StdEncoding.EncodeToString([]byte("app:"+pw)), "sent Basic %s to it")
	add("JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlc2ln", "sent %s to it")
	for _, f := range cloudForms {
		add("cloud key "+f.prefix, f.prefix+sample(f.alphabet, f.min), "with %s it works")
	}
	add("cloud key of Azure", "abc8Q~"+sample(isBase64URL, 32), "with %s it works")
	out = append(out, r.addressCanaries()...)
	out = append(out, secretObjects()...)
	out = append(out, pemCanaries()...)
	out = append(out, r.patternCanaries()...)
	return out
}

// sample returns n bytes of an alphabet, letters and digits.
func sample(alphabet func(byte) bool, n int) string {
	var b []byte
	for i := 0; len(b) < n; i++ {
		if ch := "7aQ2fB9cZ0dX4eK"[i%15]; alphabet(ch) {
			b = append(b, ch)
		}
	}
	return string(b)
}

func (r *Redactor) addressCanaries() []canary {
	var out []canary
	add := func(what, secret, format string) {
		out = append(out, canary{what: what, secret: secret, text: strings.ReplaceAll(format, "%s", secret), value: secret})
	}
	if r.policy.Emails {
		add("email", "canary.bird@mail.example", "mail to %s, cc <%s>")
		add("email", "canary.bird@mail.example", `{"owner":"%s"}`)
	}
	for _, a := range []struct {
		on     bool
		what   string
		secret string
	}{{r.policy.IPv4, "IPv4 address", "203.0.113.77"}, {r.policy.IPv6, "IPv6 address", "2001:db8:77::9"}} {
		if addr, err := parsePrefix(a.secret); !a.on || err != nil || r.keeps(addr.Addr()) {
			continue
		}
		add(a.what, a.secret, "from %s to (%s), %s/24")
		add(a.what, a.secret, `{"ip":"%s","ips":["%s"]}`)
		add(a.what, a.secret, "dial https://[%s]:443/x")
	}
	return out
}

func secretObjects() []canary {
	const data = "Y0FuYXJ5N1pxMHZY"
	var out []canary
	for _, f := range []struct{ what, text string }{
		{"JSON", `{"apiVersion":"v1","data":{"a":"%s"},"kind":"Secret","metadata":{"name":"x"}}`},
		{"JSON with stringData", `{"kind":"Secret","stringData":{"a":"%s","b":"%s"}}`},
		{"YAML", "apiVersion: v1\ndata:\n  a: %s\n  b: \"%s\"\nkind: Secret\nmetadata:\n  name: x\n"},
		{"YAML with a block", "kind: Secret\nstringData:\n  a: |\n    %s\nmetadata:\n  name: x\n"},
		{"cut JSON", `{"data":{"a":"%s"},"kind":"Secret","metadata":{"na`},
	} {
		out = append(out, canary{what: "data of a Secret as " + f.what, secret: data, text: strings.ReplaceAll(f.text, "%s", data), value: data})
	}
	return out
}

func pemText(newline string) string {
	return strings.Join([]string{"-----BEGIN RSA PRIVATE KEY-----", pemLine, "Y2FuYXJ5", "-----END RSA PRIVATE KEY-----"}, newline)
}

const pemLine = "MIIEcAnaryBAAKCAQEA7bq2f9c0dX4eK7aQ2fB9cZ0dX4eK7aQ2fB9cZ0dX4eKcA"

func pemCanaries() []canary {
	return []canary{
		{what: "private key in one record", secret: pemLine, text: "key:\n" + pemText("\n") + "\n", value: pemLine},
		{what: "end of a private key", secret: "Y2FuYXJ5", text: pemText("\n"), value: "Y2FuYXJ5"},
		{what: "private key in base64", secret: base64.StdEncoding.EncodeToString([]byte(pemText("\n"))), text: "key-file " + base64.StdEncoding.EncodeToString([]byte(pemText("\n"))), value: base64.StdEncoding.EncodeToString([]byte(pemText("\n")))},
	}
}

// encodings are the ways in which a text gets into a record.
var encodings = []struct {
	name string
	wrap func(text string) string
}{
	{"as it is", func(s string) string { return s }},
	{"in JSON", func(s string) string { return `{"level":"info","ts":1.5,"msg":` + jsonText(s) + `,"n":1}` }},
	{"in JSON in JSON", func(s string) string { return `{"msg":` + jsonText(`{"inner":`+jsonText(s)+`}`) + `}` }},
	{"in JSON in JSON in JSON", func(s string) string {
		return `{"msg":` + jsonText(`{"inner":`+jsonText(`[1,{"deep":`+jsonText(s)+`}]`)+`}`) + `}`
	}},
	{"in quotes of klog", func(s string) string {
		return `I1130 17:28:51.194000       1 main.go:10] "Canary" n=1 detail=` + strconv.Quote(s) + ` x=2`
	}},
	{"in quotes of logfmt", func(s string) string { return `ts=1.5 level=info msg=` + strconv.Quote(s) }},
	{"in JSON after a text", func(s string) string {
		return "2026-11-30T17:28:51.194Z\tINFO\tcanary\t" + `{"n": 1, "detail": ` + jsonText(s) + `}`
	}},
	{"in JSON that was cut", func(s string) string { return `{"level":"info","detail":` + jsonText(s) + `,"msg":"and s` }},
	{"in a list of an object", func(s string) string {
		return `{"kind":"ConfigMap","data":{"list":["x",` + jsonText(s) + `],"y":null}}`
	}},
}

func jsonText(s string) string {
	b, _ := json.Marshal(s) // a text always encodes
	return string(b)
}

// SelfTest plants secrets of every kind that the policy takes out, in every
// encoding, and returns a [SelfTestError] for the first that survives.
func (r *Redactor) SelfTest() error {
	c := r.cleaner()
	for _, x := range r.canaries() {
		for i, e := range encodings {
			if x.alone && i > 1 {
				break
			}
			if err := c.plant(&x, e.name, e.wrap(x.text)); err != nil {
				return err
			}
		}
	}
	if err := r.testPEM(); err != nil {
		return err
	}
	return r.testPaths()
}

// plant cleans one record with a canary and looks for what is left of it.
func (c *Cleaner) plant(x *canary, encoding, line string) error {
	c.pem = pemState{}
	out := bytes.Clone(c.Line([]byte(line)))
	fault := ""
	switch {
	case bytes.Contains(out, []byte(x.secret)):
		fault = fmt.Sprintf("survives in %s", out)
	case !bytes.Contains(out, []byte(c.tokens.token([]byte(x.value)))):
		fault = fmt.Sprintf("has another token than elsewhere in %s", out)
	case bytes.Count(out, []byte("\n")) != strings.Count(line, "\n"):
		fault = "has another number of lines"
	case json.Valid([]byte(line)) && !json.Valid(out):
		fault = fmt.Sprintf("leaves what is no JSON: %s", out)
	default:
		c.pem = pemState{}
		if again := c.Line(bytes.Clone(out)); !bytes.Equal(again, out) {
			fault = fmt.Sprintf("is changed again when it is cleaned again: %s, then %s", out, again)
		}
	}
	c.pem = pemState{}
	if fault == "" {
		return nil
	}
	return &SelfTestError{What: x.what, Encoding: encoding, Fault: fault}
}

// testPEM plants a private key over several records.
func (r *Redactor) testPEM() error {
	for _, e := range encodings {
		if e.name == "in JSON that was cut" {
			continue
		}
		c := r.cleaner()
		for line := range strings.SplitSeq(pemText("\n"), "\n") {
			out := string(c.Line([]byte(e.wrap(line))))
			if !strings.HasPrefix(line, "-----") && strings.Contains(out, line) {
				return &SelfTestError{"private key over several records", e.name, "survives in " + out}
			}
		}
		if text := e.wrap("QUFB"); string(c.Line([]byte(text))) != text {
			return &SelfTestError{"private key over several records", e.name, "has no end"}
		}
	}
	return nil
}

// testPaths plants a value at each path of the policy.
func (r *Redactor) testPaths() error {
	for _, path := range r.paths {
		text := jsonText(pw)
		for _, name := range slices.Backward(path) {
			text = `{` + jsonText(strings.ReplaceAll(name, "*", "any")) + `:` + text + `}`
		}
		if out := string(r.cleaner().Line([]byte(text))); strings.Contains(out, pw) {
			return &SelfTestError{"value of the field " + strings.Join(path, "."), "in JSON", "survives in " + out}
		}
	}
	return nil
}
