// Package syntax reads LogQL, the query language of Loki, into a tree, prints
// the tree again, and explains what is wrong with a query that it cannot read.
//
// A query is an [Expr]: a [LogQuery], which yields log lines, or a metric
// expression, which yields samples. Every part of it is a [Node] that knows
// its place in the text as byte offsets and prints itself as LogQL. Nodes are
// plain data. They hold no compiled regexps or templates and do not evaluate;
// package logql does. [Walk] visits a tree, and [Equal] compares two of them.
//
//	e, err := syntax.Parse(`sum by (pod) (rate({app="kueue"} |= "panic" [5m])) > 0`)
//	var bad *syntax.Error
//	if errors.As(err, &bad) {
//		fmt.Fprintf(os.Stderr, "%v\n%s\n", bad, bad.Caret())
//	}
//
// The grammar was written from the public documentation and is held to the
// recorded answers of a Loki 3.7.6 server, also where these surprise: see the
// comments at the places where they do. Printing gives a canonical form:
// numbers are compared with ==, conditions joined by and, the range stands
// after the last stage, grouping before the brackets of an aggregation.
//
// Limits. A query may be at most [MaxQueryLen] bytes long and [MaxDepth]
// levels deep; it must be valid UTF-8. Only the first error is reported. Of
// the language, the experimental variants are unsupported. What needs more
// than the grammar (regexps of line filters, templates, JSON paths,
// addresses) is checked by package logql, which reports it with the phase
// [PhaseCompile].
package syntax
