package testkit

import (
	"context"
	"sync/atomic"
)

// CountingContext is a context that counts its checks. If Ends is not 0, it ends at that
// check.
type CountingContext struct {
	context.Context
	Ends  int64
	Count atomic.Int64
}

// Err counts a check.
func (l *CountingContext) Err() error {
	if n := l.Count.Add(1); l.Ends > 0 && n >= l.Ends {
		return context.Canceled
	}
	return l.Context.Err()
}
