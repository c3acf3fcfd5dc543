// Package lockfile tells live writers of a directory from dead ones: a writer
// holds the lock of a file in it for as long as it lives.
package lockfile
