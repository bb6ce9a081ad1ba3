// Package fbc reads file-based catalogs, the format in which operators are
// published, into a [cache.Catalog].
//
// [Load] reads a directory tree, [LoadFile] a file, [Read] a stream and
// [FromNodes] blobs that stand inside another document. Input is JSON (any
// number of values, one a line or pretty-printed), or YAML (any number of
// documents), each also compressed with gzip. Everything is streamed: what is
// in memory at a time is what is kept, and of each file that is being read one
// blob or half a megabyte of them, a few times where several goroutines decode it.
//
// YAML in block style, as opm and other programs write it, becomes JSON while it is
// read. A document with anything else in it, such as an anchor, a tag or a collection in
// brackets, is for a library of YAML: it takes several times as long, and the memory
// of a tree of its values. What a document means does not depend on that.
//
// [Directory], [File] and [Stream] are sources for a [cache.Cache]: a load that finds
// the digest of the last one returns its content, and any other reads everything.
// Package cache/catalogd is the source for catalogs that are served over HTTP.
//
// # What is read
//
// A blob is an object with a schema. The schemas olm.package, olm.channel,
// olm.bundle and olm.deprecations make the catalog; blobs of any other schema
// are only counted. In the four, fields that the reader does not
// know are skipped, fields of a wrong type are problems, and null stands
// for an absent field.
//
// Properties of the types olm.csv.metadata and olm.bundle.object take most of
// the size of a catalog. What they say of the clusters and namespaces that a
// bundle runs in is read ([graph.Bundle.Compatibility]): from the metadata, or
// without that from the cluster service version among the objects. The
// properties themselves are not kept. An object that only refers to a file is not followed.
//
// Rules are compiled by package constraints/cel, which this package imports, unless it is built
// with the tag nocel: a bundle with a rule is then in quarantine.
//
// # Foreign input
//
// A catalog may come from anybody. No input makes the reader panic, hang or
// take memory without bound: see the limits in [Options]. What is wrong with
// a catalog becomes a [graph.Problem] with file and line, and the rest is
// read on (section 10 of the semantics):
//
//   - a line of JSON that is broken or too long is left out, and reading goes
//     on at the next line that holds a whole object; where there is no such line, as
//     in pretty-printed JSON, the rest of the file is lost;
//   - a YAML document that is broken or too large is left out, and reading
//     goes on at the next document;
//   - a file that cannot be read is left out from where reading failed;
//   - a property or field that is wrong puts its bundle or channel in
//     quarantine.
//
// Only three things fail the whole catalog: a context that ends, a limit on
// the catalog as a whole ([*LimitError]), and input in which not a single blob
// could be read ([*UnreadableError]). With [Options.Strict] every problem does
// ([*ProblemsError]).
//
// Results do not depend on how many goroutines read: declarations and
// problems come in the order of the paths, and inside of a file in its own.
package fbc
