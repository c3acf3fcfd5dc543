package analyzer

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/rules"
)

// told is what a log said of five tasks: by UID, by name, and which runner
// each has.
func told(byUID, byName, joined int) *outcome.Correlation {
	c := &outcome.Correlation{
		Profile: "p",
		Entities: []outcome.EntityUse{
			{Name: "task", Title: "task", Known: 5, Named: max(byUID, byName), Identifiers: []outcome.IdentifierUse{
				{Identifier: "namespace/name", Things: byName, Perhaps: byName}, {Identifier: "uid", Things: byUID, Perhaps: byUID}}},
			{Name: "runner", Title: "runner", Known: 5, Named: 5},
		},
		Links: []outcome.LinkUse{{From: "task", To: "runner", FromTitle: "task", ToTitle: "runner", Known: 5, Made: joined}},
	}
	e := &c.Entities[0]
	if byName > 0 {
		e.Sightings = append(e.Sightings, outcome.Sighting{Field: "task", Identifier: "namespace/name", Things: byName, Count: 9})
	}
	if byUID > 0 {
		e.Sightings = append(e.Sightings, outcome.Sighting{Field: "object.uid", Identifier: "uid", Things: byUID, Count: 9})
	}
	if joined > 0 {
		c.Links[0].Ways = []outcome.LinkInLogs{{
			By: outcome.ByRecord, Pairs: joined, Count: 9,
			From: outcome.LinkEnd{Field: "task", Identifier: "namespace/name"}, To: outcome.LinkEnd{Field: "runner", Identifier: "name"},
		}}
	}
	return c
}

