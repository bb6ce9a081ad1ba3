package testkit

import (
	"os"
	"slices"
	"strings"

	testify "github.com/stretchr/testify/require"
)

// Case is one case of a file of cases. It begins with "case NAME: why".
type Case struct {
	Name  string
	Parts []Part
}

// Part is a line of a case that begins with a verb, and the indented lines
// below it.
type Part struct {
	Verb, Rest string
	Lines      []string
}

// Text returns the lines below a part as one text, e.g. a universe.
func (p Part) Text() string { return strings.Join(p.Lines, "\n") }

// Cases reads a file of cases, skipping empty lines and # comments. An unknown
// verb fails the test.
func Cases(t testify.TestingT, file string, verbs ...string) []Case {
	data, err := os.ReadFile(file)
	testify.NoError(t, err)
	var cases []Case
	for line := range strings.Lines(string(data)) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		verb, rest, _ := strings.Cut(trimmed, " ")
		if verb == "case" {
			name, _, _ := strings.Cut(rest, ":")
			cases = append(cases, Case{Name: name})
			continue
		}
		testify.NotEmpty(t, cases, "%s: %q precedes the first case", file, trimmed)
		parts := &cases[len(cases)-1].Parts
		if strings.HasPrefix(line, "  ") {
			testify.NotEmpty(t, *parts, "%s: %q is indented below no part", file, trimmed)
			last := &(*parts)[len(*parts)-1]
			last.Lines = append(last.Lines, trimmed)
			continue
		}
		testify.Contains(t, verbs, verb, "%s: %q", file, trimmed)
		*parts = append(*parts, Part{Verb: verb, Rest: rest})
	}
	return cases
}

// All returns the parts with a verb.
func (c *Case) All(verb string) []Part {
	return slices.DeleteFunc(slices.Clone(c.Parts), func(p Part) bool { return p.Verb != verb })
}

// Part returns the first part with a verb, or an empty one.
func (c *Case) Part(verb string) Part {
	return append(c.All(verb), Part{})[0]
}

// Rests returns the rest of the line for each occurrence of a verb.
func (c *Case) Rests(verb string) []string {
	var out []string
	for _, p := range c.All(verb) {
		out = append(out, p.Rest)
	}
	return out
}
