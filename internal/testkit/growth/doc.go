// Package growth holds operations of the library, and commands of programs, against
// catalogs and requests of many shapes, each in two sizes a factor of 8 apart: work and
// memory may grow no faster than the input times its logarithm, and the end of a context
// takes effect soon, wherever it comes.
//
// Work is counted, in looks at the context and in allocated bytes, and never timed, so that
// the answer does not depend on the machine. It is for tests only.
package growth
