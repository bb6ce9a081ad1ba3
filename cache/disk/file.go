package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/internal/atomicfile"
)

// Read returns the content that a copy holds. Nothing of it is used before its
// checksum was found right.
//
// A file that cannot be used gives a [*DamagedError], [*VersionError] or
// [*OriginError]: the catalog has to be loaded from its source, and the copy
// written again. A file that is not there gives an error for which
// errors.Is(err, [fs.ErrNotExist]) holds; other errors of the file system, and
// that of the context, are passed on as well.
func Read(ctx context.Context, path string, opts Options) (*cache.Content, error) {
	data, err := readFile(ctx, path, opts.MaxBytes)
	if err != nil {
		return nil, err
	}
	return decode(ctx, path, data, opts)
}

func decode(ctx context.Context, path string, data []byte, opts Options) (*cache.Content, error) {
	packed, h, damaged := unseal(data)
	switch {
	case damaged != nil:
		damaged.Path = path
		return nil, damaged
	case h.Format != formatVersion || h.Build != thisBuild():
		return nil, &VersionError{Path: path, Format: h.Format, Want: formatVersion, Build: h.Build, WantBuild: thisBuild()}
	case opts.Origin != "" && opts.Origin != h.Origin:
		return nil, &OriginError{Path: path, Origin: h.Origin, Want: opts.Origin}
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
		return nil, &DamagedError{Path: path, Reason: "what it holds cannot be read: " + err.Error(), Err: err}
	}
	return &cache.Content{Catalog: catalog, Digest: h.Digest, Validator: h.Validator, Modified: h.Modified}, nil
}

// readAtOnce is how much of a file is read between two looks at the context.
const readAtOnce = 4 << 20

func readFile(ctx context.Context, path string, most int64) ([]byte, error) {
	most = cmp.Or(most, DefaultMaxBytes)
	info, err := os.Stat(path) // opening a pipe could wait without end
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &DamagedError{Path: path, Reason: "it is not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // it may have been replaced meanwhile
		return nil, err
	}
	size := info.Size()
	if most > 0 && size > most {
		return nil, &DamagedError{Path: path, Reason: fmt.Sprintf("it has %d bytes, more than the %d that a copy may have", size, most)}
	}
	data := make([]byte, 0, size)
	for len(data) < cap(data) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := f.Read(data[len(data):min(cap(data), len(data)+readAtOnce)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
	}
	return data, nil
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
	var err error
	for range attempts {
		// Where files cannot be locked, another writer may have taken the
		// temporary file for one that was left behind.
		if err = replace(ctx, path, c, &opts); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("the copy of the catalog cannot be written: %w", err)
	}
	return nil
}

// attempts is how often a file is written when its temporary file vanished
// before it could take its place.
const attempts = 3

// replace is one attempt of Write.
func replace(ctx context.Context, path string, c *cache.Content, opts *Options) (err error) {
	f, err := atomicfile.Create(filepath.Dir(path), temporaryPrefix(path))
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil && !errors.Is(closed, os.ErrClosed) {
			err = closed
		}
	}()
	if err := encode(ctx, f, c, newHeader(c, opts.Origin)); err != nil {
		return err
	}
	if err := f.Chmod(cmp.Or(opts.Mode.Perm(), 0o600)); err != nil {
		return err
	}
	return f.Move(path)
}

// temporaryPrefix returns how the names of the temporary files for a path
// begin.
func temporaryPrefix(path string) string { return "." + filepath.Base(path) + "-" }
