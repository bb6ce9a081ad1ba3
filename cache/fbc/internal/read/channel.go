package read

import (
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

// channel decodes an olm.channel blob.
func (r *reading) channel() {
	d := graph.ChannelDecl{Name: r.string(nameName), Pos: r.pos()}
	pkg := r.string(namePackage)
	if !r.placed(pkg, "name or package", pkg, d.Name) {
		return
	}
	entries := r.array(nameEntries)
	d.Entries = make([]graph.EntryDecl, 0, len(entries))
	lines := r.current.manyLines(r.scanned.span)
	for i := range entries {
		o := &entries[i]
		if r.stopped(i) {
			return
		}
		if !r.isObject(o, "an entry of a channel must be an object with a name") {
			continue
		}
		e := r.entry(o)
		if lines {
			e.Line = r.current.LineAt(o.From)
		}
		d.Entries = append(d.Entries, e)
		r.pool.predicted = e.Name // the next entry usually replaces it
	}
	d.Flaws = r.found()
	p := r.pkg(pkg)
	p.Channels = append(p.Channels, d)
}

// entry decodes one entry of a channel.
func (r *reading) entry(o *object) graph.EntryDecl {
	const of = "an entry"
	r.repeated(o, of, nameName, nameReplaces, nameSkipRange, nameSkips)
	bundle := func(n name) string {
		at := o.values[n]
		if at.To-at.From > r.opts.MaxNameBytes && r.current.Raw[at.From] == '"' {
			r.nameTooLong(n, at.From)
			return ""
		}
		return r.text(o, n, of)
	}
	e := graph.EntryDecl{Name: bundle(nameName), Replaces: bundle(nameReplaces)}
	e.SkipRange = r.text(o, nameSkipRange, of)
	if skips := r.raw(o.values[nameSkips]); len(skips) > 0 && !isNull(skips) {
		e.Skips = r.skips(skips, o.From)
	}
	return e
}

// nameTooLong reports a name over the limit.
func (r *reading) nameTooLong(n name, offset int) {
	r.flaw(CodeTooLarge, offset, "the %s of an entry has more than %d bytes: shorten it", names[n], r.opts.MaxNameBytes)
}

// skips decodes the skips of an entry.
func (r *reading) skips(raw []byte, offset int) []string {
	if raw[0] != '[' {
		r.flaw(CodeFieldType, offset, "the skips of an entry must be an array of names, not %s", quickjson.KindOf(raw))
		return nil
	}
	var list []string
	full := false
	for _, at := range quickjson.All(raw) {
		value := at.Of(raw)
		switch {
		case value[0] != '"':
			r.flaw(CodeFieldType, offset, "the skips of an entry must be names, not %s", quickjson.KindOf(value))
		case len(value) > r.opts.MaxNameBytes:
			r.nameTooLong(nameSkips, offset)
		case len(list) < r.opts.MaxItems:
			list = append(list, r.pool.string(quickjson.Unquote(value)))
		case !full:
			full = true
			r.flaw(CodeTooLarge, offset, "an entry of a channel may skip at most %d bundles", r.opts.MaxItems)
		}
	}
	return list
}
