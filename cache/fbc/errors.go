package fbc

import (
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
	"github.com/seed109e2655/resolute/graph"
)

// ProblemsError is the error of a strict reader: the catalog has problems.
type ProblemsError struct {
	// Problems are all of them, in the order of [graph.Problem.Compare].
	Problems []graph.Problem
}

// Error says how many problems there are, and the first of them.
func (e *ProblemsError) Error() string {
	return "the catalog has " + summary(e.Problems)
}

// Unwrap returns each problem as an error: a [*graph.Problem].
func (e *ProblemsError) Unwrap() []error { return problemErrors(e.Problems, nil) }

// UnreadableError is the error of input in which no blob could be read: a missing path, an empty
// directory, a file of another format.
type UnreadableError struct {
	// Name is the file or directory, as the caller named it.
	Name string
	// Err is the cause, or nil if the input was read and had no blob. For a missing file
	// errors.Is(err, fs.ErrNotExist) is true.
	Err error
	// Problems are the problems found before.
	Problems []graph.Problem
}

// Error names the input and the cause.
func (e *UnreadableError) Error() string {
	line := graph.Problem{Message: e.text()} // it escapes names
	return line.Error()
}

func (e *UnreadableError) text() string {
	name := e.Name
	if name == "" {
		name = "the input"
	}
	switch {
	case e.Err != nil:
		return fmt.Sprintf("the catalog %s cannot be read: %v", name, e.Err)
	case len(e.Problems) > 0:
		return fmt.Sprintf("nothing in the catalog %s can be read: it has %s", name, summary(e.Problems))
	}
	return fmt.Sprintf("the catalog %s is empty: it has no blob in a file ending in %s", name, strings.Join(read.Extensions[:], ", "))
}

// Unwrap returns the cause, and each problem as a [*graph.Problem].
func (e *UnreadableError) Unwrap() []error { return problemErrors(e.Problems, e.Err) }

// LimitError means that a catalog as a whole exceeds a limit of its reader. If it exceeds several,
// any of them is reported, because files are read concurrently.
type LimitError struct {
	// Limit is the name of the limit: "MaxTotalBytes" or "MaxBlobs".
	Limit string
	// Max is its value.
	Max int64
}

// Error names the limit.
func (e *LimitError) Error() string {
	unit := "bytes, decompressed"
	if e.Limit == limitBlobs {
		unit = "blobs"
	}
	return fmt.Sprintf("the catalog has more than %d %s, the limit for one catalog: split it, or remove unneeded content", e.Max, unit)
}

// summary counts problems and quotes the first.
func summary(problems []graph.Problem) string {
	switch len(problems) {
	case 0:
		return "no problem"
	case 1:
		return "a problem: " + problems[0].Error()
	}
	return fmt.Sprintf("%d problems, first: %s", len(problems), problems[0].Error())
}

// problemErrors returns the cause, if any, and then the problems.
func problemErrors(problems []graph.Problem, cause error) []error {
	errs := make([]error, 0, len(problems)+1)
	if cause != nil {
		errs = append(errs, cause)
	}
	for i := range problems {
		errs = append(errs, &problems[i])
	}
	return errs
}
