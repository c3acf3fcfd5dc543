// Package contrary tells texts that say the contrary of each other from those
// that say the same in other words: "lock acquired" and "lock lost", "crane is
// up" and "crane is down", "loaded" and "failed to load".
//
// Only the words in which two texts differ count. They are looked up by their
// base form, so that "enabling" and "disabled" are contrary as "enable" and
// "disable" are. What is not known to be contrary is not: the package errs on
// the side of [Opposed] reporting true, as two texts that are wrongly kept
// apart mislead less than two that are wrongly taken for one.
package contrary
