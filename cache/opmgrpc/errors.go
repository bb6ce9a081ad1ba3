package opmgrpc

import (
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/seed109e2655/resolute/internal/text"
)

// maxQuoted is how many bytes of a server's answer an error quotes.
const maxQuoted = 500

// LimitError is the error of a server that sends more than it may.
type LimitError struct {
	// Address is the server. Limit is MaxBytes or MaxMessageBytes, and Max its
	// value.
	Address, Limit string
	Max            int64
}

// Error says which limit it was.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the catalog at %s has more than %d bytes: if it can be trusted, raise %s", e.Address, e.Max, e.Limit)
}

// TimeoutError is the error of a server that lets wait.
type TimeoutError struct {
	// Address is the server, and Connecting whether it was not even reached.
	Address    string
	Connecting bool
	// After is how long it was waited for.
	After time.Duration
	// Err is what was wrong with the connection meanwhile, if anything.
	Err error
}

// Error says what was waited for.
func (e *TimeoutError) Error() string {
	if !e.Connecting {
		return fmt.Sprintf("the catalog at %s cannot be read: timed out after %s waiting for the next part of the answer", e.Address, e.After)
	}
	said := fmt.Sprintf("the catalog at %s cannot be read: timed out after %s connecting to it; check that the address is HOST:PORT and that the catalog pod runs", e.Address, e.After)
	if e.Err != nil {
		said += fmt.Sprintf(" (%s)", text.Inert(text.Clip(e.Err.Error(), maxQuoted)))
	}
	return said
}

// Unwrap returns what was wrong with the connection.
func (e *TimeoutError) Unwrap() error { return e.Err }

// StatusError is the error of a server that refuses, or breaks off.
type StatusError struct {
	// Address is the server, and Asked what it was asked for.
	Address, Asked string
	// Code and Message are its answer.
	Code    codes.Code
	Message string
}

// Error says what the server answered.
func (e *StatusError) Error() string {
	advice := ""
	switch e.Code {
	case codes.Unimplemented:
		advice = ": it does not serve catalogs as opm does"
	case codes.Unavailable:
		advice = ": check that the catalog pod runs, and whether it wants TLS"
	}
	return fmt.Sprintf("the catalog at %s cannot be read: asked for %s the server answered %s (%s)%s",
		e.Address, text.Inert(e.Asked), e.Code, text.Inert(text.Clip(e.Message, maxQuoted)), advice)
}

// GRPCStatus returns the answer as gRPC has it.
func (e *StatusError) GRPCStatus() *status.Status { return status.New(e.Code, e.Message) }
