package image

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// watch ends a request that is kept waiting.
type watch struct {
	ctx       context.Context
	cancel    context.CancelCauseFunc
	ref, host string

	mu    sync.Mutex // a transport may call from any goroutine
	timer *time.Timer
}

// newWatch returns what watches one request.
func newWatch(ctx context.Context, ref, host string) *watch {
	w := &watch{ref: ref, host: host}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	return w
}

// expect ends the request if nothing comes in time. It takes the place of what
// was expected before.
func (w *watch) expect(phase Phase, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if limit > 0 {
		late := &TimeoutError{Reference: w.ref, Host: w.host, Phase: phase, Limit: limit}
		w.timer = time.AfterFunc(limit, func() { w.cancel(late) })
	}
}

// stop expects nothing any more.
func (w *watch) stop() { w.expect("", 0) }

// end ends what is left of the request.
func (w *watch) end() {
	w.stop()
	w.cancel(nil)
}

// reason returns why something failed: for a request that was ended, what it
// was ended for.
func (w *watch) reason(err error) error {
	var timeout *TimeoutError
	if errors.As(context.Cause(w.ctx), &timeout) {
		return timeout
	}
	return err
}

// watchedBody is the body of an answer.
type watchedBody struct {
	io.ReadCloser
	watch *watch
	idle  time.Duration
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.watch.expect(PhaseBody, b.idle)
	n, err := b.ReadCloser.Read(p)
	b.watch.stop()
	if err != nil && err != io.EOF {
		err = b.watch.reason(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	b.watch.end() // what was not read is not wanted
	return b.ReadCloser.Close()
}
