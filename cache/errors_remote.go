package cache

import (
	"context"
	"fmt"
	"time"

	"github.com/seed109e2655/resolute/internal/text"
)

// Errors that all remote sources share.

// StatusError means that a server responded with an error status. It is a [RetryAfterer].
type StatusError struct {
	// Source names the source, for example "the image quay.io/ns/catalog:v1", without passwords.
	Source string
	// Host is the host that responded.
	Host string
	// What names the requested part: "manifest", "layer 2", "token"; empty for the whole source.
	What string
	// Code is the status code, for example 404, and Status its standard name, "Not Found";
	// empty if it has none.
	Code   int
	Status string
	// Wait is the delay that the host requested with status 429 or 503, at most a day; otherwise
	// 0.
	Wait time.Duration
	// Excerpt is the start of the response: one line of at most 200 bytes, untrusted, without
	// control characters or credentials.
	Excerpt string
	// Credentials are the origins of the credentials tried, never the credentials.
	Credentials []string
	// Advice says how to fix it.
	Advice string
}

// Error returns the status, the excerpt and the advice.
func (e *StatusError) Error() string {
	message := e.Source + " cannot be read: " + text.Inert(e.Host) + " answered"
	if e.What != "" {
		message += " the request for its " + e.What
	}
	message += fmt.Sprintf(" with status %d", e.Code)
	if e.Status != "" {
		message += " (" + text.Inert(e.Status) + ")"
	}
	if e.Excerpt != "" {
		message += fmt.Sprintf(" and %q", e.Excerpt)
	}
	message += ": " + e.Advice
	if e.Wait > 0 {
		message += fmt.Sprintf(" (Retry-After %v)", e.Wait)
	}
	return message
}

// RetryAfter returns the delay that the host requested, or 0.
func (e *StatusError) RetryAfter() time.Duration { return e.Wait }

// TimeoutError means that a server did not respond in time, or that a load exceeded
// [SourceConfig.Timeout]. The latter matches [context.DeadlineExceeded] with errors.Is.
type TimeoutError struct {
	// Source names the source, as in [StatusError], and Host the host. Both are empty for a
	// load.
	Source, Host string
	// Waiting is what the server did not deliver: "a connection", "an answer" or "more content".
	// It is empty for a load.
	Waiting string
	// Limit is the timeout.
	Limit time.Duration
	// Grace is how long a cancelled load was given to return; zero if it returned.
	Grace time.Duration
	// Err is the error that the load returned, nil if it did not return; or the last connection
	// error, if known.
	Err error
}

// Error returns the timeout and what it was waiting for.
func (e *TimeoutError) Error() string {
	switch {
	case e.Waiting != "":
		message := fmt.Sprintf("%s cannot be read: timed out after %v waiting for %s from %s: try again later, or look for a proxy or firewall in between",
			e.Source, e.Limit, e.Waiting, text.Inert(e.Host))
		if e.Err != nil {
			message += fmt.Sprintf(" (%s)", text.Inert(e.Err.Error()))
		}
		return message
	case e.Err == nil:
		return fmt.Sprintf("the load exceeded its timeout of %s and did not return within %s of being cancelled; "+
			"the next load begins when it returns", e.Limit, e.Grace)
	}
	return fmt.Sprintf("the load exceeded its timeout of %s: %v", e.Limit, e.Err)
}

// Timeout returns true; it implements net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// Unwrap returns Err, and [context.DeadlineExceeded] for a load.
func (e *TimeoutError) Unwrap() []error {
	var errs []error
	if e.Waiting == "" {
		errs = append(errs, context.DeadlineExceeded)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// LimitError means that a server or file exceeds a size limit.
type LimitError struct {
	// Source names the source, as in [StatusError].
	Source string
	// Limit is the name of the limit: a field of the options of the source.
	Limit string
	// Max is its value, and What its unit.
	Max  int64
	What string
	// At is where the limit was exceeded, if known: "layer 2, entry \"x\"".
	At string
	// Advice says how to fix it.
	Advice string
}

// Error names the limit and where it was exceeded.
func (e *LimitError) Error() string {
	at := ""
	if e.At != "" {
		at = " (exceeded in " + e.At + ")"
	}
	return fmt.Sprintf("%s has more than %d %s%s: %s", e.Source, e.Max, e.What, at, e.Advice)
}
