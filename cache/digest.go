package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/seed109e2655/resolute/graph"
)

// Digest returns "sha256:<hex>" of the catalog: packages, channels and entries, bundles with
// their properties, deprecations, problems, and their positions in files. Equal digests mean
// equal content, regardless of how the catalog was made. A source that reads bytes should
// digest those instead, so that it need not parse them to know the digest.
//
// It is computed on the first call.
func (c *Catalog) Digest() string {
	return c.digest.get(func() string { return c.computeDigest(false) })
}

// ContentDigest is [Catalog.Digest] without positions in files. Of problems, which name positions, it
// includes only the codes of quarantines. It stays the same if a file is renamed,
// compressed or reformatted, so that it identifies the content on every machine.
func (c *Catalog) ContentDigest() string {
	return c.contentDigest.get(func() string { return c.computeDigest(true) })
}

func (c *Catalog) computeDigest(anywhere bool) string {
	d := digester{h: sha256.New(), anywhere: anywhere}
	d.put(len(c.packages))
	for _, p := range c.packages {
		d.pack(p)
	}
	if anywhere {
		return d.sum()
	}
	d.put(len(c.problems))
	for i := range c.problems {
		d.problem(&c.problems[i])
	}
	return d.sum()
}

// digester hashes an unambiguous encoding: each string is preceded by its length, each list by
// the number of its items.
type digester struct {
	h        hash.Hash
	buf      []byte
	anywhere bool // omit positions, and the problems that name them
}

// full is the buffer size at which it is hashed.
const full = 32 << 10

// sum returns the digest of everything written.
func (d *digester) sum() string {
	d.h.Write(d.buf)
	return "sha256:" + hex.EncodeToString(d.h.Sum(nil))
}

func (d *digester) put(n int) { d.buf = binary.AppendVarint(d.buf, int64(n)) }

func (d *digester) flag(is bool) {
	if is {
		d.put(1)
	} else {
		d.put(0)
	}
}

func (d *digester) texts(texts ...string) {
	for _, s := range texts {
		d.put(len(s))
		d.buf = append(d.buf, s...)
	}
	if len(d.buf) > full {
		d.h.Write(d.buf)
		d.buf = d.buf[:0]
	}
}

// state writes the state that packages, channels and bundles share.
func (d *digester) state(deprecated bool, deprecation string, quarantine *graph.Problem, at graph.Pos) {
	d.flag(deprecated)
	d.texts(deprecation)
	d.flag(quarantine != nil)
	switch {
	case quarantine != nil && d.anywhere:
		d.texts(string(quarantine.Code))
	case quarantine != nil:
		d.problem(quarantine)
	}
	if !d.anywhere {
		d.texts(at.File)
		d.put(at.Line)
	}
}

func (d *digester) problem(p *graph.Problem) {
	d.texts(string(p.Severity), string(p.Code), p.Catalog, p.Package, p.Channel, p.Bundle, p.File, p.Message, p.Quarantined)
	d.put(p.Line)
}

func (d *digester) pack(p *graph.Package) {
	d.texts(p.Name, p.DefaultChannel)
	d.state(p.Deprecated, p.Deprecation, p.Quarantine, p.Pos)
	d.put(len(p.Channels))
	for _, c := range p.Channels {
		d.texts(c.Name)
		d.state(c.Deprecated, c.Deprecation, c.Quarantine, c.Pos)
		d.put(len(c.Entries))
		for i := range c.Entries {
			e := &c.Entries[i]
			d.texts(e.Name, e.Replaces, e.SkipRange().String())
			d.put(len(e.Skips()))
			d.texts(e.Skips()...)
		}
	}
	d.put(len(p.Bundles))
	for _, b := range p.Bundles {
		d.texts(b.Name, b.Package, b.Version.String(), b.Image, b.Compatibility.Key())
		d.state(b.Deprecated, b.Deprecation, b.Quarantine, b.Pos())
		d.put(b.Properties.Len())
		for p := range b.Properties.All() {
			d.texts(p.Type(), p.Raw())
		}
	}
}
