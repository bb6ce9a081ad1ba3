package resolver

import (
	"encoding/json"
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// addInstalled makes a node of each installed bundle that counts. The error is
// a *RequestError.
func (p *problem) addInstalled() error {
	if len(p.req.Installed) == 0 {
		return nil
	}
	var v validator
	p.inst = make([]nodeID, len(p.req.Installed))
	p.instName = make(map[string]int32, len(p.req.Installed))
	for i := range p.req.Installed {
		p.instName[p.req.Installed[i].Name] = int32(i)
	}
	for i := range p.req.Installed {
		in := &p.req.Installed[i]
		p.inst[i] = noNode
		if _, replaced := p.instName[in.ReplacedBy]; replaced && in.ReplacedBy != "" {
			continue // on its way out: counts for nothing any more (section 1)
		}
		b := p.installedBundle(in)
		if b.Package == "" {
			v.add(fmt.Sprintf("installed[%d].package", i), "",
				fmt.Sprintf("the package of %s is not known; name it, or give an olm.package property", in.Name), nil)
			continue
		}
		p.inst[i] = p.addNode(b, p.catalogIndex(in.Catalog), int32(i))
	}
	if len(v.problems) > 0 {
		return &RequestError{Problems: v.problems}
	}
	return nil
}

// installedBundle gives an installed bundle the shape of a catalog's one: what
// the request does not say is taken from its properties, then from the catalog's
// bundle of the same name.
func (p *problem) installedBundle(in *Installed) *graph.Bundle {
	b := &graph.Bundle{ID: -1, Name: in.Name, Package: in.Package, Version: in.Version}
	if in.Properties != nil {
		b.Properties = *in.Properties
		p.parseInstalled(b)
	} else if known := p.knownBundle(in); known != nil {
		b.Properties, b.Constraints = known.Properties, known.Constraints
		b.Deprecation, b.Deprecated = known.Deprecation, known.Deprecated
		if b.Package == "" {
			b.Package = known.Package
		}
		if isZero(b.Version) {
			b.Version = known.Version
		}
	}
	if pkg, ok := b.Properties.Package(); ok {
		if b.Package == "" {
			b.Package = pkg.Name
		}
		if isZero(b.Version) {
			b.Version = pkg.Version
		}
	} else if in.Properties == nil && b.Package != "" {
		b.Properties = identity(b)
	}
	return b
}

// identity is the one property that a bundle of which nothing else is known has.
func identity(b *graph.Bundle) properties.Set {
	value, err := json.Marshal(map[string]string{"packageName": b.Package, "version": b.Version.String()})
	if err != nil {
		return properties.Set{}
	}
	prop, err := properties.New(properties.TypePackage, value)
	if err != nil {
		return properties.Set{}
	}
	return properties.NewSet(prop)
}

// parseInstalled reads the constraints among the properties that a request gives.
// One that cannot be read is set aside with a warning: the bundle is on the
// cluster, whatever it says of itself.
func (p *problem) parseInstalled(b *graph.Bundle) {
	for prop := range b.Properties.All() {
		c, ok, err := p.config.parser.FromProperty(prop)
		switch {
		case err != nil:
			p.warnings = append(p.warnings, Warning{Kind: WarnQuarantined, Bundle: b.Name, Package: b.Package,
				Message: fmt.Sprintf("a constraint of the installed bundle %s cannot be read and is ignored: %v", b.Name, err)})
		case ok:
			b.Constraints = append(b.Constraints, graph.Requirement{Constraint: c, Property: prop})
		}
	}
}

// knownBundle is the bundle of a catalog that an installed one stands for: that
// of the catalog it came from, else that of the best catalog that has it. Where
// the request does not name the package, all that the catalog knows by this name
// have to be of one.
func (p *problem) knownBundle(in *Installed) *graph.Bundle {
	for _, c := range p.cats {
		if in.Catalog != (cache.Key{}) && c.Key != in.Catalog {
			continue
		}
		if b := namedIn(c.Content, in.Name, in.Package); b != nil {
			return b
		}
	}
	return nil
}

// namedIn finds a bundle by name, and by package if that is not empty; nil if
// there is none or the name is ambiguous.
func namedIn(c *cache.Catalog, name, pkg string) *graph.Bundle {
	var found *graph.Bundle
	for _, id := range c.Named(name) {
		b := c.Bundle(id)
		if pkg != "" && b.Package != pkg {
			continue
		}
		if found != nil && found.Package != b.Package {
			return nil
		}
		if found == nil {
			found = b
		}
	}
	return found
}

func isZero(v semver.Version) bool {
	return v.Major == 0 && v.Minor == 0 && v.Patch == 0 && len(v.Pre) == 0 && len(v.Build) == 0
}

// current follows the name of an installed bundle, through replacedBy, to the
// one that counts; noNode if nothing of that name is installed.
func (p *problem) current(name string) nodeID {
	i, ok := p.instName[name]
	if !ok || name == "" {
		return noNode
	}
	for steps := 0; p.inst[i] == noNode && steps < len(p.inst); steps++ {
		next, ok := p.instName[p.req.Installed[i].ReplacedBy]
		if !ok {
			return noNode
		}
		i = next
	}
	return p.inst[i]
}
