package read

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxLinks is the maximum number of symbolic links on the way to a file, as on Linux.
const maxLinks = 40

// errOutside refuses a symbolic link: a catalog consists of the files in its directory, and must
// not read others of the machine.
var errOutside = errors.New("it leads out of the directory of the catalog, and is not followed: put the file itself there")

// errNotRegular refuses a pipe or device, which could block forever.
var errNotRegular = errors.New("it is not a regular file")

// statInside is [fs.Stat] of a file that must be a regular one inside the tree, wherever links
// point.
func statInside(ctx context.Context, fsys fs.FS, name string) (fs.FileInfo, error) {
	info, err := stat(fsys, name)
	if err != nil {
		return nil, err
	}
	switch _, absolute, err := followLinks(fsys, name); {
	case info.IsDir():
		return info, nil // directories are not entered
	case err != nil:
		return nil, err
	case absolute && !holds(ctx, fsys, info):
		return nil, errOutside
	}
	return info, nil
}

// stat is [fs.Stat], but never opens a pipe or device: fs.Stat opens the file in a file system that
// can only read links, such as a directory of [fs.Sub]. An absolute link cannot be resolved there,
// and is refused.
func stat(fsys fs.FS, name string) (fs.FileInfo, error) {
	_, stats := fsys.(fs.StatFS)
	_, links := fsys.(fs.ReadLinkFS)
	if stats || !links {
		return fs.Stat(fsys, name)
	}
	at, absolute, err := followLinks(fsys, name)
	switch {
	case err != nil:
		return nil, err
	case absolute:
		return nil, errOutside
	}
	info, err := fs.Lstat(fsys, at)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 { // its target is unknown
		return fs.Stat(fsys, name)
	}
	return info, err
}

// Open opens a regular file.
func Open(fsys fs.FS, name string) (fs.File, error) {
	if info, err := stat(fsys, name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return fsys.Open(name)
}

// followLinks resolves the links from a name of the tree to a file, and returns the name of that
// file. It returns errOutside for a link that leaves the tree, and true for one with an absolute
// target, which cannot be resolved inside a file system.
func followLinks(fsys fs.FS, name string) (at string, absolute bool, err error) {
	at = "."
	rest := strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		if !fs.ValidPath(next) {
			return "", false, errOutside
		}
		info, err := fs.Lstat(fsys, next)
		if err != nil {
			return "", false, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := fs.ReadLink(fsys, next)
		switch {
		case errors.Is(err, fs.ErrInvalid):
			return next, false, nil // the file system has links, but cannot read them
		case err != nil:
			return "", false, err
		case filepath.IsAbs(target) || path.IsAbs(target):
			return "", true, nil
		}
		if links++; links > maxLinks {
			return "", false, errOutside
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	return at, false, nil
}

// holds reports whether a file is in the tree itself, not only behind a link.
func holds(ctx context.Context, fsys fs.FS, wanted fs.FileInfo) bool {
	found := false
	_ = fs.WalkDir(fsys, ".", func(_ string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil || !entry.Type().IsRegular() {
			return nil // a directory that cannot be listed does not contain it
		}
		if info, err := entry.Info(); err == nil && os.SameFile(info, wanted) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}
