package mirror

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// WriteText writes the plan as plain text.
func (p *Plan) WriteText(w io.Writer) error {
	var b bytes.Buffer
	bundles, channels := 0, 0
	for _, pkg := range p.Packages {
		seen := make(map[string]bool)
		for _, ch := range pkg.Channels {
			channels++
			for _, name := range ch.Bundles {
				seen[name] = true
			}
		}
		bundles += len(seen)
	}
	fmt.Fprintf(&b, "selected: %s of %s, %s\n", text.Count(bundles, "bundle", "bundles"),
		text.Count(len(p.Packages), "package", "packages"), text.Count(channels, "channel", "channels"))
	for _, pkg := range p.Packages {
		fmt.Fprintf(&b, "  %s%s\n", text.Name(pkg.Name), inCatalog(pkg.Catalog))
		for _, ch := range pkg.Channels {
			def := ""
			if ch.Name == pkg.DefaultChannel {
				def = " (default)"
			}
			names := slices.DeleteFunc(slices.Clone(ch.Bundles), func(s string) bool { return s == ch.Head })
			more := ""
			if len(names) > 0 {
				more = ", also " + text.Short(text.Names(names), 10)
			}
			fmt.Fprintf(&b, "    %s%s: %s%s\n", text.Name(ch.Name), def, text.Name(ch.Head), more)
		}
	}
	if len(p.Added) > 0 {
		fmt.Fprintf(&b, "to be added: %s\n", text.Count(len(p.Added), "bundle", "bundles"))
	}
	for _, a := range p.Added {
		fmt.Fprintf(&b, "  %s of package %s, channel %s%s\n", text.Name(a.Bundle), text.Name(a.Package), text.Name(a.Channel), inCatalog(a.Catalog))
		for _, r := range a.Because {
			fmt.Fprintf(&b, "    - %s\n", r)
		}
	}
	if len(p.Unresolved) > 0 {
		b.WriteString("cannot be installed, and no addition helps:\n")
	}
	for _, u := range p.Unresolved {
		fmt.Fprintf(&b, "  %s of package %s, channel %s%s\n%s", text.Name(u.Bundle), text.Name(u.Package), text.Name(u.Channel), inCatalog(u.Catalog), indented(u.Conflict.Text()))
	}
	if len(p.Stuck) > 0 {
		b.WriteString("do not reach the head, and no addition helps:\n")
	}
	for _, s := range p.Stuck {
		reaches := ""
		if s.Reaches != "" {
			reaches = ", only to " + text.Name(s.Reaches)
		}
		fmt.Fprintf(&b, "  %s does not reach %s in channel %s%s%s\n%s", text.Name(s.Bundle), text.Name(s.Head), text.Name(s.Channel), reaches, inCatalog(s.Catalog), indented(s.Conflict.Text()))
	}
	for _, warning := range p.Warnings {
		fmt.Fprintf(&b, "note: %s\n", text.Inert(warning))
	}
	if p.Clean() || !p.Selects() {
		fmt.Fprintf(&b, "%s\n", p.Verdict())
	}
	if len(p.Images) > 0 {
		fmt.Fprintf(&b, "images: %d\n", len(p.Images))
	}
	for _, image := range p.Images {
		fmt.Fprintf(&b, "  %s\n", text.Inert(image))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// inCatalog names a catalog, if there are several.
func inCatalog(ref string) string {
	if ref == "" {
		return ""
	}
	return ", catalog " + text.Name(ref)
}

func indented(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text.Block(s), "\n"), "\n", "\n    ") + "\n"
}
