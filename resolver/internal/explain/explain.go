// Package explain is the fifth stage of a resolution: it makes a minimal set of facts
// (package core) say all about themselves, with what rules out each candidate and what
// nearly was one. Package argument makes sentences and trees of these. It also says in
// words, for warnings and questions, why things are as they are in a problem.
package explain
