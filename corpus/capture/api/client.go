package api

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/stillfires/stillfires/corpus/capture/local"
)

// A Client says which server is asked, and how. Secrets are named by file or
// environment variable, so that none stands in a capture file.
type Client struct {
	URL          string            `yaml:"url"` // of the server, perhaps with a path before /loki/api
	Tenant       string            `yaml:"tenant"`
	TokenFile    string            `yaml:"tokenFile"` // a bearer token
	Username     string            `yaml:"username"`
	PasswordFile string            `yaml:"passwordFile"`
	Headers      map[string]Secret `yaml:"headers"` // by their names
	CAFile       string            `yaml:"caFile"`
	Insecure     bool              `yaml:"insecure"`
	Timeout      time.Duration     `yaml:"timeout"`  // of one request
	RetryFor     time.Duration     `yaml:"retryFor"` // while the server does not answer
}

// A Secret is a text that stands elsewhere.
type Secret struct {
	File string `yaml:"file"`
	Env  string `yaml:"env"` // name of an environment variable
}

// read returns the text, without the space around it.
func (s *Secret) read() (string, error) {
	if s.Env != "" {
		text, ok := os.LookupEnv(s.Env)
		if !ok {
			return "", fmt.Errorf("the environment has no %s", s.Env)
		}
		return strings.TrimSpace(text), nil
	}
	text, err := os.ReadFile(s.File)
	return strings.TrimSpace(string(text)), err
}

// reserved are headers that belong to requests, or have keys of their own.
var reserved = map[string]string{"Authorization": "tokenFile, or username and passwordFile", "X-Scope-Orgid": "tenant", "Host": "", "Content-Length": "", "Accept-Encoding": "", "Connection": "", "Transfer-Encoding": ""}

func (c *Client) check() error {
	var errs []error
	if c.TokenFile != "" && c.Username+c.PasswordFile != "" {
		errs = append(errs, errors.New("tokenFile and username: a request has one of them"))
	}
	if (c.Username == "") != (c.PasswordFile == "") {
		errs = append(errs, errors.New("username and passwordFile: one goes with the other"))
	}
	if !httpguts.ValidHeaderFieldValue(c.Tenant) {
		errs = append(errs, errors.New("tenant: is no value of a header"))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		s := c.Headers[name]
		key, isReserved := reserved[http.CanonicalHeaderKey(name)]
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			errs = append(errs, fmt.Errorf("headers: %q is no name of a header", name))
		case key != "":
			errs = append(errs, fmt.Errorf("headers: %s is given by %s", name, key))
		case isReserved:
			errs = append(errs, fmt.Errorf("headers: %s cannot be given", name))
		case (s.File == "") == (s.Env == ""):
			errs = append(errs, fmt.Errorf("headers: %s: want either file, the path of a file, or env, the name of an environment variable", name))
		}
	}
	if c.Timeout < 0 || c.RetryFor < 0 {
		errs = append(errs, errors.New("timeout and retryFor: want a length of time such as 30s"))
	}
	return errors.Join(errs...)
}

// server returns the server to ask.
func (c *Client) server(userAgent string) (*server, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("url: want that of a server, such as https://loki.example.com")
	}
	if u.User != nil {
		return nil, errors.New("url: holds credentials; write username and passwordFile")
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	own := *c
	if own.Timeout == 0 {
		own.Timeout = time.Minute
	}
	if own.RetryFor == 0 {
		own.RetryFor = 2 * time.Minute
	}
	s := &server{spec: &own, base: u, userAgent: userAgent, firstWait: 500 * time.Millisecond}
	if _, _, err := s.header(); err != nil {
		return nil, err
	}
	tls := local.Client{CAFile: c.CAFile, Insecure: c.Insecure}
	s.client, err = tls.HTTP(own.Timeout)
	return s, err
}
