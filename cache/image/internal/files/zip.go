package files

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// methodZstd is the number that the specification of zip has for zstd.
const methodZstd = 93

// maxTarget bounds the target of a link.
const maxTarget = 64 << 10

// Packed is the compressed content of a file.
type Packed struct {
	Reader       io.Reader
	Packed, Size int64
	CRC          uint32 // IEEE
}

// Writer writes an archive. The same entries make the same bytes.
type Writer struct{ zip *zip.Writer }

// NewWriter returns a writer of an archive.
func NewWriter(w io.Writer) *Writer { return &Writer{zip.NewWriter(w)} }

// File adds a file. Folders and files come in the order of their paths.
func (w *Writer) File(name string, p Packed) error {
	h := &zip.FileHeader{Name: name, Method: methodZstd, Modified: modified,
		CRC32: p.CRC, CompressedSize64: uint64(p.Packed), UncompressedSize64: uint64(p.Size)}
	if p.Size == 0 {
		h.Method, h.CompressedSize64 = zip.Store, 0
	}
	h.SetMode(0o444)
	raw, err := w.zip.CreateRaw(h)
	if err != nil || p.Size == 0 {
		return err
	}
	_, err = io.Copy(raw, p.Reader)
	return err
}

// Folder adds a folder.
func (w *Writer) Folder(name string) error {
	h := &zip.FileHeader{Name: name + "/", Modified: modified}
	h.SetMode(fs.ModeDir | 0o755)
	_, err := w.zip.CreateHeader(h)
	return err
}

// Link adds a symbolic link to a path of the archive.
func (w *Writer) Link(name, target string) error {
	h := &zip.FileHeader{Name: name, Modified: modified}
	h.SetMode(fs.ModeSymlink | 0o777)
	f, err := w.zip.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, strings.Repeat("../", strings.Count(name, "/"))+target)
	return err
}

// Close ends the archive, with a comment of at most 65,535 bytes.
func (w *Writer) Close(comment string) error {
	if err := w.zip.SetComment(comment); err != nil {
		return err
	}
	return w.zip.Close()
}

// Read returns what an archive that a [Writer] wrote holds, and its comment.
// The reader is used as long as the file system is.
func Read(ctx context.Context, r io.ReaderAt, size int64) (*FS, string, error) {
	z, err := zip.NewReader(r, size)
	if err != nil && !(errors.Is(err, zip.ErrInsecurePath) && z != nil) {
		return nil, "", err
	}
	entries := make([]Entry, 0, len(z.File))
	for _, f := range z.File {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		e, err := entry(f, r)
		if err != nil {
			return nil, "", fmt.Errorf("entry %q: %w", f.Name, err)
		}
		entries = append(entries, e)
	}
	fsys, err := New(ctx, entries)
	return fsys, z.Comment, err
}

// entry returns an entry of an archive.
func entry(f *zip.File, r io.ReaderAt) (Entry, error) {
	e := Entry{Name: strings.TrimSuffix(f.Name, "/")}
	switch mode := f.Mode(); {
	case mode.IsDir():
		e.Kind = Folder
		return e, nil
	case mode&fs.ModeSymlink != 0:
		e.Kind = Link
		c, err := f.Open()
		if err != nil {
			return e, err
		}
		defer c.Close()
		target, err := io.ReadAll(io.LimitReader(c, maxTarget))
		e.Target = path.Join(path.Dir(e.Name), string(target))
		return e, err
	}
	e.Size = int64(f.UncompressedSize64)
	if e.Size == 0 {
		return e, nil
	}
	if f.Method != methodZstd {
		return e, zip.ErrAlgorithm
	}
	e.Packed = func() (io.Reader, error) {
		at, err := f.DataOffset()
		return io.NewSectionReader(r, at, int64(f.CompressedSize64)), err
	}
	return e, nil
}
