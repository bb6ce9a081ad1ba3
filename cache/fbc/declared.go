package fbc

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// declarer is a source that can return what it declares before packages are
// made of it, so that several can be put together: see [Union]. It is safe for
// concurrent use.
type declarer interface {
	cache.Source
	// settings returns its options, defaults filled in.
	settings() *Options
	// declare returns what there is now. If nothing changed since last, it
	// returns last; or (nil, nil) if it has only the validator to go by.
	declare(ctx context.Context, how manner, last *declared) (*declared, error)
}

// fingerprinter is a declarer that can tell the digest of what it would declare
// without decoding it.
type fingerprinter interface {
	declarer
	// fingerprint returns the digest; ok is false if it is not known.
	fingerprint(ctx context.Context, how manner) (d digest, ok bool, err error)
}

// manner is how a declarer is asked to declare.
type manner struct {
	opts      *Options
	prefix    string // of the names of its files
	validator string // what the last content had, if last is not known
	once      bool   // nothing will be loaded again: no digest is needed
}

// declared is what a source declares at one time. It is immutable, but for
// what a source notes in it to be spared work the next time.
type declared struct {
	decoded  []*decodedFile   // in order
	problems []graph.Problem  // found outside of decoded
	digest   digest           // of content and settings
	size     size             // of all decoded
	packages []*graph.Package // that are finished
	homeless []string         // packages that a finished catalog names in deprecations, but does not have
	details  any              // what the source alone knows

	validator string
	modified  time.Time
}

// newSum returns a hash that a source's own digest begins with: it distinguishes
// kinds of sources, and what their options keep of a content.
func newSum(sum hash.Hash, kind string, o *Options) hash.Hash {
	drop := slices.Clone(o.DropProperties)
	slices.Sort(drop)
	fmt.Fprintf(sum, "%s 3 %q %q %t %t %t %d %d %d %d %d %d %d\n", kind, o.declare.Catalog, slices.Compact(drop), o.declare.KeepMetadata, o.declare.KeepObjects, o.Exact, o.MaxBlobBytes, o.declare.Limits.MaxDepth, o.declare.Limits.MaxNodes, o.declare.MaxProblems,
		o.declare.MaxItems, o.declare.MaxNameBytes, o.declare.MaxPropertyBytes)
	return sum
}

// addText adds a text, so that no two sequences of texts give the same digest.
func addText(sum hash.Hash, texts ...string) {
	var length [8]byte
	for _, text := range texts {
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		sum.Write(length[:])
		sum.Write([]byte(text))
	}
}

// addProblems adds what was found wrong.
func addProblems(sum hash.Hash, problems []graph.Problem) {
	for _, p := range problems {
		addText(sum, string(p.Code), p.File, strconv.Itoa(p.Line), p.Message)
	}
}

// String returns the digest as [cache.Content] has it.
func (d digest) String() string { return "sha256:" + hex.EncodeToString(d[:]) }

// objects returns how many blobs could be read.
func objects(decoded []*decodedFile) int {
	n := 0
	for _, p := range decoded {
		n += p.Objects
	}
	return n
}

// unreadable returns the error of a source in which no blob could be read.
func unreadable(name string, decoded []*decodedFile, problems []graph.Problem) error {
	e := &UnreadableError{Name: name, Problems: allProblems(decoded, problems)}
	if len(decoded) == 1 {
		e.Err = decoded[0].cause
	}
	return e
}

// allProblems returns what was found wrong outside of packages.
func allProblems(decoded []*decodedFile, problems []graph.Problem) []graph.Problem {
	all := slices.Clone(problems)
	for _, p := range decoded {
		all = append(all, p.Problems...)
	}
	slices.SortStableFunc(all, graph.CompareProblems)
	return all
}

// memo is what a source of this package keeps in [cache.Content.Memo].
type memo struct {
	source   declarer
	declared *declared
	groups   map[string]group
	catalog  *cache.Catalog
}

// memoOf returns what a content keeps for a source, or nil.
func memoOf(source declarer, c *cache.Content) *memo {
	if c == nil {
		return nil
	}
	m, ok := c.Memo.(*memo)
	if !ok || m == nil || m.source != source {
		return nil // of another process or source
	}
	return m
}

// sameContent reports whether a source certainly has the same content as one of
// which it has no memo, for it comes from an earlier process.
func sameContent(ctx context.Context, source declarer, how manner, last *cache.Content) (bool, error) {
	f, ok := source.(fingerprinter)
	if !ok {
		return false, nil
	}
	d, ok, err := f.fingerprint(ctx, how)
	return ok && d.String() == last.Digest, err
}

// load is the Load of all sources of this package.
func load(ctx context.Context, source declarer, last *cache.Content) (*cache.Content, error) {
	before, how := memoOf(source, last), manner{opts: source.settings()}
	var was *declared
	switch {
	case before != nil:
		was = before.declared
	case last != nil:
		how.validator = last.Validator
		switch same, err := sameContent(ctx, source, how, last); {
		case err != nil:
			return nil, err
		case same:
			return last, nil
		}
	}
	now, err := source.declare(ctx, how, was)
	switch {
	case err != nil:
		return nil, err
	case now == was, last != nil && now.digest.String() == last.Digest:
		return last, nil
	}
	b := &building{ctx: ctx, opts: how.opts, before: before, now: now}
	catalog, err := b.build()
	if err != nil {
		return nil, err
	}
	return &cache.Content{
		Catalog: catalog, Digest: now.digest.String(), Validator: now.validator, Modified: now.modified,
		Memo: &memo{source: source, declared: now, groups: b.groups, catalog: catalog},
	}, nil
}
