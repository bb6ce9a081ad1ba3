package resolver

import (
	"slices"
	"strings"
)

// Policy holds the options of a resolution (section 8 of the semantics), under the names
// that scenario files use. The empty value of an option means its default, so the zero
// Policy is the default of every option.
type Policy struct {
	Upgrades      Upgrades      `json:"upgrades,omitempty"`
	Compounds     Compounds     `json:"compounds,omitempty"`
	Goal          Goal          `json:"goal,omitempty"`
	Deprecations  Deprecations  `json:"deprecations,omitempty"`
	Failures      Failures      `json:"failures,omitempty"`
	Unavailable   Unavailable   `json:"unavailable,omitempty"`
	Compatibility Compatibility `json:"compatibility,omitempty"`
	Dependencies  Dependencies  `json:"dependencies,omitempty"`
	// Veto lists rules that exclude bundles of catalogs.
	Veto []VetoRule `json:"veto,omitempty"`
}

// Upgrades selects the entries of a channel that an installed operator may move to.
type Upgrades string

// The values of [Upgrades].
const (
	// UpgradesCatalog, the default, follows replaces, skips and skipRange.
	UpgradesCatalog Upgrades = "Catalog"
	// UpgradesSelfCertified allows every version of the channel.
	UpgradesSelfCertified Upgrades = "SelfCertified"
)

// Compounds selects the bundles that a compound constraint is evaluated against.
type Compounds string

// The values of [Compounds].
const (
	// CompoundsSet, the default, evaluates all, any and not against the whole result set.
	CompoundsSet Compounds = "Set"
	// CompoundsPerBundle requires one single bundle that satisfies the whole constraint, as
	// OLM Classic does.
	CompoundsPerBundle Compounds = "PerBundle"
)

// Goal selects the result that is the best one.
type Goal string

// The values of [Goal].
const (
	// Newest, the default, prefers the bundles nearest to the head of a channel.
	Newest Goal = "Newest"
	// MinimalChange prefers to keep installed operators at their version.
	MinimalChange Goal = "MinimalChange"
	// Oldest reverses the order inside each channel: without anything installed, the lowest version
	// that suffices.
	Oldest Goal = "Oldest"
	// Nearest prefers to keep installed operators at their version, then the lowest higher version,
	// then the highest lower one.
	Nearest Goal = "Nearest"
)

// Deprecations selects the effect of an olm.deprecations blob.
type Deprecations string

// The values of [Deprecations].
const (
	// DeprecationsWarn, the default, adds a warning to the answer.
	DeprecationsWarn Deprecations = "Warn"
	// DeprecationsAvoid orders deprecated candidates after all others, and warns if one is
	// selected nevertheless.
	DeprecationsAvoid Deprecations = "Avoid"
)

// Failures selects the effect of a subscription that cannot be satisfied.
type Failures string

// The values of [Failures].
const (
	// FailuresAll, the default, fails the whole request.
	FailuresAll Failures = "All"
	// FailuresPartial drops the subscriptions that cannot be satisfied and tolerates installed
	// bundles that are broken already. It reports each with its own conflict, and resolves the
	// rest.
	FailuresPartial Failures = "Partial"
)

// Unavailable selects what happens if a catalog could not be read.
type Unavailable string

// The values of [Unavailable].
const (
	// UnavailableFail, the default, refuses the request with a [*RequestError].
	UnavailableFail Unavailable = "Fail"
	// UnavailableIgnore resolves without the catalog and warns.
	UnavailableIgnore Unavailable = "Ignore"
	// UnavailableLastGood uses the last good content and warns. A catalog that has none is
	// ignored.
	UnavailableLastGood Unavailable = "LastGood"
)

// Compatibility selects what happens to bundles that do not fit the cluster or the operator
// group (section 12).
type Compatibility string

// The values of [Compatibility].
const (
	// CompatibilityWarn, the default, adds a warning for each bundle of the result that does
	// not fit.
	CompatibilityWarn Compatibility = "Warn"
	// CompatibilityRequire selects no such bundle. An installed one may stay, with a warning.
	CompatibilityRequire Compatibility = "Require"
	// CompatibilityIgnore does not check compatibility.
	CompatibilityIgnore Compatibility = "Ignore"
)

// Dependencies selects what happens to an extension whose bundle requires anything (section
// 13). Subscriptions are not affected.
type Dependencies string

// The values of [Dependencies].
const (
	// DependenciesRefuse, the default, refuses the extension, as OLM v1 does.
	DependenciesRefuse Dependencies = "Refuse"
	// DependenciesPlan makes each dependency an extension of the plan.
	DependenciesPlan Dependencies = "Plan"
)

// Validate lists the options that have an invalid value.
func (p Policy) Validate() []RequestProblem {
	return slices.Concat(p.validateVeto(),
		invalid("upgrades", p.Upgrades, UpgradesCatalog, UpgradesSelfCertified),
		invalid("compounds", p.Compounds, CompoundsSet, CompoundsPerBundle),
		invalid("goal", p.Goal, Newest, MinimalChange, Oldest, Nearest),
		invalid("deprecations", p.Deprecations, DeprecationsWarn, DeprecationsAvoid),
		invalid("failures", p.Failures, FailuresAll, FailuresPartial),
		invalid("unavailable", p.Unavailable, UnavailableFail, UnavailableIgnore, UnavailableLastGood),
		invalid("compatibility", p.Compatibility, CompatibilityWarn, CompatibilityRequire, CompatibilityIgnore),
		invalid("dependencies", p.Dependencies, DependenciesRefuse, DependenciesPlan))
}

// invalid is the problem of an option with an unknown value, nothing for a known one.
func invalid[T ~string](name string, value T, values ...T) []RequestProblem {
	if value == "" || slices.Contains(values, value) {
		return nil
	}
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	last := len(names) - 1
	return []RequestProblem{{Field: "policy." + name, Value: string(value),
		Message: "not one of its values; use " + strings.Join(names[:last], ", ") + " or " + names[last]}}
}
