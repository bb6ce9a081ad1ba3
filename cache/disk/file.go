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

// Read returns the content that a copy holds. Nothing of it is used before its
// checksum was found right.
//
// A file that cannot be used gives a [*CopyError]. A file that is not there gives an error
// for which errors.Is(err, [fs.ErrNotExist]) holds; other errors of the file system, and
// that of the context, are passed on as well.
func Read(ctx context.Context, path string, opts Options) (*cache.Content, error) {
	f, err := file.Open(ctx, path)
	if errors.Is(err, file.ErrNotRegular) {
		return nil, &CopyError{Path: path, Reason: "it is not a regular file"}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if most := cmp.Or(opts.MaxBytes, DefaultMaxBytes); most > 0 && f.Size > most {
		return nil, &CopyError{Path: path, Reason: fmt.Sprintf("it has %d bytes, more than the %d that a copy may have", f.Size, most)}
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
		return nil, &CopyError{Path: path, Reason: fmt.Sprintf("it has version %d of the format and this program reads version %d", h.Format, formatVersion)}
	case h.Build != thisBuild():
		return nil, &CopyError{Path: path, Reason: "another build of the library wrote it"}
	case h.Origin != origin:
		return nil, &CopyError{Path: path, Reason: fmt.Sprintf("it is of %q and not of %q (give each catalog a file of its own, unless its address was changed)", h.Origin, origin)}
	}
	// Its writer let the catalog through with limits of its own. What remains is
	// the limit on the whole.
	catalog, err := fbc.Read(ctx, bytes.NewReader(packed), "the copy", fbc.Options{
		Exact: true, Parser: opts.Parser, MaxBlobBytes: 2 << 30, MaxBlobs: -1, MaxItems: -1, MaxPropertyBytes: -1, MaxNameBytes: -1, MaxDepth: -1,
	})
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, &CopyError{Path: path, Reason: "what it holds cannot be read: " + err.Error(), Err: err}
	}
	return &cache.Content{Catalog: catalog, Digest: h.Digest, Validator: h.Validator, Modified: h.Modified}, nil
}

// Write writes a copy of a content. Whenever the program or the machine stops,
// the path holds either what it held before or all of the new content, and
// after Write returned without error it is the new one: it is written to a
// temporary file beside it, which then takes its place, and both are synced.
// Of several writers, in this or other processes, the last one wins. Equal
// contents give equal bytes.
//
// The error is that of [fbc.Write], of the file system or of the context;
// whatever was at the path is then still there. What a writer that was killed left behind is
// removed by the next one that writes to the path.
func Write(ctx context.Context, path string, c *cache.Content, opts Options) error {
	if c == nil || c.Catalog == nil {
		return errors.New("a content without a catalog cannot be kept")
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

// temporaryPrefix returns how the names of the temporary files for a path
// begin.
func temporaryPrefix(path string) string { return "." + filepath.Base(path) + "-" }
