// Package disk stores copies of catalogs on disk, so that a restarted program has its catalogs
// immediately, even while their sources are unavailable.
//
// [Keep] adds a copy to any [cache.Source]: a restarted cache serves the catalog of the
// previous process, and asks the source only whether it changed. [Write] and [Read] are the
// building blocks.
//
// # Format
//
// A copy is a file-based catalog as JSON lines, compressed with gzip, readable by zcat, jq and
// opm. Its first line has the schema resolute.copy and contains the origin of the catalog, its
// digest, and the validator for conditional requests. The rest is the output of [fbc.Write],
// including the problems found and the positions in the original files. So a catalog read from
// its copy is identical to the saved one, including all messages.
//
// # Invalid copies
//
// A copy is only a cache. If it is damaged, truncated, of another format, of another catalog,
// or written by another version of the library, reading it is a [CopyError]; the catalog is
// then loaded from its source and the copy is replaced. Formats are never converted.
//
// The file ends with an empty gzip member whose comment is the SHA-256 of all preceding bytes,
// so every changed bit is detected. This guards against accidents, not against an attacker who
// can write to the directory and replace a catalog. A copy is untrusted input, read within the
// limits of package cache/fbc.
//
// # On disk
//
// A file is replaced atomically: after a crash or a power failure the path has either the old
// content or the new one. Several processes may write to one path; the last one wins. Files are
// readable only by their owner unless [Options].Mode is set. A symbolic link at the path is
// replaced by the file.
//
// Everything in this package is safe for concurrent use.
package disk
