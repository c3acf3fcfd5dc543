package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

func TestLoki_Refusals(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Setenv("API_TEST_HEADER", "s3cret-header")
	for name, c := range map[string]struct {
		code   int
		client Client
		want   string
	}{
		"no tenant":  {401, Client{}, "status 401 Unauthorized: no org id key: see tenant"},
		"bad query":  {400, Client{}, "status 400 Bad Request: no org id"},
		"redirect":   {302, Client{}, "redirects are not followed"},
		"token":      {403, Client{TokenFile: file("token", "s3cret-token\n")}, "status 403 Forbidden: no org id Bearer [redacted]"},
		"basic":      {403, Client{Username: "me", PasswordFile: file("password", "s3cret-password\n")}, "Basic [redacted]"},
		"header":     {403, Client{Headers: map[string]Secret{"X-Key": {Env: "API_TEST_HEADER"}}}, "key [redacted]"},
		"never well": {503, Client{RetryFor: 50 * time.Millisecond}, "status 503 Service Unavailable: no org id"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newLoki(t)
			f.before = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				w.WriteHeader(c.code)
				_, _ = fmt.Fprintf(w, "no org id\x1b\n %s key %s", r.Header.Get("Authorization"), r.Header.Get("X-Key"))
				return true
			}
			l := f.past()
			c.client.URL = f.server.URL
			l.Client = c.client
			run := start(t, capture.Options{}, l).finish()
			why := strings.Join(run.Manifest.Completeness.Reasons, "\n")
			if !strings.Contains(why, c.want) || strings.Contains(why, "\x1b") {
				t.Errorf("incomplete: %s", why)
			}
			noSecrets(t, run)
			if name != "never well" && f.asked != 1 {
				t.Errorf("asked %d times", f.asked)
			}
		})
	}
}

func noSecrets(t *testing.T, run *corpus.Run) {
	t.Helper()
	text, err := json.Marshal(run.Manifest)
	if err != nil || strings.Contains(string(text), "s3cret") || strings.Contains(string(text), "bWU6") {
		t.Errorf("%v %s", err, text)
	}
}

func TestLoki_TenantAndCredentials(t *testing.T) {
	f := newLoki(t, crowd()...)
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.before = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		user, pass, _ := r.BasicAuth()
		if got := []string{r.Header.Get("X-Scope-OrgID"), user, pass, r.UserAgent()}; !slices.Equal(got, []string{"team", "me", "s3cret", "test/1"}) {
			t.Errorf("%q", got)
		}
		return false
	}
	l := f.past()
	l.UserAgent = "test/1"
	l.Client.Tenant, l.Client.Username, l.Client.PasswordFile = "team", "me", password
	run := start(t, capture.Options{}, l).finish()
	wantRun(t, run, f.recs)
	noSecrets(t, run)
}

func TestLoki_Keys(t *testing.T) {
	good := Loki{Query: `{app="a"}`, Client: Client{URL: "https://loki.example.com/x"}}
	for want, change := range map[string]func(*Loki){
		"query: is missing":           func(l *Loki) { l.Query = "" },
		"query: makes numbers":        func(l *Loki) { l.Query = `rate({app="a"}[1m])` },
		"| line_format \"x\" changes": func(l *Loki) { l.Query = `{app="a"} | line_format "x"` },
		"query: ":                     func(l *Loki) { l.Query = `{app="a"` },
		"from \"yesterday\": want":    func(l *Loki) { l.From = "yesterday" },
		"to: needs from":              func(l *Loki) { l.To = "now" },
		"is not before":               func(l *Loki) { l.From, l.To = "1h", "2h" },
		"settle: 1ms is less":         func(l *Loki) { l.Settle = time.Millisecond },
		"limit 10 and maxLimit 5":     func(l *Loki) { l.Limit, l.MaxLimit = 10, 5 },
		"url: want":                   func(l *Loki) { l.Client.URL = "loki:3100" },
		"url: holds credentials":      func(l *Loki) { l.Client.URL = "https://me:s3cret@loki" },
		"one goes with the other":     func(l *Loki) { l.Client.Username = "me" },
		"a request has one of them":   func(l *Loki) { l.Client.TokenFile, l.Client.Username, l.Client.PasswordFile = "x", "y", "z" },
		"tokenFile: open ":            func(l *Loki) { l.Client.TokenFile = filepath.Join(t.TempDir(), "none") },
		"is given by tenant":          func(l *Loki) { l.Client.Headers = map[string]Secret{"x-scope-orgid": {Env: "X"}} },
		"want either file":            func(l *Loki) { l.Client.Headers = map[string]Secret{"X-Key": {}} },
		"the environment has no API_": func(l *Loki) { l.Client.Headers = map[string]Secret{"X-Key": {Env: "API_TEST_NONE"}} },
		"caFile: ":                    func(l *Loki) { l.Client.CAFile = filepath.Join(t.TempDir(), "none") },
	} {
		l := good
		change(&l)
		if _, err := l.Sources(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := good.Sources(); err != nil {
		t.Error(err)
	}
}
