package local

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// A Client says how a URL is asked. Secrets are named by file, so that none
// stands in a capture file.
type Client struct {
	TokenFile string `yaml:"tokenFile"` // a bearer token
	CAFile    string `yaml:"caFile"`    // certificates that are trusted beside those of the system
	Insecure  bool   `yaml:"insecure"`  // trusts every certificate
}

// HTTP returns a client that does not follow redirects.
func (c *Client) HTTP(timeout time.Duration) (*http.Client, error) {
	conf := &tls.Config{InsecureSkipVerify: c.Insecure} // as the user says
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("caFile: %w", err)
		}
		if conf.RootCAs, err = x509.SystemCertPool(); err != nil {
			conf.RootCAs = x509.NewCertPool()
		}
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("caFile: %s holds no certificate", c.CAFile)
		}
	}
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: conf, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: t, Timeout: timeout, CheckRedirect: stay}, nil
}

// get asks a URL. Errors do not hold credentials of it.
func (c *Client) get(ctx context.Context, client *http.Client, at, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	if c.TokenFile != "" {
		token, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("tokenFile: %w", err)
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	resp, err := client.Do(req)
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		return nil, urlErr.Err
	}
	return resp, err
}
