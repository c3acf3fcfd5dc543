package redact

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/shared"
)

func newRedactor(t *testing.T, p *Policy) *Redactor {
	t.Helper()
	r, err := New(p, testKey())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is no secret stays byte for byte, with everything switched on.
func TestNearMisses(t *testing.T) {
	p := DefaultPolicy()
	p.IPv4, p.IPv6 = true, true
	c := newRedactor(t, p).cleaner()
	for _, line := range []string{
		`k8s.io/client-go@v0.35.4/tools/cache/reflector.go:289: Starting watch of batch/v1`,
		`kueue.x-k8s.io/v1beta1, Kind=Workload v1.2.3.4 version=1.2.3.4 "version":"10.2.3.4" nginx/1.25.3.1 chart-1.2.3.4.tgz`,
		`image: registry.k8s.io/pause@sha256:ee6521f290b2168b6e0935a181d4cff9be1ac3f505666ef0e3c98fae8199917a`,
		`{"uid":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","ts":"2026-11-30T17:28:29.863Z","time":"17:28:29"}`,
		`mac aa:bb:cc:dd:ee:ff guid 00:11:22:33:44:55:66:77 std::vector a::b at 12:34:56 127.0.0.1:8080 [::1]:443 0.0.0.0`,
		`failed to get secret: secrets "kueue-webhook-server-cert" not found`,
		`invalid token: signature is wrong; unexpected token: } in policy; token: open /var/run/secrets/token: no such file`,
		`{"secret":{"secretName":"webhook-cert","defaultMode":420},"automountServiceAccountToken":false,"tokenExpirationSeconds":3607}`,
		`{"secretRef":{"name":"a"},"secretKeyRef":{"key":"password","name":"db"},"secret":"kueue-system/webhook-cert"}`,
		`{"resource":"secrets","verb":"list","kind":"Secret","path":"token","name":"kube-api-access-token"}`,
		`I1130 17:28:51.194000       1 auth.go:7] "Signed out" secret="kueue-system/webhook-cert" tokens=512 password="" token=null`,
		`--tls-private-key-file=/etc/tls.key --token-file /x --authorization-mode=Node,RBAC --service-account-issuer=https://kubernetes.default.svc`,
		`{"args":["--password=$(DB_PASSWORD)","--token","--v=2"],"env":[{"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"x"}}}]}`,
		`bearer token authentication failed, basic authentication is off, Bearer authentication`,
		`getty@tty1.service user@1000.service git@github.com:a/b.git root@node-1 ssh://git@example.com/x.git`,
		`Authorization: denied by policy; auth=true session: closed signature=valid`,
		`https://host:8080/a?page=2&limit=10#top http://[::1]:80/ https://example.com/~bob/`,
		`-----BEGIN CERTIFICATE-----`, `MIIEpAIBAAKCAQEA7bq2f9c0dX4eK7aQ2fB9cZ0dX4eK7aQ2fB9cZ0dX4eK7aQ2f`, `-----END CERTIFICATE-----`,
		``, ` `, `{`, `"`, `{"a":`, "\xff\xfe", `{"password":null,"token":true,"secret":"","apiKey":"***"}`,
	} {
		if out := string(c.Line([]byte(line))); out != line {
			t.Errorf("%s\nbecame %s", line, out)
		}
	}
}

// What stands around a secret stays as it is; equal values have equal tokens.
func TestReplaced(t *testing.T) {
	p := everything()
	c := newRedactor(t, p).cleaner()
	tok := func(s string) string { return c.tokens.token([]byte(s)) }
	for _, x := range []struct{ line, want string }{
		{`{ "a" : 1.50, "password" : "hun\"ter2", "a":[ ] }`, `{ "a" : 1.50, "password" : "` + tok(`hun"ter2`) + `", "a":[ ] }`},
		{`password="hun\"ter2" x=1`, `password="` + tok(`hun"ter2`) + `" x=1`},
		{`{"m":"{\"password\":\"hun\\\"ter2\",\"token\":12}"}`, `{"m":"{\"password\":\"` + tok(`hun"ter2`) + `\",\"token\":\"` + tok("12") + `\"}"}`},
		{`{"token":-1.5e3,"tokens":7}`, `{"token":"` + tok("-1.5e3") + `","tokens":7}`},
		{`{"password":"a\u0062c\/d"}`, `{"password":"` + tok("abc/d") + `"}`},
		{`GET https://u:p%40ss@h.example/x?access_token=a%2Fb&n=1`, `GET https://` + tok("u") + `:` + tok("p@ss") + `@h.example/x?access_token=` + tok("a/b") + `&n=1`},
		{`from 10.0.0.7:443, 10.0.0.0/24, ::ffff:10.0.0.7 and 2001:DB8::1`, `from ` + tok("10.0.0.7") + `:443, ` + tok("10.0.0.0") + `/24, ` + tok("10.0.0.7") + ` and ` + tok("2001:db8::1")},
		{`<bob@x.example>, mail=bob@x.example;`, `<` + tok("bob@x.example") + `>, mail=` + tok("bob@x.example") + `;`},
		{`TCK-12345 acct DE12`, tok("TCK-12345") + ` acct ` + tok("DE12")},
		{`{"customer":{"id":7,"names":["a","b"]},"spec":{"owner":{"name":"c","x":"d"}}}`, `{"customer":{"id":"` + tok("7") + `","names":["` + tok("a") + `","` + tok("b") + `"]},"spec":{"owner":{"name":"` + tok("c") + `","x":"d"}}}`},
		{`customer=acme level=info`, `customer=` + tok("acme") + ` level=info`},
		{`{"bob@x.example":1}`, `{"` + tok("bob@x.example") + `":1}`},
		{"\xff password=\xfe\xfd x", "\xff password=" + tok("\xfe\xfd") + " x"},
	} {
		if out := string(c.Line([]byte(x.line))); out != x.want {
			t.Errorf("%s\n got %s\nwant %s", x.line, out, x.want)
		}
	}
	if a, b := c.Label("password", "hunter2"), tok("hunter2"); a != b {
		t.Errorf("the label has %s; want %s", a, b)
	}
	if a := c.Label("instance", "10.0.0.7:8080"); a != tok("10.0.0.7")+":8080" {
		t.Errorf("the label has %s", a)
	}
}

// Another key has other tokens, and a text of the form of a token is a secret as
// any other.
func TestTokens(t *testing.T) {
	a, b := newTokenizer(testKey()), newTokenizer(newKey([]byte("another key of tests")))
	x, y := a.token([]byte("hunter2")), b.token([]byte("hunter2"))
	if x == y || !a.isToken([]byte(x)) || a.isToken([]byte(y)) || len(x) != tokenLen {
		t.Error(x, y)
	}
	fake := tokenPrefix + strings.Repeat("a", valueChars+checkChars)
	c := newRedactor(t, DefaultPolicy()).cleaner()
	if out := string(c.Line([]byte("password=" + fake))); strings.Contains(out, fake) {
		t.Error(out)
	}
	if _, err := NewKey([]byte(" short \n")); err == nil {
		t.Error("a short key is taken")
	}
}

// Hostile records are cleaned in a time that grows with their length: where it
// grew faster, this would not end.
func TestHostile(t *testing.T) {
	p := everything()
	r := newRedactor(t, p)
	const n = 1 << 16
	for _, x := range []string{
		strings.Repeat("[", n), strings.Repeat(`{"a":`, n/5), strings.Repeat(`{"data":`, n/8) + `"Secret"`, strings.Repeat(`"`, n),
		strings.Repeat(`\"`, n/2), strings.Repeat("a@", n/2), strings.Repeat("1.", n/2), strings.Repeat("a:", n/2), strings.Repeat(":", n),
		strings.Repeat("http://", n/7), strings.Repeat("http://a?b=", n/11), strings.Repeat("password=", n/9), strings.Repeat("token: ", n/7),
		strings.Repeat(`"token":"`, n/9), strings.Repeat(`\"token\":\"`, n/11), strings.Repeat("-----BEGIN PRIVATE KEY-----", n/27),
		strings.Repeat("kind: Secret\ndata:\n", n/19), strings.Repeat("eyJ", n/3), strings.Repeat("password: |\n ", n/13), strings.Repeat("secret", n/6),
		strings.Repeat("token='", n/7), strings.Repeat("token=[", n/7), strings.Repeat("x@y.example ", n/12), strings.Repeat("\\", n),
		strings.Repeat("auth=", n/5), strings.Repeat("auth: ", n/6), strings.Repeat("token:", n/6), strings.Repeat("token=''", n/8),
		strings.Repeat("authorization: ", n/15), strings.Repeat("cookie: a ", n/10), strings.Repeat(`"data":{`, n/8) + "kind: Secret",
		strings.Repeat("Bearer ", n/7), strings.Repeat("password=\\\\\\\"", n/13), strings.Repeat("a: b\ntoken: ", n/12),
	} {
		for _, line := range []string{x, `{"m":` + jsonText(x) + `}`} {
			r.cleaner().Line([]byte(line))
		}
	}
}

// A record that would grow beyond the limit is replaced as a whole.
func TestTooLong(t *testing.T) {
	c := newRedactor(t, DefaultPolicy()).cleaner()
	line := []byte(`{"m":"` + strings.Repeat("a@b.ex ", corpus.MaxRecord/8) + `"}`)
	if out := c.Line(line); len(out) > 100 || !bytes.HasPrefix(out, []byte(`{"msg":"redacted`)) {
		t.Errorf("%d bytes", len(out))
	}
}

// Where detectors find nothing the self-test says so.
func TestSelfTest_FailsClosed(t *testing.T) {
	r, err := compile(DefaultPolicy(), testKey())
	if err != nil {
		t.Fatal(err)
	}
	r.index = &index{} // finds nothing
	err = r.SelfTest()
	var fault *SelfTestError
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("got %v", err)
	}
}

