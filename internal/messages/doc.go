// Package messages takes log records apart and groups them by what the logging
// call fixes.
//
// A [Record] is one line taken apart, whatever it is written in: JSON (zap,
// slog, zerolog, logrus, klog), zap's console columns, klog's text, logfmt, or
// plain text with perhaps a time, a level and a logger in front. It yields the
// message, the level, the logger, the source file of the call, and every field
// with its dotted name, type and value.
//
// A [Catalogue] counts records by kind. The text of a kind is a template: words
// that look like values (with digits, paths, quoted names, addresses) are "<*>"
// at once; names that vary between texts that are otherwise equal become "<*>"
// when the catalogue is finished. Words that say what happened never do, so
// that "started" and "stopped" stay apart.
//
//	c := messages.NewCatalogue()
//	tag := c.Add(stream, &entry)        // a provisional number
//	list, final, cut := c.Finish()      // final[tag] indexes list
//
// Everything is bounded, and depends neither on the order of records of one
// time nor on the names and times in them, unless a bound is met.
package messages
