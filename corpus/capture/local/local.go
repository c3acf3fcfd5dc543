// Package local has the sources of a capture that need no cluster: files that
// grow, standard input, processes that are started and kept running, probes,
// files of JSON lines, and direct looks at /metrics.
//
// A source is a struct that people write in a capture file: its exported fields
// are the keys. Sources checks it and returns what records.
package local

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
)

// A Time says where the times of records come from; see docs/capture.md.
type Time struct {
	Format   Texts  `yaml:"format"`
	Year     int    `yaml:"year"`
	Timezone string `yaml:"timezone"`
}

func (t *Time) check() error { return corpus.CheckTimes(t.Format, t.Year, t.Timezone) }

// checkLabels holds labels of a stream or target to those that can be selected.
func checkLabels(ls map[string]string) error {
	if len(ls) == 0 {
		return fmt.Errorf("give labels, such as {app: kueue}: rules select streams by them")
	}
	for _, name := range slices.Sorted(maps.Keys(ls)) {
		if err := corpus.CheckLabelName(name); err != nil {
			return err
		}
		if ls[name] == "" {
			return fmt.Errorf("label %s has no value", name)
		}
	}
	return nil
}

// expand fills {key} in the values of labels.
func expand(ls map[string]string, with map[string]string) map[string]string {
	var pairs []string
	for k, v := range with {
		pairs = append(pairs, "{"+k+"}", v)
	}
	r := strings.NewReplacer(pairs...)
	out := make(map[string]string, len(ls))
	for k, v := range ls {
		out[k] = r.Replace(v)
	}
	return out
}

func labelsOf(m map[string]string) logs.Labels { return logs.FromMap(m) }

// interval returns a length of time that is at least a tenth of a second, or
// what stands for none.
func interval(key string, d, otherwise time.Duration) (time.Duration, error) {
	if d == 0 {
		return otherwise, nil
	}
	if d < 100*time.Millisecond {
		return 0, fmt.Errorf("%s: %s is less than 100ms", key, d)
	}
	return d, nil
}
