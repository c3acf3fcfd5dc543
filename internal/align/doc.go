// Package align sets the messages of two builds beside each other and says what became of each.
package align
