package logql

import (
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
)

// The values of labels are read by other rules than the literals of a query:
// here a duration has no d, w or y, and a size may have a blank before its
// unit and commas between digits.

// parseLabelNumber reads the value of a label as a decimal number, Inf or NaN.
// Underscores may stand between digits; blanks are errors.
func parseLabelNumber(value string) (float64, error) {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", value)
	}
	return f, nil
}

// parseLabelDuration reads the value of a label as a Go duration.
func parseLabelDuration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration", value)
	}
	return d, nil
}

// parseLabelBytes reads the value of a label as a size in bytes. The unit may
// be missing and is read without regard to case.
func parseLabelBytes(value string) (uint64, error) {
	n, err := humanize.ParseBytes(value)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size in bytes", value)
	}
	return n, nil
}
