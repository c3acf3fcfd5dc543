// Package query runs one LogQL query over recorded logs and prints the answer:
// what stands behind "stillfires query".
//
// Logs come from the runs of a corpus or from single files and pipes. A query
// looks at one run at a time, as rules do; single files together are one run.
// Lines of a forward log query are printed as they are found, all other
// answers at the end.
//
//	err := query.Run(ctx, &query.Options{Query: `{app="x"} |= "panic"`, Files: []string{"x.log"}, …}, os.Stdout)
//
// docs/query.md describes what a user sees.
package query
