package synthetic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Blobs returns the blobs of the catalog with that number, package by package:
// the package, its channels, its bundles, oldest first. Each blob belongs to
// the caller. An invalid number gives no blobs.
func (g *Generator) Blobs(catalog int) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		for line := range g.lines(catalog) {
			if !yield(bytes.Clone(line[:len(line)-1])) {
				return
			}
		}
	}
}

// WriteCatalog writes the catalog with that number as JSON lines, one blob per
// line. It holds one package in memory at a time. The error is that of w.
func (g *Generator) WriteCatalog(w io.Writer, catalog int) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for line := range g.lines(catalog) {
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// lines yields the lines of a catalog. Each is overwritten by the next.
func (g *Generator) lines(catalog int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if catalog < 0 || catalog >= g.cfg.Catalogs {
			return
		}
		var buf []byte
		for n := catalog; n < g.cfg.Packages; n += g.cfg.Catalogs {
			p := g.Package(n)
			buf = p.appendPackage(buf[:0])
			if !yield(buf) {
				return
			}
			for i := range p.Channels {
				buf = p.appendChannel(buf[:0], &p.Channels[i])
				if !yield(buf) {
					return
				}
			}
			for i := range p.Bundles {
				buf = g.appendBundle(buf[:0], &p, &p.Bundles[i])
				if !yield(buf) {
					return
				}
			}
		}
	}
}

// The blobs are formatted by hand: encoding/json would take most of the time
// of a large catalog, and no name needs escaping in JSON.

func (p *Package) appendPackage(b []byte) []byte {
	b = append(b, `{"schema":"olm.package","name":"`...)
	b = append(b, p.Name...)
	b = append(b, `","defaultChannel":"`...)
	b = append(b, p.Channels[0].Name...)
	return append(b, "\"}\n"...)
}

func (p *Package) appendChannel(b []byte, c *Channel) []byte {
	b = append(b, `{"schema":"olm.channel","package":"`...)
	b = append(b, p.Name...)
	b = append(b, `","name":"`...)
	b = append(b, c.Name...)
	b = append(b, `","entries":[`...)
	for i := range c.Entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = p.appendEntry(b, &c.Entries[i])
	}
	return append(b, "]}\n"...)
}

func (p *Package) appendEntry(b []byte, e *Entry) []byte {
	b = append(b, `{"name":"`...)
	b = append(b, p.Bundles[e.Version].Name...)
	if e.Replaces >= 0 {
		b = append(b, `","replaces":"`...)
		b = append(b, p.Bundles[e.Replaces].Name...)
	}
	b = append(b, '"')
	for i, s := range e.Skips {
		if i == 0 {
			b = append(b, `,"skips":["`...)
		} else {
			b = append(b, `","`...)
		}
		b = append(b, p.Bundles[s].Name...)
	}
	if len(e.Skips) > 0 {
		b = append(b, `"]`...)
	}
	if e.SkipRange != "" {
		b = append(b, `,"skipRange":"`...)
		b = append(b, e.SkipRange...)
		b = append(b, '"')
	}
	return append(b, '}')
}

func (g *Generator) appendBundle(b []byte, p *Package, u *Bundle) []byte {
	b = append(b, `{"schema":"olm.bundle","package":"`...)
	b = append(b, p.Name...)
	b = append(b, `","name":"`...)
	b = append(b, u.Name...)
	b = append(b, `","image":"registry.example/`...)
	b = append(b, p.Name...)
	b = append(b, ':')
	b = append(b, u.Version...)
	b = append(b, `","properties":[{"type":"olm.package","value":{"packageName":"`...)
	b = append(b, p.Name...)
	b = append(b, `","version":"`...)
	b = append(b, u.Version...)
	b = append(b, `"}}`...)
	for _, api := range p.APIs {
		b = append(b, `,{"type":"olm.gvk","value":`...)
		b = api.append(b)
		b = append(b, '}')
	}
	for i := range u.Requires {
		b = append(b, ',')
		b = g.appendRequirement(b, &u.Requires[i])
	}
	return append(b, "]}\n"...)
}

func (a API) append(b []byte) []byte {
	b = append(b, `{"group":"`...)
	b = append(b, a.Group...)
	b = append(b, `","version":"`...)
	b = append(b, a.Version...)
	b = append(b, `","kind":"`...)
	b = append(b, a.Kind...)
	return append(b, `"}`...)
}

func appendRange(b []byte, target int, within string) []byte {
	b = append(b, `{"packageName":"`...)
	b = append(b, PackageName(target)...)
	b = append(b, `","versionRange":"`...)
	b = append(b, within...)
	return append(b, `"}`...)
}

// appendRequirement writes a requirement as a property.
func (g *Generator) appendRequirement(b []byte, r *Requirement) []byte {
	switch name := PackageName(r.Target); r.Kind {
	case ByGVK:
		b = append(b, `{"type":"olm.gvk.required","value":`...)
		b = g.api(r.Target).append(b)
	case ByCEL:
		b = fmt.Appendf(b, `{"type":"olm.constraint","value":{"failureMessage":"needs %s","cel":{"rule":"%s"}}`, name, r.rule())
	case ByAll:
		b = fmt.Appendf(b, `{"type":"olm.constraint","value":{"failureMessage":"needs %s with its API","all":{"constraints":[{"package":`, name)
		b = appendRange(b, r.Target, r.Range)
		b = append(b, `},{"gvk":`...)
		b = g.api(r.Target).append(b)
		b = append(b, "}]}}"...)
	case ByAny:
		b = g.appendAny(b, r)
	default:
		b = append(b, `{"type":"olm.package.required","value":`...)
		b = appendRange(b, r.Target, r.Range)
	}
	return append(b, '}')
}

func (g *Generator) appendAny(b []byte, r *Requirement) []byte {
	b = fmt.Appendf(b, `{"type":"olm.constraint","value":{"failureMessage":"needs %s%s","any":{"constraints":[{"package":`,
		PackageName(r.Target), orElse(r.Others))
	b = appendRange(b, r.Target, r.Range)
	for _, o := range r.Others {
		if o.Range != "" {
			b = append(b, `},{"package":`...)
			b = appendRange(b, o.Target, o.Range)
			continue
		}
		b = append(b, `},{"gvk":`...)
		b = g.api(o.Target).append(b)
	}
	return append(b, "}]}}"...)
}

// orElse describes the alternatives in a failure message.
func orElse(others []Alternative) string {
	switch {
	case len(others) == 0:
		return ""
	case len(others) > 1:
		return fmt.Sprintf(" or one of %d others", len(others))
	case others[0].Range == "":
		return " or what " + PackageName(others[0].Target) + " provides"
	}
	return " or " + PackageName(others[0].Target)
}

// rule returns Target and Range as a CEL rule.
func (r Requirement) rule() string {
	version, comparison := r.Range, "=="
	if v, atLeast := strings.CutPrefix(r.Range, ">="); atLeast {
		version, comparison = v, ">="
	}
	return fmt.Sprintf("properties.exists(p, p.type == 'olm.package' && p.value.packageName == '%s' && semver_compare(p.value.version, '%s') %s 0)",
		PackageName(r.Target), version, comparison)
}
