package oracle

import (
	"fmt"
	"slices"
)

// RuleKind is the template that a CEL rule is made from.
type RuleKind int

// The templates, each with the text that it gives.
const (
	// HasType: some property has this type.
	HasType RuleKind = iota
	// LacksType: no property has this type, written with !exists.
	LacksType
	// AllOtherTypes means the same as LacksType, written with all.
	AllOtherTypes
	// OfPackage: the bundle is of this package.
	OfPackage
	// OfPackageVersion: the bundle is of this package, with a version that
	// compares to Version as Op says.
	OfPackageVersion
	// TextIs: some property of this type has the string Text as value.
	TextIs
	// TierIs: some property has this tier. It is an error on every property
	// that has none, which "exists" forgives where another one matches.
	TierIs
	// TierIsNot is the negation of TierIs: true only if every property has a tier.
	TierIsNot
	// TypeAt: the property of this index has this type; an error if there are
	// not that many.
	TypeAt
	// AtLeast: there are so many properties.
	AtLeast
	// KubeAtLeast: the cluster has this version of Kubernetes, or a later one.
	KubeAtLeast
	// Constant: true if Index is not 0.
	Constant
	// NotRule, AndRule and OrRule combine one or two other rules.
	NotRule
	AndRule
	OrRule
)

// Rule is a CEL rule whose meaning is known.
type Rule struct {
	Kind    RuleKind
	Type    string
	Text    string // package, text or tier
	Op      string
	Version Version
	Index   int
	Of      []Rule
}

// String returns the rule in CEL.
func (r Rule) String() string {
	switch r.Kind {
	case Constant:
		return fmt.Sprint(r.Index != 0)
	case NotRule:
		return fmt.Sprintf("!(%s)", r.Of[0])
	case AndRule:
		return fmt.Sprintf("(%s) && (%s)", r.Of[0], r.Of[1])
	case OrRule:
		return fmt.Sprintf("(%s) || (%s)", r.Of[0], r.Of[1])
	}
	return fmt.Sprintf([...]string{ // 1: type, 2: text, 3: version, 4: operator, 5: index
		HasType:          `properties.exists(p, p.type == %[1]q)`,
		LacksType:        `!properties.exists(p, p.type == %[1]q)`,
		AllOtherTypes:    `properties.all(p, p.type != %[1]q)`,
		OfPackage:        `properties.exists(p, p.type == "olm.package" && p.value.packageName == %[2]q)`,
		OfPackageVersion: `properties.exists(p, p.type == "olm.package" && p.value.packageName == %[2]q && semver_compare(p.value.version, %[3]q) %[4]s 0)`,
		TextIs:           `properties.exists(p, p.type == %[1]q && p.value == %[2]q)`,
		TierIs:           `properties.exists(p, p.value.tier == %[2]q)`,
		TierIsNot:        `!properties.exists(p, p.value.tier == %[2]q)`,
		TypeAt:           `properties[%[5]d].type == %[1]q`,
		AtLeast:          `size(properties) >= %[5]d`,
		KubeAtLeast:      `cluster.exists(c, c.type == "olm.kubeversion" && semver_compare(c.value.version, %[3]q) >= 0)`,
	}[r.Kind], r.Type, r.Text, r.Version, r.Op, r.Index)
}

// verdict is the value of a rule: CEL has a third one between the two. Of an "and"
// it is the least, of an "or" the greatest of both sides: the side that decides alone
// forgives an error of the other one. The negation of one is its negative.
type verdict int

const (
	isFalse verdict = iota - 1
	isError
	isTrue
)

func verdictOf(b bool) verdict {
	if b {
		return isTrue
	}
	return isFalse
}

// eval gives the value of the rule on a bundle whose olm.package names pkg.
func (r Rule) eval(pkg string, b *Bundle, cluster *Cluster) verdict {
	switch r.Kind {
	case HasType:
		return verdictOf(slices.Contains(b.types(), r.Type))
	case LacksType, AllOtherTypes:
		return verdictOf(!slices.Contains(b.types(), r.Type))
	case OfPackage:
		return verdictOf(b.identity(pkg) == r.Text)
	case OfPackageVersion:
		return verdictOf(b.identity(pkg) == r.Text && compares(b.Version.Compare(r.Version), r.Op))
	case TextIs:
		return verdictOf(slices.Contains(b.Extras, Extra{Type: r.Type, Text: r.Text}))
	case TierIs:
		return b.tierIs(r.Text)
	case TierIsNot:
		return -b.tierIs(r.Text)
	case TypeAt:
		types := b.types()
		if r.Index >= len(types) {
			return isError
		}
		return verdictOf(types[r.Index] == r.Type)
	case AtLeast:
		return verdictOf(len(b.types()) >= r.Index)
	case KubeAtLeast:
		return verdictOf(cluster.kubeAtLeast(r.Version))
	case Constant:
		return verdictOf(r.Index != 0)
	case NotRule:
		return -r.Of[0].eval(pkg, b, cluster)
	}
	x, y := r.Of[0].eval(pkg, b, cluster), r.Of[1].eval(pkg, b, cluster)
	if r.Kind == OrRule {
		return max(x, y)
	}
	return min(x, y)
}

// identity is the package that the bundle's olm.package property names, as far as
// it can be read.
func (b *Bundle) identity(pkg string) string {
	switch {
	case !b.identified():
		return ""
	case b.Defect == ForeignIdentity:
		return pkg + "-other"
	}
	return pkg
}

// tierIs is plainly false only where every property has a tier: on others, the
// question is an error.
func (b *Bundle) tierIs(tier string) verdict {
	tiers := 0
	for _, e := range b.Extras {
		if e.Tier == tier {
			return isTrue
		}
		if e.Tier != "" {
			tiers++
		}
	}
	if tiers == len(b.types()) {
		return isFalse
	}
	return isError
}
