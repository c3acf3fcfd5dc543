// Package loggen generates the log of a Kubernetes controller, the same bytes
// on every machine: as zap writes it as JSON, and as logfmt.
//
// A line is made of one of some thirty templates, drawn by weight: nested
// objects, lists, texts with escapes, errors with stack traces. A few lines
// are broken, as real logs are: cut JSON, text of other libraries, panics.
// Times ascend. A line has 260 bytes on average.
//
// Beside the log stand what is asked of it: [Needles] are texts to search for,
// [Rules] are alert rules.
//
//	err := loggen.Write(f, 1_000_000)
//
// A change of a template changes the log, and with it every figure that was
// measured on it; a test holds the first lines.
package loggen
