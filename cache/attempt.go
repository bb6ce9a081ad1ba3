package cache

import (
	"context"
	"errors"
	"runtime/debug"
	"time"
)

// attempt is one call of Load or Warm.
type attempt struct {
	cause     string
	last      *Content
	began     time.Time
	cancel    context.CancelFunc
	results   chan result // gets one value, and never blocks who sends it
	release   func()      // frees the slot, once
	abandoned bool
	ended     bool // its end was reported
}

type result struct {
	content *Content
	err     error
}

// carryOut makes an attempt in a goroutine of its own.
func (c *Cache) carryOut(ctx context.Context, e *entry, a *attempt) {
	var res result
	returned := false
	defer func() {
		if v := recover(); v != nil {
			res = result{err: &PanicError{Value: v, Stack: debug.Stack()}}
		} else if !returned {
			res = result{err: errGoexit}
		}
		if res.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			res.err = &TimeoutError{Limit: e.cfg.Timeout, Err: res.err}
		}
		c.mu.Lock()
		delete(c.running, e)
		c.mu.Unlock()
		a.release()
		a.results <- res
	}()
	res = call(ctx, e.cfg.Source, a)
	returned = true
}

// call asks the source, and holds it to its contract.
func call(ctx context.Context, s Source, a *attempt) result {
	var content *Content
	var err error
	if a.cause == causeWarm {
		content, err = s.(Warmer).Warm(ctx)
	} else {
		content, err = s.Load(ctx, a.last)
	}
	switch {
	case err != nil:
		return result{err: err}
	case content == nil && a.cause == causeWarm:
		return result{}
	case content == nil:
		return result{err: errNoContent}
	case content.Catalog == nil:
		return result{err: errNoCatalog}
	case content.Digest == "":
		return result{err: errNoDigest}
	}
	return result{content: content}
}
