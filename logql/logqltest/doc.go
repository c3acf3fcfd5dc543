// Package logqltest checks the LogQL engine against recorded answers of a real
// Loki: it reads cases and corpora, runs a case, and compares the answers by
// the rules under which they were recorded.
//
// The data is not part of this module. It is found through the environment
// variable STILLFIRES_SHARED, the directory that holds "conformance".
package logqltest
