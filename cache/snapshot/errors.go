package snapshot

import "fmt"

// CorruptError tells that a file is no snapshot, or a damaged or truncated
// one. Nothing of it can be used: load the catalog from its source again, and
// write the file anew.
type CorruptError struct {
	// Path is the file, or empty if there is none.
	Path string
	// Reason tells in words what is wrong. Prose.
	Reason string
}

// Error tells which file is damaged, how, and what to do.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("snapshot%s cannot be used, because %s: load the catalog from its source, and write the snapshot again", in(e.Path), e.Reason)
}

// VersionError tells that a snapshot is whole, but was written in another
// format, or by a build of the library whose catalogs may mean something else:
// it holds what was made of the catalog by the rules of its writer. It is
// meant to be written again, not to be converted.
type VersionError struct {
	// Path is the file, or empty if there is none.
	Path string
	// Format is the version of the format of the file, Want the one that this
	// build reads.
	Format, Want uint32
	// Build identifies the build that wrote the file, WantBuild this one. They
	// tell nothing where Format and Want differ.
	Build, WantBuild uint64
}

// Error tells which versions do not fit together, and what to do.
func (e *VersionError) Error() string {
	what := fmt.Sprintf("it is of format %d and this program reads format %d", e.Format, e.Want)
	if e.Format == e.Want {
		what = fmt.Sprintf("another build of the program wrote it (%016x, this one is %016x)", e.Build, e.WantBuild)
	}
	return fmt.Sprintf("snapshot%s cannot be used, because %s: load the catalog from its source, and write the snapshot again", in(e.Path), what)
}

// OriginError tells that a snapshot is whole, but is one of something else
// than the catalog that is wanted. See [Options].Origin.
type OriginError struct {
	// Path is the file, or empty if there is none.
	Path string
	// Origin is what the file is a snapshot of, Want what was asked for.
	Origin, Want string
}

// Error tells what is mixed up, and what to do.
func (e *OriginError) Error() string {
	return fmt.Sprintf("snapshot%s cannot be used, because it is one of %q and not of %q: give each catalog a file of its own", in(e.Path), e.Origin, e.Want)
}

// UnfitError tells that a content cannot be saved. It takes a catalog that was
// put together by hand: one of package cache/fbc or [graph.Build] always fits.
type UnfitError struct {
	// Reason tells in words what does not fit. Prose.
	Reason string
}

// Error tells what does not fit.
func (e *UnfitError) Error() string { return "the catalog cannot be saved: " + e.Reason }

// in returns a path for a sentence.
func in(path string) string {
	if path == "" {
		return ""
	}
	return fmt.Sprintf(" %q", path)
}
