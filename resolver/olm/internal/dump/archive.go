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

// read reads a stream by what it begins with.
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
		r.problem(CodeArchive, name, fmt.Sprintf("it lies in more than %d archives, one in the other, and is left out; unpack them first", MaxArchives))
		return nil
	case isGzip(begin):
		return r.readGzip(ctx, buffered, name, depth)
	case isTar(begin):
		return r.readTar(ctx, buffered, name, depth)
	case isZip(begin):
		r.problem(CodeArchive, name, "a zip archive can only be read from a file of its own, and is left out; unpack it first")
		return nil
	}
	return r.readText(ctx, buffered, name)
}

// bufferBytes is the size of the buffer before each layer of a dump.
const bufferBytes = 256 << 10

// buffered puts a buffer before a reader: the one of its depth, since what lies next
// to each other is read one after the other.
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

// unreadable reports an error that costs one file.
func (r *Reader) unreadable(ctx context.Context, name string, err error) error {
	if isFatal(ctx, err) {
		return err
	}
	damage := fmt.Sprintf("it is damaged: what came before the damage is used, what came behind it is not known; get the dump again (%v)", err)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		damage = "it is cut off: what came before the cut is used, what came behind it is not known; get the dump again"
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
		case errors.Is(err, tar.ErrInsecurePath): // its name is looked at below
		case err != nil:
			return r.unreadable(ctx, name, err)
		}
		label := name + ": " + header.Name
		if header.Typeflag == tar.TypeSymlink || header.Typeflag == tar.TypeLink {
			r.linkIn(header.Name, header.Linkname, header.Typeflag == tar.TypeLink, label)
			continue
		}
		if header.Typeflag != tar.TypeReg || !r.takes(header.Name, label) {
			continue // a folder
		}
		// A hole of a sparse file has any size, and nothing is read of the archive for it.
		entry := &counted{ctx: ctx, in: archive, reader: r, name: label}
		if err := r.read(ctx, entry, label, depth+1); err != nil {
			return err
		}
		if entry.err != nil {
			return nil // reported with the entry; there is nothing behind it
		}
	}
}

// linkIn reports a link in an archive that leads out of it: it is not followed. What one
// inside leads to is read in its own place. A hard link names what it leads to from the
// top of the archive, any other from the folder that it lies in.
func (r *Reader) linkIn(name, target string, hard bool, label string) {
	to := target
	if !hard && !path.IsAbs(target) {
		to = path.Join(path.Dir(name), target)
	}
	if !fs.ValidPath(path.Clean(to)) && (isWanted(name) || isWanted(to)) {
		r.problem(CodePath, label, "the link leads out of the archive, and is left out; put what it leads to into the archive")
	}
}

// takes reports whether a file of an archive is read.
func (r *Reader) takes(name, label string) bool {
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		r.problem(CodePath, label, "the name leads out of the archive, and the file is left out")
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
	file.left = math.MaxInt64 // what is read from here on is counted decompressed
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
		if !f.Mode().IsRegular() || !r.takes(f.Name, label) {
			continue
		}
		if err := r.readZipEntry(ctx, f, label); err != nil {
			return err
		}
	}
	return nil
}

// linkInZip is linkIn for an entry whose content is where it leads.
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

// maxLink bounds how much of a link is read: no system has longer ones.
const maxLink = 4 << 10

// zipFile is the file of a zip archive, whose list of files is held in memory as a whole.
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
		return 0, &LimitError{File: z.name, What: "bytes of a list of files", Most: MaxListBytes}
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
