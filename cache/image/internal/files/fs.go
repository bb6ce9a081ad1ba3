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

// FS is the file system of an image's catalog, as written by [Spool.Finish]. It is read-only
// and safe for concurrent use. Links are followed.
type FS struct {
	zip   *zip.Reader
	links map[string]string
}

const (
	maxSize = 1 << 40 // maximum size of a file
	maxLink = 4 << 10 // maximum length of a link's target, as in layers
)

var errDamaged = errors.New("it is not a file system written by this library")

// New returns the file system in an archive. It reads the archive as long as it is used.
func New(ctx context.Context, archive io.ReaderAt, size int64) (*FS, error) {
	z, err := zip.NewReader(archive, size)
	if err != nil {
		return nil, err
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxWindow(8<<20)))
	z.File = slices.DeleteFunc(z.File, func(f *zip.File) bool { return f.Name == "" }) // unused contents
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

// Comment returns the comment passed to [Spool.Finish].
func (f *FS) Comment() string { return f.zip.Comment }

// Size returns the number of entries and the total size of the files in bytes.
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
	target, isLink := f.links[name]
	if !isLink {
		return f.zip.Open(name)
	}
	if _, isLink := f.links[target]; isLink { // a cycle
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.zip.Open(target)
}
