// Package impact says what a change of one subscription means for the others of its
// namespace: [Upgrade] finds the least change that upgrades some of them, with a
// reason for each bundle that has to move along, and [Needs] who needs whom, with
// what dropping one would break or leave over.
//
// Both ask the resolver and nothing else: every answer is the solution of a changed
// request.
package impact
