package testkit

import (
	"context"
	"sync/atomic"
)

// Looks is a context that counts how often it is looked at. If Ends is not 0, it ends at that look.
type Looks struct {
	context.Context
	Ends  int64
	Count atomic.Int64
}

// Err counts a look.
func (l *Looks) Err() error {
	if n := l.Count.Add(1); l.Ends > 0 && n >= l.Ends {
		return context.Canceled
	}
	return l.Context.Err()
}
