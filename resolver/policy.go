package resolver

import (
	"slices"
	"strings"
)

// Policy holds the options of a resolution (section 8 of the semantics). Each is
// named as in scenario files; the empty text stands for the default, so that the
// zero Policy is the default of every option.
type Policy struct {
	Upgrades      Upgrades      `json:"upgrades,omitempty"`
	Compounds     Compounds     `json:"compounds,omitempty"`
	Goal          Goal          `json:"goal,omitempty"`
	Deprecations  Deprecations  `json:"deprecations,omitempty"`
	Failures      Failures      `json:"failures,omitempty"`
	Unavailable   Unavailable   `json:"unavailable,omitempty"`
	Compatibility Compatibility `json:"compatibility,omitempty"`
	Dependencies  Dependencies  `json:"dependencies,omitempty"`
}

// Upgrades says which entries of a channel an installed operator may move to.
type Upgrades string

// The values of [Upgrades].
const (
	// UpgradesCatalog, the default, follows replaces, skips and skipRange.
	UpgradesCatalog Upgrades = "Catalog"
	// UpgradesSelfCertified allows every version of the channel.
	UpgradesSelfCertified Upgrades = "SelfCertified"
)

// Compounds says what a compound constraint is held against.
type Compounds string

// The values of [Compounds].
const (
	// CompoundsSet, the default, holds all, any and not against the whole result
	// set.
	CompoundsSet Compounds = "Set"
	// CompoundsPerBundle asks one single bundle to satisfy the whole of a compound
	// constraint, as OLM Classic does.
	CompoundsPerBundle Compounds = "PerBundle"
)

// Goal says which result is the best.
type Goal string

// The values of [Goal].
const (
	// GoalNewest, the default, prefers what is nearest to the head of a channel.
	GoalNewest Goal = "Newest"
	// GoalMinimalChange prefers to leave an installed operator where it is.
	GoalMinimalChange Goal = "MinimalChange"
	// GoalOldest reverses the order inside each channel.
	GoalOldest Goal = "Oldest"
)

// Deprecations says what an olm.deprecations blob does.
type Deprecations string

// The values of [Deprecations].
const (
	// DeprecationsWarn, the default, adds a warning to the answer.
	DeprecationsWarn Deprecations = "Warn"
	// DeprecationsAvoid puts what is deprecated after every candidate that is not,
	// and warns if it is chosen all the same.
	DeprecationsAvoid Deprecations = "Avoid"
)

// Failures says what a subscription that cannot be met does to the others.
type Failures string

// The values of [Failures].
const (
	// FailuresAll, the default, fails the whole request.
	FailuresAll Failures = "All"
	// FailuresPartial leaves out the subscriptions that cannot be met, and bears
	// with installed bundles that are broken already: each is reported with its own
	// conflict, and the rest is resolved.
	FailuresPartial Failures = "Partial"
)

// Unavailable says what happens if a catalog could not be read.
type Unavailable string

// The values of [Unavailable].
const (
	// UnavailableFail, the default, refuses the request with a [*RequestError].
	UnavailableFail Unavailable = "Fail"
	// UnavailableIgnore resolves without the catalog and warns.
	UnavailableIgnore Unavailable = "Ignore"
	// UnavailableLastGood uses the last good content and warns. A catalog without
	// any is left out as under UnavailableIgnore.
	UnavailableLastGood Unavailable = "LastGood"
)

// Compatibility says what happens to bundles that do not fit the cluster or the
// operator group (section 12 of the semantics).
type Compatibility string

// The values of [Compatibility].
const (
	// CompatibilityWarn, the default, adds a warning for each bundle of the result
	// that does not fit.
	CompatibilityWarn Compatibility = "Warn"
	// CompatibilityRequire chooses no bundle that does not fit; one that is
	// installed may stay, with a warning.
	CompatibilityRequire Compatibility = "Require"
	// CompatibilityIgnore does not look at it.
	CompatibilityIgnore Compatibility = "Ignore"
)

// Dependencies says what happens to an extension whose bundle requires anything
// (section 13 of the semantics). It plays no part for subscriptions.
type Dependencies string

// The values of [Dependencies].
const (
	// DependenciesRefuse, the default, refuses it, as OLM v1 does.
	DependenciesRefuse Dependencies = "Refuse"
	// DependenciesPlan makes each dependency an extension of the plan.
	DependenciesPlan Dependencies = "Plan"
)

// Validate lists the options that have an invalid value.
func (p Policy) Validate() []RequestProblem {
	if p == (Policy{}) {
		return nil
	}
	var out []RequestProblem
	for _, o := range []struct {
		name, value string
		values      []string
	}{
		{"upgrades", string(p.Upgrades), []string{string(UpgradesCatalog), string(UpgradesSelfCertified)}},
		{"compounds", string(p.Compounds), []string{string(CompoundsSet), string(CompoundsPerBundle)}},
		{"goal", string(p.Goal), []string{string(GoalNewest), string(GoalMinimalChange), string(GoalOldest)}},
		{"deprecations", string(p.Deprecations), []string{string(DeprecationsWarn), string(DeprecationsAvoid)}},
		{"failures", string(p.Failures), []string{string(FailuresAll), string(FailuresPartial)}},
		{"unavailable", string(p.Unavailable), []string{string(UnavailableFail), string(UnavailableIgnore), string(UnavailableLastGood)}},
		{"compatibility", string(p.Compatibility), []string{string(CompatibilityWarn), string(CompatibilityRequire), string(CompatibilityIgnore)}},
		{"dependencies", string(p.Dependencies), []string{string(DependenciesRefuse), string(DependenciesPlan)}},
	} {
		if o.value != "" && !slices.Contains(o.values, o.value) {
			last := len(o.values) - 1
			out = append(out, RequestProblem{Field: "policy." + o.name, Value: o.value,
				Message: "not one of its values; use " + strings.Join(o.values[:last], ", ") + " or " + o.values[last]})
		}
	}
	return out
}
