// Package redact takes secrets out of what a corpus holds, so that the corpus
// can be given away and its rules still do what they did.
//
// A [Redactor] is a [Policy] and a [Key], compiled and tested. Its cleaners
// replace what the policy names by tokens: words of small letters and digits
// that are keyed hashes of what stood there. Equal values have equal tokens in
// all files of all runs that were cleaned with one key; a token fits into
// JSON, logfmt, klog and YAML without a quote. Nothing else of a record is
// touched: keys, spacing, numbers and messages stay as they were written.
//
//	r, err := redact.New(redact.DefaultPolicy(), key)
//	…
//	w, err := corpus.OpenForWrite(dir, creator)
//	…
//	w.Redact(r) // all that w writes from here on is cleaned
//
// Records are read by their structure: as JSON, also inside texts of JSON or
// between quotes of klog and logfmt, as YAML, as pairs of key and value, as
// URLs. What no structure tells is found by its form alone: emails, keys of
// cloud providers, JSON web tokens, private keys in PEM over several records.
//
// A secret that neither stands under a telling key nor has a form of its own
// is not found; name its key or its form in the policy.
package redact
