package query

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
)

// A liveLogs reads single logs as they come, merged by time. Logs without
// times are read one after the other.
type liveLogs struct {
	logs        []*corpus.RawEntries
	more        []bool // by log: it stands at a record
	at          int    // log of the record in hand
	begun       bool
	undated     string // why there are no times; empty: there are
	undatedFile string
}

func openLive(ctx context.Context, opt *Options, files []string, flow bool) (*liveLogs, error) {
	l := &liveLogs{}
	for _, f := range files {
		log, err := corpus.OpenRaw(ctx, f, flow, corpus.RawOptions{Stdin: opt.Stdin, Time: corpus.TimeSpec{Year: opt.Year, Timezone: opt.Zone}})
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		l.logs = append(l.logs, log)
		if log.Undated() != "" && l.undated == "" {
			l.undated, l.undatedFile = log.Undated(), shown(f)
		}
	}
	l.more = make([]bool, len(l.logs))
	for i, log := range l.logs {
		if l.undated != "" && log.Undated() == "" {
			err := fmt.Errorf("%s: %s, but %s has times; logs are merged by time, so ask them one after the other", l.undatedFile, l.undated, shown(files[i]))
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// verbatim returns the files if all are files whose lines are the records.
func (l *liveLogs) verbatim(files []string) []string {
	for i, f := range files {
		if f == "-" || !l.logs[i].Verbatim() {
			return nil
		}
		if info, err := os.Stat(f); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	}
	return files
}

// shown is the name of a log in remarks.
func shown(file string) string {
	if file == "-" {
		return "stdin"
	}
	return file
}

// late says at the end which lines have no times, and why; nothing if all do.
func (l *liveLogs) late() string {
	for _, log := range l.logs {
		if why := log.Undated(); why != "" {
			return "lines are shown without times: " + why
		}
	}
	return ""
}

// Scan implements entries.
func (l *liveLogs) Scan() bool {
	if !l.begun {
		l.begun = true
		for i := range l.logs {
			l.step(i)
		}
	} else {
		l.step(l.at)
	}
	if l.Err() != nil {
		return false
	}
	l.at = -1
	for i, log := range l.logs {
		if l.more[i] && (l.at < 0 || log.Entry().Time < l.logs[l.at].Entry().Time) {
			l.at = i
		}
	}
	return l.at >= 0
}

func (l *liveLogs) step(i int) { l.more[i] = l.logs[i].Scan() }

// Stream implements entries.
func (l *liveLogs) Stream() int { return l.at }

// Entry implements entries.
func (l *liveLogs) Entry() *logs.Entry { return l.logs[l.at].Entry() }

// Err implements entries.
func (l *liveLogs) Err() error {
	for _, log := range l.logs {
		if err := log.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Close implements entries.
func (l *liveLogs) Close() error {
	var errs []error
	for _, log := range l.logs {
		errs = append(errs, log.Close())
	}
	return errors.Join(errs...)
}
