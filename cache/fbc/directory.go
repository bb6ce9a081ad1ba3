package fbc

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
)

// Directory returns a source that reads the same files as [Load], with the same result. A reload
// first computes the digest of the files, and decodes them only if it changed.
//
// A load never mixes two states of the tree: it lists the files again after reading, and starts
// over if anything changed. If the tree keeps changing, the error is a [*ChangingError]. A file
// that stays half written for longer than a load is read as it is: write a temporary file and
// rename it. Other errors are those of Load. An unreadable file is a problem; with
// [Options].Strict, the load fails.
//
// The digest covers paths and contents of the files, the errors of unreadable ones, and the options
// that affect the result. It does not depend on times.
func Directory(fsys fs.FS, opts Options) cache.Source { return &directory{fsys, opts.prepared()} }

// ChangingError reports that a directory or file changed during every attempt to read it.
type ChangingError struct {
	// Name is the file or directory that changed last.
	Name string
	// Attempts is the number of attempts.
	Attempts int
}

// Error implements error.
func (e *ChangingError) Error() string {
	return fmt.Sprintf("the catalog changed while it was read, %d times in a row, last %s: try again when its writer is done, or have it written aside and renamed", e.Attempts, e.Name)
}

const (
	// attempts is the maximum number of attempts to read a changing tree.
	attempts = 5
	// firstPause is the pause after the first attempt; it doubles with each.
	firstPause = 2 * time.Millisecond
)

// directory is the source of a directory or file.
type directory struct {
	fsys fs.FS
	opts Options
}

// treeState is a consistent state of a tree.
type treeState struct {
	listing *read.Listing
	files   []*read.File
	digests []string // of the files, if requested
}

// Load implements [cache.Source].
func (t *directory) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	if last != nil {
		// If the tree changes meanwhile, the digest matches no loaded content.
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

// list lists the files to read.
func (t *directory) list(ctx context.Context) (*read.Listing, error) {
	if t.opts.File != "" {
		if err := ctx.Err(); err != nil {
			return nil, stopped(err)
		}
		return read.ListFile(t.fsys, t.opts.File), nil
	}
	if _, err := fs.Stat(t.fsys, "."); err != nil {
		return nil, &UnreadableError{Name: ".", Err: err}
	}
	l, err := read.List(ctx, t.fsys, ".", t.opts.read.Catalog)
	if err != nil {
		return nil, stopped(err)
	}
	return l, nil
}

// read reads the tree, again if it changed meanwhile.
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
			return s, unreadable(cmp.Or(t.opts.File, "."), s.files, l.Problems)
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, stopped(err)
		}
		pause *= 2
	}
	return nil, &ChangingError{Name: culprit, Attempts: attempts}
}

// each opens each file, several concurrently.
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

// changed lists the tree again after its files were read, and returns the name of a file that
// changed meanwhile, or "": then all contents are of the time between both listings. If the
// metadata is too recent to be trusted, files are digested again, unless no digests are requested.
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

// digest returns the digest of a tree from those of its files.
func (t *directory) digest(l *read.Listing, files []string) string {
	sum := newSum("tree", &t.opts)
	for i, f := range l.Files {
		addText(sum, f.Name, files[i])
	}
	addProblems(sum, l.Problems)
	return text(sum)
}

// sleep waits until the context ends, whose error it returns, or the time is over.
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
