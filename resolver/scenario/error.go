package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Error lists the errors of a scenario file.
type Error struct {
	// File is the file name given by the caller; empty for a scenario that a program built.
	File string
	// Problems are sorted by line.
	Problems []Problem
	// Expect is the expectation of the scenario, if valid: the answer to an invalid scenario can
	// be expected, see [NewAnswer].
	Expect json.RawMessage
}

// Problem is one error of a scenario.
type Problem struct {
	// Line counts from 1; 0 if unknown.
	Line int
	// Path is the location in the file, for example "subscriptions[2].package"; empty for the
	// whole file.
	Path string
	// Message states the error and what to do.
	Message string
}

// Error lists the problems, one per line, as "file:line: path: message".
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
		switch file := inert(e.File); {
		case file != "" && p.Line > 0:
			lines[i] = fmt.Sprintf("%s:%d: %s", file, p.Line, lines[i])
		case file != "":
			lines[i] = file + ": " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// String returns the problem without its line, as "path: message", on one line. It escapes names
// and truncates long texts.
func (p Problem) String() string {
	if p.Path == "" {
		return inert(p.Message)
	}
	return inert(p.Path) + ": " + inert(p.Message)
}

// maxText limits the shown bytes of a path or a message.
const maxText = 4000

func inert(s string) string { return text.Clip(text.Inert(s), maxText) }

type problems struct {
	origin *origin
	found  []Problem
}

func (ps *problems) add(path, format string, args ...any) {
	ps.addAt(ps.origin.line(path), path, format, args...)
}

func (ps *problems) addAt(line int, path, format string, args ...any) {
	if len(ps.found) <= maxProblems {
		ps.found = append(ps.found, Problem{Line: line, Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// maxProblems limits the listed problems.
const maxProblems = 100

func (ps *problems) err() error {
	if len(ps.found) == 0 {
		return nil
	}
	slices.SortStableFunc(ps.found, func(a, b Problem) int { return a.Line - b.Line })
	if len(ps.found) > maxProblems {
		ps.found = append(ps.found[:maxProblems], Problem{Message: "and more; correct these first"})
	}
	return &Error{File: ps.origin.file, Problems: ps.found}
}

// line returns the line of a part of the file, or of the nearest enclosing part.
func (o *origin) line(path string) int {
	for {
		if n, ok := o.lines[path]; ok {
			return n
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return o.lines[""]
		}
		path = path[:cut]
	}
}
