package main

import (
	"context"
	"fmt"
	"time"
)

// grace is the time for work to stop after its context ended; writeGrace is the additional time to
// write partial results.
const (
	grace      = 300 * time.Millisecond
	writeGrace = 200 * time.Millisecond
)

// within runs a command until its context has ended and the grace period for output has passed.
// Later writes fail. A command blocked on an unread output is abandoned.
func (a *app) within(ctx context.Context, command func() error) error {
	late, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(grace+writeGrace, func() { end(fmt.Errorf("output is incomplete: %w", context.Cause(ctx))) })
	})()
	a.out.Until(func() error { return context.Cause(late) })
	_, err := await(late, func() (struct{}, error) { return struct{}{}, command() })
	return err
}

// await runs work that may block where a context has no effect: opening a pipe without a
// writer, reading a silent standard input or an unresponsive disk. Once ctx has ended, work
// gets a grace period to return a partial result and is then abandoned, as the program is about
// to exit. The error is that of work, or the cause of the end of ctx. Work must not write to
// shared data.
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
