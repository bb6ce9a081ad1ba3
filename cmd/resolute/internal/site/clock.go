package site

import (
	"context"
	"time"
)

// clock is a context with a deadline. Timers do not fire while a program in a browser computes, so
// Err compares the time.
type clock struct {
	context.Context
	end time.Time
}

// until returns a context that ends after a duration.
func until(d time.Duration) context.Context {
	return clock{context.Background(), time.Now().Add(d)}
}

func (c clock) Deadline() (time.Time, bool) { return c.end, true }

func (c clock) Err() error {
	if !time.Now().Before(c.end) {
		return context.DeadlineExceeded
	}
	return nil
}
