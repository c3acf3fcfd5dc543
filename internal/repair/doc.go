// Package repair proposes changes of a query that lost its lines, from what the
// candidate build really wrote, and judges what came of trying them.
//
// A query is a chain of pieces: a selector, then stages. [Propose] takes lines
// that the rule matched on the deployed build and lines of the candidate that
// say the same, sends each of the latter down the chain, and changes the piece
// that drops it so that it passes, while the lines of the deployed build still
// do. What comes out is a guess. The caller replays all of them on both builds,
// and [Judge] keeps those that match on deployed what the rule matched there,
// fire where they must and stay silent where they must.
//
// Nothing is taken from a query that is not replaced: filters are widened, never
// dropped, but for the line number of a caller, which is no part of a message.
// So an identifier that the candidate no longer writes has no repair, and
// [Proposal.Missing] says so. PromQL is not repaired: metrics have no wording.
package repair
