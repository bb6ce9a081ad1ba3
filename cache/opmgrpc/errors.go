package opmgrpc

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/seed109e2655/resolute/internal/text"
)

// maxQuoted is how many bytes of a server's answer an error quotes.
const maxQuoted = 500

// quoted is what a server says, in a message.
func quoted(said string) string { return text.Inert(text.Clip(said, maxQuoted)) }

// statusError is the error of a server that refuses, or breaks off.
type statusError struct {
	source, asked string // what was read, and what the server was asked for
	answer        *status.Status
}

// Error says what the server answered.
func (e *statusError) Error() string {
	advice := ""
	switch e.answer.Code() {
	case codes.Unimplemented:
		advice = ": it does not serve catalogs as opm does"
	case codes.Unavailable:
		advice = ": check that the catalog pod runs, and whether it wants TLS"
	}
	return fmt.Sprintf("%s cannot be read: asked for %s the server answered %s (%s)%s",
		e.source, text.Inert(e.asked), e.answer.Code(), quoted(e.answer.Message()), advice)
}

// GRPCStatus returns the answer as gRPC has it.
func (e *statusError) GRPCStatus() *status.Status { return e.answer }
