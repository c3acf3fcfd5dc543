package api

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/net/http/httpguts"
)

// A server answers requests, sooner or later.
type server struct {
	spec      *Client
	client    *http.Client
	base      *url.URL
	userAgent string
	firstWait time.Duration // before a request is made again
}

// header returns the header of a request, and the secrets in it. Files are read
// each time: what they hold may have a short life.
func (s *server) header() (http.Header, []string, error) {
	h := http.Header{}
	var secrets []string
	if s.userAgent != "" {
		h.Set("User-Agent", s.userAgent)
	}
	if s.spec.Tenant != "" {
		h.Set("X-Scope-OrgID", s.spec.Tenant)
	}
	get := func(key string, from Secret) (string, error) {
		text, err := from.read()
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: %w", key, err)
		case text == "":
			return "", fmt.Errorf("%s: is empty", key)
		case !httpguts.ValidHeaderFieldValue(text):
			return "", fmt.Errorf("%s: what it names is not one line of text", key)
		}
		secrets = append(secrets, text)
		return text, nil
	}
	if s.spec.TokenFile != "" {
		token, err := get("tokenFile", Secret{File: s.spec.TokenFile})
		if err != nil {
			return nil, nil, err
		}
		h.Set("Authorization", "Bearer "+token)
	}
	if s.spec.Username != "" {
		password, err := get("passwordFile", Secret{File: s.spec.PasswordFile})
		if err != nil {
			return nil, nil, err
		}
		basic := base64.StdEncoding.EncodeToString([]byte(s.spec.Username + ":" + password))
		secrets = append(secrets, basic)
		h.Set("Authorization", "Basic "+basic)
	}
	for name, from := range s.spec.Headers {
		text, err := get("headers: "+name, from)
		if err != nil {
			return nil, nil, err
		}
		h.Set(name, text)
	}
	return h, secrets, nil
}

// A refusal is an answer that says what is wrong with a request.
type refusal struct {
	code int
	text string
}

// Error says what the server said.
func (r *refusal) Error() string { return r.text }

// errTooLong is that an answer is longer than is read.
var errTooLong = errors.New("the answer is too long")

// A busy is an answer that says when to ask again.
type busy struct {
	error
	again *backoff.RetryAfterError
}

// Unwrap returns both.
func (b *busy) Unwrap() []error { return []error{b.error, b.again} }

// maxWait bounds the time between two requests that fail.
const maxWait = 30 * time.Second

// ask makes a request until there is an answer that read takes. An answer of at
// most limit bytes is held in memory. Errors hold no credentials. A retryFor of
// 0 asks until ctx is done.
func (s *server) ask(ctx context.Context, path string, query url.Values, extra http.Header, limit int64, retryFor time.Duration, read func(body []byte) error) error {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = s.firstWait, maxWait
	var last error
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		body, err := s.once(ctx, path, query, extra, limit)
		if err == nil {
			err = read(body)
		}
		if err == nil || last == nil || ctx.Err() == nil {
			last = err // not that it was cut off: what was wrong before says more
		}
		return struct{}{}, err
	}, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(retryFor))
	if err == nil || ctx.Err() == nil {
		return err
	}
	// That the request was cut off is not what is wrong.
	if last != nil && !errors.Is(last, context.Canceled) {
		return fmt.Errorf("%w: %w", context.Cause(ctx), last)
	}
	return context.Cause(ctx)
}

// once makes a request. What cannot get better is a permanent error.
func (s *server) once(ctx context.Context, path string, query url.Values, extra http.Header, limit int64) ([]byte, error) {
	u := s.base.JoinPath(path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, backoff.Permanent(err)
	}
	h, secrets, err := s.header()
	if err != nil {
		return nil, err // a file that is being replaced
	}
	maps.Copy(h, extra)
	req.Header = h
	resp, err := s.client.Do(req)
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		err = urlErr.Err
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // what matters was read
	if resp.StatusCode != http.StatusOK {
		return nil, refused(resp, secrets)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("the answer was cut off: %w", err)
	}
	if int64(len(body)) > limit {
		return nil, backoff.Permanent(errTooLong)
	}
	return body, nil
}

// maxSaid is how much of what a server says of an error is told, in bytes.
const maxSaid = 500

// refused returns the error that an answer is.
func refused(resp *http.Response, secrets []string) error {
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 16<<10)) // what there is of it
	r := &refusal{code: resp.StatusCode, text: "status " + printable(resp.Status, secrets)}
	text := printable(string(said), secrets)
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "…"
	}
	if text != "" {
		r.text += ": " + text
	}
	switch code := resp.StatusCode; {
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
		if d, ok := retryAfter(resp.Header.Get("Retry-After")); ok {
			return &busy{r, &backoff.RetryAfterError{Duration: d}}
		}
		return r
	case code >= 300 && code < 400:
		r.text += ": redirects are not followed; give the url of the server itself"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		r.text += ": see tenant, tokenFile, username and passwordFile"
	}
	return backoff.Permanent(r)
}

// retryAfter reads the header of that name: seconds, or a time.
func retryAfter(text string) (time.Duration, bool) {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}

// printable returns one line of text without secrets and control characters.
func printable(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "[redacted]")
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}
