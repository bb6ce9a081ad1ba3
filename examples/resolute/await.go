package main

import (
	"context"
	"time"
)

// grace is how long work may take to stop by itself once its context has ended.
const grace = 300 * time.Millisecond

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
