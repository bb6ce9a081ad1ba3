// Package retryafter reads how long a server asks not to be asked again.
package retryafter

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest bounds what a server can ask for.
const longest = 24 * time.Hour

// Parse returns what the Retry-After header of an answer says, in seconds or as a
// date; 0 if it says nothing, and a day at most.
func Parse(h http.Header, now time.Time) time.Duration {
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
