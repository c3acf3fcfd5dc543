// Package logql runs LogQL queries over log entries that are pushed to it.
//
// A query is compiled once to an immutable [Query]. A [Set] holds the queries
// that are run together, and a [Run] is one pass over a log: entries are pushed
// in time order, and what the queries yield goes to a [Sink] as soon as it is
// known. So one pass over the log feeds all queries, and memory grows with the
// windows and series of the queries, not with the log.
//
//	q, err := logql.ParseAndCompile(`sum by (app) (rate({ns="x"} |= "panic" [5m])) > 0`)
//	set := logql.NewSet([]*logql.Query{q}, logql.Options{})
//	run := set.NewRun(streams, []logql.Window{{Start: from, End: to, Step: step}}, sink)
//	for _, e := range entries { // of type logql.Entry, in time order
//		run.Push(0, &e)
//	}
//	run.Close()
//	err = run.Err(0)
//
// # How a run shares work
//
// A stream is matched once against each selector. Streams that the same
// pipelines select share a route: a tree of stages in which equal beginnings of
// pipelines stand once. A line goes down that tree; where pipelines part, the
// entry goes back to the state it had there. What a parser finds in the
// unchanged text of a line is kept while the line passes, so that it is parsed
// as JSON or logfmt at most once, and of its fields only those are taken that
// some stage or grouping names, until the whole label set of an entry is asked
// for. The texts of all line filters are found in one pass over the line, and
// filters that wait for other texts are not asked. Range aggregations with
// equal windows are computed once, as are equal parts of metric queries.
//
// Streams are merged by time. Of entries with equal times Loki takes those of
// the stream with the lower [logs.Labels.Hash] first; push them so if its order
// matters.
//
// # Limits
//
// Answers equal those of Loki 3.7 as far as its recorded answers tell, also
// where they surprise: the comments of the stages say so. A construct whose
// answer cannot be computed exactly is refused with [ErrUnsupported]. The
// labels that Loki adds when it takes logs in, service_name and detected_level,
// are the caller's to add.
package logql
