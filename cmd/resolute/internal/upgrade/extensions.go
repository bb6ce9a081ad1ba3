package upgrade

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// bundleOfExtension returns the bundle of a version or name in the catalogs that an extension
// selects.
func bundleOfExtension(req *resolver.Request, e *demand, t Target) (string, error) {
	in := world{Request: *req}
	elsewhere := ""
	var versions []string
	for _, pkg := range in.packages(e) {
		for _, b := range pkg.Bundles {
			switch {
			case b.Version == nil || b.Quarantine != nil:
			case b.Name != t.Version && b.Version.String() != t.Version:
				versions = text.AppendNew(versions, b.Version.String())
			case e.lists(pkg, b.Name):
				return b.Name, nil
			case elsewhere == "":
				elsewhere = b.Name
			}
		}
	}
	if own := req.Owned()[e.Name]; own != "" && own == t.Version {
		return own, nil
	}
	if elsewhere != "" {
		return elsewhere, nil
	}
	reason := fmt.Sprintf("no candidate has version %s", t.Version)
	if len(versions) > 0 {
		reason += "; candidates: " + text.Short(versions, 8)
	}
	return "", targetError(req, t, reason)
}

// lists reports whether a channel of an extension lists a bundle, or the extension selects all
// channels.
func (a *demand) lists(pkg *graph.Package, bundle string) bool {
	return len(a.Channels) == 0 || slices.ContainsFunc(pkg.Channels, func(ch *graph.Channel) bool {
		return slices.Contains(a.Channels, ch.Name) && ch.Entry(bundle) != nil
	})
}

// extensionGuide returns the upgrade edges of an extension (section 13 of the semantics): an entry
// of its channels has an edge to its bundle by name or by version, whether the bundle is skipped or
// not.
func extensionGuide(ctx context.Context, req *resolver.Request, e *demand, from string) (*guide, error) {
	g := &guide{next: make(map[string][]string)}
	in := world{Request: *req}
	anyVersion := e.extension.Upgrades == resolver.UpgradesSelfCertified || e.extension.Upgrades == "" && req.Policy.Upgrades == resolver.UpgradesSelfCertified
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if _, known := g.next[at]; known {
			continue
		}
		if err := ended(ctx); err != nil {
			return nil, err
		}
		g.next[at] = nil
		for _, pkg := range in.packages(e) {
			leads := e.leads(req, pkg, at)
			var to []*graph.Bundle
			for _, b := range pkg.Bundles {
				if b.Name != at && b.Quarantine == nil && !b.Barred && (leads[b.Name] || anyVersion && e.lists(pkg, b.Name)) && !slices.Contains(g.next[at], b.Name) {
					to = append(to, b)
				}
			}
			slices.SortStableFunc(to, func(a, b *graph.Bundle) int { return b.Version.Compare(*a.Version) })
			for _, b := range to {
				g.next[at] = append(g.next[at], b.Name)
				todo = append(todo, b.Name)
			}
		}
	}
	return g, nil
}

// leads returns the bundles that an entry of the channels of an extension can upgrade to from a
// bundle.
func (a *demand) leads(req *resolver.Request, pkg *graph.Package, from string) map[string]bool {
	out := make(map[string]bool)
	at := resolver.Installed{Name: from}
	if b := pkg.Bundle(from); b != nil {
		at.Version = b.Version
	}
	for i := range req.Installed {
		if req.Installed[i].Name == from {
			at = req.Installed[i]
		}
	}
	version, known := versionOf(&at)
	for _, ch := range pkg.Channels {
		if len(a.Channels) > 0 && !slices.Contains(a.Channels, ch.Name) {
			continue
		}
		for i := range ch.Entries {
			e := &ch.Entries[i]
			if e.Replaces == from || slices.Contains(e.Skips(), from) || known && !e.SkipRange().IsZero() && e.SkipRange().Contains(version) {
				out[e.Name] = true
			}
		}
	}
	return out
}
