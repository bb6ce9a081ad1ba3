package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/seed109e2655/resolute/graph"
)

// Digest returns "sha256:<hex>" of all that a catalog holds: packages, channels
// and entries, bundles with their properties, deprecations, problems, and where
// each stands in its file. Equal digests mean equal content, however the
// catalog came about. A source that reads bytes rather digests those: then
// nothing has to be parsed to know the digest.
func Digest(c *Catalog) string {
	d := digester{h: sha256.New()}
	d.number(len(c.packages))
	for _, p := range c.packages {
		d.pack(p)
	}
	d.number(len(c.problems))
	for i := range c.problems {
		d.problem(&c.problems[i])
	}
	return d.sum()
}

// digester writes what it is given so that no two things are written alike:
// each text after its length, each list after the number of its items.
type digester struct {
	h   hash.Hash
	buf []byte
}

// full is how much is gathered before it is hashed.
const full = 32 << 10

// sum returns the digest of all that was written.
func (d *digester) sum() string {
	d.h.Write(d.buf)
	return "sha256:" + hex.EncodeToString(d.h.Sum(nil))
}

func (d *digester) number(n int) { d.buf = binary.AppendVarint(d.buf, int64(n)) }

func (d *digester) flag(is bool) {
	n := 0
	if is {
		n = 1
	}
	d.number(n)
}

func (d *digester) texts(texts ...string) {
	for _, s := range texts {
		d.number(len(s))
		d.buf = append(d.buf, s...)
	}
	if len(d.buf) > full {
		d.h.Write(d.buf)
		d.buf = d.buf[:0]
	}
}

func (d *digester) pos(p graph.Pos) {
	d.texts(p.File)
	d.number(p.Line)
}

func (d *digester) deprecation(is bool, message string) {
	d.flag(is)
	d.texts(message)
}

func (d *digester) quarantine(p *graph.Problem) {
	d.flag(p != nil)
	if p != nil {
		d.problem(p)
	}
}

func (d *digester) problem(p *graph.Problem) {
	d.texts(string(p.Severity), string(p.Code), p.Catalog, p.Package, p.Channel, p.Bundle, p.File, p.Message, string(p.Quarantined))
	d.number(p.Line)
}

func (d *digester) pack(p *graph.Package) {
	d.texts(p.Name, p.DefaultChannel)
	d.deprecation(p.Deprecated, p.Deprecation)
	d.quarantine(p.Quarantine)
	d.pos(p.Pos)
	d.number(len(p.Channels))
	for _, c := range p.Channels {
		d.channel(c)
	}
	d.number(len(p.Bundles))
	for _, b := range p.Bundles {
		d.bundle(b)
	}
}

func (d *digester) channel(c *graph.Channel) {
	d.texts(c.Name)
	d.deprecation(c.Deprecated, c.Deprecation)
	d.quarantine(c.Quarantine)
	d.pos(c.Pos)
	d.number(len(c.Entries))
	for i := range c.Entries {
		e := &c.Entries[i]
		d.texts(e.Name, e.Replaces, e.SkipRange.String())
		d.number(len(e.Skips))
		d.texts(e.Skips...)
	}
}

func (d *digester) bundle(b *graph.Bundle) {
	d.texts(b.Name, b.Package, b.Version.String(), b.Image, string(b.Compatibility.AppendKey(nil)))
	d.deprecation(b.Deprecated, b.Deprecation)
	d.quarantine(b.Quarantine)
	d.pos(b.Pos())
	d.number(b.Properties.Len())
	for p := range b.Properties.All() {
		d.texts(p.Type(), string(p.Raw()))
	}
}
