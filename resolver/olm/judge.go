package olm

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

// labelName is the label with the name of a catalog of OLM v1.
const labelName = "olm.operatorframework.io/metadata.name"

// conclude computes the verdict from the objects and the known content of catalogs: those of OLM
// v1 by name, and the CatalogSource. Order describes the order in which requirements become
// extensions, if known.
func (m *Migration) conclude(contents map[string]*cache.Catalog, source *cache.Catalog, order string) {
	f := *m.facts
	f.reasons, f.missing, f.warnings = slices.Clone(f.reasons), slices.Clone(f.missing), slices.Clone(f.warnings)
	own := f.sub.Status.InstalledCSV
	target := f.target(contents)
	content := contents[target]
	if content == nil {
		content = source
	}
	if content != nil {
		f.requires = f.index.declared(f.requires, content, f.sub.Spec.Package, own)
	}
	m.requires = f.requires
	if len(f.requires) > 0 {
		f.against("C2", "%s requires others, and OLM v1 resolves no dependencies: %s; %s", own, strings.Join(f.index.inWords(f.requires), ", "),
			cmp.Or(order, "with `dependencies: Plan` its requirements become extensions first, then "+own))
	}
	m.Extension, m.Object = nil, nil
	if own != "" {
		m.extend(&f, cmp.Or(target, f.source.Name), content)
	}
	slices.SortStableFunc(f.reasons, func(a, b MigrationReason) int { return cmp.Compare(ruleNumber(a.Code), ruleNumber(b.Code)) })
	m.Reasons, m.Missing, m.Warnings = append([]MigrationReason{}, f.reasons...), f.missing, f.warnings
	hard := slices.ContainsFunc(m.Reasons, func(r MigrationReason) bool { return r.Hard })
	switch {
	case hard:
		m.Verdict = VerdictBlocked
	case len(m.Missing) > 0:
		m.Verdict = VerdictUnknown
	case len(m.Reasons) > 0:
		m.Verdict = VerdictAcknowledge
	default:
		m.Verdict = VerdictEligible
	}
}

// ruleNumber orders rules: C1, C1a, C2, … C10.
func ruleNumber(code string) int {
	n := 0
	_, _ = fmt.Sscanf(code, "C%d", &n)
	n *= 2
	if strings.HasSuffix(code, "a") {
		n++
	}
	return n
}

// declared returns the requirements and those of the same bundle in the catalog.
func (ix *index) declared(requires []scenario.Property, content *cache.Catalog, pkg, bundle string) []scenario.Property {
	p := content.Package(pkg)
	if p == nil || p.Bundle(bundle) == nil {
		return requires
	}
	list := slices.Clone(requires)
	for prop := range p.Bundle(bundle).Properties.All() {
		list = append(list, scenario.Property{Type: prop.Type(), Value: []byte(prop.Raw())})
	}
	return ix.distinct(list)
}

// target returns the ClusterCatalog that serves the package: the one with the same image, else
// the best one with the package. Without a definite one, rule C7 applies.
func (f *migrationFacts) target(contents map[string]*cache.Catalog) string {
	var serving, unknown []string
	best, bestPriority, same := "", 0, ""
	for _, c := range f.targets {
		name := c.Metadata.Name
		if !c.serves() {
			continue
		}
		serving = append(serving, name)
		alike := f.image != "" && (c.Spec.Source.Image.Ref == f.image || c.Status.ResolvedSource.Image.Ref == f.image)
		switch content := contents[name]; {
		case content == nil && alike:
			same = cmp.Or(same, name) // the image of the operator
		case content == nil:
			unknown = append(unknown, name)
		case content.Package(f.sub.Spec.Package) == nil:
		case alike:
			same = cmp.Or(same, name)
		case best == "" || c.Spec.Priority > bestPriority:
			best, bestPriority = name, c.Spec.Priority
		}
	}
	switch {
	case same != "" || best != "":
		return cmp.Or(same, best)
	case len(f.targets) == 0:
		f.lacks("ClusterCatalogs: the dump has none, so it is unknown whether one serves package %s (C7)", f.sub.Spec.Package)
	case len(unknown) > 0:
		f.lacks("the content of ClusterCatalog %s, which may serve package %s (C7)", text.Or(unknown), f.sub.Spec.Package)
	case len(serving) > 0:
		f.against("C7", "no ClusterCatalog serves package %s: %s %s not contain it; migrate the catalog first", f.sub.Spec.Package, text.And(serving), text.Plural(len(serving), "does", "do"))
	default:
		f.against("C7", "no ClusterCatalog is served; migrate the catalog with package %s first", f.sub.Spec.Package)
	}
	return ""
}

