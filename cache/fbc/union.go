package fbc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/seed109e2655/resolute/cache"
)

// Part is one of the sources that [Union] puts together.
type Part struct {
	// Name distinguishes the parts. In problems the names of the part's files
	// stand below it: "base/etcd/catalog.yaml". It is a path without "." and
	// "..", and need not be that of anything.
	Name string
	// Source is where the part comes from.
	Source cache.Source
}

// Union returns a source that puts others together, as directories beside each
// other make one catalog: what several parts declare about one package meets in
// it, in the order of the parts, and what is declared twice is a problem that
// names both places.
//
// The parts are [Directory], [File], [Stream], Union, or what is made of one of
// these, such as catalogd.New. Of their options those that say how much of a
// file is read, and what is kept of it, hold for the part; all others, limits
// on the catalog as a whole included, are those of the Union. Any other source
// returns a finished catalog. Its packages are taken as they are; if another
// part declares something about one of them, the load fails with an
// [*OverlapError].
//
// A part that fails fails the union, with a [*PartError]. The parts are loaded
// at the same time. Each is consistent in itself, but no two of them are of
// the same moment. What did not change is not read again, as with the part
// alone; but the Union has no validator, so that after a restart it asks each
// server for everything.
//
// The error is for parts without a source, and for names that cannot be used.
func Union(opts Options, parts ...Part) (cache.Source, error) {
	if len(parts) == 0 {
		return nil, errors.New("a union needs at least one part")
	}
	u := &union{opts: opts.withDefaults()}
	known := map[string]bool{}
	for i, p := range parts {
		switch {
		case p.Source == nil:
			return nil, fmt.Errorf("part %d of the union, %q, has no source", i+1, p.Name)
		case p.Name == "" || p.Name != path.Clean(p.Name) || strings.HasPrefix(p.Name+"/", "../") || p.Name == "." || p.Name[0] == '/':
			return nil, fmt.Errorf("part %d of the union is called %q: give it a name that can stand before the paths of its files, such as base", i+1, p.Name)
		case known[p.Name]:
			return nil, fmt.Errorf("two parts of the union are called %q: give each a name of its own", p.Name)
		}
		known[p.Name] = true
		u.parts = append(u.parts, newPart(p, &u.opts))
	}
	return u, nil
}

// PartError is the error of a part of a [Union], which fails all of it.
type PartError struct {
	// Part is the name of the part.
	Part string
	// Err is its error.
	Err error
}

// Error names the part.
func (e *PartError) Error() string { return fmt.Sprintf("part %q: %v", e.Part, e.Err) }

// Unwrap returns the error of the part.
func (e *PartError) Unwrap() error { return e.Err }

// OverlapError is the error of a [Union] in which a finished catalog and
// another part have something to say about one package, which cannot be put
// together any more.
type OverlapError struct {
	// Package is the package.
	Package string
	// Finished is the part that returns a finished catalog, Other the other
	// part.
	Finished, Other string
}

// Error says what meets, and what to do.
func (e *OverlapError) Error() string {
	return fmt.Sprintf("package %q comes from the parts %q and %q, and %q is a finished catalog, to which nothing can be added: give all of the package to one part, or read %q from files",
		e.Package, e.Finished, e.Other, e.Finished, e.Finished)
}

// union is the source of several parts.
type union struct {
	opts  Options
	parts []unionPart
}

// unionPart is a part, and the options with which it is read.
type unionPart struct {
	name   string
	source cache.Source
	how    manner // for a source that declares
}

// newPart returns a part of a union with such options.
func newPart(p Part, opts *Options) unionPart {
	part := unionPart{name: p.Name, source: p.Source}
	if d, ok := p.Source.(declarer); ok {
		own := *d.settings()
		own.Catalog, own.declare.Catalog, own.Strict, own.Parser, own.Parallel, own.Progress = opts.Catalog, opts.declare.Catalog, false, opts.Parser, opts.Parallel, opts.Progress
		own.MaxTotalBytes, own.MaxBlobs = min(own.MaxTotalBytes, opts.MaxTotalBytes), min(own.MaxBlobs, opts.MaxBlobs)
		part.how.opts = &own
	}
	return part
}

