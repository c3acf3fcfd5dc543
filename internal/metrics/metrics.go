// Package metrics holds scraped samples as plain data. Package corpus reads
// them and package replay evaluates rules on them. Times are milliseconds
// since the epoch, as Prometheus counts.
package metrics

// A Scrape is what one target gave at one time.
type Scrape struct {
	Time   int64
	Target int  // number of the target, from 0
	Up     bool // false: the target could not be scraped
	// Samples are those of the scrape. The series of the target that are not
	// among them end here.
	Samples []Sample
}

// A Sample is one value of one series.
type Sample struct {
	Series int // number of the series, from 0
	Time   int64
	Value  float64
}

// A Family is what a target says of the metrics called Name, and of those that
// belong to them, such as the buckets of a histogram.
type Family struct {
	Name string
	Type string // "counter", "gauge", "histogram", "summary" …; empty: not known
	Unit string
	Help string
}
