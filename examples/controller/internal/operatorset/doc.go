// Package operatorset answers OperatorSets: it reads a request out of the spec,
// has it resolved over the catalogs of a [cache.Cache], and writes the plan or
// the conflict into the status.
//
// The answer to the same spec over the same catalogs is always the same status,
// to the byte, so that a status is written only when the answer changes: after a
// restart of the controller, or of the API server, nothing is written at all.
package operatorset