// serves reports whether a catalog of OLM v1 is available to extensions.
func (c *clusterCatalog) serves() bool {
	if c.Spec.AvailabilityMode == "Unavailable" {
		return false
	}
	for _, s := range c.Status.Conditions {
		if s.Type == "Serving" {
			return s.Status == "True"
		}
	}
	return true
}

// extend builds the extension that the subscription becomes.
func (m *Migration) extend(f *migrationFacts, catalog string, content *cache.Catalog) {
	s := f.sub
	e := &resolver.Extension{Name: s.Metadata.Name, Package: s.Spec.Package, InstalledCSV: s.Status.InstalledCSV}
	o := extensionObject(e.Name, m.Namespace, ExtensionCatalog{PackageName: e.Package})
	switch {
	case s.Spec.Channel != "":
		e.Channels = []string{s.Spec.Channel}
	case content != nil && content.Package(e.Package) != nil && content.Package(e.Package).DefaultChannel != "":
		e.Channels = []string{content.Package(e.Package).DefaultChannel}
	default:
		f.warn("the default channel of package %s is unknown without the content of its catalog; without channels the extension follows all channels", e.Package)
	}
	if s.Spec.InstallPlanApproval == "Manual" {
		if f.version == "" {
			f.lacks("the version of %s, to which manual approval pins it", e.InstalledCSV)
		}
		e.VersionRange = f.version
	}
	if catalog != "" {
		e.Catalogs.MatchLabels = map[string]string{labelName: catalog}
		o.Spec.Source.Catalog.Selector = &ExtensionSelector{MatchLabels: e.Catalogs.MatchLabels}
	}
	o.Spec.Source.Catalog.Channels, o.Spec.Source.Catalog.Version = e.Channels, e.VersionRange
	if config := f.configured(); len(config) > 0 {
		o.Spec.Config = &ExtensionConfig{ConfigType: "Inline", Inline: ExtensionInlineConfig{config}}
	}
	m.Extension, m.Object = e, o
}

// JudgeMigrations judges the migrations again with the content of catalogs that load returns:
// which ClusterCatalog serves a package, which channel is the default, what a bundle requires,
// and whether subscription and extension get the same version. Content that load does not return
// remains unknown. The error is that of the context.
func (c *Capture) JudgeMigrations(ctx context.Context, r *resolver.Resolver, load func(context.Context, *scenario.Scenario) (resolver.Request, error)) error {
	if len(c.Migration) == 0 {
		return nil
	}
	contents := make(map[string]*cache.Catalog)
	targets := c.clusterCatalogs
	for i := range targets.Catalogs {
		one := &scenario.Scenario{Catalogs: targets.Catalogs[i : i+1]}
		if req, err := load(ctx, one); err == nil && len(req.Catalogs) == 1 && req.Catalogs[0].Content != nil {
			contents[targets.Catalogs[i].Name] = req.Catalogs[0].Content
		}
	}
	for _, ns := range c.Namespaces {
		list := slices.DeleteFunc(pointers(c.Migration), func(m *Migration) bool { return m.Namespace != ns.Namespace })
		if len(list) == 0 {
			continue
		}
		j := judge{resolver: r, targets: c.clusterCatalogs, contents: contents}
		j.resolve(ctx, ns.Scenario, load)
		for _, m := range list {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			source := contentOf(j.classic, m.facts.source)
			m.conclude(contents, source, "")
			if len(m.requires) > 0 && m.Extension != nil {
				m.conclude(contents, source, j.order(ctx, m))
			}
			if m.Extension != nil {
				j.compare(ctx, m)
			}
		}
	}
	return ctx.Err()
}

func pointers(list []Migration) []*Migration {
	out := make([]*Migration, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// contentOf returns the content of a catalog of a request; nil if it has none.
func contentOf(req resolver.Request, key cache.Key) *cache.Catalog {
	for i := range req.Catalogs {
		if req.Catalogs[i].Key == key {
			return req.Catalogs[i].Content
		}
	}
	return nil
}

// answers returns the bundles of a solution by package, with pinned ones.
func answers(ctx context.Context, r *resolver.Resolver, req resolver.Request) (map[string]string, error) {
	sol, err := r.Resolve(ctx, req)
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(sol.Steps))
	for _, s := range sol.Steps {
		out[s.Package] = s.Bundle
	}
	return out, nil
}
