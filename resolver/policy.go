package resolver

import (
	"slices"
	"strings"
)

// Policy holds the options of a resolution (section 8 of the semantics). Each is
// named as in scenario files; the empty text stands for the default, so that the
// zero Policy is the default of every option.
type Policy struct {
	// Upgrades says which entries of a channel an installed operator may move to.
	// "Catalog", the default, follows replaces, skips and skipRange;
	// "SelfCertified" allows every version of the channel.
	Upgrades string `json:"upgrades,omitempty"`
	// Compounds says what a compound constraint is held against. "Set", the default,
	// holds all, any and not against the whole result set; "PerBundle" asks one
	// single bundle to satisfy the whole of it, as OLM Classic does.
	Compounds string `json:"compounds,omitempty"`
	// Goal says which result is the best. "Newest", the default, prefers what is nearest
	// to the head of a channel; "MinimalChange" prefers to leave an installed operator
	// where it is; "Oldest" reverses the order inside each channel.
	Goal string `json:"goal,omitempty"`
	// Deprecations says what an olm.deprecations blob does. "Warn", the default, adds a
	// warning to the answer; "Avoid" puts what is deprecated after every
	// candidate that is not, and warns if it is chosen all the same.
	Deprecations string `json:"deprecations,omitempty"`
	// Failures says what a subscription that cannot be met does to the others. "All", the
	// default, fails the whole request. "Partial" leaves out the subscriptions that
	// cannot be met, and tolerates installed bundles that are broken already: each is
	// reported with its own conflict, and the rest is resolved.
	Failures string `json:"failures,omitempty"`
	// Unavailable says what happens if a catalog could not be read. "Fail", the default,
	// refuses the request with a [*RequestError]; "Ignore" resolves without the
	// catalog and warns; "LastGood" uses the last good content and warns: a
	// catalog without any is left out.
	Unavailable string `json:"unavailable,omitempty"`
	// Compatibility says what happens to bundles that do not fit the cluster or the
	// operator group (section 12). "Warn", the default, adds a warning for each bundle of
	// the result that does not fit; "Require" chooses no such bundle, and one
	// that is installed may stay, with a warning; "Ignore" does not look at it.
	Compatibility string `json:"compatibility,omitempty"`
	// Dependencies says what happens to an extension whose bundle requires anything
	// (section 13). "Refuse", the default, refuses it, as OLM v1 does; "Plan"
	// makes each dependency an extension of the plan. Subscriptions are not affected.
	Dependencies string `json:"dependencies,omitempty"`
}

// The values of the options of a [Policy] that are not the default.
const (
	upgradesSelfCertified = "SelfCertified"
	compoundsPerBundle    = "PerBundle"
	goalMinimalChange     = "MinimalChange"
	goalOldest            = "Oldest"
	deprecationsAvoid     = "Avoid"
	failuresPartial       = "Partial"
	unavailableIgnore     = "Ignore"
	unavailableLastGood   = "LastGood"
	compatibilityRequire  = "Require"
	compatibilityIgnore   = "Ignore"
	dependenciesPlan      = "Plan"
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
		{"upgrades", p.Upgrades, []string{"Catalog", upgradesSelfCertified}},
		{"compounds", p.Compounds, []string{"Set", compoundsPerBundle}},
		{"goal", p.Goal, []string{"Newest", goalMinimalChange, goalOldest}},
		{"deprecations", p.Deprecations, []string{"Warn", deprecationsAvoid}},
		{"failures", p.Failures, []string{"All", failuresPartial}},
		{"unavailable", p.Unavailable, []string{"Fail", unavailableIgnore, unavailableLastGood}},
		{"compatibility", p.Compatibility, []string{"Warn", compatibilityRequire, compatibilityIgnore}},
		{"dependencies", p.Dependencies, []string{"Refuse", dependenciesPlan}},
	} {
		if o.value != "" && !slices.Contains(o.values, o.value) {
			last := len(o.values) - 1
			out = append(out, RequestProblem{Field: "policy." + o.name, Value: o.value,
				Message: "not one of its values; use " + strings.Join(o.values[:last], ", ") + " or " + o.values[last]})
		}
	}
	return out
}
