package catalogd

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache/internal/refusal"
	"github.com/seed109e2655/resolute/internal/text"
)

// StatusError is the error of an answer whose status is neither 200 nor 304.
// It is a [cache.RetryAfterer].
type StatusError struct {
	// URL is what was asked for, without a password.
	URL string
	// Code is the status, for example 503.
	Code int
	// Wait is how long the server asked to be left alone, with status 429 or
	// 503; otherwise, and if it did not say, 0. It is at most a day.
	Wait time.Duration
	// Excerpt is how the body begins: one line of at most 200 characters,
	// without control characters. It is text from somebody else.
	Excerpt string
}

// Error describes the status, and what to do about it.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the server answered %s with %s", e.URL, refusal.Text(e.Code, e.Excerpt, advice(e.Code), e.Wait))
}

// RetryAfter returns how long the server asked to be left alone, 0 if it did
// not.
func (e *StatusError) RetryAfter() time.Duration { return e.Wait }

func advice(code int) string {
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return "give the client a token that may read the catalog"
	case code == http.StatusNotFound, code == http.StatusGone:
		return "correct the URL, or see whether the catalog is still served"
	case code == http.StatusTooManyRequests:
		return "ask less often"
	case code >= 300 && code < 400:
		return "use the URL that it leads to, or a client that follows redirects"
	case code >= 500:
		return "try again later"
	}
	return "see whether a catalog is served at this URL"
}

// SizeError is the error of an answer that is larger than [Options].MaxBytes.
type SizeError struct {
	// URL is what was asked for, without a password.
	URL string
	// Max is the limit, in bytes as they are sent.
	Max int64
}

// Error describes the limit.
func (e *SizeError) Error() string {
	return fmt.Sprintf("the server sends more than %d bytes for %s: if it can be trusted, raise MaxBytes", e.Max, e.URL)
}

// Phase is what a server was waited for.
type Phase string

// The phases of a request.
const (
	// PhaseConnect: for a connection.
	PhaseConnect Phase = "connection"
	// PhaseHeader: for the headers of the answer.
	PhaseHeader Phase = "headers"
	// PhaseBody: for more of the body.
	PhaseBody Phase = "more of the body"
)

// TimeoutError is the error of a server that kept a request waiting for too
// long.
type TimeoutError struct {
	// URL is what was asked for, without a password.
	URL string
	// Phase is what was waited for, and Limit how long.
	Phase Phase
	Limit time.Duration
}

// Error says what was waited for, and how long.
func (e *TimeoutError) Error() string {
	if e.Phase == PhaseConnect {
		return fmt.Sprintf("timed out after %v connecting to the server of %s", e.Limit, e.URL)
	}
	return fmt.Sprintf("timed out after %v waiting for %s from the server of %s", e.Limit, e.Phase, e.URL)
}

// Timeout returns true: see net.Error.
func (e *TimeoutError) Timeout() bool { return true }

const (
	readExcerpt = 1 << 10 // bytes of a body
	maxExcerpt  = 200     // bytes of its excerpt
)

// excerpt reads how a body begins, as one line that does nothing to whoever
// looks at it.
func excerpt(body io.Reader) string {
	raw, _ := io.ReadAll(io.LimitReader(body, readExcerpt)) // what came will do
	return text.Clip(text.Inert(strings.Join(strings.Fields(string(raw)), " ")), maxExcerpt)
}
