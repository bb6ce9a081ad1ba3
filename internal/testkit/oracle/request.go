package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// must panics on an error, which no drawn problem causes.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Request converts the problem to a request, with its catalogs parsed from
// their blobs. It panics on an invalid problem, which is never drawn.
func (p *Problem) Request(parser *constraints.Parser) resolver.Request {
	req := p.withoutContent(parser)
	for i := range p.Catalogs {
		req.Catalogs[i].Content = must(fbc.FromBlobs(context.Background(), p.Catalogs[i].Blobs(), fbc.Options{Catalog: p.Catalogs[i].Key, Parser: parser}))
	}
	return req
}

// withoutContent returns the request without the content of its catalogs.
func (p *Problem) withoutContent(parser *constraints.Parser) resolver.Request {
	req := resolver.Request{Namespace: p.Namespace, OperatorGroup: p.Group, Subscriptions: slices.Clone(p.Subscriptions), Policy: p.Policy,
		Cluster: p.Cluster.request(), Forbid: p.Forbid, Force: p.Force, Constraints: added(p.Added, parser), Relax: added(p.Relax, parser)}
	for _, c := range p.Catalogs {
		req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: c.Key, Priority: c.Priority})
	}
	for i := range p.Installed {
		req.Installed = append(req.Installed, p.Installed[i].Request())
	}
	return req
}

func added(list []Added, parser *constraints.Parser) (out []resolver.BundleConstraint) {
	for i := range list {
		out = append(out, resolver.BundleConstraint{Bundle: list[i].Bundle, Constraint: list[i].Constraint.Parsed(parser)})
	}
	return out
}

// Parsed parses the constraint from its property.
func (c *Constraint) Parsed(parser *constraints.Parser) constraints.Constraint {
	p := c.Property()
	out, known, err := parser.FromProperty(must(properties.New(p.Type, p.RawValue())))
	if !known {
		panic(p.Type + " is not a constraint")
	}
	return must(out, err)
}

// Request returns the installed bundle of a request.
func (in *Installed) Request() resolver.Installed {
	out := resolver.Installed{Name: in.Bundle.Name, Package: in.Package, Catalog: in.Catalog, Channel: in.Channel,
		Subscription: in.Subscription, Automatic: in.Automatic, ReplacedBy: in.ReplacedBy}
	if in.Version != nil {
		v := semver.MustParse(in.Version.String())
		out.Version = &v
	}
	if list, given := in.Properties(); given {
		set := parsed(list)
		out.Properties = &set
	}
	return out
}

func parsed(list []Property) properties.Set {
	out := make([]*properties.Property, len(list))
	for i, p := range list {
		out[i] = must(properties.New(p.Type, p.RawValue()))
	}
	return properties.NewSet(out...)
}

func (c *Cluster) request() resolver.Cluster {
	out := resolver.Cluster{KubernetesVersion: c.Kubernetes, OpenShiftVersion: c.OpenShift}
	if c.Kube != nil {
		out.Properties = parsed(c.Properties())
	}
	for _, api := range apisOf(c.APIs) {
		out.APIs = append(out.APIs, properties.GVK(api))
	}
	for i := range c.CRDs {
		var d properties.CRD
		must(d, json.Unmarshal(encode(c.CRDs[i].scenario()), &d))
		out.CRDs = append(out.CRDs, d)
	}
	return out
}

// Scenario writes the problem as a scenario file. Features that scenarios lack
// (added constraints, forced bundles, pins, generated subscriptions of another
// name) follow as comments.
func (p *Problem) Scenario() string {
	req := p.withoutContent(constraints.NewParser())
	s := scenario.Of(&req)
	for i := range p.Catalogs {
		s.Catalogs[i].Blobs = append([]json.RawMessage{}, p.Catalogs[i].Blobs()...)
	}
	var b strings.Builder
	must(0, s.Write(&b))
	for _, f := range p.Force {
		fmt.Fprintf(&b, "# forced: %s\n", f)
	}
	for _, s := range p.Subscriptions {
		if s.Pin != "" {
			fmt.Fprintf(&b, "# pin of %s: %s\n", s.Name, s.Pin)
		}
		if s.Generated != p.ReadsAsGenerated(&s) {
			fmt.Fprintf(&b, "# generated is %s: %t\n", s.Name, s.Generated)
		}
	}
	for _, a := range p.Added {
		fmt.Fprintf(&b, "# added to %s: %s\n", a.Bundle, encode(a.Constraint.Value()))
	}
	return b.String()
}

// GoString returns the scenario, for rapid's failure output.
func (p *Problem) GoString() string { return "\n" + p.Scenario() }
