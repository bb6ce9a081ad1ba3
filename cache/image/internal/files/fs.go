package files

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// FS is the file system that a catalog's image leaves, as [Spool.Finish] writes it:
// read-only, and safe for concurrent use. Links in it are followed.
type FS struct {
	zip   *zip.Reader
	links map[string]string
}

const (
	maxSize = 1 << 40 // bounds each content
	maxLink = 4 << 10 // bounds the target of a link, which layers have as well
)

var errDamaged = errors.New("it is not a file system of this library")

// New returns the file system in an archive. The reader is used as long as that is.
func New(ctx context.Context, archive io.ReaderAt, size int64) (*FS, error) {
	z, err := zip.NewReader(archive, size)
	if err != nil {
		return nil, err
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxWindow(8<<20)))
	z.File = slices.DeleteFunc(z.File, func(f *zip.File) bool { return f.Name == "" }) // contents that nobody wanted
	f := &FS{zip: z, links: map[string]string{}}
	for _, e := range z.File {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.UncompressedSize64 > maxSize {
			return nil, errDamaged
		}
		if e.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		r, err := e.Open()
		if err != nil {
			return nil, err
		}
		target, err := io.ReadAll(io.LimitReader(r, maxLink))
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		f.links[e.Name] = string(target)
	}
	return f, nil
}

// Comment returns that of [Spool.Finish].
func (f *FS) Comment() string { return f.zip.Comment }

// Size returns how many entries there are, and how many bytes are in the files.
func (f *FS) Size() (entries, bytes int64) {
	for _, e := range f.zip.File {
		if e.Mode().IsRegular() {
			bytes += int64(e.UncompressedSize64)
		}
	}
	return int64(len(f.zip.File)), bytes
}

// Open implements fs.FS.
func (f *FS) Open(name string) (fs.File, error) {
	to, isLink := f.links[name]
	if !isLink {
		return f.zip.Open(name)
	}
	if _, again := f.links[to]; again { // round in a circle
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.zip.Open(to)
}
