// Package corrections finds the smallest changes after which a request that has no
// solution has one. It works on the public API alone: each set of changes that it tries
// is resolved, as anybody could.
package corrections
