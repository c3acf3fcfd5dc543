// Package corpus reads and writes corpora: directories of recorded runs, with
// manifests and checksums.
//
// A corpus holds runs, found by build, scenario and repetition. A run holds
// streams, one per process, each a file of records with their times, and a
// manifest that says what ran and what the files hold. docs/corpus-format.md
// is the specification of the format, version 1.
//
//	c, err := corpus.Open(dir)
//	…
//	run, err := c.OpenRun("deployed", "ordinary-reconnect", 1)
//	…
//	entries, err := run.Entries()
//	…
//	defer entries.Close()
//	for entries.Scan() {
//		use(entries.Stream(), entries.Entry())
//	}
//	if err := entries.Err(); err != nil { … }
//
// Runs come from [Import], which takes a tree of log files and an import
// description; from [ImportRaw], which takes single logs; or from a [Writer].
// A run is seen whole or not at all.
//
// Everything read is taken to be hostile: frames, records and manifests are
// bounded, paths cannot leave the corpus, and what does not agree with its
// manifest is an error that names the file.
package corpus
