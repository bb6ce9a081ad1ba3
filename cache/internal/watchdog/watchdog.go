// Package watchdog ends requests over HTTP that are kept waiting.
package watchdog

import (
	"context"
	"io"
	"net/http/httptrace"
	"sync"
	"time"
)

// Dog ends one request that is kept waiting.
type Dog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// New returns what watches one request. Its End must be called.
func New(ctx context.Context) *Dog {
	d := &Dog{}
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	return d
}

// End ends what is left of the request.
func (d *Dog) End() { d.cancel(nil) }

// Wait is how long something may take, and the error of a request that it ended.
// A Limit of 0 or less is no limit.
type Wait struct {
	Limit time.Duration
	Late  error
}

// late is the cause of the end of a request that was kept waiting.
type late struct{ error }

// Expect ends the request if what is waited for does not come in time. The
// function that it returns is to be called when it came.
func (d *Dog) Expect(w Wait) (came func()) {
	if w.Limit <= 0 {
		return func() {}
	}
	timer := time.AfterFunc(w.Limit, func() { d.cancel(late{w.Late}) })
	return func() { timer.Stop() }
}

// Traced returns the context of the request, in which each connection has to be
// made in time, and then the answer has to begin in time. The function that it
// returns is to be called when neither is waited for any more.
func (d *Dog) Traced(connect, answer Wait) (ctx context.Context, done func()) {
	var mu sync.Mutex // a transport may call from any goroutine
	came := func() {}
	next := func(w Wait) {
		mu.Lock()
		defer mu.Unlock()
		came()
		came = d.Expect(w)
	}
	return httptrace.WithClientTrace(d.ctx, &httptrace.ClientTrace{
		GetConn: func(string) { next(connect) },
		GotConn: func(httptrace.GotConnInfo) { next(answer) },
	}), func() { next(Wait{}) }
}

// Reason returns why something failed: for a request that was ended, what it
// was ended for.
func (d *Dog) Reason(err error) error {
	if l, ok := context.Cause(d.ctx).(late); ok {
		return l.error
	}
	return err
}

// Body is the body of an answer. Closing it ends the request: what was not read is
// not wanted.
type Body struct {
	body io.ReadCloser
	dog  *Dog
	idle Wait
}

// Body returns a body each part of which has to come in time.
func (d *Dog) Body(body io.ReadCloser, idle Wait) *Body { return &Body{body, d, idle} }

// Read implements [io.Reader].
func (b *Body) Read(p []byte) (int, error) {
	came := b.dog.Expect(b.idle)
	n, err := b.body.Read(p)
	came()
	if err != nil && err != io.EOF {
		err = b.dog.Reason(err)
	}
	return n, err
}

// Close implements [io.Closer].
func (b *Body) Close() error {
	b.dog.End()
	return b.body.Close()
}
