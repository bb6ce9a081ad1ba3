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

// stdinName is the name of standard input in messages. Paths in a scenario read from it are
// relative to the working directory.
const stdinName = "stdin"

// read reads one scenario; "-" is standard input.
func (a *app) read(ctx context.Context, file string) (*scenario.Scenario, error) {
	s, err := a.readFile(ctx, file)
	if s != nil && a.now != "" {
		s.Now = a.now
	}
	return s, err
}

func (a *app) readFile(ctx context.Context, file string) (*scenario.Scenario, error) {
	if a.adHoc != nil {
		return a.adHoc, nil
	}
	if p, below := a.inDirectory[file]; below {
		s, err := await(ctx, func() (*scenario.Scenario, error) { return p.read(ctx) })
		if err == nil || ctx.Err() != nil || !a.opens(ctx, p) {
			return s, err
		}
		return nil, a.catalogError(ctx, file, err)
	}
	if file != "-" {
		s, err := await(ctx, func() (*scenario.Scenario, error) { return scenario.ReadFile(ctx, file) })
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, stopped(ctx, file)
		case err != nil:
			return nil, a.catalogError(ctx, file, err)
		}
		return s, err
	}
	data, err := readAll(ctx, a.in, file, scenario.MaxBytes)
	if err != nil {
		return nil, err
	}
	return scenario.Parse(ctx, stdinName, data)
}

// readAll reads at most limit+1 bytes of a file; "-" is standard input.
func readAll(ctx context.Context, stdin io.Reader, file string, limit int64) ([]byte, error) {
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
		return io.ReadAll(io.LimitReader(in, limit+1))
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, stopped(ctx, label(file))
	case err != nil && file == "-":
		return nil, fmt.Errorf("reading standard input: %w", err)
	}
	return data, err
}

// catalogError returns a more specific error if a file that is not a scenario is a catalog.
func (a *app) catalogError(ctx context.Context, file string, err error) error {
	blobs, done, failed := a.images.Blobs(ctx, file)
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

// isCatalog reports whether a file or directory begins with a catalog blob.
func (a *app) isCatalog(ctx context.Context, path string) bool {
	blobs, done, err := a.images.Blobs(ctx, path)
	if err != nil {
		return false
	}
	defer done()
	for blob, err := range blobs {
		return err == nil && blob.Schema != ""
	}
	return false
}

// notScenario returns the error for a catalog in place of a scenario.
func (a *app) notScenario(path string) error {
	return fmt.Errorf("%s: this is a catalog, not a scenario; to check whether its packages can be installed, run: %s try %[1]s PACKAGE", path, a.name())
}

// scenarios returns the scenario files that the arguments name: a file itself, and the sorted
// *.yaml and *.json files below a directory. Hidden files and directories are skipped. A
// directory without scenarios is an error.
func (a *app) scenarios(ctx context.Context, args []string) ([]string, error) {
	var files []string
	isNone := func(file string) bool { return !a.opens(ctx, a.inDirectory[file]) || !a.isCatalog(ctx, file) }
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
		found, places, err := listScenarios(ctx, arg, maxScenarios)
		files = append(files, found...)
		if a.inDirectory == nil {
			a.inDirectory = make(map[string]location)
		}
		maps.Copy(a.inDirectory, places)
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

// answerOf, pathOf and explanationOf are the JSON of an answer, an upgrade path and an
// explanation.
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

// fileOf returns the "file" key of a JSON answer. It is empty, and so omitted, for try and for
// standard input alone.
func (a *app) fileOf(file string, several bool) string {
	if a.adHoc != nil || file == "-" && !several {
		return ""
	}
	return label(file)
}

// opens reports whether a file found in a directory can be opened.
func (a *app) opens(ctx context.Context, p location) bool {
	f, err := await(ctx, p.open)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// label returns the name of a scenario in the output.
func label(file string) string {
	if file == "-" {
		return stdinName
	}
	return file
}
