package dump

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"

	"github.com/klauspost/compress/gzip"
)

// read reads a stream in the format that its first bytes identify.
func (r *Reader) read(ctx context.Context, in io.Reader, name string, depth int) error {
	if err := r.file(name); err != nil {
		return err
	}
	buffered := r.buffered(in, depth)
	begin, err := buffered.Peek(512)
	if err != nil && err != io.EOF {
		return r.unreadable(ctx, name, err)
	}
	switch {
	case depth > MaxArchives:
		r.problem(CodeArchive, name, fmt.Sprintf("more than %d nested archives; it is skipped, so unpack them first", MaxArchives))
		return nil
	case isGzip(begin):
		return r.readGzip(ctx, buffered, name, depth)
	case isTar(begin):
		return r.readTar(ctx, buffered, name, depth)
	case isZip(begin):
		r.problem(CodeArchive, name, "a zip archive inside another archive is skipped; unpack it first")
		return nil
	}
	return r.readText(ctx, buffered, name)
}

// bufferBytes is the size of the buffer of each layer of a dump.
const bufferBytes = 256 << 10

// buffered wraps a reader in the buffer of its depth. Entries of the same depth are read one
// after the other, so they share a buffer.
func (r *Reader) buffered(in io.Reader, depth int) *bufio.Reader {
	for len(r.buffers) <= depth {
		r.buffers = append(r.buffers, bufio.NewReaderSize(nil, bufferBytes))
	}
	r.buffers[depth].Reset(in)
	return r.buffers[depth]
}

func isGzip(begin []byte) bool { return bytes.HasPrefix(begin, []byte{0x1f, 0x8b}) }
func isZip(begin []byte) bool  { return bytes.HasPrefix(begin, []byte("PK\x03\x04")) }
func isTar(begin []byte) bool {
	return len(begin) >= 262 && bytes.Equal(begin[257:262], []byte("ustar"))
}

// unreadable reports an error that affects one file only.
func (r *Reader) unreadable(ctx context.Context, name string, err error) error {
	if isFatal(ctx, err) {
		return err
	}
	damage := fmt.Sprintf("it is damaged: only the content before the damage is used; get the dump again (%v)", err)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		damage = "it is truncated: only the content before the end is used; get the dump again"
	}
	r.problem(CodeArchive, name, damage)
	return nil
}

func (r *Reader) readGzip(ctx context.Context, in io.Reader, name string, depth int) error {
	z, err := gzip.NewReader(in)
	if err != nil {
		return r.unreadable(ctx, name, err)
	}
	defer z.Close()
	return r.read(ctx, &counted{ctx: ctx, in: z, reader: r, name: name}, name, depth+1)
}

func (r *Reader) readTar(ctx context.Context, in io.Reader, name string, depth int) error {
	archive := tar.NewReader(in)
	for {
		header, err := archive.Next()
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, tar.ErrInsecurePath): // the name is checked below
		case err != nil:
			return r.unreadable(ctx, name, err)
		}
		label := name + ": " + header.Name
		if header.Typeflag == tar.TypeSymlink || header.Typeflag == tar.TypeLink {
			r.linkIn(header.Name, header.Linkname, header.Typeflag == tar.TypeLink, label)
			continue
		}
		if header.Typeflag != tar.TypeReg || !r.accepts(header.Name, label) {
			continue // a folder
		}
		// A hole of a sparse file may have any size without reading from the archive.
		entry := &counted{ctx: ctx, in: archive, reader: r, name: label}
		if err := r.read(ctx, entry, label, depth+1); err != nil {
			return err
		}
		if entry.err != nil {
			return nil // reported with the entry; nothing follows it
		}
	}
}

// linkIn reports a link whose target is outside the archive. Links are not followed; a target
// inside is read as its own entry. The target of a hard link is relative to the root of the
// archive, that of a symbolic link to its folder.
func (r *Reader) linkIn(name, target string, hard bool, label string) {
	to := target
	if !hard && !path.IsAbs(target) {
		to = path.Join(path.Dir(name), target)
	}
	if !fs.ValidPath(path.Clean(to)) && (isWanted(name) || isWanted(to)) {
		r.problem(CodePath, label, "the link is skipped because its target is outside the archive; put the target into the archive")
	}
}

// accepts reports whether a file of an archive is read.
func (r *Reader) accepts(name, label string) bool {
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		r.problem(CodePath, label, "the file is skipped because its name points outside the archive")
		return false
	}
	return isWanted(name)
}

func (r *Reader) readZip(ctx context.Context, in io.ReaderAt, size int64, name string) error {
	if err := r.file(name); err != nil {
		return err
	}
	file := &zipFile{ctx: ctx, in: in, name: name, left: MaxListBytes}
	archive, err := zip.NewReader(file, size)
	file.left = math.MaxInt64 // from here on, decompressed bytes count
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return r.unreadable(ctx, name, err)
	}
	for _, f := range archive.File {
		label := name + ": " + f.Name
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f.Mode()&fs.ModeSymlink != 0 {
			r.linkInZip(f, label)
			continue
		}
		if !f.Mode().IsRegular() || !r.accepts(f.Name, label) {
			continue
		}
		if err := r.readZipEntry(ctx, f, label); err != nil {
			return err
		}
	}
	return nil
}

// linkInZip is linkIn for an entry whose content is the target.
func (r *Reader) linkInZip(f *zip.File, label string) {
	content, err := f.Open()
	if err != nil {
		return
	}
	defer content.Close()
	target, err := io.ReadAll(io.LimitReader(content, maxLink))
	if err == nil {
		r.linkIn(f.Name, string(target), false, label)
	}
}

// maxLink limits the target of a link, in bytes. No system has longer ones.
const maxLink = 4 << 10

// zipFile is the file of a zip archive. Its directory is held in memory as a whole.
type zipFile struct {
	ctx  context.Context
	in   io.ReaderAt
	name string
	left int64
}

func (z *zipFile) ReadAt(p []byte, at int64) (int, error) {
	if err := z.ctx.Err(); err != nil {
		return 0, err
	}
	if z.left -= int64(len(p)); z.left < 0 {
		return 0, &LimitError{File: z.name, What: "bytes of a list of files", Max: MaxListBytes}
	}
	return z.in.ReadAt(p, at)
}

func (r *Reader) readZipEntry(ctx context.Context, f *zip.File, label string) error {
	content, err := f.Open()
	if err != nil {
		return r.unreadable(ctx, label, err)
	}
	defer content.Close()
	return r.read(ctx, &counted{ctx: ctx, in: content, reader: r, name: label}, label, 1)
}
