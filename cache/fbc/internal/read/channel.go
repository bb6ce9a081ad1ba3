package read

import (
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

// channel keeps an olm.channel blob.
func (r *reading) channel() {
	d := graph.ChannelDecl{Name: r.string(fieldName), Pos: r.pos()}
	pkg := r.packageName()
	if !r.placed(pkg, "name or package", pkg, d.Name) {
		return
	}
	entries := r.array(fieldEntries)
	d.Entries = make([]graph.EntryDecl, 0, len(entries))
	before := ""
	lines := r.blob.ManyLines()
	for i, at := range entries {
		if r.stopped(i) {
			return
		}
		e, ok := r.plainEntry(&r.outline.entries[i], before)
		if !ok {
			if e, ok = r.entry(at); !ok {
				continue
			}
		}
		if lines {
			e.Line = r.blob.LineAt(at.From)
		}
		d.Entries = append(d.Entries, e)
		before = e.Name
	}
	d.Flaws = r.found()
	p := r.pkg(pkg)
	p.Channels = append(p.Channels, d)
}

// plainEntry is the texts of an entry that is written as most are: a name, and perhaps
// replaces and a skipRange, in this order and without space, escapes and anything else.
type plainEntry struct{ name, replaces, skipRange []byte }

// readPlainEntry returns the entry with which a text begins and the length of it, or 0
// if it is not written like that.
func readPlainEntry(b []byte) (e plainEntry, length int) {
	at := 0
	for _, f := range [...]struct {
		lead string
		text *[]byte
	}{{`{"name":"`, &e.name}, {`","replaces":"`, &e.replaces}, {`","skipRange":"`, &e.skipRange}} {
		if len(b)-at < len(f.lead) || string(b[at:at+len(f.lead)]) != f.lead {
			continue
		}
		from := at + len(f.lead)
		n := quickjson.Plain(b[from:])
		*f.text, at = b[from:from+n], from+n
	}
	if len(e.name) == 0 || len(b)-at < 2 || string(b[at:at+2]) != `"}` {
		return plainEntry{}, 0
	}
	return e, at + 2
}

// plainEntry returns an entry that was read already, and is likely to replace the one
// before; ok is false if it needs a second look.
func (r *reading) plainEntry(p *plainEntry, before string) (e graph.EntryDecl, ok bool) {
	if len(p.name) == 0 || max(len(p.name), len(p.replaces))+len(`""`) > r.opts.MaxNameBytes {
		return e, false
	}
	e.Name, e.Replaces, e.SkipRange = r.pool.string(p.name), before, r.pool.string(p.skipRange)
	if string(p.replaces) != before {
		e.Replaces = r.pool.string(p.replaces)
	}
	return e, true
}

// entry reads one entry of a channel; ok is false for what is not an entry.
func (r *reading) entry(at span) (e graph.EntryDecl, ok bool) {
	raw := at.Of(r.blob.Raw)
	if raw[0] != '{' {
		r.flaw(CodeFieldType, at.From, "an entry of a channel must be an object with a name, not %s", quickjson.KindOf(raw))
		return e, false
	}
	var skips []byte
	seen := seen{}
	for name, v := range quickjson.Members(raw) {
		value := v.Of(raw)
		switch string(quickjson.Unquote(name)) {
		case "name":
			r.bundleName(&seen, 0, "name", value, at.From+v.From, &e.Name)
		case "replaces":
			r.bundleName(&seen, 1, "replaces", value, at.From+v.From, &e.Replaces)
		case "skipRange":
			r.member(&seen, 2, "skipRange", value, at.From+v.From, &e.SkipRange)
		case "skips":
			if r.once(&seen, 3, "skips", at.From+v.From) && !isNull(value) {
				skips = value
			}
		}
	}
	if skips != nil {
		e.Skips = r.skips(skips, at.From)
	}
	return e, true
}

// bundleName reads a member that is the name of a bundle.
func (r *reading) bundleName(s *seen, n int, name string, value []byte, offset int, to *string) {
	if len(value) > r.opts.MaxNameBytes && value[0] == '"' {
		r.nameTooLong(name, offset)
		value = []byte("null")
	}
	r.member(s, n, name, value, offset, to)
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
	for at := range quickjson.Items(raw) {
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

// seen is which members of an object were there already.
type seen [8]bool

// once notes a member that is given more than once.
func (r *reading) once(s *seen, n int, name string, offset int) bool {
	if s[n] {
		r.flaw(CodeFieldDuplicate, offset, "the field %s is given more than once: remove all but one", name)
		return false
	}
	s[n] = true
	return true
}

// member reads a member that is a string.
func (r *reading) member(s *seen, n int, name string, value []byte, offset int, to *string) {
	switch {
	case !r.once(s, n, name, offset) || isNull(value):
	case value[0] != '"':
		r.flaw(CodeFieldType, offset, "the field %s must be a string, not %s", name, quickjson.KindOf(value))
	default:
		*to = r.unquote(value)
	}
}
