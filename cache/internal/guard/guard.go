// Package guard asks servers over HTTP that are not trusted: each wait has an end, a
// body has a bound, what they say about an error is made inert, and addresses are
// distinguished by who can reach them.
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

// Bounds are how long a server may take, each 0 or less for no limit, and how much it
// may send.
type Bounds struct {
	// Connect is for each connection, TLS included; Header is until an answer begins,
	// connections included; Idle is for each part of its body.
	Connect, Header, Idle time.Duration
	// Bytes bounds a body, if it is not nil, to its Max.
	Bytes *cache.LimitError
}

// request is a request that may be ended for being kept waiting.
type request struct {
	cancel context.CancelCauseFunc
	ctx    context.Context
	late   cache.TimeoutError
}

// expect ends the request if what is waited for does not come in time. The function
// that it returns is to be called when it came.
func (r *request) expect(waiting string, limit time.Duration) (came func()) {
	if limit <= 0 {
		return func() {}
	}
	late := r.late
	late.Waiting, late.Limit = waiting, limit
	timer := time.AfterFunc(limit, func() { r.cancel(&late) })
	return func() { timer.Stop() }
}

// reason returns why something failed: for a request that was ended, what it was ended
// for.
func (r *request) reason(err error) error {
	if late, ok := context.Cause(r.ctx).(*cache.TimeoutError); ok && late.Source == r.late.Source {
		return late
	}
	return err
}

// Send sends a request by a function, the Do of a client or the RoundTrip of a
// transport. What is too late is a [*cache.TimeoutError] about the source. Closing the
// body of the answer ends the request: what was not read is not wanted.
func Send(r *http.Request, source string, b Bounds, do func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	w := &request{late: cache.TimeoutError{Source: source, Host: r.URL.Host}}
	w.ctx, w.cancel = context.WithCancelCause(r.Context())
	var mu sync.Mutex // a transport may call from any goroutine
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
	if resp.Request == nil { // as RoundTrippers of callers may leave it
		resp.Request = r
	}
	resp.Body = &body{ReadCloser: resp.Body, request: w, bounds: b}
	return resp, nil
}

// body is the body of an answer.
type body struct {
	io.ReadCloser
	request *request
	bounds  Bounds
	came    int64
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	most := b.bounds.Bytes
	if most != nil && int64(len(p)) > most.Max-b.came+1 {
		p = p[:most.Max-b.came+1] // one more shows that there is more
	}
	came := b.request.expect("more content", b.bounds.Idle)
	n, err := b.ReadCloser.Read(p)
	came()
	if b.came += int64(n); most != nil && b.came > most.Max {
		return 0, most
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
