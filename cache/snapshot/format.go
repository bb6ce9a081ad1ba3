package snapshot

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
)

// FormatVersion is the version of the format that this package writes, and the
// only one that it reads.
const FormatVersion = 1

// A snapshot is a header, a body, and a checksum of both. This much is the
// same in every version of the format, so that a whole snapshot of another
// version can be told from a damaged one:
//
//	magic    8 bytes
//	format   4 bytes, the version; this and all other numbers little-endian
//	build    8 bytes, what wrote it
//	length   8 bytes, of the body
//	body
//	checksum 4 bytes, CRC-32C of all before it
const (
	// The first byte is no text, and what follows is garbled where line ends
	// are converted, as in PNG.
	magic       = "\x89RSL\r\n\x1a\n"
	formatAt    = len(magic)
	buildAt     = formatAt + 4
	lengthAt    = buildAt + 8
	headerSize  = lengthAt + 8
	trailerSize = 4
)

// castagnoli is the polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns a snapshot of that body.
func seal(body []byte, format uint32, build uint64) []byte {
	data := make([]byte, 0, headerSize+len(body)+trailerSize)
	data = append(data, magic...)
	data = binary.LittleEndian.AppendUint32(data, format)
	data = binary.LittleEndian.AppendUint64(data, build)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(body)))
	data = append(data, body...)
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
}

// unseal returns the body of a snapshot, as part of it. The error is a
// *CorruptError or a *VersionError without a path.
func unseal(data []byte) ([]byte, error) {
	switch {
	case len(data) == 0:
		return nil, &CorruptError{Reason: "it is empty"}
	case !bytes.HasPrefix(data, []byte(magic)) && !bytes.HasPrefix([]byte(magic), data):
		return nil, &CorruptError{Reason: "it is no snapshot of a catalog"}
	case len(data) < headerSize+trailerSize:
		return nil, &CorruptError{Reason: "its end is missing"}
	}
	length, whole := binary.LittleEndian.Uint64(data[lengthAt:]), uint64(len(data)-headerSize-trailerSize)
	switch {
	case length > whole:
		return nil, &CorruptError{Reason: "its end is missing"}
	case length < whole:
		return nil, &CorruptError{Reason: "there is more behind its end"}
	}
	end := len(data) - trailerSize
	if crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, &CorruptError{Reason: "its checksum is wrong, so it is damaged"}
	}
	format, build := binary.LittleEndian.Uint32(data[formatAt:]), binary.LittleEndian.Uint64(data[buildAt:])
	if format != FormatVersion || build != thisBuild() {
		return nil, &VersionError{Format: format, Want: FormatVersion, Build: build, WantBuild: thisBuild()}
	}
	return data[headerSize:end:end], nil
}

// Options are the options of [Open] and [Decode]. The zero value is the
// default.
type Options struct {
	// Parser compiles the rules of constraints when they are first evaluated;
	// nil stands for a fresh one. One that is shared compiles each rule once
	// for all catalogs, and with its cost limit.
	Parser *constraints.Parser
	// Origin, unless it is empty, is what the snapshot has to be of: what
	// [WriteOptions].Origin was when it was written.
	Origin string
	// MaxBytes bounds the size of the file; 0 stands for [DefaultMaxBytes],
	// less for no limit. A larger one is a [*CorruptError]. The catalog takes
	// no more than 128 times as much memory, whatever the file holds, and
	// about five times as much if it was not tampered with.
	MaxBytes int64
}

// DefaultMaxBytes is the default of Options.MaxBytes: 256 MiB, some million
// bundles.
const DefaultMaxBytes = 256 << 20

// WriteOptions are options for writing. The zero value is the default.
type WriteOptions struct {
	// Origin tells what the content is of, for example the address that it
	// was loaded from. Whoever opens the snapshot can ask for it, so that a
	// file that was mixed up with another is not believed. It may be empty.
	Origin string
	// Mode is the permissions of a file; 0 stands for 0600, since what is
	// served only to those with a password should not lie open on disk.
	Mode fs.FileMode
}

// Encode writes a snapshot to w, with the default options.
func Encode(w io.Writer, c *cache.Content) error { return WriteOptions{}.Encode(w, c) }

// Encode writes a snapshot to w, in one Write. Equal contents give equal
// bytes. The error is an [*UnfitError] or that of w.
func (o WriteOptions) Encode(w io.Writer, c *cache.Content) error {
	data, err := o.encode(c)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// encode returns a snapshot. It is opened once to see that it can be: better
// to learn that now than when it is all there is.
func (o WriteOptions) encode(c *cache.Content) ([]byte, error) {
	if c == nil || c.Catalog == nil {
		return nil, &UnfitError{Reason: "there is none"}
	}
	b, err := body(c, o.Origin)
	if err != nil {
		return nil, err
	}
	if _, _, err := decodeBody(b, nil); err != nil {
		return nil, &UnfitError{Reason: "it would not be opened again, because " + err.Reason}
	}
	return seal(b, FormatVersion, thisBuild()), nil
}

// Decode returns the content of a snapshot that is in memory. It keeps nothing
// of data. The error is a [*CorruptError], [*VersionError] or [*OriginError].
func Decode(data []byte, opts Options) (*cache.Content, error) { return decode(data, "", opts) }

// decode is Decode for the content of a file.
func decode(data []byte, path string, opts Options) (*cache.Content, error) {
	b, err := unseal(data)
	switch err := err.(type) {
	case *CorruptError:
		err.Path = path
		return nil, err
	case *VersionError:
		err.Path = path
		return nil, err
	}
	c, origin, corrupt := decodeBody(b, opts.Parser)
	if corrupt != nil {
		corrupt.Path = path
		return nil, corrupt
	}
	if opts.Origin != "" && opts.Origin != origin {
		return nil, &OriginError{Path: path, Origin: origin, Want: opts.Origin}
	}
	return c, nil
}
