package draw

import (
	"cmp"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Converter makes requests of the oracle's problems. It panics on what no drawn
// problem can have. It is safe for concurrent use. Make it with
// [NewConverter].
type Converter struct {
	// Parser reads the constraints.
	Parser *constraints.Parser
}

// NewConverter returns a converter.
func NewConverter() Converter {
	return Converter{constraints.NewParser()}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Request converts a problem, its catalogs through package graph.
func (c Converter) Request(p *oracle.Problem) resolver.Request {
	return c.RequestWith(p, c.Catalog)
}

// RequestWith converts a problem with a way of its own to make the catalogs.
func (c Converter) RequestWith(p *oracle.Problem, load func(*oracle.Catalog) *cache.Catalog) resolver.Request {
	req := resolver.Request{Namespace: p.Namespace, Policy: policy(p.Policy)}
	for i := range p.Catalogs {
		cat := &p.Catalogs[i]
		req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: key(cat.Key), Priority: cat.Priority, Content: load(cat)})
	}
	req.Cluster.Properties, _ = c.properties(p.Cluster.Properties())
	req.Cluster.KubernetesVersion, req.Cluster.OpenShiftVersion = p.Cluster.Kubernetes, p.Cluster.OpenShift
	if p.Group != nil {
		req.OperatorGroup = &resolver.OperatorGroup{TargetNamespaces: p.Group.Targets}
	}
	for _, kind := range p.Cluster.APIs {
		req.Cluster.APIs = append(req.Cluster.APIs, properties.GVK(oracle.APIOf(kind)))
	}
	for _, d := range p.Cluster.CRDs {
		crd := definition(d)
		crd.StoredVersions = d.Stored
		if d.Elsewhere {
			crd.Owners = []properties.CRDOwner{{Namespace: "elsewhere", Bundle: "other.v1"}}
		}
		req.Cluster.CRDs = append(req.Cluster.CRDs, crd)
	}
	for i := range p.Installed {
		req.Installed = append(req.Installed, c.Installed(&p.Installed[i]))
	}
	for _, s := range p.Subscriptions {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{
			Name: s.Name, Package: s.Package, Channels: s.Channels, Catalog: key(s.Catalog), Hold: s.Hold, Generated: s.Generated,
			StartingCSV: s.StartingCSV, VersionRange: c.versionRange(s.Range), InstalledCSV: s.InstalledCSV, Pin: s.Pin,
		})
	}
	for _, f := range p.Forbid {
		req.Forbid = append(req.Forbid, resolver.Forbidden{Bundle: Ref(f.Bundle), Message: f.Message})
	}
	for _, f := range p.Force {
		req.Force = append(req.Force, Ref(f))
	}
	req.Constraints, req.Relax = c.added(p.Added), c.added(p.Relax)
	return req
}

func (c Converter) added(list []oracle.Added) (out []resolver.BundleConstraint) {
	for _, a := range list {
		out = append(out, resolver.BundleConstraint{Bundle: Ref(a.Bundle), Constraint: c.Constraint(&a.Constraint)})
	}
	return out
}

func policy(p oracle.Policy) resolver.Policy {
	out := resolver.Policy{
		Goal:          cmp.Or(string(p.Goal), "Newest"),
		Compatibility: cmp.Or(string(p.Compatibility), "Warn"),
	}
	if p.SelfCertified {
		out.Upgrades = "SelfCertified"
	}
	if p.PerBundle {
		out.Compounds = "PerBundle"
	}
	if p.Avoid {
		out.Deprecations = "Avoid"
	}
	if p.Partial {
		out.Failures = "Partial"
	}
	return out
}

func key(k oracle.Key) cache.Key { return cache.Key(k) }

// Ref converts the reference to a bundle.
func Ref(r oracle.Ref) resolver.BundleRef {
	return resolver.BundleRef{Catalog: key(r.Catalog), Name: r.Name}
}

func (Converter) versionRange(r oracle.Range) properties.Range {
	if r == nil {
		return properties.Range{}
	}
	return must(properties.ParseRange(r.String()))
}

// properties converts properties and says which are wrong.
func (Converter) properties(list []oracle.Property) (set properties.Set, flaws []graph.Flaw) {
	var ps []*properties.Property
	for _, p := range list {
		prop, err := properties.New(p.Type, p.RawValue())
		if err != nil {
			flaws = append(flaws, graph.Flaw{Code: "propertyInvalid", Property: p.Type, Message: err.Error()})
			continue
		}
		ps = append(ps, prop)
	}
	return properties.NewSet(ps...), flaws
}

