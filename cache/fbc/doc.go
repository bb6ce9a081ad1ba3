// Package fbc reads file-based catalogs, the format in which operators are
// published, into a [cache.Catalog].
//
// [Load] reads a directory tree or a file, [Read] a stream, [FromNodes] blobs inside another
// document, and [FromBlobs] JSON blobs. Input is JSON (any number of values, one per line or
// pretty-printed) or YAML (any number of documents), each optionally compressed with gzip.
// Everything is streamed: only the result is kept in memory, and for each file being read one blob
// or half a megabyte of blobs, several times that if several goroutines decode it.
//
// YAML in block style, as opm and other programs write it, is converted to JSON while it is read.
// A document with other syntax, such as an anchor, a tag or a flow collection, is parsed by a YAML
// library, which takes several times as long and builds a tree in memory. The result is the same.
//
// [Directory] and [Stream] are sources for a [cache.Cache]: a load returns the previous content if
// the digest is unchanged, and otherwise reads everything. Package cache/catalogd is the source for
// catalogs that are served over HTTP.
//
// # Schemas and properties
//
// A blob is an object with a schema. The schemas olm.package, olm.channel,
// olm.bundle and olm.deprecations define the catalog; blobs of other schemas
// are only counted. In the four, unknown fields are skipped, fields of a wrong type are problems,
// and null means that the field is absent.
//
// Properties of the types olm.csv.metadata and olm.bundle.object take most of
// the size of a catalog. Their requirements on clusters and namespaces are kept
// ([graph.Bundle.Compatibility]): those of the metadata, or else of the ClusterServiceVersion among
// the objects. The properties themselves are dropped. An object that refers to a file is not
// followed.
//
// Rules are compiled by package constraints/cel, which this package imports, unless it is built
// with the tag nocel: a bundle with a rule is then quarantined.
//
// # Untrusted input
//
// A catalog may be untrusted. No input makes the reader panic, hang or use unbounded memory: see
// the limits in [Options]. An error in a catalog becomes a [graph.Problem] with file and line, and
// reading continues (section 10 of the semantics):
//
//   - an invalid or too long line of JSON is skipped, and reading continues at the next line with a
//     complete object; without such a line, as in pretty-printed JSON, the rest of the file is lost;
//   - an invalid or too large YAML document is skipped, and reading continues at the next document;
//   - a file with a read error is skipped from that position;
//   - an invalid property or field quarantines its bundle or channel.
//
// Only three errors fail the whole catalog: the end of the context, a limit on the catalog as a
// whole ([*LimitError]), and input without any readable blob ([*UnreadableError]). With
// [Options.Strict], every problem does ([*ProblemsError]).
//
// Results do not depend on the number of goroutines: declarations and problems are in the order of
// the paths, and within a file in its order.
package fbc
