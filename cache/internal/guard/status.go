package guard

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
)

const (
	readExcerpt = 8 << 10 // bytes of a body that is an error
	maxExcerpt  = 200     // bytes of its excerpt
	// longest bounds what a server can ask for.
	longest = 24 * time.Hour
)

// Status returns the error of an answer whose status is one, without advice. What the
// server says is quoted as redact leaves it.
func Status(resp *http.Response, source string, redact func(string) string) *cache.StatusError {
	e := &cache.StatusError{Source: source, Host: resp.Request.URL.Host,
		Code: resp.StatusCode, Status: http.StatusText(resp.StatusCode), Wait: wait(resp.StatusCode, resp.Header, time.Now())}
	switch strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))) {
	case "", "identity":
		said, _ := io.ReadAll(io.LimitReader(resp.Body, readExcerpt)) // what came will do
		e.Excerpt = text.Clip(text.Inert(strings.Join(strings.Fields(redact(messages(said))), " ")), maxExcerpt)
	}
	return e
}

// messages returns what an answer says about an error: the messages that the protocol
// of registries has, else the text.
func messages(body []byte) string {
	var doc struct {
		Errors []struct{ Code, Message string }
	}
	if json.Unmarshal(body, &doc) != nil || len(doc.Errors) == 0 {
		return string(body)
	}
	said := make([]string, len(doc.Errors))
	for i, e := range doc.Errors {
		said[i] = strings.TrimSuffix(e.Code+": "+e.Message, ": ")
	}
	return strings.Join(said, "; ")
}

// wait returns how long a server that answers with a status asks not to be asked again:
// with 429 or 503, what the header Retry-After says, in seconds or as a date; 0 if it
// says nothing, and a day at most.
func wait(code int, h http.Header, now time.Time) time.Duration {
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
