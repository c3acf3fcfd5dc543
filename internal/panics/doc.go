// Package panics finds panics in the log streams of a run and gives each a
// signature that is the same in every encoding and build.
//
// A panic can be written in many ways: as the dump with which the runtime ends
// a process, over many records that others may interleave; as one record of a
// library that recovered it; as the text of an error that holds a stack. A
// [Finder] is fed every record. The lines of one panic, however many records
// they take, are an occurrence; occurrences of one signature that were handled
// and written the same way are a [Panic].
//
//	f := panics.NewFinder(streams)
//	for … {
//		tag := f.Add(stream, time, line) // 0: no part of a panic
//	}
//	found := f.Finish() // found.Panics[found.Of[tag-1]]
//
// The signature is made of the panic's kind (its value, with what varies
// masked) and of the application's frames from where it panicked downwards:
// without addresses, arguments, lines, instantiations and closures, so that
// code which only moved, or which got a wrapper to recover, keeps it.
//
// A word is no panic: a text that speaks of one counts only with what a
// panicking program writes: a stack through the runtime's panic, the text of a
// run-time error, or the form of a known recoverer.
//
// Memory is bounded, whatever the log holds; see the constants in bounds.go.
package panics
