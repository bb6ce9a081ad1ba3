package mirror

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Catalog is a catalog that a configuration mirrors from.
type Catalog struct {
	// Ref is the reference of its image in the configuration.
	Ref string
	// Content is the whole catalog.
	Content *cache.Catalog
	// Images are the images of its bundles; nil omits them from the plan.
	Images *Images
}

// Options are the options of [Make]; Catalogs is required.
type Options struct {
	// Catalogs are those that the configuration names, each once.
	Catalogs []Catalog
	// Installed are clusters that use the mirror: their installed bundles must reach the
	// mirrored heads. Their catalogs only identify installed bundles.
	Installed []resolver.Request
	// IgnoreMissing turns objects that the configuration names and a catalog lacks into warnings:
	// the rest is mirrored.
	IgnoreMissing bool
}

// Plan is the selection of a configuration and its missing bundles, in the form of its JSON.
type Plan struct {
	// Packages are the selection of oc-mirror with the original configuration, by catalog and name.
	Packages []SelectedPackage `json:"packages"`
	// Added are the additional bundles of the completed configuration, by catalog, package and
	// name.
	Added []Added `json:"added,omitempty"`
	// Unresolved are the selected bundles that no addition makes installable, including those that
	// oc-mirror skips.
	Unresolved []Unresolved `json:"unresolved,omitempty"`
	// UpgradeOnly are the selected bundles that are not offered for new installs, only for
	// upgrades: a newer version skips them, or an olm.deprecated property excludes them.
	UpgradeOnly []UpgradeOnly `json:"upgradeOnly,omitempty"`
	// Stuck are the installed bundles, and the lower ends of ranges, that do not reach the head
	// with any addition.
	Stuck []Stuck `json:"stuck,omitempty"`
	// Images are all images to mirror, including those of additions, sorted.
	Images []string `json:"images,omitempty"`
	// Warnings note what else matters.
	Warnings []string `json:"warnings,omitempty"`
	// OmittedCatalogs are the references of the catalogs without remaining packages. The completed
	// configuration omits them: a catalog without a list of packages would be mirrored whole.
	OmittedCatalogs []string `json:"omittedCatalogs,omitempty"`
	// Configuration is the completed one: it selects exactly Packages and Added. Its operators are
	// those of the original, in their order, without omitted ones.
	Configuration *Configuration `json:"-"`
	// Selections are the selections of the completed configuration, one for each of its operators.
	Selections []*Selection `json:"-"`
}

// Added is an added bundle with its reasons.
type Added struct {
	Catalog string   `json:"catalog,omitempty"`
	Package string   `json:"package"`
	Bundle  string   `json:"bundle"`
	Channel string   `json:"channel,omitempty"`
	Because []Reason `json:"because"`
}

// Reason is the bundle that needs an addition, and through what: a constraint of the bundle, or an
// upgrade path from it, in words.
type Reason struct {
	Bundle     string `json:"bundle,omitempty"`
	Constraint string `json:"constraint"`
}

// Unresolved is a selected bundle that cannot be installed.
type Unresolved struct {
	Catalog  string             `json:"catalog,omitempty"`
	Package  string             `json:"package"`
	Channel  string             `json:"channel,omitempty"`
	Bundle   string             `json:"bundle,omitempty"`
	Conflict *resolver.Conflict `json:"conflict"`
}

// Stuck is a bundle that does not reach the head of its channel.
type Stuck struct {
	Catalog string `json:"catalog,omitempty"`
	Package string `json:"package,omitempty"`
	Bundle  string `json:"bundle"`
	Channel string `json:"channel"`
	// Head is the bundle that it should reach, and Reaches the one that it does reach.
	Head     string             `json:"head,omitempty"`
	Reaches  string             `json:"reaches,omitempty"`
	Conflict *resolver.Conflict `json:"conflict"`
}

// UpgradeOnly is a selected bundle that is not offered for new installs.
type UpgradeOnly struct {
	Catalog string `json:"catalog,omitempty"`
	Package string `json:"package"`
	Bundle  string `json:"bundle"`
}

// Clean reports whether nothing is missing: the configuration needs no additions, and its selection
// can be installed and reaches its heads. A configuration that names catalogs and selects no bundle
// is not clean.
func (p *Plan) Clean() bool {
	return len(p.Added)+len(p.Unresolved)+len(p.Stuck) == 0 && (p.Selects() || !p.asks())
}

