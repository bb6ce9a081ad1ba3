package image

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image/internal/layer"
	"github.com/seed109e2655/resolute/cache/image/internal/store"
)

// reportEvery is how many bytes are read between two calls of Progress.
const reportEvery = 256 << 10

type fetch struct {
	ctx      context.Context
	ref      string
	opts     *Options
	progress Progress
	reported int64
	unpacked int64
}

// fetchLayers reads all layers of an image, and returns what the catalog's folder
// holds.
func fetchLayers(ctx context.Context, ref string, img *remoteImage, opts *Options, spool *store.Spool) ([]store.Entry, error) {
	f := &fetch{ctx: ctx, ref: ref, opts: opts, progress: Progress{Reference: ref, Layers: len(img.layers)}}
	for _, l := range img.layers {
		if l.size < 0 || f.progress.Total < 0 {
			f.progress.Total = -1
			continue
		}
		f.progress.Total += l.size
	}
	l := f.opts.Limits
	tree := layer.New(img.folder, layer.Limits{Entries: l.MaxEntries, Files: l.MaxFiles, Bytes: l.MaxFileBytes}, spool)
	for _, source := range img.layers {
		f.progress.Layer = source.number
		f.report()
		if err := f.layer(source, tree, spool); err != nil {
			return nil, err
		}
	}
	f.report()
	entries, err := tree.Finish(f.ctx, img.caches...)
	if err != nil {
		return nil, f.refused(err, layerSource{})
	}
	return entries, nil
}

func (f *fetch) report() {
	f.reported = f.progress.Bytes
	if f.opts.Progress != nil {
		f.opts.Progress(f.progress)
	}
}

func (f *fetch) layer(l layerSource, tree *layer.Tree, spool *store.Spool) error {
	body, err := l.open(f.ctx)
	if err != nil {
		return err
	}
	defer body.Close()
	sent := &sentLayer{fetch: f, r: body, layer: l}
	if l.digest != "" {
		sent.sum = newSum(l.digest)
	}
	diff := newSum(l.diffID)
	r, done, err := store.Unpack(sent)
	if err == nil {
		defer done()
		plain := &plainLayer{fetch: f, r: r, sum: diff}
		if err = tree.Apply(f.ctx, plain); err == nil {
			_, err = io.Copy(io.Discard, plain) // what follows the tar counts for its digest
		}
	}
	if err == nil {
		_, err = io.Copy(io.Discard, sent)
	}
	if err != nil {
		return f.failed(err, l, sent, spool)
	}
	if err := sent.verify(); err != nil {
		return err
	}
	return diff.check(f.ref, layerName(l.number)+" decompressed")
}

// failed returns the error of a layer that could not be read to its end.
func (f *fetch) failed(err error, l layerSource, sent *sentLayer, spool *store.Spool) error {
	var limit *cache.LimitError
	switch {
	case f.ctx.Err() != nil:
		return f.ctx.Err()
	case spool.Broken() != nil:
		return spool.Broken()
	case sent.err != nil:
		return sent.err
	case errors.As(err, &limit):
		return limit
	}
	var refused *layer.Error
	if !errors.As(err, &refused) || refused.Err != nil {
		// It cannot be decoded. If what was sent is not what the digest says,
		// that is the reason.
		if _, rest := io.Copy(io.Discard, sent); rest == nil {
			if wrong := sent.verify(); wrong != nil {
				return wrong
			}
		} else if f.ctx.Err() != nil {
			return f.ctx.Err()
		}
	}
	return f.refused(err, l)
}

// refused returns the error of a layer, or of all layers together, that were
// read and are refused.
func (f *fetch) refused(err error, l layerSource) error {
	if f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	var refused *layer.Error
	if !errors.As(err, &refused) {
		return &ContentError{Reference: f.ref, Layer: l.number, Digest: l.digest, Err: err,
			Reason: fmt.Sprintf("it cannot be decompressed: %v; build or copy the image again", err)}
	}
	if refused.Limit != "" {
		at := ""
		if refused.Layer > 0 {
			at = inLayer(refused.Layer, "", refused.Entry)
		}
		return tooLarge(f.ref, refused.Limit, refused.Max, at)
	}
	return &ContentError{Reference: f.ref, Layer: refused.Layer, Digest: l.digest, Entry: refused.Entry, Reason: refused.Reason, Err: refused.Err}
}

// sentLayer is a layer as it is sent: counted, hashed and bounded.
type sentLayer struct {
	fetch *fetch
	r     io.Reader
	layer layerSource
	sum   *sum // nil if the digest is not known
	came  int64
	err   error // that ended reading
}

func (s *sentLayer) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.came += int64(n)
	f := s.fetch
	if f.progress.Bytes += int64(n); f.progress.Bytes-f.reported >= reportEvery {
		f.report()
	}
	if s.sum != nil {
		s.sum.Write(p[:n])
	}
	switch {
	case s.layer.size >= 0 && (s.came > s.layer.size || err == io.EOF && s.came < s.layer.size):
		s.err = notWhole(f.ref, layerName(s.layer.number), s.came, s.layer.size, nil)
	case f.progress.Bytes > f.opts.Limits.MaxBytes:
		s.err = tooLarge(f.ref, "MaxBytes", f.opts.Limits.MaxBytes, layerName(s.layer.number))
	case err != nil && err != io.EOF:
		s.err = s.fileError(err)
	default:
		return n, err
	}
	return n, s.err
}

// fileError wraps an error of a file. Those of a registry are wrapped already.
func (s *sentLayer) fileError(err error) error {
	if errors.As(err, new(*ContentError)) || errors.As(err, new(*cache.TimeoutError)) {
		return err
	}
	return fileError(s.fetch.ctx, s.fetch.ref, layerName(s.layer.number), err)
}

// verify holds what was sent against what was promised.
func (s *sentLayer) verify() error {
	if s.err != nil || s.sum == nil {
		return s.err
	}
	return s.sum.check(s.fetch.ref, layerName(s.layer.number))
}

// plainLayer is a layer decompressed: hashed and bounded.
type plainLayer struct {
	fetch *fetch
	r     io.Reader
	sum   *sum
}

func (p *plainLayer) Read(b []byte) (int, error) {
	f := p.fetch
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	p.sum.Write(b[:n])
	if f.unpacked += int64(n); f.unpacked > f.opts.Limits.MaxUnpackedBytes {
		return 0, tooLarge(f.ref, "MaxUnpackedBytes", f.opts.Limits.MaxUnpackedBytes, layerName(f.progress.Layer))
	}
	return n, err
}
