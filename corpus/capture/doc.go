// Package capture records a run of a corpus while it happens.
//
// A [Session] is one run under capture: it gives any mix of sources a [Sink]
// and writes what they record into a spool, a directory beside the runs of the
// corpus that is only ever added to. At the end the spool becomes a run, in one
// rename, and is deleted. A program that ends before that, however it ends,
// leaves the spool, which [Repair] closes as an incomplete run, or another
// session resumes.
//
// Sources are in the packages below this one.
package capture
