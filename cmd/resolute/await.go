package main

import (
	"context"
	"fmt"
	"time"
)

// grace is how long work may take to stop by itself once its context has ended, and
// showing how long it may take besides to write how far it came.
const (
	grace   = 300 * time.Millisecond
	showing = 200 * time.Millisecond
)

// within runs a command until its context has ended, and as long after that as answers
// may be written: what it writes later is refused, and a command that blocks, because
// nobody reads what it writes, is left behind.
func (a *app) within(ctx context.Context, command func() error) error {
	late, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(grace+showing, func() { end(fmt.Errorf("not all was written: %w", context.Cause(ctx))) })
	})()
	a.out.Until(func() error { return context.Cause(late) })
	_, err := await(late, func() (struct{}, error) { return struct{}{}, command() })
	return err
}

// await does work that may block where no context reaches it: opening a pipe that
// nobody writes to, reading a standard input that stays silent, a disk that does
// not answer. Once ctx has ended, work gets a moment to say how far it came, and
// is then left behind: the program is about to end. The error is that of the work,
// or the cause of the end of ctx. Work must not write to what others use.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.value, o.err
	case <-time.After(grace):
		var none T
		return none, context.Cause(ctx)
	}
}
