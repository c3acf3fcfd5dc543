package corpus

import (
	"errors"
	"fmt"
	"time"

	"github.com/stillfires/stillfires/internal/logs/recordtime"
)

// A clock gives each record of a stream its time: that of its stamp, completed
// where year or zone are missing, and made to go forward.
type clock struct {
	year int            // given; 0: none
	zone *time.Location // given; nil: none
	// ref returns what dated records of the run say. It may read files.
	ref func() (reference, error)

	ahead   int64 // time of the first dated record, for records before it
	given   bool  // ahead is the time of the first record, and none has its own
	prev    int64
	begun   bool
	undated int64
	moved   int64

	usedYear int
	usedZone string
	usedFrom string
}

// A reference is what dated records of a run tell of year and zone.
type reference struct {
	at      int64 // time of a record with a year
	hasYear bool
	offset  int // seconds east of UTC
	hasZone bool
	from    string // the file
}

// add takes what a stamp tells that is not known yet.
func (r *reference) add(s recordtime.Stamp, file string) {
	if !r.hasYear && !s.NoYear {
		r.at, r.hasYear, r.from = s.Unix(), true, file
	}
	if !r.hasZone && !s.NoZone && !s.Number {
		r.offset, r.hasZone, r.from = s.Offset, true, file
	}
}

func (r *reference) whole() bool { return r.hasYear && r.hasZone }

const howToGive = "; give it in the import description (time: {year: …, timezone: …}) or by --year and --timezone"

// resolve turns a stamp into a time.
func (c *clock) resolve(s recordtime.Stamp) (int64, error) {
	if s.Whole() {
		return s.Unix(), nil
	}
	zone := c.zone
	var ref reference
	if s.NoYear && c.year == 0 && !c.begun || s.NoZone && zone == nil {
		var err error
		if ref, err = c.ref(); err != nil {
			return 0, err
		}
	}
	if s.NoZone {
		if zone == nil {
			if !ref.hasZone && s.NoYear && c.year == 0 && !c.begun && !ref.hasYear {
				return 0, errors.New("the time has neither year nor zone, and no dated record of the run writes them" + howToGive)
			}
			if !ref.hasZone {
				return 0, errors.New("the time has no zone, and no dated record of the run writes one" + howToGive)
			}
			zone = time.FixedZone("", ref.offset)
			c.usedFrom = ref.from
		}
		c.usedZone = zoneName(zone)
	}
	if !s.NoYear {
		return s.In(zone), nil
	}
	if c.begun {
		return nearest(s, zone, c.prev)
	}
	if c.year != 0 {
		c.usedYear = c.year
		whole, ok := s.WithYear(c.year)
		if !ok {
			return 0, fmt.Errorf("%s is no day of the year %d", time.Unix(0, s.Wall).UTC().Format("January 2"), c.year)
		}
		return whole.In(zone), nil
	}
	if !ref.hasYear {
		return 0, errors.New("the time has no year, and no dated record of the run has one" + howToGive)
	}
	t, err := nearest(s, zone, ref.at)
	c.usedFrom = ref.from
	c.usedYear = time.Unix(0, t).In(zone).Year()
	return t, err
}

func zoneName(zone *time.Location) string {
	if _, offset := time.Unix(0, 0).In(zone).Zone(); offset == 0 && zone.String() == "" {
		return "UTC"
	}
	if name := zone.String(); name != "" {
		return name
	}
	return time.Unix(0, 0).In(zone).Format("-07:00")
}

// nearest gives a stamp the year that brings it closest to at, so that a log
// can run over New Year.
func nearest(s recordtime.Stamp, zone *time.Location, at int64) (int64, error) {
	year := time.Unix(0, at).In(zone).Year()
	best, found := int64(0), false
	for y := year - 1; y <= year+1; y++ {
		if whole, ok := s.WithYear(y); ok {
			if t := whole.In(zone); !found || distance(t, at) < distance(best, at) {
				best, found = t, true
			}
		}
	}
	if !found {
		return 0, fmt.Errorf("%s is no day of the years around %d", time.Unix(0, s.Wall).UTC().Format("January 2"), year)
	}
	return best, nil
}

func distance(a, b int64) int64 {
	if a < b {
		return b - a
	}
	return a - b
}

// next returns the time of the next record.
func (c *clock) next(r *recordtime.Record) (int64, error) {
	t := c.ahead
	switch {
	case r.Dated:
		var err error
		if t, err = c.resolve(r.Stamp); err != nil {
			return 0, err
		}
		if t < minTime || t > maxTime {
			return 0, fmt.Errorf("the year is outside %d to %d", minYear, maxYear)
		}
		if c.begun && t < c.prev {
			t = c.prev
			c.moved++
		}
	case c.begun:
		c.undated++
		t = c.prev + int64(time.Microsecond)
	default:
		c.undated++
		c.prev, c.begun = t, c.given
		return t, nil // until a dated record all share its time
	}
	c.prev, c.begun = t, true
	return t, nil
}
