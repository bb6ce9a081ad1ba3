// Package operatorset resolves OperatorSets: it converts the spec to a
// request, resolves it with the catalogs of a [cache.Cache], and writes the
// plan or the conflict into the status.
//
// The same spec and catalogs always give the same status, byte for byte. A
// status is written only if the answer changes; a restart of the controller or
// the API server writes nothing.
package operatorset
