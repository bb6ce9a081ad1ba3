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

// maxScenarios bounds the scenario files of a directory.
const maxScenarios = 100_000

// location is the location of a scenario file below a directory.
type location struct{ dir, name string }

// listScenarios returns the sorted paths of the *.yaml and *.json files below a directory. It
// opens none of them.
func listScenarios(ctx context.Context, dir string, limit int) (files []string, places map[string]location, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	places = make(map[string]location)
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
		case len(files) == limit:
			return fmt.Errorf("%s has more than %d scenario files; split the directory", dir, limit)
		}
		files = append(files, path)
		places[path] = location{dir, filepath.FromSlash(name)}
		return nil
	})
	return files, places, err
}

// open opens a regular file inside the directory. It follows symbolic links within the
// directory only.
func (p location) open() (*os.File, error) {
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
		if name, err = p.resolveLink(); err != nil {
			return nil, err
		}
	}
	switch info, err := root.Stat(name); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file, so it is not read as part of %s; remove it or name it as a FILE", path, p.dir)
	}
	return root.Open(name)
}

// resolveLink resolves a symbolic link to a name in the directory.
func (p location) resolveLink() (string, error) {
	path := filepath.Join(p.dir, p.name)
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("%s: cannot follow the symbolic link: %w", path, err)
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
		return "", fmt.Errorf("%s: not followed, because the symbolic link leaves the directory %s; copy the file there or name the link as a FILE", path, p.dir)
	}
	return name, nil
}

// read reads the scenario at the location.
func (p location) read(ctx context.Context) (*scenario.Scenario, error) {
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
	return s, p.rejectBlocking(s)
}

// rejectBlocking rejects a scenario with a catalog that is a pipe or a device, which could
// block forever. A user who names a directory may not know the catalogs of its scenarios.
func (p location) rejectBlocking(s *scenario.Scenario) error {
	for _, c := range s.Catalogs {
		if c.Path == "" {
			continue
		}
		path := filepath.FromSlash(c.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.dir, filepath.Dir(p.name), path)
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return fmt.Errorf("%s: its catalog %s is neither a regular file nor a directory, so it is not read as part of %s; name the scenario as a FILE", filepath.Join(p.dir, p.name), path, p.dir)
		}
	}
	return nil
}
