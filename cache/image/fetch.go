package image

import (
	"errors"
	"fmt"
	"io"

	"github.com/opencontainers/go-digest"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image/internal/files"
)

// progressInterval is the number of bytes between two calls of Progress.
const progressInterval = 256 << 10

// fetcher reads the layers of an image.
type fetcher struct {
	*loader
	tree     *files.Tree
	spool    *files.Spool
	progress Progress
	reported int64
	unpacked int64
}

// fetch reads all layers of an image, and returns the entries of the catalog's folder.
func (l *loader) fetch(img *remoteImage, spool *files.Spool) ([]files.Entry, error) {
	limits := l.opts.Limits
	f := &fetcher{loader: l, spool: spool, progress: Progress{Reference: l.ref, Layers: len(img.layers)},
		tree: files.NewTree(img.Folder, files.Limits{Entries: limits.MaxEntries, Files: limits.MaxFiles, Bytes: limits.MaxFileBytes}, spool)}
	for _, l := range img.layers {
		if f.progress.Total += l.Size; l.Size < 0 {
			f.progress.Total = -1
			break
		}
	}
	for i, source := range img.layers {
		f.progress.Layer = i + 1
		f.report()
		body, err := l.backend.open(source.Descriptor, layerName(i+1))
		if err != nil {
			return nil, err
		}
		err = f.layer(source, body)
		body.Close()
		if err != nil {
			return nil, err
		}
	}
	f.report()
	entries, err := f.tree.Finish(f.ctx, img.caches...)
	if err != nil {
		return nil, f.rejected(err, "")
	}
	return entries, nil
}

func (f *fetcher) report() {
	f.reported = f.progress.Bytes
	if f.opts.Progress != nil {
		f.opts.Progress(f.progress)
	}
}

func (f *fetcher) layer(l layerSource, body io.Reader) error {
	name, limits := layerName(f.progress.Layer), f.opts.Limits
	sent := &meter{fetch: f, r: body, what: name, size: l.Size, want: l.Digest, all: &f.progress.Bytes, limit: "MaxBytes", max: limits.MaxBytes}
	plain := &meter{fetch: f, what: name + " decompressed", size: -1, want: l.diffID, all: &f.unpacked, limit: "MaxUnpackedBytes", max: limits.MaxUnpackedBytes}
	if l.Digest != "" {
		sent.sum = l.Digest.Algorithm().Digester()
	}
	plain.sum = l.diffID.Algorithm().Digester()
	r, done, err := files.Unpack(sent)
	if err == nil {
		defer done()
		plain.r = r
		if err = f.tree.Apply(f.ctx, plain); err == nil {
			_, err = io.Copy(io.Discard, plain) // the digest covers bytes after the tar
		}
	}
	var refused *files.Error
	decoded := errors.As(err, new(*cache.LimitError)) || errors.As(err, &refused) && refused.Err == nil
	if plain.err == nil && f.spool.Broken() == nil && !decoded {
		// A digest mismatch takes precedence over a decoding error, which it explains.
		if _, rest := io.Copy(io.Discard, sent); rest == nil {
			sent.err = sent.verify()
		}
	}
	switch {
	case f.ctx.Err() != nil:
		return f.ctx.Err()
	case f.spool.Broken() != nil:
		return f.spool.Broken()
	case sent.err != nil:
		return sent.err
	case plain.err != nil:
		return plain.err
	case err != nil:
		return f.rejected(err, l.Digest.String())
	}
	return plain.verify()
}

// rejected converts an error of package files: one layer, or all layers together, were read and
// rejected.
func (f *fetcher) rejected(err error, digest string) error {
	var refused *files.Error
	var limit *cache.LimitError
	switch {
	case f.ctx.Err() != nil:
		return f.ctx.Err()
	case errors.As(err, &limit):
		return f.limitExceeded(limit.Limit, limit.Max, limit.At)
	case errors.As(err, &refused):
		return &ContentError{Reference: f.ref, Layer: refused.Layer, Digest: digest, Entry: refused.Entry, Reason: refused.Reason, Err: refused.Err}
	}
	return &ContentError{Reference: f.ref, Layer: f.progress.Layer, Digest: digest, Err: err,
		Reason: fmt.Sprintf("it cannot be decompressed: %v; rebuild or copy the image again", err)}
}

// meter counts, hashes and bounds the bytes of a layer, compressed or decompressed, while they
// are read.
type meter struct {
	fetch *fetcher
	r     io.Reader
	what  string
	sum   digest.Digester // nil if the digest is unknown
	want  digest.Digest
	size  int64  // negative if unknown
	all   *int64 // bytes read of all layers so far
	limit string // name of the limit on all, and its value
	max   int64

	received int64
	err      error // error that ended reading, unless from decompression
}

func (m *meter) Read(p []byte) (int, error) {
	f := m.fetch
	if m.err == nil {
		m.err = f.ctx.Err()
	}
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.r.Read(p)
	m.received += int64(n)
	*m.all += int64(n)
	if m.sum != nil {
		m.sum.Hash().Write(p[:n])
	}
	if f.progress.Bytes-f.reported >= progressInterval {
		f.report()
	}
	switch {
	case m.size >= 0 && (m.received > m.size || err == io.EOF && m.received < m.size):
		m.err = f.truncated(m.what, m.received, m.size, nil)
	case *m.all > m.max:
		m.err = f.limitExceeded(m.limit, m.max, layerName(f.progress.Layer))
	case err != nil && err != io.EOF && m.limit == "MaxBytes":
		m.err = err
	default:
		return n, err
	}
	return n, m.err
}

// verify compares the content with its digest.
func (m *meter) verify() error {
	if m.sum == nil || m.sum.Digest() == m.want {
		return nil
	}
	return m.fetch.digestMismatch(m.what, m.want, m.sum.Digest())
}
