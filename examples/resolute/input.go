package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
	if file != "-" {
		s, err := await(ctx, func() (*scenario.Scenario, error) { return scenario.ReadFile(ctx, file) })
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, stopped(ctx, file)
		case err != nil && a.isCatalog(ctx, file):
			return nil, a.notScenario(file)
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
	isNone := func(file string) bool { return !a.isCatalog(ctx, file) }
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
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			hidden := path != arg && d != nil && d.Name()[0] == '.'
			switch {
			case err != nil:
				return err
			case d.IsDir() && hidden:
				return fs.SkipDir
			case !d.IsDir() && !hidden && slices.Contains([]string{".yaml", ".json"}, filepath.Ext(path)):
				files = append(files, path)
			}
			return nil
		})
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

// label is what a scenario is called in the output.
func label(file string) string {
	if file == "-" {
		return stdinName
	}
	return file
}
