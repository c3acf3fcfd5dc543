// Package repair proposes edits of rules that lost their match, from what the candidate really wrote.
package repair
