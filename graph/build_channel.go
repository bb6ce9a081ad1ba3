package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// channels builds the channels, the default one first, then by name.
func (b *builder) channels(decls []ChannelDecl) {
	for i := range decls {
		if b.done() {
			return
		}
		d := &decls[i]
		if d.Name == "" {
			b.report(Problem{Severity: SeverityError, Code: codeChannelInvalid, Quarantined: scopeChannel, Message: fmt.Sprintf(
				"a channel of package %q has no name and is ignored: give it one", b.pkg.Name)}, d.Pos)
			continue
		}
		c := &Channel{Name: d.Name, Package: b.pkg, Pos: d.Pos, declared: d}
		b.pkg.Channels = append(b.pkg.Channels, c)
		b.entries(c, d)
	}
	slices.SortStableFunc(b.pkg.Channels, func(x, y *Channel) int {
		return cmp.Or(-compareBool(x.Default(), y.Default()), strings.Compare(x.Name, y.Name))
	})
	b.mergeChannels()
	if b.done() {
		return // channels may lack entries, so they have no order
	}
	for _, c := range b.pkg.Channels {
		b.order(c)
		c.declared = nil
	}
}

// mergeChannels keeps one channel of each name. Duplicates are quarantined, with the entries of
// all.
func (b *builder) mergeChannels() {
	kept := b.pkg.Channels[:0]
	for _, c := range b.pkg.Channels {
		if n := len(kept); n > 0 && kept[n-1].Name == c.Name {
			b.quarantineChannel(kept[n-1], codeChannelDuplicate, c.Pos, fmt.Sprintf(
				"channel %q of package %q is declared again, first at %s: merge the two", c.Name, b.pkg.Name, kept[n-1].Pos))
			kept[n-1].Entries = append(kept[n-1].Entries, c.Entries...)
			continue
		}
		kept = append(kept, c)
	}
	for _, c := range kept {
		if len(c.byName) < len(c.Entries) {
			c.index()
		}
	}
	clear(b.pkg.Channels[len(kept):])
	b.pkg.Channels = slices.Clip(kept)
}

// quarantineChannel reports a problem that quarantines the channel.
func (b *builder) quarantineChannel(c *Channel, code Code, pos Pos, message string) {
	q := b.report(Problem{Severity: SeverityError, Code: code, Channel: c.Name, Message: message, Quarantined: scopeChannel}, pos)
	if c.Quarantine == nil {
		c.Quarantine = q
	}
}

// warn reports a problem of a channel that quarantines nothing.
func (b *builder) warn(c *Channel, code Code, bundle string, pos Pos, message string) {
	b.report(Problem{Severity: SeverityWarning, Code: code, Channel: c.Name, Bundle: bundle, Message: message}, pos)
}

// entries sets the entries of a channel and reports the problems of each one
// by itself.
func (b *builder) entries(c *Channel, d *ChannelDecl) {
	for _, f := range d.Flaws {
		b.quarantineChannel(c, cmp.Or(f.Code, codeChannelInvalid), d.Pos.at(f.Line), f.Message)
	}
	c.Entries = make([]Entry, len(d.Entries))
	for i := range d.Entries {
		if b.done() { // ranges take a while to parse
			c.Entries = c.Entries[:i]
			break
		}
		e := &d.Entries[i]
		pos := d.Pos.at(e.Line)
		c.Entries[i] = Entry{Name: e.Name, Replaces: e.Replaces, Position: -1, Bundle: b.pkg.Bundle(e.Name)}
		if len(e.Skips) > 0 {
			c.Entries[i].skips = &skips{names: slices.Clone(e.Skips)}
		}
		if e.Name == "" {
			b.quarantineChannel(c, codeChannelInvalid, pos, fmt.Sprintf(
				"an entry of channel %q of package %q has no name: give it the name of %s", c.Name, b.pkg.Name, text.A(b.opts.Terms.bundle())))
			continue
		}
		if r := b.skipRange(c, e, pos); !r.IsZero() {
			c.Entries[i].skips = &skips{names: c.Entries[i].Skips(), versions: r}
		}
		if c.Entries[i].Bundle == nil {
			b.warn(c, codeEntryWithoutBundle, e.Name, pos, fmt.Sprintf(
				"channel %q of package %q lists %q, but the catalog has no such %[4]s: it carries the chain and is never chosen; add the %[4]s, or remove the entry", c.Name, b.pkg.Name, e.Name, b.opts.Terms.bundle()))
		}
		if slices.Contains(e.Skips, "") {
			b.refuse(c.Name, e.Name, codeSkipsEmpty, pos, fmt.Sprintf(
				"entry %q of channel %q of package %q skips an empty name, which means nothing: remove it from its skips", e.Name, c.Name, b.pkg.Name))
		}
		if slices.Contains(e.Skips, e.Name) {
			b.warn(c, codeSkipsItself, e.Name, pos, fmt.Sprintf(
				"entry %q of channel %q of package %q skips itself, which means nothing: remove it from its skips", e.Name, c.Name, b.pkg.Name))
		}
	}
	c.index()
}

// skipRange parses the skipRange of an entry. An invalid one only loses its edges: the bundle
// itself is not in doubt.
func (b *builder) skipRange(c *Channel, e *EntryDecl, pos Pos) properties.Range {
	if e.SkipRange == "" || !e.SkipVersions.IsZero() {
		return e.SkipVersions
	}
	r, err := properties.ParseRange(e.SkipRange)
	if err != nil {
		b.report(Problem{Severity: SeverityError, Code: codeSkipRangeInvalid, Channel: c.Name, Bundle: e.Name, Message: fmt.Sprintf(
			"the skipRange %s of entry %q in channel %q of package %q is ignored: it %s",
			text.Quote(text.Clip(e.SkipRange, maxQuoted)), e.Name, c.Name, b.pkg.Name, oneLine(err))}, pos)
	}
	return r
}

// index sorts the entries by name, the earlier of two first.
func (c *Channel) index() {
	c.byName = number(nil, len(c.Entries))
	slices.SortStableFunc(c.byName, func(i, j int32) int { return strings.Compare(c.Entries[i].Name, c.Entries[j].Name) })
}

// compareBool orders false before true.
func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}
