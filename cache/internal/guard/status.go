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
	readExcerpt = 8 << 10 // bytes read of an error response
	maxExcerpt  = 200     // maximum length of its excerpt in bytes
	// maxWait is the maximum wait that a server can request.
	maxWait = 24 * time.Hour
)

// Status returns the error of a response with an unexpected status code, without advice. The
// excerpt of its text is filtered by redact.
func Status(resp *http.Response, source string, redact func(string) string) *cache.StatusError {
	e := &cache.StatusError{Source: source, Host: resp.Request.URL.Host,
		Code: resp.StatusCode, Status: http.StatusText(resp.StatusCode), Wait: wait(resp.StatusCode, resp.Header, time.Now())}
	switch strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))) {
	case "", "identity":
		body, _ := io.ReadAll(io.LimitReader(resp.Body, readExcerpt)) // a partial body suffices
		e.Excerpt = text.Clip(text.Inert(strings.Join(strings.Fields(redact(messages(body))), " ")), maxExcerpt)
	}
	return e
}

// messages returns the error messages of a response in the registry protocol, or else its text.
func messages(body []byte) string {
	var doc struct {
		Errors []struct{ Code, Message string }
	}
	if json.Unmarshal(body, &doc) != nil || len(doc.Errors) == 0 {
		return string(body)
	}
	messages := make([]string, len(doc.Errors))
	for i, e := range doc.Errors {
		messages[i] = strings.TrimSuffix(e.Code+": "+e.Message, ": ")
	}
	return strings.Join(messages, "; ")
}

// wait returns the wait that a server requests: with 429 or 503, the Retry-After header, in
// seconds or as a date; 0 without the header, and at most one day.
func wait(code int, h http.Header, now time.Time) time.Duration {
	if code != http.StatusTooManyRequests && code != http.StatusServiceUnavailable {
		return 0
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxWait)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date // the server's own clock
	}
	return min(max(at.Sub(now), 0), maxWait)
}
