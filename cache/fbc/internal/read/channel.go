package read

import (
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

// channel keeps an olm.channel blob.
func (r *reading) channel() {
	d := graph.ChannelDecl{Name: r.string(fieldName), Pos: r.pos()}
	pkg := r.string(fieldPackage)
	if !r.placed(pkg, "name or package", pkg, d.Name) {
		return
	}
	entries := r.array(fieldEntries)
	d.Entries = make([]graph.EntryDecl, 0, len(entries))
	lines := r.blob.manyLines(r.all)
	for i := range entries {
		if r.stopped(i) {
			return
		}
		e, ok := r.entry(&entries[i])
		if !ok {
			continue
		}
		if lines {
			e.Line = r.blob.LineAt(entries[i].From)
		}
		d.Entries = append(d.Entries, e)
	}
	d.Flaws = r.found()
	p := r.pkg(pkg)
	p.Channels = append(p.Channels, d)
}

// entry reads one entry of a channel; ok is false for what is not an entry.
func (r *reading) entry(it *item) (e graph.EntryDecl, ok bool) {
	if raw := it.Of(r.blob.Raw); raw[0] != '{' {
		r.flaw(CodeFieldType, it.From, "an entry of a channel must be an object with a name, not %s", quickjson.KindOf(raw))
		return e, false
	}
	r.repeated(it, "", memberName, memberReplaces, memberSkipRange, memberSkips)
	e.Name = r.bundleName(it, memberName)
	e.Replaces = r.bundleName(it, memberReplaces)
	e.SkipRange = r.text(it, memberSkipRange, "")
	if skips := it.members[memberSkips].Of(r.blob.Raw); len(skips) > 0 && !isNull(skips) {
		e.Skips = r.skips(skips, it.From)
	}
	return e, true
}

// bundleName returns a member that is the name of a bundle.
func (r *reading) bundleName(it *item, m member) string {
	at := it.members[m]
	if at.To-at.From > r.opts.MaxNameBytes && r.blob.Raw[at.From] == '"' {
		r.nameTooLong(memberNames[m], at.From)
		return ""
	}
	return r.text(it, m, "")
}

// nameTooLong notes a name that is not read.
func (r *reading) nameTooLong(name string, offset int) {
	r.flaw(CodeTooLarge, offset, "the %s of an entry has more than %d bytes: shorten it", name, r.opts.MaxNameBytes)
}

// skips reads the skips of an entry.
func (r *reading) skips(raw []byte, offset int) []string {
	if raw[0] != '[' {
		r.flaw(CodeFieldType, offset, "the skips of an entry must be an array of names, not %s", quickjson.KindOf(raw))
		return nil
	}
	var names []string
	full := false
	for _, at := range quickjson.All(raw) {
		value := at.Of(raw)
		switch {
		case value[0] != '"':
			r.flaw(CodeFieldType, offset, "the skips of an entry must be names, not %s", quickjson.KindOf(value))
		case len(value) > r.opts.MaxNameBytes:
			r.nameTooLong("skips", offset)
		case len(names) < r.opts.MaxItems:
			names = append(names, r.unquote(value))
		case !full:
			full = true
			r.flaw(CodeTooLarge, offset, "an entry of a channel may skip at most %d bundles", r.opts.MaxItems)
		}
	}
	return names
}

// repeated notes which of some members an item has more than once.
func (r *reading) repeated(it *item, of string, members ...member) {
	if !it.twice {
		return
	}
	var seen [memberCount]bool
	for name, v := range quickjson.All(it.Of(r.blob.Raw)) {
		m := member(slices.Index(memberNames[:], string(name)))
		if !slices.Contains(members, m) {
			continue
		}
		if seen[m] {
			r.flaw(CodeFieldDuplicate, it.From+v.From, "the field %s%s is given more than once: remove all but one", memberNames[m], of)
		}
		seen[m] = true
	}
}

// text returns a member that is a string, or "" if it is absent or, which is a flaw,
// something else.
func (r *reading) text(it *item, m member, of string) string {
	at := it.members[m]
	raw := at.Of(r.blob.Raw)
	switch {
	case len(raw) == 0 || isNull(raw):
		return ""
	case raw[0] == '"':
		return r.unquote(raw)
	}
	r.flaw(CodeFieldType, at.From, "the field %s%s must be a string, not %s", memberNames[m], of, quickjson.KindOf(raw))
	return ""
}
