package image

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache/internal/refusal"
)

// StatusError is the error of a registry that answers with a status that is an
// error. It is a cache.RetryAfterer.
type StatusError struct {
	// Reference is the image.
	Reference string
	// Host is the host that answered.
	Host string
	// What was asked for: "manifest", "configuration", "layer 2", "token".
	What string
	// Code is the status, for example 404.
	Code int
	// Wait is how long the host asked to be left alone, with status 429 or 503;
	// otherwise, and if it did not say, 0. It is at most a day.
	Wait time.Duration
	// Excerpt is what the host says about it: one line without control
	// characters, of foreign origin. Credentials are taken out.
	Excerpt string
	// Credentials are the sources of the credentials that were tried, never
	// the credentials.
	Credentials []string
}

// Error describes the status, and what to do about it.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the image %s cannot be read: %s answered the question for its %s with %s",
		inert(e.Reference), inert(e.Host), e.What, refusal.Text(e.Code, e.Excerpt, e.advice(), e.Wait))
}

func (e *StatusError) advice() string {
	switch {
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusForbidden:
		if len(e.Credentials) == 0 {
			return "no credential is known for it; log in to the registry, or give a pull secret; or the image does not exist"
		}
		return "tried the credentials of " + inert(strings.Join(e.Credentials, ", ")) + "; give one that may read the image"
	case e.Code == http.StatusNotFound:
		return "there is no such image, or no right to see it: correct the name, tag or digest"
	case e.Code == http.StatusTooManyRequests:
		return "ask less often, or with a credential"
	case e.Code >= 500:
		return "the registry has a problem, try again later"
	}
	return "see whether this is a registry"
}

// RetryAfter returns how long the host asked to be left alone, 0 if it did not.
func (e *StatusError) RetryAfter() time.Duration { return e.Wait }

// Phase is what a host was waited for.
type Phase string

// The phases of a request.
const (
	// PhaseConnect: for a connection, TLS included.
	PhaseConnect Phase = "a connection"
	// PhaseHeader: for the headers of the answer.
	PhaseHeader Phase = "an answer"
	// PhaseBody: for more of the content.
	PhaseBody Phase = "more content"
)

// TimeoutError is the error of a host that kept a request waiting for too long.
type TimeoutError struct {
	// Reference is the image, Host the host.
	Reference, Host string
	// Phase is what was waited for, and Limit how long.
	Phase Phase
	Limit time.Duration
}

// Error says what was waited for.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the image %s cannot be read: timed out after %v waiting for %s from %s: try again later, or look for a proxy or firewall in between",
		inert(e.Reference), e.Limit, e.Phase, inert(e.Host))
}

// Timeout returns true: see net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// ConnectionError is the error of a host that cannot be reached, or not be
// trusted.
type ConnectionError struct {
	// Reference is the image, Host the host.
	Reference, Host string
	// Reason is what is wrong, and what to do.
	Reason string
	// Err is the cause.
	Err error
}

// Error says which host it is, and why.
func (e *ConnectionError) Error() string {
	return fmt.Sprintf("the image %s cannot be read: %s %s", inert(e.Reference), inert(e.Host), inert(e.Reason))
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// RedirectError is the error of a registry that leads elsewhere, to where it
// must not lead: to a private address, to plain HTTP, or without end.
type RedirectError struct {
	// Reference is the image.
	Reference string
	// From is the host that leads there, To the host that it leads to.
	From, To string
	// Reason is why that is refused, and what to do.
	Reason string
}

// Error says from where to where, and why not.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("the image %s cannot be read: %s leads to %s, %s", inert(e.Reference), inert(e.From), inert(e.To), e.Reason)
}

// TokenError is the error of a registry whose token server does not give a
// token.
type TokenError struct {
	// Reference is the image, Host the registry.
	Reference, Host string
	// Server is the token server: its URL without a query.
	Server string
	// Reason is what is wrong.
	Reason string
	// Credentials are the sources of the credentials that were tried.
	Credentials []string
	// Err is the cause, if there is one.
	Err error
}

// Error says which server it is, and why.
func (e *TokenError) Error() string {
	tried := "without a credential"
	if len(e.Credentials) > 0 {
		tried = "with the credentials of " + inert(strings.Join(e.Credentials, ", "))
	}
	return fmt.Sprintf("the image %s cannot be read: the registry %s wants a token of %s, which was asked %s: %s",
		inert(e.Reference), inert(e.Host), inert(e.Server), tried, inert(e.Reason))
}

// Unwrap returns the cause.
func (e *TokenError) Unwrap() error { return e.Err }

// CredentialsError is the error of a place where credentials are kept that
// cannot be read. It says nothing of what is in there.
type CredentialsError struct {
	// Source is the place: a file, a pull secret, a helper.
	Source string
	// Err is the cause.
	Err error
}

// Error says which place it is, and why.
func (e *CredentialsError) Error() string {
	return fmt.Sprintf("the credentials of %s cannot be read: %v; correct them or leave them out", inert(e.Source), e.Err)
}

// Unwrap returns the cause.
func (e *CredentialsError) Unwrap() error { return e.Err }
