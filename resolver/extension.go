package resolver

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Extension asks for an operator as OLM v1 does (section 13 of the semantics): for
// the highest version in a range, whatever the head of a channel is. A request has
// extensions or subscriptions, not both. In answers and changes an extension stands
// where a subscription would.
type Extension struct {
	// Name identifies the extension in the request and in answers.
	Name string `json:"name"`
	// Package is the package to install.
	Package string `json:"package"`
	// VersionRange keeps the versions inside it, in the syntax of Masterminds semver,
	// for example "^1.2" or ">=1.0, <3". Empty keeps all; a range keeps versions with a
	// pre-release only if it names one itself.
	VersionRange string `json:"versionRange,omitempty"`
	// Channels narrows the extension to the bundles of these channels; empty means
	// every channel of the package.
	Channels []string `json:"channels,omitempty"`
	// Catalogs chooses the catalogs to look in; the zero value chooses all.
	Catalogs CatalogSelector `json:"catalogs,omitzero"`
	// Upgrades says which versions an installed bundle may move to; empty stands for
	// what the policy says.
	Upgrades string `json:"upgrades,omitempty"`
	// InstalledCSV names the installed bundle that the extension owns.
	InstalledCSV string `json:"installedCSV,omitempty"`
	// Pin keeps one of the candidates alone.
	Pin string `json:"-"`
}

// targets are what a request asks for: its subscriptions, or its extensions as
// subscriptions.
func targets(req *Request) []Subscription {
	if len(req.Extensions) == 0 {
		return req.Subscriptions
	}
	out := make([]Subscription, 0, len(req.Extensions))
	for i := range req.Extensions {
		e := &req.Extensions[i]
		out = append(out, Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV, Pin: e.Pin})
	}
	return out
}

// offer finds the candidates of the i-th extension. own is the installed bundle that it
// owns, by index. Extensions that ask the same share what known has.
func (p *resolution) offer(i int, own int32, known map[string]*problem.Offer) *problem.Offer {
	e, question := &p.req.Extensions[i], ""
	if len(p.req.Extensions) > 1 {
		question = fmt.Sprintf("%q", []any{e.Package, e.VersionRange, e.Channels, e.Catalogs, e.Upgrades, e.Pin, fmt.Sprint(own)})
	}
	if known[question] != nil {
		return known[question]
	}
	x := problem.Extension{Package: e.Package, Channels: e.Channels, Range: e.VersionRange, Within: p.ranges[i], Pin: e.Pin,
		Narrowed:   len(e.Catalogs.MatchLabels)+len(e.Catalogs.MatchExpressions) > 0,
		AnyVersion: cmp.Or(e.Upgrades, p.req.Policy.Upgrades) == upgradesSelfCertified,
		Plan:       p.req.Policy.Dependencies == dependenciesPlan}
	if own != noInstalled {
		x.Installed = p.installedFor(own)
	}
	for i := range p.req.Catalogs {
		c := &p.req.Catalogs[i]
		if cat := p.problem.CatalogIndex(c.Key); cat != problem.NoCatalog && e.Catalogs.Matches(c) {
			x.In = append(x.In, cat)
		}
	}
	known[question] = p.problem.Offer(x)
	return known[question]
}

// installedFor is an installed bundle as the extension that owns it sees it. Where the
// request does not say its release, that of a bundle of the same name and version counts.
func (p *resolution) installedFor(own int32) *problem.Installed {
	in := &p.req.Installed[own]
	out := &problem.Installed{Name: in.Name, Package: p.installed.pkg[own], Version: p.versionOf(p.problem.Inst[own])}
	if out.Version == nil {
		return out
	}
	var declared properties.Release
	known, _ := p.installed.known(in, out.Package)
	if in.Properties != nil {
		said, _ := in.Properties.Package()
		declared = said.Release
	} else if known != nil && known.Version.String() == out.Version.String() {
		declared = known.Release
	}
	out.Release = problem.ReleaseOf(*out.Version, declared)
	return out
}

// extensions holds the extensions of a request against the rules that no catalog can
// change.
func (v *validator) extensions(req *Request) {
	if len(req.Extensions) > 0 && len(req.Subscriptions) > 0 {
		v.add("extensions", "", "the request has extensions and subscriptions; give one or the other", nil)
	}
	seen := make(map[string]int, len(req.Extensions))
	for i := range req.Extensions {
		e := &req.Extensions[i]
		v.asking("extensions", i, e.Name, e.Package, seen)
		within, err := v.memory.Range(e.VersionRange)
		if v.ranges = append(v.ranges, within); err != nil {
			v.at(i, "extensions[%d].versionRange", e.VersionRange, err.Error()+"; write it like \">=1.2.0, <2.0.0\" or ^1.2", err)
		}
		if u := e.Upgrades; u != "" && u != "Catalog" && u != upgradesSelfCertified {
			v.at(i, "extensions[%d].upgrades", u, fmt.Sprintf("not one of its values; use %s or %s", "Catalog", upgradesSelfCertified), nil)
		}
		v.selector(i, &e.Catalogs)
	}
}

// Validate returns an error that says what is wrong with an extension, nil if it is valid.
// It wraps the causes.
func (e *Extension) Validate() error {
	v := validator{}
	v.extensions(&Request{Extensions: []Extension{*e}})
	var out []error
	for _, p := range v.problems {
		out = append(out, extensionError(p))
	}
	return errors.Join(out...)
}

// extensionError is a problem of an extension that stands for itself, outside a request.
type extensionError RequestProblem

func (e extensionError) Error() string { return e.Message }

func (e extensionError) Unwrap() error { return e.Err }

// Extension returns the extension that a step brings, which installs what another
// extension needs: it asks for the package of the bundle in exactly its version. The
// second result is false for all other steps.
func (s *Step) Extension() (Extension, bool) {
	if !s.Planned || s.Version == nil {
		return Extension{}, false
	}
	return Extension{Name: s.Package, Package: s.Package, VersionRange: s.Version.String(), InstalledCSV: s.Bundle}, true
}