// Selects reports whether the original configuration selects any bundle.
func (p *Plan) Selects() bool {
	return slices.ContainsFunc(p.Packages, func(pkg SelectedPackage) bool {
		return slices.ContainsFunc(pkg.Channels, func(ch SelectedChannel) bool { return len(ch.Bundles) > 0 })
	})
}

// asks reports whether the configuration names a catalog.
func (p *Plan) asks() bool {
	return len(p.OmittedCatalogs) > 0 || p.Configuration != nil && len(p.Configuration.Operators) > 0
}

// Verdict returns the verdict in one sentence, without a full stop.
func (p *Plan) Verdict() string {
	switch {
	case !p.asks() && !p.Selects():
		return "no operators are selected: the configuration names no catalog"
	case !p.Selects():
		return "nothing is selected: there is nothing to mirror"
	case len(p.Unresolved)+len(p.Stuck) > 0:
		return "some selected bundles cannot be installed or do not reach their head, and no addition helps"
	case len(p.Added) > 0:
		return "the selected bundles can be installed and reach their heads only with " + text.Count(len(p.Added), "more bundle", "more bundles")
	case len(p.UpgradeOnly) > 0:
		return "all other selected bundles can be installed and reach their heads"
	}
	return "all selected bundles can be installed and reach their heads"
}

func omitted(ref string) string {
	return fmt.Sprintf("catalog %s is omitted: none of its packages remain, and without packages the whole catalog would be mirrored", text.Name(ref))
}

// CatalogError means that a catalog named by the configuration is missing, or that an unnamed one
// was given.
type CatalogError struct {
	// Refs are the references, and Known those that may have been meant.
	Refs, Known []string
	// Line is the position of the first of them in the configuration; 0 if it names none.
	Line int
}

// Error names the catalogs and near misses.
func (e *CatalogError) Error() string {
	near := text.DidYouMean(e.Refs[0], slices.Values(e.Known))
	if e.Line == 0 {
		if near == "" {
			near = "; it names " + text.Short(text.Names(e.Known), 10)
		}
		return fmt.Sprintf("the configuration does not name the catalog %s%s", text.And(text.Names(e.Refs)), near)
	}
	return fmt.Sprintf("line %d: the catalog %s is not given; specify it, as in --catalog %s=CATALOG%s", e.Line, text.And(text.Names(e.Refs)), e.Refs[0], near)
}

// maxPasses limits how often a plan is completed and checked again.
const maxPasses = 50

