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

	"github.com/klauspost/compress/zstd"
)

// maxTarget bounds the target of a link.
const maxTarget = 64 << 10

// Write writes an archive of entries in the order of their paths, with a comment of
// at most 65,535 bytes. Folders that hold something are known from what is in them.
// The same entries make the same bytes.
func Write(ctx context.Context, w io.Writer, entries []Entry, comment string) error {
	z := zip.NewWriter(w)
	if err := z.SetComment(comment); err != nil {
		return err
	}
	for i := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := &entries[i]
		if e.Kind == Folder && i+1 < len(entries) && strings.HasPrefix(entries[i+1].Name, e.Name+"/") {
			continue
		}
		if err := add(z, e); err != nil {
			return err
		}
	}
	return z.Close()
}

func add(z *zip.Writer, e *Entry) error {
	h := &zip.FileHeader{Name: e.Name, Modified: modified}
	h.SetMode(e.Kind)
	switch {
	case e.Kind == Folder:
		h.Name += "/"
		h.SetMode(fs.ModeDir | 0o755)
		_, err := z.CreateHeader(h)
		return err
	case e.Kind == Link:
		out, err := z.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(out, strings.Repeat("../", strings.Count(e.Name, "/"))+e.Target)
		}
		return err
	case e.Size == 0:
		_, err := z.CreateRaw(h)
		return err
	}
	h.Method, h.CRC32, h.CompressedSize64, h.UncompressedSize64 = zstd.ZipMethodWinZip, e.CRC, uint64(e.Packed), uint64(e.Size)
	out, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	in, err := e.Raw()
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return err
}

// Read returns what an archive that [Write] wrote holds, and its comment.
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

func entry(f *zip.File, r io.ReaderAt) (Entry, error) {
	e := Entry{Name: strings.TrimSuffix(f.Name, "/"), Kind: File}
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
	if e.Size > 0 && f.Method != zstd.ZipMethodWinZip {
		return e, zip.ErrAlgorithm
	}
	e.Raw = func() (io.Reader, error) {
		at, err := f.DataOffset()
		return io.NewSectionReader(r, at, int64(f.CompressedSize64)), err
	}
	return e, nil
}