func TestParsePolicy(t *testing.T) {
	const text = `version: 1
name: shop
keys: [pincode]
keepKeys: [pageToken]
fields: [customer, spec.owner.name]
emails: false
addresses: v4
keepAddresses: [10.0.0.0/8]
patterns:
  - {name: ticket, match: 'TCK-[0-9]+'}
`
	p, err := ParsePolicy("shop.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := &Policy{
		Name: "shop", SecretKeys: true, Keys: []string{"pincode"}, KeepKeys: []string{"pageToken"}, Fields: []string{"customer", "spec.owner.name"},
		IPv4: true, KeepAddresses: []string{"10.0.0.0/8"}, Patterns: []Pattern{{"ticket", "TCK-[0-9]+"}},
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for _, x := range []struct{ text, want string }{
		{"version: 1\nkey: [a]\n", `p.yaml:2:1: unknown key "key"`},
		{"version: 1\npatterns:\n  - {name: a, match: 'a*'}\n", "p.yaml:3:22"},
		{"version: 1\nfields: ['*']\n", "p.yaml:2:10"},
		{"version: 1\nkeepAddresses: [10.0.0]\n", "p.yaml:2:17"},
		{"version: 1\nkeys: [ab]\n", "p.yaml:2:8"},
		{"version: 2\n", "write version: 1"},
		{"version: 1\npatterns: [{name: a, match: b}, {name: a, match: c}]\n", "is taken"},
	} {
		if _, err := ParsePolicy("p.yaml", []byte(x.text)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: got %v; want %s", x.text, err, x.want)
		}
	}
}

// Recorded runs have nothing that the default policy takes out: not one byte
// of them changes, whatever else is switched on.
func TestRecordedRuns(t *testing.T) {
	root := shared.Folder(t, "corpora", "kai-binder")
	p := DefaultPolicy()
	p.IPv6 = true
	c := newRedactor(t, p).cleaner()
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".log" && filepath.Ext(name) != ".ndjson" && filepath.Ext(name) != ".json" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			if out := c.Line(line); !bytes.Equal(out, line) {
				t.Errorf("%s: %s\nbecame %s", name, line, out)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
