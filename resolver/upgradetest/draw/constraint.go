package draw

import (
	"fmt"

	"github.com/blang/semver/v4"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/properties"
)

// Version draws versions, prereleases now and then among them. It shrinks towards
// 1.0.0.
func (c Config) Version() *rapid.Generator[semver.Version] {
	return rapid.Custom(func(t *rapid.T) semver.Version {
		part := rapid.IntRange(0, 3)
		v := semver.Version{Major: 1 + uint64(part.Draw(t, "major")), Minor: uint64(part.Draw(t, "minor")), Patch: uint64(part.Draw(t, "patch"))}
		if rarely(t, "prerelease") {
			v.Pre = []semver.PRVersion{{VersionStr: "rc"}, {VersionNum: uint64(1 + part.Draw(t, "rc")), IsNum: true}}
		}
		return v
	})
}

// rarely is true one time in eight, and shrinks towards false.
func rarely(t *rapid.T, label string) bool { return rapid.IntRange(0, 7).Draw(t, label) == 7 }

// Range draws version ranges over what Version draws. It shrinks towards >=1.0.0.
func (c Config) Range() *rapid.Generator[properties.Range] {
	return rapid.Custom(func(t *rapid.T) properties.Range {
		v, w := c.Version().Draw(t, "version"), c.Version().Draw(t, "other")
		if w.LT(v) {
			v, w = w, v
		}
		form := rapid.SampledFrom([]string{">=%[1]s", "=%[1]s", "<%[2]s", ">=%[1]s <%[2]s", "!=%[1]s", "<%[1]s || >%[2]s"}).Draw(t, "form")
		return mustRange(fmt.Sprintf(form+"%[3]s", v, w, ""))
	})
}

// mustRange parses a range that this package wrote.
func mustRange(text string) properties.Range {
	r, err := properties.ParseRange(text)
	if err != nil {
		return properties.Range{} // cannot be, and would contain nothing
	}
	return r
}

// Constraint draws constraints over the packages and APIs that Catalog draws. It
// shrinks towards one plain requirement, of the API of pkg-a.
func (c Config) Constraint() *rapid.Generator[constraints.Constraint] {
	return rapid.Custom(func(t *rapid.T) constraints.Constraint {
		return c.constraint(t, c.packages(), c.depth())
	})
}

// constraint draws a constraint over the first packages.
func (c Config) constraint(t *rapid.T, packages, depth int) constraints.Constraint {
	if packages == 0 {
		return constraints.NewAll()
	}
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "compound") < 2 {
		return c.atom(t, packages)
	}
	kinds := []string{"all", "any", "not"}
	if c.Sound {
		kinds = kinds[:2]
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	children := make([]constraints.Constraint, rapid.IntRange(1, 3).Draw(t, "children"))
	for i := range children {
		children[i] = c.constraint(t, packages, depth-1)
	}
	switch kind {
	case "all":
		return constraints.NewAll(children...)
	case "any":
		return constraints.NewAny(children...)
	}
	return constraints.NewNot(children...)
}

// atom draws a constraint without children.
func (c Config) atom(t *rapid.T, packages int) constraints.Constraint {
	i := rapid.IntRange(0, packages-1).Draw(t, "package")
	kinds := []string{"gvk", "package", "cel"}
	if c.NoCEL {
		kinds = kinds[:2]
	}
	switch rapid.SampledFrom(kinds).Draw(t, "atom") {
	case "package":
		if c.Sound {
			return &constraints.Package{Name: packageName(i), Range: mustRange(">=1.0.0")}
		}
		return &constraints.Package{Name: packageName(i), Range: c.Range().Draw(t, "range")}
	case "cel":
		return ruleOf(i)
	}
	return &constraints.GVK{GVK: api(i)}
}

// ruleOf is a CEL rule that every bundle of a package makes true.
func ruleOf(i int) constraints.Constraint {
	rule := fmt.Sprintf("properties.exists(p, p.type == 'olm.package' && p.value.packageName == '%s')", packageName(i))
	program, err := cel.NewCompiler(cel.Options{}).Compile(rule)
	if err != nil {
		return &constraints.GVK{GVK: api(i)} // cannot be
	}
	return constraints.NewCEL(program)
}
