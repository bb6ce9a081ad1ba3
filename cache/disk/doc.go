// Package disk keeps copies of catalogs on disk, so that a program that is
// started again has its catalogs at once, even while their sources are gone.
//
// [Keep] puts a copy behind any [cache.Source]: a restarted cache serves what
// the one before it had, and asks the far end only whether that changed.
// [Write] and [Read] are its parts.
//
// # What a copy is
//
// A copy is a file-based catalog as JSON lines, compressed with gzip: zcat, jq
// and opm read it. Its first line has the schema resolute.copy, and says what
// the catalog was loaded from, its digest, and the validator with which the
// source asks whether it changed. The rest is what [fbc.Write] writes, with the
// problems that were found and the places in the files that the catalog was
// read from. So a catalog that was read from its copy is the one that was
// saved: it gives the same answers with the same words.
//
// # What is believed
//
// A copy is never the truth. One that is damaged, cut off, foreign, written by
// another version of the library or of another catalog is a [CopyError], and the
// catalog is loaded from its source and the copy written again. There is no conversion from one
// version to another.
//
// The file ends with an empty gzip member whose comment is the SHA-256 of all
// that stands before it, so that each changed bit is noticed. That guards
// against accidents, not against somebody who can write to the directory: they
// can put any catalog there. Such a file is read as any catalog of a stranger
// is, within the limits of package cache/fbc.
//
// # On disk
//
// A file is replaced as a whole: whenever a program is killed or a machine
// loses power, the path holds the old content or the new one. Several processes
// may write to one path: the last one wins. Files are readable by their owner
// alone unless [Options].Mode says otherwise. A symbolic link at the path is
// itself replaced by the file.
//
// Everything in this package is safe for concurrent use.
package disk
