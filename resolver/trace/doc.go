// Package trace records what a resolution did: every decision in its order with the
// candidates that it looked at, what the solver was asked, where the search ran into a
// dead end and how far it went back, and the answer. A trace is made of what the hooks
// of the resolver are called with ([event.Hooks]), and of nothing else.
package trace
