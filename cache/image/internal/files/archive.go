package files

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/internal/file"
)

// Directory is a folder on the disk.
type Directory string

// Open opens a file by its path.
func (d Directory) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return file.Open(ctx, filepath.Join(string(d), filepath.FromSlash(name)))
}

// Archive is a folder in a tar file, which may be compressed. Each Open searches the archive
// from the beginning: it has few, large files, and an uncompressed archive is searched by
// seeking.
type Archive struct {
	// File is the path of the archive.
	File string
	// Entries is the maximum number of entries scanned per file. Bytes is the maximum number of
	// bytes decompressed for all files together, because each layer of a docker save archive is
	// searched from the beginning.
	Entries, Bytes int64

	read atomic.Int64 // bytes decompressed so far
}

// maxArchiveLinks is the maximum number of links followed to a file of an archive.
const maxArchiveLinks = 10

// Open opens a file by its path.
func (a *Archive) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	for range maxArchiveLinks {
		r, h, err := a.find(ctx, name)
		if err != nil {
			return nil, err
		}
		switch h.Typeflag {
		case tar.TypeReg:
			return r, nil
		case tar.TypeSymlink:
			name = path.Join(path.Dir(name), h.Linkname)
		case tar.TypeLink:
			name = path.Clean(h.Linkname)
		default:
			name = "/"
		}
		r.Close()
		if !fs.ValidPath(name) {
			break
		}
	}
	return nil, fmt.Errorf("%q in the archive is not a file", name)
}

// find returns an entry of the archive and its content. A [*cache.LimitError] contains only the
// exceeded limit.
func (a *Archive) find(ctx context.Context, name string) (_ io.ReadCloser, _ *tar.Header, err error) {
	f, err := file.Open(ctx, a.File)
	if err != nil {
		return nil, nil, err
	}
	all := &archived{stop: func() { f.Close() }}
	defer func() {
		if err != nil {
			all.stop()
		}
	}()
	r, done, err := Unpack(f)
	if err != nil {
		return nil, nil, err
	}
	all.stop = func() { done(); f.Close() }
	if _, plain := r.(io.Seeker); !plain {
		r = &boundedReader{r, a}
	}
	tr := tar.NewReader(r)
	all.Reader = tr
	for range a.Entries {
		h, err := tr.Next()
		switch {
		case err == io.EOF:
			return nil, nil, fmt.Errorf("the archive has no file %q: %w", name, fs.ErrNotExist)
		case err != nil && !(errors.Is(err, tar.ErrInsecurePath) && h != nil):
			return nil, nil, fmt.Errorf("it is not a tar archive or is damaged: %w", err)
		case strings.TrimPrefix(path.Clean("/"+h.Name), "/") == name:
			return all, h, nil
		}
	}
	return nil, nil, &cache.LimitError{Limit: "MaxEntries", Max: a.Entries}
}

// archived is a file of an archive.
type archived struct {
	io.Reader
	stop func()
}

// Close implements io.Closer.
func (a *archived) Close() error {
	a.stop()
	return nil
}

// boundedReader fails when the archive's limit of decompressed bytes is exceeded.
type boundedReader struct {
	r       io.Reader
	archive *Archive
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.archive.read.Add(int64(n)) > b.archive.Bytes {
		return 0, &cache.LimitError{Limit: "MaxUnpackedBytes", Max: b.archive.Bytes}
	}
	return n, err
}

// Magic numbers of compressed data.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	// A skippable frame, with which some tools begin: the first byte is 0x50 to 0x5f.
	zstdSkip = []byte{0x2a, 0x4d, 0x18}
)

// maxWindow is the maximum zstd window in bytes: eight times the largest one that zstd uses
// without a flag.
const maxWindow = 64 << 20

// Unpack returns the content of a reader, decompressed if it is gzip or zstd, and a function
// that releases the decoder. An uncompressed seekable reader stays seekable.
func Unpack(r io.Reader) (io.Reader, func(), error) {
	seeker, canSeek := r.(io.Seeker)
	begin := bufio.NewReaderSize(r, 64<<10)
	magic, _ := begin.Peek(4) // a read error recurs
	nothing := func() {}
	switch {
	case bytes.HasPrefix(magic, gzipMagic):
		z, err := gzip.NewReader(begin)
		return z, nothing, err
	case bytes.Equal(magic, zstdMagic), len(magic) == 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], zstdSkip):
		z, err := zstd.NewReader(begin, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nothing, err
		}
		return z, z.Close, nil
	case canSeek:
		_, err := seeker.Seek(0, io.SeekStart)
		return r, nothing, err
	}
	return begin, nothing, nil
}
