// Package lazy resolves against catalogs that are read piece by piece: a package when the request
// or a constraint names it, and the contents of a version, which may take the pull of an image,
// when a tentative answer has that version.
//
// A [Provider] provides the pieces. A [Session] asks it in batches, keeps what it learned, and
// answers like a [resolver.Resolver] whose catalogs were read as a whole.
//
// # How it works
//
// A version that was not read is taken to require nothing and to provide nothing but the APIs for
// which the provider named it. So each round resolves a relaxation of the problem: whatever is
// impossible in it is impossible in the whole problem. The versions of its answer that were not
// read are read, all in one batch, and the round is repeated.
//
// An answer whose versions were all read is a result set of the whole problem. It is the best one
// (section 6 of the semantics), because each better candidate is impossible even in the
// relaxation: the answer is the one that the whole catalogs give, byte for byte but for its
// statistics. If a round has no solution, there is none, and its conflict is a minimal conflict of
// the whole problem too. The whole problem may have others, so that whole catalogs may give
// another conflict about the same request.
//
// # What is read
//
// Every version of the answer is read, and every better candidate that only its contents exclude.
// What the proof does not need is read only if a version of the same batch excludes it. Constraints
// that one version has to satisfy by itself (rules in CEL, and compounds under the policy
// PerBundle) are judged by contents: all versions that may satisfy one are read.
package lazy
