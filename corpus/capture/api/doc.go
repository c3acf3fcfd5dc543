// Package api has the sources of a capture that ask a server for what it has
// recorded: Loki, by its HTTP API.
//
// A source is a struct that people write in a capture file: its exported fields
// with a key are the keys. Sources checks it and returns what records.
package api
