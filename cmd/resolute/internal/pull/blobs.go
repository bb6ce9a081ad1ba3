package pull

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// Blobs opens the blobs of a catalog: an image, a directory or a file. The caller must call done.
func (i *Images) Blobs(ctx context.Context, path string) (blobs iter.Seq2[fbc.Blob, error], done func(), err error) {
	files, name, done, err := i.Files(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	return fbc.Blobs(ctx, files, fbc.Options{File: name}), done, nil
}

// Files opens the files of a catalog: an image, a directory, or a single file, whose name it
// returns. The caller must call done.
func (i *Images) Files(ctx context.Context, path string) (files fs.FS, name string, done func(), err error) {
	done = func() {}
	if IsImage(path) {
		image, err := i.Open(ctx, path, "")
		if err != nil {
			return nil, "", done, err
		}
		return image, "", func() { image.Close() }, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return os.DirFS(path), "", done, err
	}
	return os.DirFS(filepath.Dir(path)), filepath.Base(path), done, nil
}
