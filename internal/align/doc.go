// Package align sets the messages of two builds beside each other and says
// what became of each.
//
// [Compare] first merges the messages of the runs of one build into kinds
// (kind.go): what one logging call wrote, whatever the scenario, encoding and
// optional keys. Kinds with the same text are paired at once; of the others a
// pair is made where wording, place, keys, values and counts agree so well,
// and so much better than any other pair, that it is hardly chance (score.go,
// match.go). Splits and merges are looked for before that (split.go). What
// stays alone is removed or added; then the nearest kind is named, and nothing
// is claimed of it.
//
// Every pair is compared by text, level, keys, encoding and counts. Counts
// differ by chance as well: noise.go says when a difference is more than that.
//
// The package is pure. Work is bounded by the bounds of the catalogues and
// [maxLoose].
package align
