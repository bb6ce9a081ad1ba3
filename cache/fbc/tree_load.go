package fbc

import (
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"sync/atomic"

	"github.com/seed109e2655/resolute/cache/fbc/internal/tree"
)

// seenFiles is what a tree knows of its files: the details of what it
// declares.
type seenFiles struct {
	// listing is the last one that led to the decoded that are declared. Only
	// stamps differ from one to the next, and it is as good as the others for
	// whoever loads at the same time.
	listing atomic.Pointer[tree.Listing]
}

// treeLoad is one load of a tree.
type treeLoad struct {
	ctx    context.Context
	source *directory
	how    manner
	was    *declared     // by the load before, or nil
	last   *tree.Listing // of the load before

	seen map[string]seenFile // by path
}

// seenFile is what was read of a file, and the stamp of the file before that.
type seenFile struct {
	*decodedFile
	stamp   tree.Stamp
	settled bool // the stamp can be trusted
}

// remember makes the decoded of a listing known to the next attempt.
func (l *treeLoad) remember(now *tree.Listing, decoded []*decodedFile) {
	l.seen = make(map[string]seenFile, len(decoded))
	for i, f := range now.Files {
		l.seen[f.Name] = seenFile{decoded[i], f.Stamp, now.Settled(i)}
	}
}

// attempt reads the tree once. If it changed meanwhile, it returns the name of
// something that did.
func (l *treeLoad) attempt() (d *declared, changed string, err error) {
	now, err := l.source.list(l.ctx, l.how)
	if err != nil {
		return nil, "", err
	}
	if l.was != nil && l.trusted() && now.Difference(l.last) == "" {
		return l.was, "", nil
	}
	if l.was != nil && l.seen == nil {
		l.remember(l.last, l.was.decoded)
	}
	decoded, err := l.read(now)
	if err != nil {
		return nil, "", err
	}
	if l.unchanged(now, decoded) {
		l.was.details.(*seenFiles).listing.Store(now)
		return l.was, "", nil
	}
	l.remember(now, decoded)
	changed, err = l.changed(now, decoded)
	if err != nil || changed != "" {
		return nil, changed, err
	}
	d, err = l.declared(now, decoded)
	return d, "", err
}

// trusted reports whether all that the load before read can be taken for granted
// if the stamps are the same.
func (l *treeLoad) trusted() bool {
	for i, p := range l.was.decoded {
		if p.failed || !l.last.Settled(i) {
			return false
		}
	}
	return true
}

// read returns the decoded file of each file: the one that is known, if that can be
// trusted or the content turns out to be the same, else a new one.
func (l *treeLoad) read(now *tree.Listing) ([]*decodedFile, error) {
	decoded := make([]*decodedFile, len(now.Files))
	var doubtful []int
	for i, f := range now.Files {
		s := l.seen[f.Name]
		if s.decodedFile != nil && !s.failed && s.settled && s.stamp == f.Stamp {
			decoded[i] = s.decodedFile
		} else {
			doubtful = append(doubtful, i)
		}
	}
	err := forEach(l.ctx, len(doubtful), l.how.opts.Parallel, func(ctx context.Context, n int) error {
		name := now.Files[doubtful[n]].Name
		p := l.seen[name].decodedFile
		if p == nil {
			return nil
		}
		d, err := hashFile(ctx, l.opener(name))
		if err == nil && d == p.digest {
			decoded[doubtful[n]] = p
		}
		return err
	})
	if err != nil {
		return nil, stopped(err)
	}
	return decoded, l.decode(now, decoded)
}

// decode reads the decoded that are missing.
func (l *treeLoad) decode(now *tree.Listing, decoded []*decodedFile) error {
	var missing []int
	var kept size
	for i, p := range decoded {
		if p == nil {
			missing = append(missing, i)
		} else {
			kept = kept.plus(p.size)
		}
	}
	r := newFileReader(l.how, len(missing), kept)
	err := forEach(l.ctx, len(missing), l.how.opts.Parallel, func(ctx context.Context, n int) error {
		defer r.budget.fileDone()
		name := now.Files[missing[n]].Name
		p, err := r.read(ctx, l.how.prefix+name, l.opener(name))
		if err == nil {
			decoded[missing[n]] = p.share(l.seen[name].decodedFile)
		}
		return err
	})
	if err != nil {
		return stopped(err)
	}
	return nil
}

// opener returns what opens a file.
func (l *treeLoad) opener(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return tree.Open(l.source.fsys, name) }
}

// unchanged reports whether what was read is what the load before had.
func (l *treeLoad) unchanged(now *tree.Listing, decoded []*decodedFile) bool {
	if l.was == nil || len(l.was.decoded) != len(decoded) {
		return false
	}
	for i, p := range l.was.decoded {
		if p != decoded[i] || l.last.Files[i].Name != now.Files[i].Name {
			return false
		}
	}
	return slices.Equal(now.Problems, l.last.Problems)
}

// changed lists the tree again after its decoded were read, and returns the
// name of something that changed meanwhile, or "". So all decoded are of one
// moment: the one between both listings. A file of which the stamp cannot be
// trusted is looked into again.
func (l *treeLoad) changed(now *tree.Listing, decoded []*decodedFile) (string, error) {
	again, err := l.source.list(l.ctx, l.how)
	if err != nil {
		return "", err
	}
	if name := now.Difference(again); name != "" {
		return name, nil
	}
	for i, f := range now.Files {
		if l.how.once || now.Settled(i) {
			continue // a load for once does not read each file twice
		}
		d, err := hashFile(l.ctx, l.opener(f.Name))
		if err != nil {
			return "", stopped(err)
		}
		if d != decoded[i].digest {
			return f.Name, nil
		}
	}
	return "", nil
}

// declared returns what the decoded declare together.
func (l *treeLoad) declared(now *tree.Listing, decoded []*decodedFile) (*declared, error) {
	if objects(decoded) == 0 {
		return nil, unreadable(l.source.name, decoded, now.Problems)
	}
	details := &seenFiles{}
	details.listing.Store(now)
	d := &declared{decoded: decoded, problems: now.Problems, details: details}
	digests := make([]digest, len(decoded))
	for i, p := range decoded {
		digests[i] = p.digest
		d.size = d.size.plus(p.size)
	}
	d.digest = l.how.digest(now, digests)
	return d, nil
}

// digest returns the digest of a tree whose files have these.
func (how manner) digest(now *tree.Listing, files []digest) (d digest) {
	sum := newSum(sha256.New(), "tree", how.opts)
	for i, f := range now.Files {
		addText(sum, how.prefix+f.Name, string(files[i][:]))
	}
	addProblems(sum, now.Problems)
	sum.Sum(d[:0])
	return d
}

// fingerprint implements fingerprinter. A mix of two states, should the tree
// change meanwhile, has the digest of no content that was ever loaded.
func (t *directory) fingerprint(ctx context.Context, how manner) (d digest, ok bool, err error) {
	now, err := t.list(ctx, how)
	if err != nil {
		return d, false, err
	}
	l := &treeLoad{ctx: ctx, source: t, how: how}
	files := make([]digest, len(now.Files))
	err = forEach(ctx, len(files), how.opts.Parallel, func(ctx context.Context, i int) (err error) {
		files[i], err = hashFile(ctx, l.opener(now.Files[i].Name))
		return err
	})
	if err != nil {
		return d, false, stopped(err)
	}
	return how.digest(now, files), true, nil
}
