// Package guard sends HTTP requests to untrusted servers: it limits each wait and the size of a
// body, makes error texts safe to print, and classifies addresses by who can reach them.
package guard

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/seed109e2655/resolute/cache"
)

// Bounds limit the waits for a server and the size of its response. A timeout of 0 or less
// means no limit.
type Bounds struct {
	// Connect limits each connection, including TLS; Header the wait for the first response
	// header, including connections; Idle the wait for each part of the body.
	Connect, Header, Idle time.Duration
	// Bytes, if not nil, is the error of a body with more than its Max bytes.
	Bytes *cache.LimitError
}

// request is a request that is canceled if a wait exceeds its limit.
type request struct {
	cancel  context.CancelCauseFunc
	ctx     context.Context
	timeout cache.TimeoutError
}

// expect cancels the request if the awaited event does not happen in time. The caller calls the
// returned function when it happens.
func (r *request) expect(waiting string, limit time.Duration) (done func()) {
	if limit <= 0 {
		return func() {}
	}
	timeout := r.timeout
	timeout.Waiting, timeout.Limit = waiting, limit
	timer := time.AfterFunc(limit, func() { r.cancel(&timeout) })
	return func() { timer.Stop() }
}

// reason returns the timeout that canceled the request, or else err.
func (r *request) reason(err error) error {
	if timeout, ok := context.Cause(r.ctx).(*cache.TimeoutError); ok && timeout.Source == r.timeout.Source {
		return timeout
	}
	return err
}

// Send sends a request with do, which is the Do of a client or the RoundTrip of a transport. A
// timeout is a [*cache.TimeoutError] about the source. Closing the body of the response cancels
// the request.
func Send(r *http.Request, source string, b Bounds, do func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	w := &request{timeout: cache.TimeoutError{Source: source, Host: r.URL.Host}}
	w.ctx, w.cancel = context.WithCancelCause(r.Context())
	var mu sync.Mutex // a transport calls the hooks from any goroutine
	connected := func() {}
	connecting := func(limit time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		connected()
		connected = w.expect("a connection", limit)
	}
	answered := w.expect("an answer", b.Header)
	resp, err := do(r.WithContext(httptrace.WithClientTrace(w.ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connecting(b.Connect) },
		GotConn: func(httptrace.GotConnInfo) { connecting(0) },
	})))
	connecting(0)
	answered()
	if err != nil {
		err = w.reason(err)
		w.cancel(nil)
		return nil, err
	}
	if resp.Request == nil { // custom RoundTrippers may not set it
		resp.Request = r
	}
	resp.Body = &body{ReadCloser: resp.Body, request: w, bounds: b}
	return resp, nil
}

// body is the body of a response.
type body struct {
	io.ReadCloser
	request  *request
	bounds   Bounds
	received int64
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	limit := b.bounds.Bytes
	if limit != nil && int64(len(p)) > limit.Max-b.received+1 {
		p = p[:limit.Max-b.received+1] // one more byte detects an excess
	}
	done := b.request.expect("more content", b.bounds.Idle)
	n, err := b.ReadCloser.Read(p)
	done()
	if b.received += int64(n); limit != nil && b.received > limit.Max {
		return 0, limit
	}
	if err != nil && err != io.EOF {
		err = b.request.reason(err)
	}
	return n, err
}

// Close implements [io.Closer].
func (b *body) Close() error {
	b.request.cancel(nil)
	return b.ReadCloser.Close()
}
