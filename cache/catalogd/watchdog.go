package catalogd

import (
	"context"
	"errors"
	"io"
	"net/http/httptrace"
	"sync"
	"time"
)

// watchdog ends a request that is kept waiting.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	url    string
}

// newWatchdog returns a watchdog for one request.
func newWatchdog(ctx context.Context, url string) *watchdog {
	w := &watchdog{url: url}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	return w
}

// end ends what is left of the request.
func (w *watchdog) end() { w.cancel(nil) }

// expect ends the request if what is waited for does not come in time. The
// function that it returns is to be called when it came.
func (w *watchdog) expect(phase Phase, limit time.Duration) (came func()) {
	if limit < 0 {
		return func() {}
	}
	timer := time.AfterFunc(limit, func() { w.cancel(&TimeoutError{URL: w.url, Phase: phase, Limit: limit}) })
	return func() { timer.Stop() }
}

// traced returns the context of the request, in which each connection that is
// made is waited for so long at most. The function that it returns is to be
// called when no connection is waited for any more.
func (w *watchdog) traced(connect time.Duration) (ctx context.Context, done func()) {
	var mu sync.Mutex // a transport may call from any goroutine
	came := func() {}
	next := func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		came()
		came = f
	}
	done = func() { next(func() {}) }
	return httptrace.WithClientTrace(w.ctx, &httptrace.ClientTrace{
		GetConn: func(string) { next(w.expect(PhaseConnect, connect)) },
		GotConn: func(httptrace.GotConnInfo) { done() },
	}), done
}

// reason returns why something failed: for a request that was ended, what it
// was ended for.
func (w *watchdog) reason(err error) error {
	var timeout *TimeoutError
	if errors.As(context.Cause(w.ctx), &timeout) {
		return timeout
	}
	return err
}

// body is the body of an answer, with a watchdog and a limit.
type body struct {
	*watchdog
	r    io.ReadCloser
	idle time.Duration
	max  int64 // negative for no limit
	read int64
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.max >= 0 && int64(len(p)) > b.max-b.read+1 {
		p = p[:b.max-b.read+1] // one more shows that there is more
	}
	came := b.expect(PhaseBody, b.idle)
	n, err := b.r.Read(p)
	came()
	if b.read += int64(n); b.max >= 0 && b.read > b.max {
		return 0, &SizeError{URL: b.url, Max: b.max}
	}
	if err != nil && err != io.EOF {
		err = b.reason(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.end() // what was not read is not wanted
	return b.r.Close()
}
