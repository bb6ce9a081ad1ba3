package fbc

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
)

// Directory returns a source that reads the catalog that a directory tree
// holds, as [Load] does: what it loads is the same catalog with the same
// problems. A load that follows another one first digests the files, and reads them
// only if the digest is another: files are read at each load, but seldom understood.
//
// A load never mixes two states of the tree. It looks at all files again after
// it read them, and if anything changed meanwhile it starts over with that. If
// the tree keeps changing, the error is a [*ChangingError]. A file that its
// writer leaves half written for longer than a load takes is read as it
// stands: write files aside and rename them. All other errors are those of
// Load, and as with Load a file that cannot be read is a problem; set
// [Options].Strict to have the load fail instead.
//
// The digest is made of the paths and contents of the files, of what keeps
// others from being read, and of the options that say what is kept of them.
// Times play no part in it.
func Directory(fsys fs.FS, opts Options) cache.Source {
	return &directory{fsys: fsys, name: ".", opts: opts.prepared()}
}

// File returns a source that reads the catalog that a file holds, as
// [LoadFile] does, whatever its name ends in. See [Directory] for when it
// reads it again.
func File(fsys fs.FS, name string, opts Options) cache.Source {
	return &directory{fsys: fsys, name: name, opts: opts.prepared(), file: true}
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

// treeState is what a tree had at one time.
type treeState struct {
	listing *read.Listing
	files   []*read.File
	digests []string // of the files, if they are wanted
}

// Load implements [cache.Source].
func (t *directory) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	if last != nil {
		// Should the tree change meanwhile, the digest is that of no content that was
		// ever loaded.
		l, err := t.list(ctx)
		if err != nil {
			return nil, err
		}
		digests, err := t.digests(ctx, l)
		if err != nil {
			return nil, err
		}
		if t.digest(l, digests) == last.Digest {
			return last, nil
		}
	}
	s, err := t.read(ctx, true)
	if err != nil {
		return nil, err
	}
	digest := t.digest(s.listing, s.digests)
	if last != nil && digest == last.Digest {
		return last, nil
	}
	catalog, err := build(ctx, &t.opts, s.files, s.listing.Problems)
	if err != nil {
		return nil, err
	}
	return &cache.Content{Catalog: catalog, Digest: digest}, nil
}

// once returns the catalog for a caller that loads it only once.
func (t *directory) once(ctx context.Context) (*cache.Catalog, error) {
	s, err := t.read(ctx, false)
	if err != nil {
		return nil, err
	}
	return build(ctx, &t.opts, s.files, s.listing.Problems)
}

// list lists what there is to be read.
func (t *directory) list(ctx context.Context) (*read.Listing, error) {
	if t.file {
		if err := ctx.Err(); err != nil {
			return nil, stopped(err)
		}
		return read.ListFile(t.fsys, t.name), nil
	}
	if _, err := fs.Stat(t.fsys, t.name); err != nil {
		return nil, &UnreadableError{Name: t.name, Err: err}
	}
	l, err := read.List(ctx, t.fsys, t.name, t.opts.read.Catalog)
	if err != nil {
		return nil, stopped(err)
	}
	return l, nil
}

// read reads the tree until it does not change meanwhile.
func (t *directory) read(ctx context.Context, digests bool) (*treeState, error) {
	pause, culprit := firstPause, ""
	for range attempts {
		l, err := t.list(ctx)
		if err != nil {
			return nil, err
		}
		s := &treeState{listing: l, files: make([]*read.File, len(l.Files)), digests: make([]string, len(l.Files))}
		r := newFileReader(&t.opts, len(l.Files))
		err = t.each(ctx, l, digests, func(i int, h *hashing) (err error) {
			s.files[i], err = r.read(h, l.Files[i].Name, false)
			if digests && err == nil {
				s.digests[i] = h.digest()
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if culprit, err = t.changed(ctx, s, digests); err != nil {
			return nil, err
		}
		if culprit == "" {
			return s, unreadable(t.name, s.files, l.Problems)
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, stopped(err)
		}
		pause *= 2
	}
	return nil, &ChangingError{Name: culprit, Attempts: attempts}
}

// each opens each file, several at a time.
func (t *directory) each(ctx context.Context, l *read.Listing, digest bool, fn func(i int, h *hashing) error) error {
	err := forEach(ctx, len(l.Files), t.opts.Parallel, func(ctx context.Context, i int) error {
		var r io.Reader
		f, err := read.Open(t.fsys, l.Files[i].Name)
		if err == nil {
			defer f.Close()
			r = f
		}
		if err := fn(i, newHashing(ctx, r, err, digest)); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return stopped(err)
	}
	return nil
}

// digests returns the digests of the files.
func (t *directory) digests(ctx context.Context, l *read.Listing) ([]string, error) {
	digests := make([]string, len(l.Files))
	return digests, t.each(ctx, l, true, func(i int, h *hashing) error {
		digests[i] = h.digest()
		return nil
	})
}

// changed lists the tree again after its files were read, and returns the name of
// something that changed meanwhile, or "": so all of them are of one moment, the one
// between both listings. If what the file system says of a file cannot be trusted, all
// are digested again; but a load for once does not read each file twice.
func (t *directory) changed(ctx context.Context, s *treeState, digests bool) (string, error) {
	again, err := t.list(ctx)
	if err != nil {
		return "", err
	}
	if name := s.listing.Difference(again); name != "" || !digests || s.listing.Settled() {
		return name, nil
	}
	now, err := t.digests(ctx, again)
	if err != nil {
		return "", err
	}
	for i, d := range now {
		if d != s.digests[i] {
			return again.Files[i].Name, nil
		}
	}
	return "", nil
}

// digest returns the digest of a tree whose files have these.
func (t *directory) digest(l *read.Listing, files []string) string {
	sum := newSum("tree", &t.opts)
	for i, f := range l.Files {
		addText(sum, f.Name, files[i])
	}
	addProblems(sum, l.Problems)
	return text(sum)
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
