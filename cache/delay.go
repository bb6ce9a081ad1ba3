package cache

import (
	"errors"
	"math/rand/v2"
	"time"
)

// refreshDelay returns the time until the next load after a success, negative for never.
func (s *SourceConfig) refreshDelay() time.Duration {
	if s.Refresh < 0 {
		return -1
	}
	spread := s.Jitter * float64(s.Refresh)
	return s.Refresh + time.Duration(spread*(2*rand.Float64()-1))
}

// retryDelay returns the time until the next load after that many consecutive failures, the
// last of which is err. A signal can shorten it to held at most.
func (s *SourceConfig) retryDelay(failures int, err error) (delay, held time.Duration) {
	lo, hi := s.Backoff.bounds(failures)
	delay, held = lo, s.Backoff.Min
	if hi > lo {
		delay += rand.N(hi - lo)
	}
	var asked RetryAfterer
	if errors.As(err, &asked) {
		after := min(asked.RetryAfter(), maxRetryAfter)
		delay, held = max(delay, after), max(held, after)
	}
	return delay, held
}

// bounds returns the bounds of the random delay after that many failures.
func (b Backoff) bounds(failures int) (lo, hi time.Duration) {
	hi = b.Max
	if failures < 63 && b.Min <= b.Max>>failures {
		hi = b.Min << failures
	}
	return max(b.Min, hi/2), hi
}
