// Package snapshot saves catalogs to files, and opens them again some ten
// times faster than they are parsed.
//
// [Keep] puts a file behind any [cache.Source]: after a restart the catalog is
// there at once, and the far end is only asked whether it changed. [Write] and
// [Open], [Encode] and [Decode] are the parts.
//
// A catalog that was opened is the one that was saved in everything that can
// be seen of it: numbers, indexes, channels, problems, the raw JSON of
// properties, quarantines, places in files. Nothing is parsed again; the rules
// of constraints are compiled when they are first evaluated.
//
// # What is believed
//
// A snapshot is a cache and never the truth. A file that is damaged, cut off,
// foreign, of another version of the format, written by another build of the
// library or of another catalog is told by its header or by the checksum of
// the whole ([CorruptError], [VersionError], [OriginError]), and its user loads
// the catalog from its source and writes the file anew. There is no conversion
// from one version to another.
//
// The checksum guards against accidents, not against somebody who can write to
// the directory: such a one can put any catalog there. What that can do is
// bounded all the same: whatever a file holds, opening it neither panics nor
// hangs, takes no more memory than a multiple of its size, and gives a catalog
// that everything works with, or an error.
//
// # On disk
//
// A file is replaced as a whole: whenever a program is killed or a machine
// loses power, the path holds the old content or the new one. Several
// processes may write to one path: the last one wins. Files are readable by
// their owner alone unless [WriteOptions] say otherwise. A symbolic link at the
// path is itself replaced by the file.
//
// Everything in this package is safe for concurrent use.
package snapshot
