// Package messages takes log records apart and groups them by what the logging call fixes.
package messages
