// Package refusal reads and words answers over HTTP whose status is an error.
package refusal

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Text says what status an answer has, what it says about it, what to do, and when.
func Text(code int, excerpt, advice string, wait time.Duration) string {
	said := fmt.Sprintf("status %d", code)
	if text := http.StatusText(code); text != "" {
		said += " (" + text + ")"
	}
	if excerpt != "" {
		said += fmt.Sprintf(" and %q", excerpt)
	}
	said += ": " + advice
	if wait > 0 {
		said += fmt.Sprintf(", in %v as it asks", wait)
	}
	return said
}

// longest bounds what a server can ask for.
const longest = 24 * time.Hour

// Wait returns how long a server that answers with a status asks not to be asked again:
// with 429 or 503, what the header Retry-After says, in seconds or as a date; 0 if it
// says nothing, and a day at most.
func Wait(code int, h http.Header, now time.Time) time.Duration {
	if code != http.StatusTooManyRequests && code != http.StatusServiceUnavailable {
		return 0
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, longest)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date // the server's own clock
	}
	return min(max(at.Sub(now), 0), longest)
}
