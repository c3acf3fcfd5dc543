package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// A VerifyReport says what [Verify] looked at and what it found.
type VerifyReport struct {
	Dir      string   `json:"dir"`
	Digest   string   `json:"digest,omitempty"` // of the corpus; absent where a run does not open
	Runs     int      `json:"runs"`
	Streams  int      `json:"streams"`
	Files    int      `json:"files"` // that are not logs
	Records  int64    `json:"records"`
	Bytes    int64    `json:"bytes"`    // of lines
	Problems []string `json:"problems"` // each names its file
	// Warnings say what does not keep the corpus from being used as evidence,
	// but should be seen to: drills that were to be deleted by now.
	Warnings []string `json:"warnings"`
}

// Verify reads every byte of a corpus and reports all that is wrong with it.
// An error is returned where it could not look: no corpus, or interrupted.
func Verify(ctx context.Context, dir string) (*VerifyReport, error) {
	return VerifyAt(ctx, dir, time.Time{})
}

// VerifyAt is [Verify], and warns of drills that were to be kept until a time
// before now.
func VerifyAt(ctx context.Context, dir string, now time.Time) (*VerifyReport, error) {
	c, errs := open(dir)
	if c == nil {
		return nil, errors.Join(errs...)
	}
	rep := &VerifyReport{Dir: dir, Runs: len(c.runs), Problems: []string{}, Warnings: c.expired(now)}
	if errors.Join(errs...) == nil {
		rep.Digest = c.Digest()
	}
	for _, r := range c.runs {
		for i := range r.Manifest.Streams {
			rep.Streams++
			errs = append(errs, r.verifyStream(ctx, i, rep))
		}
		for _, f := range r.Manifest.Files {
			rep.Files++
			if f.Path == MetricsFile {
				errs = append(errs, r.verifyMetrics())
				continue
			}
			errs = append(errs, r.verifyFile(f.Path))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, err := range errs {
		if err != nil {
			rep.Problems = append(rep.Problems, err.Error())
		}
	}
	if rep.Runs == 0 && len(rep.Problems) == 0 {
		rep.Problems = append(rep.Problems, fmt.Sprintf("%s: holds no runs", dir))
	}
	return rep, nil
}

// expired names the runs whose drill was to be kept until a time before now.
func (c *Corpus) expired(now time.Time) []string {
	out := []string{}
	if now.IsZero() {
		return out
	}
	for _, r := range c.runs {
		d := r.Manifest.Drill
		if d == nil || d.RetainUntil == nil || !now.After(*d.RetainUntil) {
			continue
		}
		owner := ""
		if d.Owner != "" {
			owner = fmt.Sprintf(" (owner: %q)", d.Owner)
		}
		out = append(out, fmt.Sprintf("%s: the drill was to be kept until %s, which has passed%s; delete the run, or have its keeping approved anew",
			r.Path("."), d.RetainUntil.UTC().Format(time.RFC3339), owner))
	}
	return out
}

func (r *Run) verifyStream(ctx context.Context, i int, rep *VerifyReport) error {
	e, err := r.EntriesOf(i)
	if err != nil {
		return err
	}
	for e.Scan() {
		rep.Records++
		rep.Bytes += int64(len(e.Entry().Line))
		if rep.Records%65536 == 0 && ctx.Err() != nil {
			break
		}
	}
	return errors.Join(e.Err(), e.Close())
}

func (r *Run) verifyFile(name string) error {
	f, err := r.OpenFile(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, f)
	return errors.Join(err, f.Close())
}
