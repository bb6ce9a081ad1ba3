package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Error says what is wrong with a scenario file: everything that was found, not
// only the first thing.
type Error struct {
	// File is the file's name as the caller gave it, empty for a scenario that
	// a program built.
	File string
	// Problems are in the order of their lines.
	Problems []Problem
	// Expect is what the scenario expects, if that could be read: the answer to a scenario
	// with problems is invalid, see [NewAnswer].
	Expect json.RawMessage
}

// Problem is one thing that is wrong with a scenario.
type Problem struct {
	// Line counts from 1; it is 0 where it is not known.
	Line int
	// Path is the part of the file, for example "subscriptions[2].package",
	// empty for the whole of it.
	Path string
	// Message says what is wrong and what to do.
	Message string
}

// Error lists the problems, one a line, as "file:line: path: message".
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

// String returns the problem without its place, as "path: message", on one line.
// Names in it are made inert, and what is very long is cut off.
func (p Problem) String() string {
	if p.Path == "" {
		return inert(p.Message)
	}
	return inert(p.Path) + ": " + inert(p.Message)
}

// maxText is how many bytes of a path or a message are shown.
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

// maxProblems bounds the list: whoever sees a hundred problems fixes some and
// looks again.
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

// line finds the line of a part of the file, or of the nearest part around it.
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
