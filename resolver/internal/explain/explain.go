// Package explain is the fifth stage of a resolution: it makes a minimal set of facts
// (package core) say all about themselves, with what rules out each candidate and what
// nearly was one. Package argument makes sentences and trees of these. It also says in
// words, for warnings and questions, why things are as they are in a problem.
package explain

import "github.com/seed109e2655/resolute/resolver/internal/problem"

// Causes says why things are as they are in a problem.
type Causes struct{ p *problem.View }

// Of says why things are as they are in a problem.
func Of(p *problem.View) Causes { return Causes{p} }
