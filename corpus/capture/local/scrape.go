package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
	"github.com/stillfires/stillfires/internal/logs"
)

// A Scrape reads the metrics of a target again and again, as a Prometheus does.
type Scrape struct {
	URL string `yaml:"url"`
	// Labels are what a Prometheus would give the target; instance is its
	// host and port unless it is given.
	Labels   map[string]string `yaml:"labels"`
	Interval time.Duration     `yaml:"interval"`
	Timeout  time.Duration     `yaml:"timeout"`
	Client   Client            `yaml:",inline"`
}

// Sources returns what scrapes.
func (s *Scrape) Sources() ([]capture.Source, error) {
	own := *s
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("url %q: want one such as http://10.0.0.7:8080/metrics", s.URL)
	}
	if err := checkLabels(s.Labels); err != nil {
		return nil, err
	}
	if s.Labels["__name__"] != "" {
		return nil, errors.New("label __name__ is the metric's name; it cannot be given")
	}
	own.Labels = expand(s.Labels, nil)
	if own.Labels["instance"] == "" {
		own.Labels["instance"] = u.Host
	}
	var err1, err2 error
	own.Interval, err1 = interval("interval", s.Interval, 15*time.Second)
	own.Timeout, err2 = interval("timeout", s.Timeout, min(own.Interval, 10*time.Second))
	client, err3 := s.Client.HTTP(own.Timeout)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	return []capture.Source{&scrapeSource{&own, client, u.Redacted()}}, nil
}

type scrapeSource struct {
	spec   *Scrape
	client *http.Client
	shown  string
}

// String names the source in messages.
func (s *scrapeSource) String() string { return "scrape of " + s.shown }

// accepted are the forms of metrics that a corpus can hold.
const accepted = "application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"

// maxScrape bounds one answer, in bytes.
const maxScrape = 64 << 20

// Record scrapes at each interval until ctx is done.
func (s *scrapeSource) Record(ctx context.Context, to capture.Sink) error {
	target := logs.FromMap(s.spec.Labels)
	return each(ctx, s.spec.Interval, func() error {
		at := to.Now()
		kind, body, err := s.look(ctx)
		if err != nil && ctx.Err() != nil {
			return nil // it was cut off, and says nothing of the target
		}
		return to.Scrape(target, at, kind, body, err)
	})
}

func (s *scrapeSource) look(ctx context.Context) (kind string, body []byte, err error) {
	resp, err := s.spec.Client.get(ctx, s.client, s.spec.URL, accepted)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = resp.Body.Close() }() // what matters was read
	kind = resp.Header.Get("Content-Type")
	if resp.StatusCode != http.StatusOK {
		return kind, nil, fmt.Errorf("status %s", resp.Status)
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxScrape+1))
	if err == nil && len(body) > maxScrape {
		err = fmt.Errorf("the answer is longer than %d bytes", maxScrape)
	}
	return kind, body, err
}
