package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// stdinName is what standard input is called in messages. Paths in a scenario
// that comes from there are relative to the working directory.
const stdinName = "stdin"

// read reads one scenario; "-" is standard input.
func (a *app) read(ctx context.Context, file string) (*scenario.Scenario, error) {
	if a.made != nil {
		return a.made, nil
	}
	if p, below := a.below[file]; below {
		s, err := await(ctx, func() (*scenario.Scenario, error) { return p.read(ctx) })
		if err == nil || ctx.Err() != nil || !a.opens(ctx, p) {
			return s, err
		}
		return nil, a.aboutCatalog(ctx, file, err)
	}
	if file != "-" {
		s, err := await(ctx, func() (*scenario.Scenario, error) { return scenario.ReadFile(ctx, file) })
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, stopped(ctx, file)
		case err != nil:
			return nil, a.aboutCatalog(ctx, file, err)
		}
		return s, err
	}
	data, err := readAll(ctx, a.in, file, scenario.MaxBytes)
	if err != nil {
		return nil, err
	}
	return scenario.Parse(ctx, stdinName, data)
}

// readAll reads a file, or a byte more than most of it; "-" is stdin.
func readAll(ctx context.Context, stdin io.Reader, file string, most int64) ([]byte, error) {
	data, err := await(ctx, func() ([]byte, error) {
		in := stdin
		if file != "-" {
			f, err := os.Open(file)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			in = f
		}
		return io.ReadAll(io.LimitReader(in, most+1))
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, stopped(ctx, label(file))
	case err != nil && file == "-":
		return nil, fmt.Errorf("reading standard input: %w", err)
	}
	return data, err
}

// aboutCatalog returns the error about a file that is no scenario: another one if it is a
// catalog.
func (a *app) aboutCatalog(ctx context.Context, file string, err error) error {
	blobs, done, failed := a.openBlobs(ctx, file)
	if failed != nil {
		return err
	}
	defer done()
	for blob, broken := range blobs {
		var p *graph.Problem
		switch {
		case broken == nil && blob.Schema != "":
			return a.notScenario(file)
		case errors.As(broken, &p) && strings.Contains(p.Message, "SQLite"):
			return fmt.Errorf("%s: %s", file, p.Message)
		}
		break
	}
	return err
}

// isCatalog reports whether a file or directory begins with a blob of a catalog.
func (a *app) isCatalog(ctx context.Context, path string) bool {
	blobs, done, err := a.openBlobs(ctx, path)
	if err != nil {
		return false
	}
	defer done()
	for blob, err := range blobs {
		return err == nil && blob.Schema != ""
	}
	return false
}

// notScenario says what to do with a catalog where a scenario is wanted.
func (a *app) notScenario(path string) error {
	return fmt.Errorf("%s: this is a catalog, not a scenario; to ask whether a package of it can be installed: %s try %[1]s PACKAGE", path, a.name())
}

// scenarios lists the scenario files that arguments stand for: a file for
// itself, a directory for all *.yaml and *.json below it, sorted. A file whose
// name starts with a dot is left out, as is a directory. A directory without any is an
// error.
func (a *app) scenarios(ctx context.Context, args []string) ([]string, error) {
	var files []string
	isNone := func(file string) bool { return !a.opens(ctx, a.below[file]) || !a.isCatalog(ctx, file) }
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == "-" || err == nil && !info.IsDir():
			files = append(files, arg)
			continue
		case err != nil:
			return nil, err
		}
		before := len(files)
		found, places, err := listScenarios(ctx, arg, mostScenarios)
		files = append(files, found...)
		if a.below == nil {
			a.below = make(map[string]place)
		}
		maps.Copy(a.below, places)
		switch {
		case err != nil:
			return nil, err
		case len(files) == before && a.isCatalog(ctx, arg), len(files) > before && !slices.ContainsFunc(files[before:], isNone):
			return nil, a.notScenario(arg)
		case len(files) == before:
			return nil, fmt.Errorf("no scenario (.yaml or .json) in %s", arg)
		}
	}
	return files, nil
}

// answerOf, pathOf and explanationOf are an answer, an upgrade path and an explanation as they
// are written as JSON.
type (
	answerOf struct {
		// File is the scenario, as named on the command line or found in a directory.
		File string `json:"file,omitempty"`
		*scenario.Answer
	}
	pathOf struct {
		// File is the scenario, as named on the command line or found in a directory.
		File string `json:"file,omitempty"`
		*scenario.Path
	}
	explanationOf struct {
		// File is the scenario, as named on the command line.
		File string `json:"file,omitempty"`
		*scenario.Explanation
	}
)

// fileOf is the "file" of the JSON about one of several scenarios. It is empty, and so absent,
// where there is no file: for try, and for standard input alone.
func (a *app) fileOf(file string, several bool) string {
	if a.made != nil || file == "-" && !several {
		return ""
	}
	return label(file)
}

// opens reports whether a file of a directory can be opened.
func (a *app) opens(ctx context.Context, p place) bool {
	f, err := await(ctx, p.open)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// label is what a scenario is called in the output.
func label(file string) string {
	if file == "-" {
		return stdinName
	}
	return file
}
