package fbc

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/internal/tree"
)

// Directory returns a source that reads the catalog that a directory tree
// holds, as [Load] does: what it loads is the same catalog with the same
// problems.
//
// It loads again only what changed. A file is not read again if its size and
// its time of modification (on Linux also its inode and time of change) are
// those of the last load, and were old enough then, by two seconds, to tell a
// later change. Any other file is read, and decoded if its content is another;
// and only the packages whose declarations are others are made again, the rest
// is shared with the catalog before. A file system that knows no times, such as
// embed.FS, is read at each load.
//
// A load never mixes two states of the tree. It looks at all files again after
// it read some, and if anything changed meanwhile it starts over with that. If
// the tree keeps changing, the error is a [*ChangingError]. A file that its
// writer leaves half written for longer than a load takes is read as it
// stands: write files aside and rename them. All other errors are those of
// Load, and as with Load a file that cannot be read is a problem; set
// [Options].Strict to have the load fail instead.
//
// The digest is made of the paths and contents of the files, of what keeps
// others from being read, and of the options that say what is kept of them.
// Times play no part in it.
//
// Between loads the source keeps the declarations in [cache.Content].Memo,
// beside the catalog that is made of them and sharing its strings: some 350
// bytes a bundle, 2.4 MB for a catalog of 7,000 bundles that itself takes
// 7.5 MB. A content without a memo, from another process, is compared by its
// digest alone.
func Directory(fsys fs.FS, opts Options) cache.Source {
	return newDirectory(fsys, ".", opts, false)
}

// File returns a source that reads the catalog that a file holds, as
// [LoadFile] does, whatever its name ends in. See [Directory] for what it
// reads again.
func File(fsys fs.FS, name string, opts Options) cache.Source {
	return newDirectory(fsys, name, opts, true)
}

// ChangingError is the error of a directory or file that changed each time
// while it was read.
type ChangingError struct {
	// Name is the file or directory that changed last.
	Name string
	// Attempts is how often it was read.
	Attempts int
}

// Error says what kept changing, and what to do.
func (e *ChangingError) Error() string {
	return fmt.Sprintf("the catalog changed while it was read, %d times in a row, last %s: try again when its writer is done, or have it written aside and renamed", e.Attempts, e.Name)
}

const (
	// attempts is how often a tree that changes is read before giving up.
	attempts = 5
	// firstPause is how long its writer is given after the first attempt; it
	// doubles.
	firstPause = 2 * time.Millisecond
)

// directory is the source of a directory or file.
type directory struct {
	fsys fs.FS
	name string
	opts Options
	file bool
}

// newDirectory returns a source.
func newDirectory(fsys fs.FS, name string, opts Options, file bool) *directory {
	return &directory{fsys: fsys, name: name, opts: opts.withDefaults(), file: file}
}

// Load implements [cache.Source].
func (t *directory) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	return load(ctx, t, last)
}

// settings implements declarer.
func (t *directory) settings() *Options { return &t.opts }

// list lists what there is to be read.
func (t *directory) list(ctx context.Context, how manner) (*tree.Listing, error) {
	if t.file {
		if err := ctx.Err(); err != nil {
			return nil, stopped(err)
		}
		return tree.Of(t.fsys, t.name), nil
	}
	if _, err := fs.Stat(t.fsys, t.name); err != nil {
		return nil, &UnreadableError{Name: t.name, Err: err}
	}
	l, err := tree.List(ctx, t.fsys, t.name, how.opts.declare.Catalog)
	if err != nil {
		return nil, stopped(err)
	}
	for i := range l.Problems {
		l.Problems[i].File = how.prefix + l.Problems[i].File
	}
	return l, nil
}

// declare implements declarer.
func (t *directory) declare(ctx context.Context, how manner, was *declared) (*declared, error) {
	l := &treeLoad{ctx: ctx, source: t, how: how, was: was}
	if was != nil {
		l.last = was.details.(*seenFiles).listing.Load()
	}
	pause, culprit := firstPause, ""
	for range attempts {
		d, changed, err := l.attempt()
		if err != nil || changed == "" {
			return d, err
		}
		culprit = changed
		if err := sleep(ctx, pause); err != nil {
			return nil, stopped(err)
		}
		pause *= 2
	}
	return nil, &ChangingError{Name: culprit, Attempts: attempts}
}

// sleep waits, but not longer than the context. The error is its.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
