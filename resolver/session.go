package resolver

import (
	"context"
)

// Session answers questions about one request and changes of it (section 9 of the
// semantics). It keeps what the request reaches, so that a what-if costs about as
// much as its change is large. A Session is not safe for concurrent use: make one
// for each goroutine.
type Session struct {
	r   *Resolver
	req Request
}

// Session prepares a request for questions. The error is a [*RequestError] if the
// request is malformed, or an [*IncompleteError].
func (r *Resolver) Session(ctx context.Context, req Request) (*Session, error) {
	if _, err := newProblem(ctx, &req, &r.config, false); err != nil {
		return nil, err
	}
	return &Session{r: r, req: req}, nil
}

// Request returns the request that the session is about.
func (s *Session) Request() Request { return s.req }

// Resolve answers the request with the changes made in their order, exactly as
// [Resolver.Resolve] answers the changed request. The changes hold for this answer
// only. The errors are those of Resolve, and a [*RequestError] for a change whose
// subject the request does not have.
func (s *Session) Resolve(ctx context.Context, changes ...Change) (*Solution, error) {
	req := s.req
	if len(changes) > 0 {
		var err error
		if req, err = Apply(s.req, changes...); err != nil {
			return nil, err
		}
	}
	return s.r.Resolve(ctx, req)
}
