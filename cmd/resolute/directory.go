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

// mostScenarios is how many scenario files a directory may have.
const mostScenarios = 100_000

// place is where a scenario file of a directory lies.
type place struct{ dir, name string }

// listScenarios lists the *.yaml and *.json files below a directory, sorted, by their paths. It
// opens none of them.
func listScenarios(ctx context.Context, dir string, most int) (files []string, places map[string]place, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	places = make(map[string]place)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		hidden := name != "." && d != nil && d.Name()[0] == '.'
		switch {
		case ctx.Err() != nil:
			return stopped(ctx, dir)
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden || !slices.Contains([]string{".yaml", ".json"}, filepath.Ext(name)):
			return nil
		case len(files) == most:
			return fmt.Errorf("%s has more than %d scenario files: split the directory", dir, most)
		}
		files = append(files, path)
		places[path] = place{dir, filepath.FromSlash(name)}
		return nil
	})
	return files, places, err
}

// open opens a file that a directory stands for: a regular one inside of it, whatever links
// lead there.
func (p place) open() (*os.File, error) {
	path := filepath.Join(p.dir, p.name)
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	link, err := root.Lstat(p.name)
	if err != nil {
		return nil, err
	}
	name := p.name
	if link.Mode()&fs.ModeSymlink != 0 {
		if name, err = p.inside(); err != nil {
			return nil, err
		}
	}
	switch info, err := root.Stat(name); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: this is not a regular file, and is not read as a part of %s: remove it, or name it as a FILE", path, p.dir)
	}
	return root.Open(name)
}

// inside returns the name in the directory of what a symbolic link leads to.
func (p place) inside() (string, error) {
	path := filepath.Join(p.dir, p.name)
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("%s: this symbolic link cannot be followed: %w", path, err)
	}
	dir, err := filepath.EvalSymlinks(p.dir)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if target, err = filepath.Abs(target); err != nil {
		return "", err
	}
	name, err := filepath.Rel(dir, target)
	if err != nil || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s: this symbolic link leads out of the directory %s, and is not followed: put the file itself there, or name the link as a FILE", path, p.dir)
	}
	return name, nil
}

// read reads the scenario that lies there.
func (p place) read(ctx context.Context) (*scenario.Scenario, error) {
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, scenario.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	s, err := scenario.Parse(ctx, filepath.Join(p.dir, p.name), data)
	if err != nil {
		return nil, err
	}
	return s, p.waitsForNothing(s)
}

// waitsForNothing returns an error if a catalog of a scenario is a pipe or device, which could
// block without end: somebody who names a directory has not seen what its scenarios name.
func (p place) waitsForNothing(s *scenario.Scenario) error {
	for _, c := range s.Catalogs {
		if c.Path == "" {
			continue
		}
		path := filepath.FromSlash(c.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.dir, filepath.Dir(p.name), path)
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return fmt.Errorf("%s: its catalog %s is neither a regular file nor a directory, and is not read as a part of %s: name the scenario as a FILE", filepath.Join(p.dir, p.name), path, p.dir)
		}
	}
	return nil
}
