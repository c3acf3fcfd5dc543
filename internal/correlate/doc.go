// Package correlate finds the chains of objects that belong together, and
// through which fields of the logs they can be walked.
//
// [Learn] reads from recorded objects which things there are and how they are
// linked, as a profile declares: the truth. A [Collector] then looks at every
// record of the run and notes which field names which thing, and which records
// join two that are linked. [Losses] sets the runs of two builds beside each
// other and says what has been lost.
//
//	known := correlate.Learn(p.Correlation, run.Facts)
//	c := correlate.NewCollector(known, streams)
//	c.Add(stream, entry, record, tag)  // for each record
//	run.Correlation = c.Finish(final)
//
// Nothing here knows a component: what is special to one stands in its
// profile. Everything is bounded; what did not fit is said in a note.
package correlate
