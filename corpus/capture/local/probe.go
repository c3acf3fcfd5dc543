package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// A Probe looks again and again whether something can be reached.
type Probe struct {
	Target   string        `yaml:"target"` // its name in the run
	TCP      string        `yaml:"tcp"`    // host:port, or
	HTTP     string        `yaml:"http"`   // a URL
	Status   []int         `yaml:"status"` // that are fine; none: 200 to 399
	Interval time.Duration `yaml:"interval"`
	Timeout  time.Duration `yaml:"timeout"`
	Cluster  string        `yaml:"cluster"`
	Client   Client        `yaml:",inline"`
}

// Sources returns what probes.
func (p *Probe) Sources() ([]capture.Source, error) {
	own := *p
	if (p.TCP == "") == (p.HTTP == "") {
		return nil, errors.New("give either tcp or http")
	}
	if p.TCP != "" {
		if _, _, err := net.SplitHostPort(p.TCP); err != nil {
			return nil, fmt.Errorf("tcp %q: want host:port", p.TCP)
		}
	} else if u, err := url.Parse(p.HTTP); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("http %q: want a URL such as https://host:6443/livez", p.HTTP)
	}
	if own.Target == "" {
		own.Target = p.TCP
		if p.HTTP != "" {
			u, _ := url.Parse(p.HTTP) // it was parsed above
			own.Target = u.Redacted()
		}
	}
	var err1, err2 error
	own.Interval, err1 = interval("interval", p.Interval, time.Second)
	own.Timeout, err2 = interval("timeout", p.Timeout, min(own.Interval, 5*time.Second))
	client, err3 := p.Client.HTTP(own.Timeout)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	return []capture.Source{&probeSource{&own, client}}, nil
}

type probeSource struct {
	spec   *Probe
	client *http.Client
}

// String names the source in messages.
func (s *probeSource) String() string { return "probe of " + s.spec.Target }

// A probed is what one look said.
type probed struct {
	Time    time.Time `json:"ts"`
	Target  string    `json:"target"`
	OK      bool      `json:"ok"`
	Seconds float64   `json:"seconds"` // that it took
	Status  int       `json:"status,omitempty"`
	Error   string    `json:"error,omitempty"`
}

// Record probes at each interval until ctx is done.
func (s *probeSource) Record(ctx context.Context, to capture.Sink) error {
	return each(ctx, s.spec.Interval, func() error {
		at := to.Now()
		status, err := s.look(ctx)
		if ctx.Err() != nil {
			return nil // it was cut off, and says nothing
		}
		p := probed{Time: at.UTC(), Target: s.spec.Target, OK: err == nil, Seconds: to.Now().Sub(at).Round(time.Microsecond).Seconds(), Status: status}
		if err != nil {
			p.Error = err.Error()
		}
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return to.Value("probes", corpus.FileKey{Cluster: s.spec.Cluster}, text)
	})
}

func (s *probeSource) look(ctx context.Context) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.spec.Timeout)
	defer cancel()
	if s.spec.TCP != "" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.spec.TCP)
		if err != nil {
			return 0, err
		}
		_ = conn.Close() // it was there
		return 0, nil
	}
	resp, err := s.spec.Client.get(ctx, s.client, s.spec.HTTP, "")
	if err != nil {
		return 0, err
	}
	_ = resp.Body.Close() // only its status is looked at
	code := resp.StatusCode
	if fine := s.spec.Status; len(fine) > 0 && !slices.Contains(fine, code) || len(fine) == 0 && (code < 200 || code > 399) {
		return code, fmt.Errorf("status %s", resp.Status)
	}
	return code, nil
}

// each calls f at once and then at each interval, until ctx is done.
func each(ctx context.Context, interval time.Duration, f func() error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := f(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
