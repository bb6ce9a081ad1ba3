// Package explain is the fifth stage of a resolution: it makes a minimal set of facts
// (package core) say all about themselves, with what rules out each candidate and what
// nearly was one. Package argument makes sentences and trees of these. It also says in
// words, for warnings and questions, why things are as they are in a problem.
package explain

import "github.com/seed109e2655/resolute/resolver/internal/problem"

// Request has what a problem does not know of its request.
type Request interface {
	// Asked is what the i-th subscription of the problem stands for.
	Asked(i int32) Asked
	// ForbidMessage says why the i-th prohibition of the request is there.
	ForbidMessage(i int32) string
}

// Asked is what a problem does not know of a subscription.
type Asked struct {
	Name string
	// Generated says that it came with a dependency.
	Generated bool
	// Hold says why the operator stays where it is.
	Hold string
}

// Causes says why things are as they are in a problem.
type Causes struct {
	p       *problem.View
	Request Request
}

// Of says why things are as they are in the problem of a request.
func Of(p *problem.View, r Request) Causes { return Causes{p, r} }

// asked is what a subscription of the problem stands for.
func (w Causes) asked(s *problem.Subscription) Asked { return w.Request.Asked(s.Index) }
