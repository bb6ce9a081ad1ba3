package v1alpha1

import (
	"github.com/seed109e2655/resolute/resolver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The types of the conditions.
const (
	// ConditionResolved is True if the status has a plan, False if there is
	// none because of the object or the catalogs, and Unknown if the
	// resolution did not finish.
	ConditionResolved = "Resolved"
	// ConditionCatalogsAvailable is True if the latest read of every catalog
	// of the object succeeded.
	ConditionCatalogsAvailable = "CatalogsAvailable"
)

// The reasons of the condition Resolved.
const (
	// ReasonResolved (True): the plan satisfies the request.
	ReasonResolved = "Resolved"
	// ReasonPartlyResolved (True): the plan omits the subscriptions in
	// status.unresolved, as policy Partial allows.
	ReasonPartlyResolved = "PartlyResolved"
	// ReasonConflict (False): there is no plan; see status.conflict.
	ReasonConflict = "Conflict"
	// ReasonInvalidRequest (False): the spec is invalid.
	ReasonInvalidRequest = "InvalidRequest"
	// ReasonTooLarge (False): the plan exceeds the size of an object's status.
	// A partial plan is never written.
	ReasonTooLarge = "TooLarge"
	// ReasonCatalogUnavailable (Unknown): a catalog is unavailable, and the
	// policy is Fail.
	ReasonCatalogUnavailable = "CatalogUnavailable"
	// ReasonIncomplete (Unknown): the resolution exceeded a limit.
	ReasonIncomplete = "Incomplete"
)

// The reasons of the condition CatalogsAvailable.
const (
	// ReasonRead (True): all catalogs were read.
	ReasonRead = "Read"
	// ReasonUnavailable (False): some catalogs are unavailable, see
	// status.catalogs.
	ReasonUnavailable = "Unavailable"
	// ReasonNoCatalogs (False): the object uses no catalogs.
	ReasonNoCatalogs = "NoCatalogs"
)

// OperatorSetStatus is the answer for one generation of the spec and one state
// of the catalogs. It is deterministic, so that it is written only when the
// answer changes.
type OperatorSetStatus struct {
	// ObservedGeneration is the resolved generation of the spec.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions have the result.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Catalogs are the used catalogs and versions of their content.
	Catalogs []CatalogStatus `json:"catalogs,omitempty"`
	// Set has the names of all bundles of the result, including kept ones.
	Set []string `json:"set,omitempty"`
	// Steps are the same bundles in install order, wave by wave.
	Steps []resolver.Step `json:"steps,omitempty"`
	// Unresolved are the subscriptions dropped by policy Partial.
	Unresolved []Unresolved `json:"unresolved,omitempty"`
	// Warnings are the warnings of the resolution.
	Warnings []resolver.Warning `json:"warnings,omitempty"`
	// Conflict explains why there is no plan.
	Conflict *Conflict `json:"conflict,omitempty"`
	// Omitted lists what was dropped or truncated to limit the size.
	Omitted []string `json:"omitted,omitempty"`
}

// CatalogStatus is a catalog as used by the resolution.
type CatalogStatus struct {
	// Name is the catalog's key, "namespace/name".
	Name     string `json:"name"`
	Priority int32  `json:"priority,omitempty"`
	// Digest is the digest of the used content; empty if there was none.
	Digest string `json:"digest,omitempty"`
	// Unavailable is the read error; empty on success.
	Unavailable string `json:"unavailable,omitempty"`
}

// Unresolved is a dropped subscription with the reason.
type Unresolved struct {
	Subscription string    `json:"subscription"`
	Conflict     *Conflict `json:"conflict,omitempty"`
}

// Conflict explains why there is no plan, as contradictory facts. It is the
// part of a [resolver.Conflict] that fits into an object; the full facts list
// all of their candidates.
type Conflict struct {
	// Text is the argument as text.
	Text string `json:"text"`
	// Facts are minimal unless NotMinimal is set: without any one of them, the
	// others are satisfiable.
	Facts []Fact `json:"facts,omitempty"`
	// NotMinimal means that the minimization was stopped early.
	NotMinimal bool `json:"notMinimal,omitempty"`
	// Corrections are the minimal sets of changes that make a plan possible,
	// best first.
	Corrections []Correction `json:"corrections,omitempty"`
}

// Fact is a fact of a conflict.
type Fact struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	// Message is the failure message of the constraint's author.
	Message string `json:"message,omitempty"`
}

// Correction is a set of changes that resolves the conflict.
type Correction struct {
	Text    string   `json:"text"`
	Changes []Change `json:"changes,omitempty"`
	// Result is the result set after the changes.
	Result []string `json:"result,omitempty"`
}

// Change is a change of the spec.
type Change struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	// Value is the new value, if any.
	Value string `json:"value,omitempty"`
}
