// Package catalogd reads catalogs over HTTP from catalogd of OLM v1: all blobs of a catalog as
// JSON lines, at the path api/v1/all below the base URL of the catalog.
//
// [New] returns a [cache.Source] that sends conditional requests (ETag and Last-Modified) and
// accepts gzip. The caller's http.Client provides certificates, tokens, proxies and redirects.
//
// # Untrusted input
//
// A server may be slow, broken, or not serve a catalog at all. A response is accepted only if
// it is complete. A broken connection, a body shorter than its length, a missing last chunk, a
// wrong checksum and an incomplete last line are errors ([*fbc.CutError]), and so is a page
// without a catalog ([*fbc.UnreadableError]). Invalid parts of a complete catalog are its
// problems, as with any other source. Every wait has a timeout ([*cache.TimeoutError]) and
// every body a limit ([*cache.LimitError], [*fbc.LimitError]). A status code other than 200 and
// 304 is a [*cache.StatusError].
//
// The content type is ignored: servers send various ones, and the content determines the
// format.
package catalogd
