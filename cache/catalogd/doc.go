// Package catalogd reads catalogs over HTTP, as catalogd of OLM v1 serves them:
// all blobs of a catalog as JSON lines, at the path api/v1/all below the base
// URL of the catalog.
//
// [New] makes a [cache.Source] that asks the server whether anything changed
// (ETag and Last-Modified) before it sends a catalog again, and takes it compressed
// where the server can do that. Certificates, tokens, proxies and redirects are the business of the caller's
// http.Client.
//
// # What is not believed
//
// A server may be slow, broken, or not a catalog at all. What it sends is taken
// whole or not at all: a connection that breaks, a length that is not reached, a
// missing last chunk, a wrong checksum, and a last line that is not whole are an
// error ([*fbc.CutError]); so is a page that holds no catalog
// ([*fbc.UnreadableError]). What is wrong inside of a catalog that came whole
// are its problems, as with any other source. Each wait has an end
// ([*cache.TimeoutError]), and so has what is read ([*cache.LimitError],
// [*fbc.LimitError]). A status other than 200 and 304 is a [*cache.StatusError].
//
// The type of the content is not looked at: servers send various ones, and the
// content says.
package catalogd
