// Package correlate finds the chains of objects that belong together, and through which fields of the logs they can be walked.
package correlate
