package image

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image/internal/files"
)

// ContentError is the error of an image whose content cannot be used, so that asking
// again does not help, but perhaps another mirror: it is not a catalog; a document or
// layer is not what its digest says, did not arrive whole or is refused; or a directory
// or archive cannot be read or does not hold the image.
type ContentError struct {
	// Reference is the image.
	Reference string
	// What is the part that it is about: "index", "manifest", "configuration",
	// "layer 2", or "layer 2 decompressed"; empty if it is about none.
	What string
	// Layer is the number of the layer, from 1, whose content is refused; 0 if it is
	// about none, or about what all of them make together. Entry is the name of the
	// file in it, if it is about one.
	Layer int
	Entry string
	// Digest is that of the part, if it is known.
	Digest string
	// Reason is what is wrong, and what to do.
	Reason string
	// Err is the cause, if there is one. For a missing file
	// errors.Is(err, fs.ErrNotExist) holds.
	Err error
}

// Error says what is wrong, and where.
func (e *ContentError) Error() string {
	at := ""
	switch {
	case e.Layer > 0:
		at = files.InLayer(e.Layer, e.Digest, e.Entry) + ": "
	case e.Digest != "":
		at = "its " + e.What + " " + e.Digest + " "
	case e.What != "":
		at = "its " + e.What + " "
	}
	return source(e.Reference) + " cannot be read: " + at + inert(e.Reason)
}

// Unwrap returns the cause.
func (e *ContentError) Unwrap() error { return e.Err }

// source is how errors call an image.
func source(ref string) string { return "the image " + inert(ref) }

// content returns the error of a part.
func (l *loading) content(what, digest string, cause error, format string, args ...any) error {
	return &ContentError{Reference: l.ref, What: what, Digest: digest, Reason: fmt.Sprintf(format, args...), Err: cause}
}

// wrongDigest is the error of a part that is not what its digest says: a registry, mirror
// or proxy that sends something else, or a damaged file.
func (l *loading) wrongDigest(what string, want, got digest.Digest) error {
	return l.content(what, "", nil, "should have the digest %s and has %s: it was changed where it is kept or on its way, so nothing of it is used; try another mirror, or tell whoever runs the registry", want, got)
}

// notWhole is the error of a part that did not arrive whole, or is not as long as was
// said: want is negative if that is not known. The cause is nil if only the length is
// another one.
func (l *loading) notWhole(what string, came, want int64, cause error) error {
	reason := fmt.Sprintf("did not arrive whole: %d bytes came", came)
	if want >= 0 {
		reason += fmt.Sprintf(" instead of %d", want)
	}
	if cause != nil {
		reason += ": " + cause.Error()
	}
	return l.content(what, "", cause, "%s; nothing of it is used, try again", reason)
}

// limitUnits says what each limit counts.
var limitUnits = map[string]string{
	"MaxBytes":         "bytes in its layers, as they are sent",
	"MaxUnpackedBytes": "bytes in its layers, decompressed",
	"MaxFileBytes":     "bytes in the files of its catalog",
	"MaxFiles":         "files and folders in its catalog",
	"MaxEntries":       "entries in its layers",
	"MaxLayers":        "layers",
	"MaxManifestBytes": "bytes in its manifest or configuration",
	"MaxManifestItems": "lists, objects and items of them in its manifest or configuration",
	"MaxLinkSteps":     "steps through symbolic links",
}

// tooLarge is the error of an image that passes a limit: a field of [Limits], or
// MaxLinkSteps for symbolic links that lead through each other without end.
func (l *loading) tooLarge(limit string, most int64, at string) error {
	e := &cache.LimitError{Source: source(l.ref), Limit: limit, Max: most, What: limitUnits[limit], At: at, Advice: "if it can be trusted, raise Limits." + limit}
	if limit == "MaxLinkSteps" {
		e.Advice = "build it with copies instead of links"
	}
	return e
}

// within returns an error if there is more of something than a limit allows.
func (l *loading) within(limit string, n, most int64, at string) error {
	if n > most {
		return l.tooLarge(limit, most, at)
	}
	return nil
}

// ConnectionError is the error of a registry, or of a host that it leads to, that cannot
// be reached or not be trusted, leads to where it must not, or whose token server gives
// no token.
type ConnectionError struct {
	// Reference is the image, Host the host.
	Reference, Host string
	// Reason is what is wrong, and what to do.
	Reason string
	// Err is the cause, if there is one.
	Err error
}

// Error says which host it is, and why.
func (e *ConnectionError) Error() string {
	return source(e.Reference) + " cannot be read: " + inert(e.Host) + " " + inert(e.Reason)
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// CredentialsError is the error of a place where credentials are kept that
// cannot be read. It says nothing of what is in there.
type CredentialsError struct {
	// Source is the place: a file, a pull secret, a helper.
	Source string
	// Err is the cause.
	Err error
}

// Error says which place it is, and why.
func (e *CredentialsError) Error() string {
	return fmt.Sprintf("the credentials of %s cannot be read: %v; correct them or leave them out", inert(e.Source), e.Err)
}

// Unwrap returns the cause.
func (e *CredentialsError) Unwrap() error { return e.Err }

// ErrNotKept is the cause of the error of an image that is not in the store, where the
// network may not be asked: see [Options].Offline.
var ErrNotKept = errors.New("is not among the kept images, and the network may not be used: ask for it once with the network")

// StoreError says that kept images cannot be written or read. A source goes on
// without them, see [Options].Logger.
type StoreError struct {
	// Dir is the folder of the store.
	Dir string
	// Err is the cause.
	Err error
}

// Error says what is wrong.
func (e *StoreError) Error() string {
	return fmt.Sprintf("images cannot be kept in %s: %v; free space or fix permissions there, or name another folder", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// mirrorError says that neither the mirrors of an image nor the registry itself, if it
// was asked, has it.
type mirrorError struct {
	ref          string
	repositories []string // in the order in which they were asked
	errs         []error  // what came of each
}

// Error says what came of each place.
func (e *mirrorError) Error() string {
	tried := make([]string, len(e.errs))
	for i, err := range e.errs {
		tried[i] = fmt.Sprintf("from %s: %v", inert(e.repositories[i]), err)
	}
	return source(e.ref) + " cannot be read: " + strings.Join(tried, "; ")
}

// Unwrap returns the errors.
func (e *mirrorError) Unwrap() []error { return e.errs }

// RetryAfter returns the longest time that one of the places asked to be left
// alone, 0 if none did: see cache.RetryAfterer.
func (e *mirrorError) RetryAfter() time.Duration {
	longest := time.Duration(0)
	for _, err := range e.errs {
		var asked cache.RetryAfterer
		if errors.As(err, &asked) {
			longest = max(longest, asked.RetryAfter())
		}
	}
	return longest
}
