package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/internal/file"
)

// Read returns the content of a copy, after verifying its checksum.
//
// An unusable file is a [*CopyError]. For a missing file errors.Is(err, [fs.ErrNotExist])
// holds. Other errors of the file system and the context's error are returned too.
func Read(ctx context.Context, path string, opts Options) (*cache.Content, error) {
	f, err := file.Open(ctx, path)
	if errors.Is(err, file.ErrNotRegular) {
		return nil, &CopyError{Path: path, Reason: "it is not a regular file"}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if limit := cmp.Or(opts.MaxBytes, DefaultMaxBytes); limit > 0 && f.Size > limit {
		return nil, &CopyError{Path: path, Reason: fmt.Sprintf("its %d bytes exceed the limit of %d", f.Size, limit)}
	}
	var data bytes.Buffer
	data.Grow(int(f.Size) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(f, f.Size)); err != nil {
		return nil, err
	}
	return decode(ctx, path, data.Bytes(), opts)
}

func decode(ctx context.Context, path string, data []byte, opts Options) (*cache.Content, error) {
	packed, h, err := unseal(data)
	origin := cmp.Or(opts.Origin, h.Origin)
	switch {
	case err != nil:
		return nil, &CopyError{Path: path, Reason: err.Error(), Err: errors.Unwrap(err)}
	case h.Format != formatVersion:
		return nil, &CopyError{Path: path, Reason: fmt.Sprintf("it has format version %d, and this program supports version %d", h.Format, formatVersion)}
	case h.Build != thisBuild():
		return nil, &CopyError{Path: path, Reason: "it was written by another build of the library"}
	case h.Origin != origin:
		return nil, &CopyError{Path: path, Reason: fmt.Sprintf("it is of %q, not of %q (use a separate file for each catalog, unless its address changed)", h.Origin, origin)}
	}
	// The writer checked the limits of the catalog. Only the limit on the whole file remains.
	catalog, err := fbc.Read(ctx, bytes.NewReader(packed), "the copy", fbc.Options{
		Exact: true, Parser: opts.Parser, MaxBlobBytes: 2 << 30, MaxBlobs: -1, MaxItems: -1, MaxPropertyBytes: -1, MaxNameBytes: -1, MaxDepth: -1,
	})
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, &CopyError{Path: path, Reason: "its content cannot be read: " + err.Error(), Err: err}
	}
	return &cache.Content{Catalog: catalog, Digest: h.Digest, Validator: h.Validator, Modified: h.Modified}, nil
}

// Write writes a copy of a content atomically: it writes a temporary file in the same
// directory, syncs it, renames it and syncs the directory. After a crash the path has either
// the old content or the new one. Of several writers, also in other processes, the last one
// wins. Equal contents result in equal bytes.
//
// The error is that of [fbc.Write], of the file system or of the context; the previous file is
// then unchanged. The next writer to the path removes temporary files of killed writers.
func Write(ctx context.Context, path string, c *cache.Content, opts Options) error {
	if c == nil || c.Catalog == nil {
		return errors.New("a content without a catalog cannot be written")
	}
	f, err := file.Create(filepath.Dir(path), temporaryPrefix(path))
	if err == nil {
		err = encode(ctx, f, c, newHeader(c, opts.Origin))
		if err == nil {
			err = f.Chmod(cmp.Or(opts.Mode.Perm(), 0o600))
		}
		if err == nil {
			err = f.Move(path)
		}
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("the copy of the catalog cannot be written: %w", err)
	}
	return nil
}

// temporaryPrefix returns the prefix of the temporary files for a path.
func temporaryPrefix(path string) string { return "." + filepath.Base(path) + "-" }
