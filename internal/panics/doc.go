// Package panics finds panics in a log stream and gives each a signature that is the same in every encoding and build.
package panics
