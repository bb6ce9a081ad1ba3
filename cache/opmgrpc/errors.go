package opmgrpc

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/seed109e2655/resolute/internal/text"
)

// maxQuoted is the maximum length of a server message in an error, in bytes.
const maxQuoted = 500

// quoted makes a server message safe to print.
func quoted(message string) string { return text.Inert(text.Clip(message, maxQuoted)) }

// statusError is the error of a failed call.
type statusError struct {
	source, request string // the catalog and the requested part
	status          *status.Status
}

// Error returns the request, the server's status and advice.
func (e *statusError) Error() string {
	advice := ""
	switch e.status.Code() {
	case codes.Unimplemented:
		advice = ": it does not implement the catalog service of opm"
	case codes.Unavailable:
		advice = ": check that the catalog pod is running and whether it requires TLS"
	}
	return fmt.Sprintf("%s cannot be read: the request for %s failed with status %s (%s)%s",
		e.source, text.Inert(e.request), e.status.Code(), quoted(e.status.Message()), advice)
}

// GRPCStatus returns the gRPC status.
func (e *statusError) GRPCStatus() *status.Status { return e.status }