func TestCorrelationLost(t *testing.T) {
	messages := []outcome.Message{{Text: "Task assigned", Logger: "queue", Level: "info"}}
	f := func(d, c *outcome.Correlation, level string, want ...string) {
		t.Helper()
		in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
		of := messages
		if level != "" {
			of = []outcome.Message{{Text: "Task failed", Logger: "queue", Level: level}}
		}
		in.Deployed.Runs[0].Correlation, in.Deployed.Runs[0].Messages = d, of
		in.Candidate.Runs[0].Correlation, in.Candidate.Runs[0].Messages = c, messages
		r := Compare(in)
		var got []string
		for _, f := range r.Findings {
			if f.ID == "correlation-lost" {
				got = append(got, f.Subject)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if want := len(got) > 0; (r.Verdict == Fail) != want {
			t.Errorf("verdict %s with %v", r.Verdict, got)
		}
	}
	all := told(5, 5, 5)
	f(all, all, "")
	f(told(0, 5, 0), all, "") // gained
	f(all, told(0, 5, 5), "", "task uid")
	f(all, told(0, 5, 0), "", "task -> runner", "task uid")
	f(all, told(1, 5, 1), "") // still there
	f(told(2, 5, 2), told(0, 5, 0), "")
	f(all, nil, "")
	// What deployed said only in errors is no loss if they did not occur.
	f(all, told(0, 5, 0), "error")
	few := told(0, 5, 0)
	few.Entities[0].Known, few.Links[0].Known = 0, 0
	f(all, few, "")
}

// Names of labels, and identifiers in texts, carry what is required.
func TestNotifications(t *testing.T) {
	f := func(d, c *outcome.AlertName, dText, cText string, find, note bool) {
		t.Helper()
		tr := annotated(cText)()
		tr.expect = ExpectNone
		tr.deployed[0].Alerts[0].Annotations = logs.New(logs.Label{Name: "summary", Value: dText})
		in := tr.input()
		for run, name := range map[*outcome.Run]*outcome.AlertName{&in.Deployed.Runs[0]: d, &in.Candidate.Runs[0]: c} {
			run.Correlation = &outcome.Correlation{Profile: "p"}
			if name != nil {
				run.Correlation.Alerts = []outcome.AlertName{*name}
			}
		}
		p, err := profile.NewPattern("queue|team")
		if err != nil {
			t.Fatal(err)
		}
		in.Notifications = &profile.Notifications{Require: []profile.Context{
			{Name: "queue", Labels: []profile.Pattern{p}}, {Name: "task", Entities: []string{"task"}},
		}}
		r := Compare(in)
		if got := contains(ids(r), "notification-context-lost"); got != find {
			t.Errorf("found %v; want %v", got, find)
		}
		if got := strings.Contains(strings.Join(r.Notes, "\n"), "named on neither build: the task by alerts of Dispatched"); got != note {
			t.Errorf("note %v; want %v: %q", got, note, r.Notes)
		}
		if strings.Contains(strings.Join(r.Notes, "\n"), "the queue by") {
			t.Errorf("the label queue was not seen: %q", r.Notes)
		}
	}
	named := &outcome.AlertName{Where: "annotation", Name: "summary", Entity: "task", Identifier: "name", Alerts: 1}
	other := &outcome.AlertName{Where: "annotation", Name: "summary", Entity: "runner", Identifier: "name", Alerts: 1}
	f(named, named, "a-1 waits", "a-2 waits", false, false)
	f(named, nil, "a-1 waits", "it waits", true, false)
	f(named, other, "a-1 waits", "r-1 waits", true, false)
	f(nil, named, "it waits", "a-1 waits", false, false)
	f(nil, nil, "it waits", "it waits", false, true)
}

// TestNotifications_Scrape: the job of a scrape is none of Kubernetes.
func TestNotifications_Scrape(t *testing.T) {
	p, err := profile.NewPattern("job")
	if err != nil {
		t.Fatal(err)
	}
	f := func(language rules.Language, want Carried) {
		t.Helper()
		tr := bothFire(func(o *outcome.Outcome) { o.Alerts[0].Labels = logs.New(logs.Label{Name: "job", Value: "kueue"}) })()
		tr.rule.Language = language
		in := tr.input()
		in.Notifications = &profile.Notifications{Require: []profile.Context{{Name: "workload", Labels: []profile.Pattern{p}}}}
		if got := Compare(in).Notifications[0].Candidate; got != want {
			t.Errorf("%s: %+v; want %+v", language, got, want)
		}
	}
	f(rules.LogQL, Carried{1, 1})
	f(rules.PromQL, Carried{1, 0})
}

func TestSensitiveData(t *testing.T) {
	find := newSecretFinder(&profile.Notifications{Emails: true})
	f := func(text string, want ...string) {
		t.Helper()
		var got []string
		for _, s := range find.in(text) {
			got = append(got, s.form+": "+s.text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
	f("token eyJ is short")
	f("Authorization: Bearer abcdef0123456789abcdef", "bearer token: abcdef0123456789abcdef")
	f("the bearer of this letter")
	f("x "+jwt+".", "JSON Web Token: "+jwt)
	f("id AKIAABCDEFGHIJKLMNOP", "AWS access key: AKIAABCDEFGHIJKLMNOP")
	f("AKIAABCDEFGHIJKLMNOPQR")
	f("key AIza"+strings.Repeat("a", 35), "Google API key: AIza"+strings.Repeat("a", 35))
	f("postgres://app:s3cr3t@db:5432/x", "password in a URL: s3cr3t")
	f("postgres://app@db:5432/x and http://host:80/a@b")
	f("password=hunter22 is wrong", "password: hunter22")
	f(`{"password":"hunter22"}`, "password: hunter22")
	f("the password: incorrect")
	f("password='hunter22x'", "password: hunter22x")
	f(`password="hunter22x" ok`, "password: hunter22x")
	f("DB_PASSWORD=hunter22x", "password: hunter22x")
	f("PGPASSWORD=hunter22x psql", "password: hunter22x")
	f("spring.datasource.password: hunter22!", "password: hunter22!")
	f(`{"dbPassword": "correct horse"}`, "password: correct horse")
	f(`says "password\":\"hunter22\"}`, "password: hunter22")
	f(`password="it's"`)
	f("mysql --password hunter22x", "password: hunter22x")
	f("curl --auth-token=abcdef1234", "password: abcdef1234")
	f("GET /x?access_token=abcdef1234&y=1", "password: abcdef1234")
	f("X-Api-Key: abcdef1234", "password: abcdef1234")
	f("client-secret=abcdef1234", "password: abcdef1234")
	f("glpat-"+strings.Repeat("a1", 10), "GitLab token: glpat-"+strings.Repeat("a1", 10))
	f("password=<redacted> password=****** password=(masked: password) api_key=${KEY} password=%s")
	f("password=incorrect, password: wrong, reset-password=required")
	f("PWD=/srv/app secret=registry-credentials continueToken=abcdef1234 token: expired")
	f("passwordFile=/etc/secrets/db")
	f("WWW-Authenticate: Bearer authentication-is-required-here")
	f("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- x",
		"private key: -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----")
	f("mail jane.doe@example.com", "e-mail address: jane.doe@example.com")
	if got := newSecretFinder(nil).in("mail jane.doe@example.com"); got != nil {
		t.Errorf("addresses were not asked for: %v", got)
	}
}

// TestSensitiveData_Masked: a secret that an alert holds is nowhere in the
// report, and the input is as it was.
func TestSensitiveData_Masked(t *testing.T) {
	const secret = "hunter22hunter"
	tr := annotated("login password=" + secret)()
	line := `{"msg":"login","url":"password=` + secret + `"}`
	for _, o := range []*outcome.Outcome{&tr.deployed[0], &tr.candidate[0]} {
		o.Evidence[0].Line = line
	}
	in := tr.input()
	r := Compare(in)
	if !contains(ids(r), "sensitive-data") {
		t.Fatalf("findings %v", ids(r))
	}
	for _, f := range r.Findings {
		for _, text := range []string{f.Message, f.Subject, f.Said} {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows it: %s", f.ID, text)
			}
		}
		for _, e := range []*Evidence{f.Deployed, f.Candidate} {
			if e != nil && strings.Contains(e.Line, secret) {
				t.Errorf("%s shows it in its evidence: %s", f.ID, e.Line)
			}
		}
	}
	for _, res := range r.Results {
		for _, o := range []*Outcome{&res.Deployed, &res.Candidate} {
			if strings.Contains(o.Evidence[0].Line, secret) || strings.Contains(o.Alerts[0].Annotations.String(), secret) {
				t.Errorf("a result shows it: %v %v", o.Evidence, o.Alerts)
			}
		}
	}
	if in.Deployed.Runs[0].Outcomes[0].Evidence[0].Line != line {
		t.Error("the input was changed")
	}
}

// TestSensitiveData_MaskedEverywhere: whatever part of the report takes a text
// from a log, it is without what an alert held, and still refers to the others.
func TestSensitiveData_MaskedEverywhere(t *testing.T) {
	const secret, word = "hunter22hunter", "drill-bit"
	tr := annotated("login password=" + secret + " or password=" + word)()
	tr.deployedMessages = said("login by "+secret, 9, "by", secret)
	tr.messages = said("login as "+secret, 9, "who", secret)
	p := *recovered
	p.Kind, p.Value, p.Fields = "bad "+secret, secret, map[string]string{"who": secret}
	p.First.Line = "panic: " + secret
	tr.deployedPanics = []outcome.Panic{p}
	a := declared(docked)
	tr.assertion = &a
	tr.deployedFacts = evidence(nil)
	tr.candidateFacts = evidence(raw(2, `{"status":{"dock":""}}`))
	tr.candidateFacts.Objects[2].Name = secret
	tr.change = func(in *Input) {
		in.Notes = []string{"of " + secret}
		in.Candidate.Version = word
	}
	in := tr.input()
	r := Compare(in)
	if r.Hide == nil || r.Hide(secret) == secret {
		t.Fatal("nothing is hidden")
	}
	if r.Candidate.Version != word {
		t.Errorf("the version is %q", r.Candidate.Version)
	}
	var shown []string
	texts(reflect.ValueOf(*r), "", func(path, text string) {
		if strings.Contains(text, secret) {
			shown = append(shown, path)
		}
	})
	if len(shown) > 0 {
		t.Errorf("it stands in %v", shown)
	}
	if len(r.Panics) != 1 || len(r.Messages.Changes) == 0 || len(r.Cases) != 1 || !strings.Contains(r.Panics[0].Kind, "(masked: password)") {
		t.Errorf("parts are missing: %+v", r.Panics)
	}
	if in.Deployed.Runs[0].Panics[0].Fields["who"] != secret || in.Deployed.Runs[0].Messages[0].First.Line == "" ||
		!strings.Contains(in.Deployed.Runs[0].Messages[0].First.Line, secret) {
		t.Error("the input was changed")
	}
}

// texts calls f with every text that can be reached through exported fields.
func texts(v reflect.Value, path string, f func(path, text string)) {
	switch v.Kind() {
	case reflect.String:
		f(path, v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			texts(v.Elem(), path, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if fd := v.Type().Field(i); fd.IsExported() && fd.Type != reflect.TypeFor[*rules.Rule]() {
				texts(v.Field(i), path+"."+fd.Name, f)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(v.Index(i), path+"[]", f)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			texts(it.Value(), path+"{}", f)
		}
	}
}
