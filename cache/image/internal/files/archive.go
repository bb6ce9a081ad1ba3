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

// Archive is a folder in a tar file, which may be compressed. Each file is
// looked for from the beginning: the files are few and large, and what lies
// before them is skipped by seeking, if the archive is not compressed.
type Archive struct {
	// File is the path of the archive.
	File string
	// Entries bounds how many entries are read of it for one file. Bytes bounds what is
	// decompressed of it, if it is compressed, for all files together: each layer of an
	// archive of docker save is looked for from the beginning.
	Entries, Bytes int64

	read atomic.Int64 // bytes decompressed so far
}

// maxArchiveLinks bounds how many links lead to a file of an archive.
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

// find returns an entry of the archive, and its content. A [*cache.LimitError] says which
// limit was passed, and no more.
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
			return nil, nil, fmt.Errorf("it is not a tar archive, or a damaged one: %w", err)
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

// boundedReader fails when more was read of an archive than may be.
type boundedReader struct {
	r  io.Reader
	of *Archive
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.of.read.Add(int64(n)) > b.of.Bytes {
		return 0, &cache.LimitError{Limit: "MaxUnpackedBytes", Max: b.of.Bytes}
	}
	return n, err
}

// What compressed data begins with.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	// A frame that is skipped, which some tools begin with: the first byte
	// varies from 0x50 to 0x5f.
	zstdSkip = []byte{0x2a, 0x4d, 0x18}
)

// maxWindow bounds the memory that reading zstd takes: the largest window that
// is used without a switch, eight times over.
const maxWindow = 64 << 20

// Unpack returns what a reader has, decompressed if it is compressed with
// gzip or zstd, and what is to be called when it is not read any more. A file
// that is not compressed stays one that can seek.
func Unpack(r io.Reader) (io.Reader, func(), error) {
	seeker, canSeek := r.(io.Seeker)
	begin := bufio.NewReaderSize(r, 64<<10)
	magic, _ := begin.Peek(4) // an error comes again
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
