package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// offerFinder finds the candidates of one extension.
type offerFinder struct {
	req                    *Request
	byName, bySubscription map[string]*Installed // what is installed
	tick                   func()                // is called for each entry that is looked at

	e       *Extension
	allowed *extensionRange

	installed string // the name of the installed bundle, empty if there is none
	version   *semver.Version

	// seen counts what was looked at, for words.
	packages, channels, bundles, inside int
}

// owned is the installed bundle that an extension owns, or that what it owns has taken
// over from; nil if it owns nothing.
func (f *offerFinder) owned(e *Extension) *Installed {
	if in := f.byName[e.InstalledCSV]; in != nil {
		return in
	}
	return f.bySubscription[e.Name]
}

// findInstalled finds the installed bundle of the extension, behind those that it is
// taking over from, and its version.
func (f *offerFinder) findInstalled() {
	in := f.owned(f.e)
	if in == nil {
		return
	}
	for range f.req.Installed {
		f.tick()
		if next := f.byName[in.ReplacedBy]; next != nil && in.ReplacedBy != "" {
			in = next
		}
	}
	f.installed, f.version = in.Name, in.Version
	if f.version == nil && in.Properties != nil {
		if pkg, says := in.Properties.Package(); says {
			f.version = &pkg.Version
		}
	}
	for _, c := range f.req.Catalogs {
		if f.version != nil || c.Content == nil {
			continue
		}
		if pkg := c.Content.Package(f.e.Package); pkg != nil && in.Properties == nil {
			if b := pkg.Bundle(in.Name); b != nil && b.Quarantine == nil {
				f.version = &b.Version
			}
		}
	}
}

// in lists the candidates of one catalog, best first.
func (f *offerFinder) in(c *Catalog) []offeredBundle {
	pkg := c.Content.Package(f.e.Package)
	if pkg == nil {
		return nil
	}
	f.packages++
	var channels []*graph.Channel
	for _, ch := range pkg.Channels { // the default channel first
		if len(f.e.Channels) == 0 || slices.Contains(f.e.Channels, ch.Name) {
			channels = append(channels, ch)
		}
	}
	f.channels += len(channels)
	follows := f.successors(channels)
	seen := make(map[int32]bool)
	var out []offeredBundle
	for _, ch := range channels {
		if ch.Quarantined() != nil {
			continue
		}
		for i := range ch.Entries {
			f.tick()
			b := ch.Entries[i].Bundle
			if b == nil || b.Quarantine != nil || seen[b.ID] {
				continue
			}
			seen[b.ID] = true
			f.bundles++
			own := b.Name == f.installed
			if !f.allowed.contains(b.Version) {
				continue
			}
			f.inside++
			if f.installed != "" && !own && !follows[b.Name] || b.Barred && !own {
				continue
			}
			o := extensionOffer{catalog: c.Key, id: b.ID, channel: ch}
			if own {
				o.id, o.channel = -1, nil
			}
			out = append(out, offeredBundle{o, b})
		}
	}
	slices.SortStableFunc(out, func(x, y offeredBundle) int {
		return cmp.Or(
			problem.First(!x.bundle.Deprecated, !y.bundle.Deprecated),
			compareExtensionVersions(y.bundle, x.bundle),
			strings.Compare(x.bundle.Name, y.bundle.Name))
	})
	return out
}

// successors are the bundles that the installed one may move to: an entry of the
// wanted channels leads there by name or by version, whether others skip it or not.
func (f *offerFinder) successors(channels []*graph.Channel) map[string]bool {
	if f.installed == "" {
		return nil
	}
	whichever := cmp.Or(f.e.Upgrades, f.req.Policy.Upgrades) == UpgradesSelfCertified
	out := make(map[string]bool)
	for _, ch := range channels {
		for i := range ch.Entries {
			f.tick()
			e := &ch.Entries[i]
			byRange := f.version != nil && !e.SkipRange.IsZero() && e.SkipRange.Contains(*f.version)
			if whichever || byRange || e.Replaces == f.installed || slices.Contains(e.Skips, f.installed) {
				out[e.Name] = true
			}
		}
	}
	return out
}

// whyNone says why there is no candidate, empty if the package or its channels are
// not there.
func (f *offerFinder) whyNone() string {
	where := "package " + f.e.Package
	if len(f.e.Channels) > 0 {
		where = fmt.Sprintf("%s of package %s", channelsInWords(f.e.Channels), f.e.Package)
	}
	switch {
	case f.packages == 0 && !f.e.Catalogs.isZero():
		return fmt.Sprintf("no catalog that the extension selects has package %s", f.e.Package)
	case f.packages == 0 || f.channels == 0:
		return ""
	case f.bundles == 0:
		return where + " has no bundles that can be chosen"
	case f.inside == 0:
		return fmt.Sprintf("no version in %s is inside %s", where, f.e.VersionRange)
	case f.installed != "":
		return fmt.Sprintf("no version in %s that is wanted follows the installed %s", where, f.installed)
	default:
		return "every version in " + where + " is marked olm.deprecated"
	}
}

func channelsInWords(names []string) string {
	if len(names) == 1 {
		return "channel " + names[0]
	}
	return "channels " + text.And(names)
}

func (s CatalogSelector) isZero() bool { return len(s.MatchLabels)+len(s.MatchExpressions) == 0 }

// compareExtensionVersions orders bundles by version and release. Without a release,
// the build metadata of the version stands for one.
func compareExtensionVersions(a, b *graph.Bundle) int {
	release := func(x *graph.Bundle) properties.Release {
		if x.Release == "" {
			return properties.Release(strings.Join(x.Version.Build, "."))
		}
		return x.Release
	}
	return properties.CompareVersions(a.Version, release(a), b.Version, release(b))
}
