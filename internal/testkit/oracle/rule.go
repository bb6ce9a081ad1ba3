package oracle

import (
	"fmt"
	"slices"
)

// RuleKind is the template of a CEL rule.
type RuleKind int

// The templates.
const (
	// HasType: some property has this type.
	HasType RuleKind = iota
	// LacksType: no property has this type, written with !exists.
	LacksType
	// AllOtherTypes is LacksType written with all.
	AllOtherTypes
	// OfPackage: the bundle is of this package.
	OfPackage
	// OfPackageVersion: the bundle is of this package, with a version that
	// compares to Version by Op.
	OfPackageVersion
	// TextIs: some property of this type has the string Text as value.
	TextIs
	// TierIs: some property has this tier. It fails on every property without
	// one; "exists" ignores the error if another property matches.
	TierIs
	// TierIsNot is the negation of TierIs: true only if every property has a tier.
	TierIsNot
	// TypeAt: the property at this index has this type; an error if the index
	// is out of range.
	TypeAt
	// AtLeast: there are at least this many properties.
	AtLeast
	// KubeAtLeast: the cluster has at least this version of Kubernetes.
	KubeAtLeast
	// Constant: true if Index is not 0.
	Constant
	// NotRule, AndRule and OrRule combine other rules.
	NotRule
	AndRule
	OrRule
)

// Rule is a CEL rule with known semantics.
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

// verdict is the value of a rule: false, error or true. "And" is the minimum
// of both sides, "or" the maximum: a side that decides alone absorbs an error
// of the other. Negation changes the sign.
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

// eval evaluates the rule on a bundle whose olm.package names pkg.
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

// identity returns the package in the bundle's olm.package property, if valid.
func (b *Bundle) identity(pkg string) string {
	switch {
	case !b.identified():
		return ""
	case b.Defect == ForeignIdentity:
		return pkg + "-other"
	}
	return pkg
}

// tierIs is false only if every property has a tier; otherwise evaluation
// fails.
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