// compatibility is what a bundle says of where it runs: in its metadata, else in the
// ClusterServiceVersion in its objects, and in the properties that are kept; and what it
// defines.
func compatibility(b *oracle.Bundle, kept properties.Set) *properties.Compatibility {
	out := kept.Compatibility()
	only := oracle.Bundle{Metadata: cmp.Or(b.Metadata, b.Object)}
	for _, p := range only.Properties("") {
		if p.Type != properties.TypeCSVMetadata {
			continue
		}
		found := must(properties.ParseCompatibility(p.RawValue()))
		if out != nil {
			found.MaxOpenShift = out.MaxOpenShift
		}
		out = found
	}
	for _, d := range b.Defines {
		if out == nil {
			out = &properties.Compatibility{}
		}
		out.CRDs = append(out.CRDs, definition(d))
	}
	return out
}

func definition(d oracle.CRD) properties.CRD {
	api := oracle.APIOf(d.Kind)
	out := properties.CRD{Name: "things." + api.Group, Group: api.Group, Kind: d.Kind}
	for i, v := range d.Versions {
		out.Versions = append(out.Versions, properties.CRDVersion{Name: v, Served: true, Storage: i == len(d.Versions)-1})
	}
	return out
}

// Constraint converts a constraint.
func (c Converter) Constraint(k *oracle.Constraint) constraints.Constraint {
	p := k.Property()
	out, ok, err := c.Parser.FromProperty(must(properties.New(p.Type, p.RawValue())))
	if !ok {
		panic(p.Type + " is no constraint")
	}
	return must(out, err)
}

// Installed converts an installed bundle.
func (c Converter) Installed(in *oracle.Installed) resolver.Installed {
	out := resolver.Installed{
		Name: in.Bundle.Name, Catalog: key(in.Catalog), Channel: in.Channel,
		Subscription: in.Subscription, Automatic: in.Automatic, ReplacedBy: in.ReplacedBy,
	}
	out.Package = in.Package
	if in.Version != nil {
		version := must(semver.Parse(in.Version.String()))
		out.Version = &version
	}
	if list, given := in.Properties(); given {
		set, _ := c.properties(list)
		out.Properties = &set
	}
	return out
}

// Catalog builds a catalog through package graph.
func (c Converter) Catalog(cat *oracle.Catalog) *cache.Catalog {
	var pkgs []*graph.Package
	for i := range cat.Packages {
		pkgs = append(pkgs, graph.Build(c.declare(&cat.Packages[i]), graph.Options{Catalog: cat.Key.String(), Parser: c.Parser}))
	}
	return cache.NewCatalog(pkgs, nil)
}

func (c Converter) declare(p *oracle.Package) graph.PackageDecl {
	d := graph.PackageDecl{Name: p.Name}
	for range 1 + p.Blobs {
		d.Definitions = append(d.Definitions, graph.DefinitionDecl{DefaultChannel: p.Default})
	}
	for _, ch := range p.Channels {
		cd := graph.ChannelDecl{Name: ch.Name}
		for _, e := range ch.Entries {
			cd.Entries = append(cd.Entries, graph.EntryDecl{Name: e.Name, Replaces: e.Replaces, Skips: e.Skips, SkipRange: e.SkipRange.String()})
		}
		d.Channels = append(d.Channels, cd)
	}
	for i := range p.Bundles {
		b := &p.Bundles[i]
		bd := graph.BundleDecl{Name: b.Name, Image: "registry.example/" + b.Name}
		bd.Properties, bd.Flaws = c.properties(slices.DeleteFunc(b.Properties(p.Name), func(p oracle.Property) bool {
			return p.Type == properties.TypeCSVMetadata || p.Type == properties.TypeBundleObject // read, and not kept
		}))
		bd.Compatibility = compatibility(b, bd.Properties)
		d.Bundles = append(d.Bundles, bd)
	}
	for _, n := range p.Notes {
		nd := graph.DeprecationDecl{Schema: graph.SchemaPackage, Message: n.Message}
		switch {
		case n.Bundle != "":
			nd.Schema, nd.Name = graph.SchemaBundle, n.Bundle
		case n.Channel != "":
			nd.Schema, nd.Name = graph.SchemaChannel, n.Channel
		}
		d.Deprecations = append(d.Deprecations, nd)
	}
	return d
}