// Make returns the plan of a configuration. The error is an [*UnknownError] if a catalog lacks a
// named object, unless [Options.IgnoreMissing] is set; a [*SelectionError] if oc-mirror would
// refuse the configuration, joined for several catalogs; a [*CatalogError]; a
// [*resolver.RequestError] for a malformed installed cluster; or a [*resolver.IncompleteError]. It
// is safe for concurrent use.
func Make(ctx context.Context, r *resolver.Resolver, c *Configuration, opts Options) (*Plan, error) {
	m := &maker{r: r, c: c, plan: &Plan{Packages: []SelectedPackage{}}, whole: make([]Catalog, len(c.Operators)), keys: keysOf(c.Operators),
		ignore: opts.IgnoreMissing}
	if err := m.match(opts.Catalogs); err != nil {
		return nil, err
	}
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	if err := m.clusters(opts.Installed); err != nil {
		return nil, err
	}
	for pass := 0; ; pass++ {
		if err := m.check(ctx); err != nil {
			return nil, err
		}
		if !m.grown {
			break
		}
		if pass == maxPasses {
			m.plan.Warnings = append(m.plan.Warnings, fmt.Sprintf("additions still need additions after %d passes; mirror whole channels instead", maxPasses))
			break
		}
	}
	plan := m.finish(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return plan, nil
}

func (m *maker) match(catalogs []Catalog) error {
	known := text.Each(catalogs, func(c Catalog) string { return c.Ref })
	var named, missing []string
	line, used := 0, make(map[string]bool)
	for i, o := range m.c.Operators {
		named = append(named, o.Catalog)
		k := slices.IndexFunc(catalogs, func(c Catalog) bool { return SameReference(c.Ref, o.Catalog) })
		if k < 0 {
			line = cmp.Or(line, o.line)
			missing = append(missing, o.Catalog)
			continue
		}
		used[catalogs[k].Ref] = true
		m.whole[i] = catalogs[k]
	}
	if len(missing) > 0 {
		return &CatalogError{Refs: missing, Known: known, Line: max(line, 1)}
	}
	for _, ref := range known {
		if !used[ref] {
			return &CatalogError{Refs: []string{ref}, Known: named}
		}
	}
	return nil
}

// SameReference reports whether two references of catalogs are the same, with or without
// the transport docker://.
func SameReference(a, b string) bool {
	return strings.TrimPrefix(a, "docker://") == strings.TrimPrefix(b, "docker://")
}

// begin computes the selection of the original configuration.
func (m *maker) begin(ctx context.Context) error {
	first, unknown, err := m.selections(ctx, m.c.Operators)
	if err != nil {
		return err
	}
	m.first, m.now = first, first
	for i := range m.whole {
		m.unmirrored = append(m.unmirrored, cmp.Or(m.whole[i].Images, new(Images)).unmirrored(ctx, m.c.Blocked))
	}
	for _, p := range unknown.Problems {
		m.plan.Warnings = append(m.plan.Warnings, (&UnknownError{Problems: []Problem{p}}).Error())
	}
	if unknown.More > 0 {
		m.plan.Warnings = append(m.plan.Warnings, fmt.Sprintf("the catalogs lack %d more packages, channels and versions", unknown.More))
	}
	for i, sel := range first {
		of := ""
		if ref := m.ref(i); ref != "" {
			of = "catalog " + text.Name(ref) + ": "
		}
		n := newNeeds(m.whole[i].Content, &m.c.Operators[i], sel)
		m.needs = append(m.needs, n)
		m.operators = append(m.operators, n.operator(ctx))
		for _, w := range sel.Warnings {
			m.plan.Warnings = append(m.plan.Warnings, of+w)
		}
		for _, p := range sel.Packages {
			p.Catalog = m.ref(i)
			m.plan.Packages = append(m.plan.Packages, p)
		}
	}
	for _, w := range m.c.Warnings {
		m.plan.Warnings = append(m.plan.Warnings, (&scenario.Error{File: m.c.File, Problems: []scenario.Problem{w}}).Error())
	}
	return m.view(ctx)
}

func (m *maker) ref(i int) string {
	if len(m.whole) == 1 {
		return ""
	}
	return m.whole[i].Ref
}

func (m *maker) finish(ctx context.Context) *Plan {
	m.plan.Added = m.added()
	completed := *m.c
	completed.Operators = nil
	for i, o := range m.operators {
		if m.needs[i].none() {
			m.plan.OmittedCatalogs = append(m.plan.OmittedCatalogs, o.Catalog)
			m.plan.Warnings = append(m.plan.Warnings, omitted(o.Catalog))
			continue
		}
		completed.Operators = append(completed.Operators, o)
		m.plan.Selections = append(m.plan.Selections, m.now[i])
	}
	m.plan.Configuration = &completed
	m.standings(ctx)
	m.plan.Images = m.images(ctx)
	if n := len(m.plan.UpgradeOnly); n > 0 {
		names := text.Each(m.plan.UpgradeOnly, func(u UpgradeOnly) string { return text.Name(u.Bundle) })
		m.plan.Warnings = append(m.plan.Warnings, fmt.Sprintf("%s not offered for new installs, only for upgrades: %s",
			text.Count(n, "bundle is", "bundles are"), text.Short(names, 10)))
	}
	return m.plan
}

// added returns the bundles that are selected now and were not at first.
func (m *maker) added() []Added {
	var out []Added
	for i, sel := range m.now {
		before := make(map[bundleKey]bool)
		for _, p := range m.first[i].Packages {
			for _, b := range p.Bundles {
				before[bundleKey{p.Name, b}] = true
			}
		}
		for _, p := range sel.Packages {
			in := p.firstChannels()
			for _, b := range p.Bundles {
				of := bundleKey{p.Name, b}
				if before[of] {
					continue
				}
				a := Added{Catalog: m.ref(i), Package: p.Name, Bundle: b, Channel: in[b], Because: m.needs[i].why[of]}
				if len(a.Because) == 0 {
					a.Because = []Reason{{Constraint: fmt.Sprintf("oc-mirror keeps bundles between the selected ones in channel %s", text.Name(a.Channel))}}
				}
				out = append(out, a)
			}
		}
	}
	return out
}
