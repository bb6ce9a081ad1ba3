package cache

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/seed109e2655/resolute/internal/text"
)

// These are the errors of all sources that ask servers: a source adds what is only true
// of what it reads.

// StatusError says that a server answered with a status that is an error. It is a
// [RetryAfterer].
type StatusError struct {
	// Source is what was read, for example "the image quay.io/ns/catalog:v1", without a
	// password.
	Source string
	// Host is the host that answered.
	Host string
	// What is the part that was asked for: "manifest", "layer 2", "token"; empty for the
	// whole.
	What string
	// Code is the status, for example 404.
	Code int
	// Wait is how long the host asked to be left alone, with status 429 or 503;
	// otherwise, and if it did not say, 0. It is at most a day.
	Wait time.Duration
	// Excerpt is what the host says about it: one line of at most 200 bytes without
	// control characters, of foreign origin. Credentials are taken out.
	Excerpt string
	// Credentials are the sources of the credentials that were tried, never the
	// credentials.
	Credentials []string
	// Advice is what can be done about it.
	Advice string
}

// Error describes the status, and what to do about it.
func (e *StatusError) Error() string {
	said := e.Source + " cannot be read: " + text.Inert(e.Host) + " answered"
	if e.What != "" {
		said += " the question for its " + e.What
	}
	said += fmt.Sprintf(" with status %d", e.Code)
	if name := http.StatusText(e.Code); name != "" {
		said += " (" + name + ")"
	}
	if e.Excerpt != "" {
		said += fmt.Sprintf(" and %q", e.Excerpt)
	}
	said += ": " + e.Advice
	if e.Wait > 0 {
		said += fmt.Sprintf(", in %v as it asks", e.Wait)
	}
	return said
}

// RetryAfter returns how long the host asked to be left alone, 0 if it did not.
func (e *StatusError) RetryAfter() time.Duration { return e.Wait }

// TimeoutError says that a server kept a source waiting, or that a load took longer than
// [SourceConfig.Timeout]. The latter is a [context.DeadlineExceeded] to errors.Is.
type TimeoutError struct {
	// Source is what was read, as in [StatusError], and Host the host. Both are empty for
	// a load.
	Source, Host string
	// Waiting is what the server was waited for: "a connection", "an answer" or "more
	// content". It is empty for a load.
	Waiting string
	// Limit is how long it was waited for, or the time that the load had.
	Limit time.Duration
	// Grace is how long a load was waited for after that, zero if it returned.
	Grace time.Duration
	// Err is what the load returned, nil if it did not return; or what was wrong with
	// the connection meanwhile, if that is known.
	Err error
}

// Error says what was waited for, and how long.
func (e *TimeoutError) Error() string {
	switch {
	case e.Waiting != "":
		said := fmt.Sprintf("%s cannot be read: timed out after %v waiting for %s from %s: try again later, or look for a proxy or firewall in between",
			e.Source, e.Limit, e.Waiting, text.Inert(e.Host))
		if e.Err != nil {
			said += fmt.Sprintf(" (%s)", text.Inert(e.Err.Error()))
		}
		return said
	case e.Err == nil:
		return fmt.Sprintf("the load took longer than its timeout of %s and did not return within %s after it was asked to stop; "+
			"the next one begins when it returns", e.Limit, e.Grace)
	}
	return fmt.Sprintf("the load took longer than its timeout of %s: %v", e.Limit, e.Err)
}

// Timeout returns true: see net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// Unwrap returns what the load returned, and [context.DeadlineExceeded] for a load; or
// what was wrong with the connection.
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

// LimitError says that what a server or file has is larger than it may be.
type LimitError struct {
	// Source is what was read, as in [StatusError].
	Source string
	// Limit is the name of the limit: a field of the options of the source.
	Limit string
	// Max is its value, and What what it counts.
	Max  int64
	What string
	// At is where it was passed, if that is known: "layer 2, entry \"x\"".
	At string
	// Advice is what can be done about it.
	Advice string
}

// Error says which limit it was, and where.
func (e *LimitError) Error() string {
	at := ""
	if e.At != "" {
		at = " (passed in " + e.At + ")"
	}
	return fmt.Sprintf("%s has more than %d %s%s: %s", e.Source, e.Max, e.What, at, e.Advice)
}
