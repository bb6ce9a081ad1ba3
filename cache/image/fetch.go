package image

import (
	"errors"
	"fmt"
	"io"

	"github.com/opencontainers/go-digest"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image/internal/files"
)

// reportEvery is how many bytes are read between two calls of Progress.
const reportEvery = 256 << 10

// fetching is the reading of the layers of an image.
type fetching struct {
	*loading
	tree     *files.Tree
	spool    *files.Spool
	progress Progress
	reported int64
	unpacked int64
}

// fetch reads all layers of an image, and returns what the catalog's folder holds.
func (l *loading) fetch(img *remoteImage, spool *files.Spool) ([]files.Entry, error) {
	limits := l.opts.Limits
	f := &fetching{loading: l, spool: spool, progress: Progress{Reference: l.ref, Layers: len(img.layers)},
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
		body, err := l.place.open(source.Descriptor, layerName(i+1))
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
		return nil, f.refused(err, "")
	}
	return entries, nil
}

func (f *fetching) report() {
	f.reported = f.progress.Bytes
	if f.opts.Progress != nil {
		f.opts.Progress(f.progress)
	}
}

func (f *fetching) layer(l layerSource, body io.Reader) error {
	name, limits := layerName(f.progress.Layer), f.opts.Limits
	sent := &meter{fetch: f, r: body, what: name, size: l.Size, want: l.Digest, all: &f.progress.Bytes, limit: "MaxBytes", most: limits.MaxBytes}
	plain := &meter{fetch: f, what: name + " decompressed", size: -1, want: l.diffID, all: &f.unpacked, limit: "MaxUnpackedBytes", most: limits.MaxUnpackedBytes}
	if l.Digest != "" {
		sent.sum = l.Digest.Algorithm().Digester()
	}
	plain.sum = l.diffID.Algorithm().Digester()
	r, done, err := files.Unpack(sent)
	if err == nil {
		defer done()
		plain.r = r
		if err = f.tree.Apply(f.ctx, plain); err == nil {
			_, err = io.Copy(io.Discard, plain) // what follows the tar counts for its digest
		}
	}
	var refused *files.Error
	decoded := errors.As(err, new(*cache.LimitError)) || errors.As(err, &refused) && refused.Err == nil
	if plain.err == nil && f.spool.Broken() == nil && !decoded {
		// If it cannot be decoded, and what was sent is not what the digest says, that is
		// the reason.
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
		return f.refused(err, l.Digest.String())
	}
	return plain.verify()
}

// refused returns the error of a layer, or of all layers together, that were
// read and are refused.
func (f *fetching) refused(err error, digest string) error {
	var refused *files.Error
	var limit *cache.LimitError
	switch {
	case f.ctx.Err() != nil:
		return f.ctx.Err()
	case errors.As(err, &limit):
		return f.tooLarge(limit.Limit, limit.Max, limit.At)
	case errors.As(err, &refused):
		return &ContentError{Reference: f.ref, Layer: refused.Layer, Digest: digest, Entry: refused.Entry, Reason: refused.Reason, Err: refused.Err}
	}
	return &ContentError{Reference: f.ref, Layer: f.progress.Layer, Digest: digest, Err: err,
		Reason: fmt.Sprintf("it cannot be decompressed: %v; build or copy the image again", err)}
}

// meter is a layer while it is read, as it is sent or decompressed: counted, hashed and
// bounded.
type meter struct {
	fetch *fetching
	r     io.Reader
	what  string
	sum   digest.Digester // nil if the digest is not known
	want  digest.Digest
	size  int64  // negative if it is not known
	all   *int64 // what was read of this and all other layers
	limit string // of all, and its value
	most  int64

	came int64
	err  error // that ended reading, if it was not that of the decompression
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
	m.came += int64(n)
	*m.all += int64(n)
	if m.sum != nil {
		m.sum.Hash().Write(p[:n])
	}
	if f.progress.Bytes-f.reported >= reportEvery {
		f.report()
	}
	switch {
	case m.size >= 0 && (m.came > m.size || err == io.EOF && m.came < m.size):
		m.err = f.notWhole(m.what, m.came, m.size, nil)
	case *m.all > m.most:
		m.err = f.tooLarge(m.limit, m.most, layerName(f.progress.Layer))
	case err != nil && err != io.EOF && m.limit == "MaxBytes":
		m.err = err
	default:
		return n, err
	}
	return n, m.err
}

// verify holds what was read against its digest.
func (m *meter) verify() error {
	if m.sum == nil || m.sum.Digest() == m.want {
		return nil
	}
	return m.fetch.wrongDigest(m.what, m.want, m.sum.Digest())
}