// partsSeen is what each part declared: the details of what a union declares.
type partsSeen struct {
	declared []*declared
}

// Load implements [cache.Source].
func (u *union) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	return load(ctx, u, last)
}

// settings implements declarer.
func (u *union) settings() *Options { return &u.opts }

// declare implements declarer.
func (u *union) declare(ctx context.Context, how manner, was *declared) (*declared, error) {
	before := make([]*declared, len(u.parts))
	if was != nil {
		copy(before, was.details.(*partsSeen).declared)
	}
	now := make([]*declared, len(u.parts))
	err := forEach(ctx, len(u.parts), len(u.parts), func(ctx context.Context, i int) error {
		var err error
		if now[i], err = u.parts[i].declare(ctx, how, before[i]); err != nil {
			return &PartError{Part: u.parts[i].name, Err: err}
		}
		return nil
	})
	if err != nil {
		if ctx.Err() != nil {
			err = stopped(err)
		}
		return nil, err
	}
	if was != nil && sameParts(before, now) {
		return was, nil
	}
	return u.combine(how, now)
}

// sameParts reports whether no part changed.
func sameParts(before, now []*declared) bool {
	for i := range now {
		if now[i] != before[i] {
			return false
		}
	}
	return true
}

// declare returns what a part declares.
func (p *unionPart) declare(ctx context.Context, how manner, was *declared) (*declared, error) {
	d, ok := p.source.(declarer)
	if !ok {
		return declareFinished(ctx, p.source, was)
	}
	return d.declare(ctx, p.manner(how), was)
}

// manner returns how the part is to declare, if the union is to do it like
// that.
func (p *unionPart) manner(how manner) manner {
	mine := p.how
	if how.opts.Catalog != mine.opts.Catalog { // a union inside of another
		own := *mine.opts
		own.Catalog, own.declare.Catalog = how.opts.Catalog, how.opts.declare.Catalog
		mine.opts = &own
	}
	mine.prefix = how.prefix + p.name + "/"
	return mine
}

// digest returns the digest of a union whose parts have these.
func (u *union) digest(how manner, parts []digest) (d digest) {
	sum := newSum(sha256.New(), "union", how.opts)
	for i, part := range u.parts {
		addText(sum, part.name, string(parts[i][:]))
	}
	sum.Sum(d[:0])
	return d
}

// fingerprint implements fingerprinter: it can tell if every part can.
func (u *union) fingerprint(ctx context.Context, how manner) (d digest, ok bool, err error) {
	parts := make([]digest, len(u.parts))
	for i := range u.parts {
		f, ok := u.parts[i].source.(fingerprinter)
		if !ok {
			return d, false, nil
		}
		if parts[i], ok, err = f.fingerprint(ctx, u.parts[i].manner(how)); err != nil {
			return d, false, &PartError{Part: u.parts[i].name, Err: err}
		} else if !ok {
			return d, false, nil
		}
	}
	return u.digest(how, parts), true, nil
}

// combine puts together what the parts declare.
func (u *union) combine(how manner, parts []*declared) (*declared, error) {
	if err := u.overlap(parts); err != nil {
		return nil, err
	}
	all := &declared{details: &partsSeen{parts}}
	digests := make([]digest, len(parts))
	for i, d := range parts {
		digests[i] = d.digest
		all.decoded = append(all.decoded, d.decoded...)
		all.problems = append(all.problems, d.problems...)
		all.packages = append(all.packages, d.packages...)
		all.homeless = append(all.homeless, d.homeless...)
		all.size = all.size.plus(d.size)
		if d.modified.After(all.modified) {
			all.modified = d.modified
		}
	}
	all.digest = u.digest(how, digests)
	switch {
	case all.size.bytes > how.opts.MaxTotalBytes:
		return nil, &LimitError{Limit: limitBytes, Max: how.opts.MaxTotalBytes}
	case all.size.blobs > how.opts.MaxBlobs:
		return nil, &LimitError{Limit: limitBlobs, Max: how.opts.MaxBlobs}
	}
	return all, nil
}
