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

// ContentError reports an image whose content cannot be used. A retry does not help, but
// another mirror may. The image is not a catalog; a document or layer does not match its
// digest, is truncated or is rejected; or a directory or archive cannot be read or does not
// contain the image.
type ContentError struct {
	// Reference is the image.
	Reference string
	// What is the affected part: "index", "manifest", "configuration", "layer 2", or
	// "layer 2 decompressed"; empty if the error concerns no single part.
	What string
	// Layer is the number of the rejected layer, from 1; 0 if the error concerns no single
	// layer. Entry is the name of the affected file in it, if any.
	Layer int
	Entry string
	// Digest is the digest of the part, if known.
	Digest string
	// Reason says what is wrong and what to do.
	Reason string
	// Err is the cause, if any. For a missing file errors.Is(err, fs.ErrNotExist) holds.
	Err error
}

// Error describes the problem and where it is.
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

// source names an image in errors.
func source(ref string) string { return "the image " + inert(ref) }

// contentError returns the error of a part.
func (l *loader) contentError(what, digest string, cause error, format string, args ...any) error {
	return &ContentError{Reference: l.ref, What: what, Digest: digest, Reason: fmt.Sprintf(format, args...), Err: cause}
}

// digestMismatch returns the error of a part whose content does not match its digest: a
// registry, mirror or proxy sent something else, or a file is damaged.
func (l *loader) digestMismatch(what string, want, got digest.Digest) error {
	return l.contentError(what, "", nil, "has digest %[2]s, expected %[1]s: it was modified in storage or in transit and is not used; try another mirror, or contact the operator of the registry", want, got)
}

// truncated returns the error of a part with the wrong length. want is negative if the expected
// length is unknown. cause is nil if only the length differs.
func (l *loader) truncated(what string, received, want int64, cause error) error {
	reason := fmt.Sprintf("is incomplete: received %d", received)
	if want >= 0 {
		reason += fmt.Sprintf(" of %d", want)
	}
	reason += " bytes"
	if cause != nil {
		reason += ": " + cause.Error()
	}
	return l.contentError(what, "", cause, "%s; try again", reason)
}

// limitUnits is the unit of each limit.
var limitUnits = map[string]string{
	"MaxBytes":         "bytes of layers, as transferred",
	"MaxUnpackedBytes": "bytes of layers, decompressed",
	"MaxFileBytes":     "bytes in the files of its catalog",
	"MaxFiles":         "files and folders in its catalog",
	"MaxEntries":       "entries in its layers",
	"MaxLayers":        "layers",
	"MaxManifestBytes": "bytes in its manifest or configuration",
	"MaxManifestItems": "lists, objects and their items in its manifest or configuration",
	"MaxLinkSteps":     "steps through symbolic links",
}

// limitExceeded returns the error of an image that exceeds a limit: a field of [Limits], or
// MaxLinkSteps for symbolic links that are too expensive to resolve.
func (l *loader) limitExceeded(field string, limit int64, at string) error {
	e := &cache.LimitError{Source: source(l.ref), Limit: field, Max: limit, What: limitUnits[field], At: at}
	switch name := l.opts.name(field); {
	case field == "MaxLinkSteps":
		e.Advice = "build it with copies instead of links"
	case name == "":
		e.Advice = "this limit cannot be raised"
	default:
		e.Advice = "if you trust the image, raise " + name
	}
	return e
}

// checkLimit returns an error if n exceeds a limit.
func (l *loader) checkLimit(field string, n, limit int64, at string) error {
	if n > limit {
		return l.limitExceeded(field, limit, at)
	}
	return nil
}

// ConnectionError reports a registry, or a host it redirects to, that cannot be reached or is
// not trusted, that redirects to a forbidden target, or whose token server issues no token.
type ConnectionError struct {
	// Reference is the image, Host the failing host.
	Reference, Host string
	// Reason says what is wrong and what to do.
	Reason string
	// Err is the cause, if any.
	Err error
}

// Error names the host and the reason.
func (e *ConnectionError) Error() string {
	return source(e.Reference) + " cannot be read: " + inert(e.Host) + " " + inert(e.Reason)
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// CredentialsError reports a source of credentials that cannot be read. It never contains their
// content.
type CredentialsError struct {
	// Source is a file, a pull secret or a credential helper.
	Source string
	// Err is the cause.
	Err error
}

// Error names the source and the reason.
func (e *CredentialsError) Error() string {
	return fmt.Sprintf("the credentials of %s cannot be read: %v; correct or remove them", inert(e.Source), e.Err)
}

// Unwrap returns the cause.
func (e *CredentialsError) Unwrap() error { return e.Err }

// ErrNotKept reports that an image is not in the store while the network is disabled: see
// [Options].Offline.
var ErrNotKept = errors.New("is not in the store, and the network is disabled")

// StoreError reports a store that cannot be read or written. A source continues without the
// store, see [Options].Logger.
type StoreError struct {
	// Dir is the directory of the store.
	Dir string
	// Err is the cause.
	Err error
}

// Error names the directory and the cause.
func (e *StoreError) Error() string {
	return fmt.Sprintf("images cannot be stored in %s: %v; free space or fix permissions there, or choose another directory", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// mirrorError reports that no tried mirror or registry has the image.
type mirrorError struct {
	ref          string
	repositories []string // in the order tried
	errs         []error  // one for each repository
}

// Error lists the error of each repository.
func (e *mirrorError) Error() string {
	tried := make([]string, len(e.errs))
	for i, err := range e.errs {
		tried[i] = fmt.Sprintf("from %s: %v", inert(e.repositories[i]), err)
	}
	return source(e.ref) + " cannot be read: " + strings.Join(tried, "; ")
}

// Unwrap returns the errors.
func (e *mirrorError) Unwrap() []error { return e.errs }

// RetryAfter returns the longest wait requested by any repository, 0 if none: see
// cache.RetryAfterer.
func (e *mirrorError) RetryAfter() time.Duration {
	longest := time.Duration(0)
	for _, err := range e.errs {
		var retry cache.RetryAfterer
		if errors.As(err, &retry) {
			longest = max(longest, retry.RetryAfter())
		}
	}
	return longest
}
