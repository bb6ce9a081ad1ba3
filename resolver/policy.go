package resolver

// Policy holds the options of section 8 of the semantics. Its zero value is the
// default of every option.
type Policy struct {
	Upgrades     Upgrades
	Compounds    Compounds
	Goal         Goal
	Deprecations Deprecations
	Failures     Failures
	Unavailable  Unavailable
}

// Upgrades says which entries of a channel an installed operator may move to.
type Upgrades int

const (
	// CatalogEdges follows replaces, skips and skipRange.
	CatalogEdges Upgrades = iota
	// SelfCertified allows every version of the channel.
	SelfCertified
)

// Compounds says what a compound constraint is held against.
type Compounds int

const (
	// SetWise holds all, any and not against the whole result set.
	SetWise Compounds = iota
	// PerBundle asks one single bundle to satisfy the whole of a compound
	// constraint, as OLM Classic does.
	PerBundle
)

// Goal says which result is the best.
type Goal int

const (
	// Newest prefers what is nearest to the head of a channel.
	Newest Goal = iota
	// MinimalChange prefers to leave an installed operator where it is.
	MinimalChange
	// Oldest reverses the order inside each channel.
	Oldest
)

// Deprecations says what an olm.deprecations blob does.
type Deprecations int

const (
	// WarnDeprecated adds a warning to the answer.
	WarnDeprecated Deprecations = iota
	// AvoidDeprecated puts what is deprecated after every candidate that is
	// not, and warns if it is chosen all the same.
	AvoidDeprecated
)

// Failures says what a subscription that cannot be met does to the others.
type Failures int

const (
	// AllOrNothing fails the whole request.
	AllOrNothing Failures = iota
	// Partial leaves out the subscriptions that cannot be met, reports each
	// with its own conflict, and resolves the rest.
	Partial
)

// Unavailable says what happens if a catalog could not be read.
type Unavailable int

const (
	// FailUnavailable refuses the request with a [*RequestError].
	FailUnavailable Unavailable = iota
	// IgnoreUnavailable resolves without the catalog and warns.
	IgnoreUnavailable
	// LastGood uses the last good snapshot and warns. A catalog that has none
	// is left out as under IgnoreUnavailable.
	LastGood
)
