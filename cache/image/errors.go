package image

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is what an image is instead of a file-based catalog.
type Kind string

// The kinds of images that hold no file-based catalog.
const (
	// KindSQLite is a catalog in the old form: a database.
	KindSQLite Kind = "sqlite"
	// KindBundle is the image of a single bundle.
	KindBundle Kind = "bundle"
	// KindOther is any other image: it does not say where its catalog is.
	KindOther Kind = "other"
	// KindArtifact is something in a registry that is not a container image: a
	// chart, a signature.
	KindArtifact Kind = "artifact"
)

// KindError is the error of an image that is not a file-based catalog.
type KindError struct {
	// Reference is the image.
	Reference string
	// Kind is what it is.
	Kind Kind
	// Detail is what shows it: a label and its value, or a media type.
	Detail string
}

// Error says what the image is, and what to do.
func (e *KindError) Error() string {
	var what string
	switch e.Kind {
	case KindSQLite:
		what = "is a catalog in the old SQLite form (%s), which is not read: turn it into a file-based catalog with opm migrate, or use a newer version of the image"
	case KindBundle:
		what = "is the image of a single bundle (%s), not a catalog: name the catalog image that offers the bundle"
	case KindArtifact:
		what = "is not a container image (%s): name the image of a catalog"
	default:
		what = "is not a catalog image: it has no label " + LabelConfigs + "%s; name the image of a file-based catalog, or add the label when you build it"
	}
	return fmt.Sprintf("the image %s "+what, inert(e.Reference), inert(e.Detail))
}

// ContentError is the error of an image whose content cannot be used: a manifest,
// index or configuration, a layer, or a directory or archive that cannot be read or does
// not hold the image.
type ContentError struct {
	// Reference is the image.
	Reference string
	// What is the document, if it is about one: "index", "manifest" or
	// "configuration".
	What string
	// Layer is the number of the layer, from 1; 0 if it is about none, or about
	// what all of them make together. Entry is the name of the file in it, if it is
	// about one.
	Layer int
	Entry string
	// Digest is that of the document or layer, if it is known.
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
		at = inLayer(e.Layer, e.Digest, e.Entry) + ": "
	case e.Digest != "":
		at = "its " + e.What + " " + e.Digest + " "
	case e.What != "":
		at = "its " + e.What + " "
	}
	return fmt.Sprintf("the image %s cannot be read: %s%s", inert(e.Reference), at, inert(e.Reason))
}

// inLayer says where in a layer something is.
func inLayer(number int, digest, entry string) string {
	at := layerName(number)
	if digest != "" {
		at += " (" + digest + ")"
	}
	if entry != "" {
		at += ", entry " + quoted(entry)
	}
	return at
}

// Unwrap returns the cause.
func (e *ContentError) Unwrap() error { return e.Err }

// DigestError is the error of content that is not what its digest says: a
// registry, mirror or proxy that sends something else, or a damaged file.
type DigestError struct {
	// Reference is the image.
	Reference string
	// What is the part: "manifest", "configuration", "layer 2", or "layer 2
	// decompressed".
	What string
	// Want is the digest that it should have, Got the one that it has.
	Want, Got string
}

// Error says which part is not what it should be.
func (e *DigestError) Error() string {
	return fmt.Sprintf("the image %s cannot be read: its %s should have the digest %s and has %s; what sends it is broken or lies, so nothing of it is used: try another mirror, or tell whoever runs the registry",
		inert(e.Reference), e.What, e.Want, e.Got)
}

// CutError is the error of content that did not arrive whole, or was not as
// long as was said.
type CutError struct {
	// Reference is the image.
	Reference string
	// What is the part: "manifest", "layer 2".
	What string
	// Bytes is how much came, and Want how much should have; negative if that
	// is not known.
	Bytes, Want int64
	// Err is what ended it, nil if it only had another length.
	Err error
}

// Error says how much came of what.
func (e *CutError) Error() string {
	want := ""
	if e.Want >= 0 {
		want = fmt.Sprintf(" instead of %d", e.Want)
	}
	why := ""
	if e.Err != nil {
		why = ": " + inert(e.Err.Error())
	}
	return fmt.Sprintf("the image %s did not arrive whole: of its %s came %d bytes%s%s; nothing of it is used, try again",
		inert(e.Reference), e.What, e.Bytes, want, why)
}

// Unwrap returns what ended it.
func (e *CutError) Unwrap() error { return e.Err }

// LimitError is the error of an image that is larger than it may be.
type LimitError struct {
	// Reference is the image.
	Reference string
	// Limit is the name of the limit: a field of [Limits], or MaxLinkSteps for
	// symbolic links that lead through each other without end.
	Limit string
	// Max is its value.
	Max int64
	// Layer and Entry say where it was passed, as in [ContentError].
	Layer int
	Entry string
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

// Error says which limit it was, and where.
func (e *LimitError) Error() string {
	at := ""
	if e.Layer > 0 {
		at = " (passed in " + inLayer(e.Layer, "", e.Entry) + ")"
	}
	advice := "if it can be trusted, raise Limits." + e.Limit
	if e.Limit == "MaxLinkSteps" {
		advice = "build it with copies instead of links"
	}
	return fmt.Sprintf("the image %s has more than %d %s%s: %s", inert(e.Reference), e.Max, limitUnits[e.Limit], at, advice)
}

// NotKeptError is the error of an image that is not in the store, where the
// network may not be asked: see [Options].Offline.
type NotKeptError struct {
	// Reference is the image.
	Reference string
}

// Error says what to do.
func (e *NotKeptError) Error() string {
	return fmt.Sprintf("the image %s is not among the kept images, and the network may not be used: ask for it once with the network", inert(e.Reference))
}

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
	return fmt.Sprintf("images cannot be kept in %s: %v; make room or rights there, or name another folder", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// MirrorError says that neither the mirrors of an image nor the registry
// itself, if it was asked, has it. It wraps the error of each, in the order in
// which they were asked.
type MirrorError struct {
	// Reference is the image.
	Reference string
	// Tried are the places that were asked.
	Tried []MirrorAttempt
}

// MirrorAttempt is one place that was asked for an image.
type MirrorAttempt struct {
	// Repository is the place: host[:port]/path.
	Repository string
	// Err is what came of it.
	Err error
}

// Error says what came of each place.
func (e *MirrorError) Error() string {
	tried := make([]string, len(e.Tried))
	for i, t := range e.Tried {
		tried[i] = fmt.Sprintf("from %s: %v", inert(t.Repository), t.Err)
	}
	return fmt.Sprintf("the image %s cannot be had: %s", inert(e.Reference), strings.Join(tried, "; "))
}

// Unwrap returns the errors.
func (e *MirrorError) Unwrap() []error {
	errs := make([]error, len(e.Tried))
	for i, t := range e.Tried {
		errs[i] = t.Err
	}
	return errs
}

// RetryAfter returns the longest time that one of the places asked to be left
// alone, 0 if none did: see cache.RetryAfterer.
func (e *MirrorError) RetryAfter() time.Duration {
	longest := time.Duration(0)
	for _, t := range e.Tried {
		var status *StatusError
		if errors.As(t.Err, &status) {
			longest = max(longest, status.Wait)
		}
	}
	return longest
}
