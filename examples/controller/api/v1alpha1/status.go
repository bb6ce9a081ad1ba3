package v1alpha1

import (
	"github.com/seed109e2655/resolute/resolver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The types of the conditions.
const (
	// ConditionResolved is True if the status holds a plan, False if there is
	// none and the reason lies in the object or the catalogs, and Unknown if it
	// could not be found out.
	ConditionResolved = "Resolved"
	// ConditionCatalogsAvailable is True if every catalog that the object uses
	// could be read when it was asked last.
	ConditionCatalogsAvailable = "CatalogsAvailable"
)

// The reasons of the condition Resolved.
const (
	// ReasonResolved (True): the plan meets everything that was asked for.
	ReasonResolved = "Resolved"
	// ReasonPartlyResolved (True): the plan leaves out what status.unresolved
	// lists, as policy Partial allows.
	ReasonPartlyResolved = "PartlyResolved"
	// ReasonConflict (False): no plan exists, for the reason in
	// status.conflict.
	ReasonConflict = "Conflict"
	// ReasonInvalidRequest (False): the spec is not a well-formed problem.
	ReasonInvalidRequest = "InvalidRequest"
	// ReasonTooLarge (False): there is a plan, too large for an object's
	// status. Part of a plan is never written.
	ReasonTooLarge = "TooLarge"
	// ReasonCatalogUnavailable (Unknown): a catalog could not be read, and the
	// policy is Fail.
	ReasonCatalogUnavailable = "CatalogUnavailable"
	// ReasonIncomplete (Unknown): a limit ended the resolution.
	ReasonIncomplete = "Incomplete"
)

// The reasons of the condition CatalogsAvailable.
const (
	// ReasonRead (True): all could be read.
	ReasonRead = "Read"
	// ReasonUnavailable (False): some could not be, see status.catalogs.
	ReasonUnavailable = "Unavailable"
	// ReasonNoCatalogs (False): the object uses none.
	ReasonNoCatalogs = "NoCatalogs"
)

// OperatorSetStatus is the answer for one generation of the spec and one state
// of the catalogs. It holds nothing that differs between two resolutions of the
// same, so that it is written only when the answer changes.
type OperatorSetStatus struct {
	// ObservedGeneration is the generation of the spec that it answers.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions say how it ended.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Catalogs are the catalogs that were used, and which content of them.
	Catalogs []CatalogStatus `json:"catalogs,omitempty"`
	// Set holds the names of all bundles of the result, kept ones included.
	Set []string `json:"set,omitempty"`
	// Steps are the same bundles in the order in which to bring them about:
	// wave by wave.
	Steps []resolver.Step `json:"steps,omitempty"`
	// Unresolved are the subscriptions that policy Partial left out.
	Unresolved []Unresolved `json:"unresolved,omitempty"`
	// Warnings are what did not stop the resolution and should be known.
	Warnings []resolver.Warning `json:"warnings,omitempty"`
	// Conflict says why there is no plan.
	Conflict *Conflict `json:"conflict,omitempty"`
	// Omitted names what was left out or cut to keep the object small.
	Omitted []string `json:"omitted,omitempty"`
}

// CatalogStatus is one catalog as the resolution saw it.
type CatalogStatus struct {
	// Name is the catalog's key, "namespace/name".
	Name     string `json:"name"`
	Priority int32  `json:"priority,omitempty"`
	// Digest is that of the content that was used; empty if there was none.
	Digest string `json:"digest,omitempty"`
	// Unavailable says why it could not be read; empty if it could.
	Unavailable string `json:"unavailable,omitempty"`
}

// Unresolved is a subscription that was left out, and why.
type Unresolved struct {
	Subscription string    `json:"subscription"`
	Conflict     *Conflict `json:"conflict,omitempty"`
}

// Conflict says why there is no plan: facts that cannot all hold. It is what an object
// has room for of a [resolver.Conflict], whose facts have all of their candidates.
type Conflict struct {
	// Text is the argument in plain language.
	Text string `json:"text"`
	// Facts are minimal, unless NotMinimal is set: without any one of them the rest
	// can hold.
	Facts []Fact `json:"facts,omitempty"`
	// NotMinimal says that fewer facts may do: the search for them was stopped early.
	NotMinimal bool `json:"notMinimal,omitempty"`
	// Corrections are the smallest changes after each of which there is a plan,
	// best first.
	Corrections []Correction `json:"corrections,omitempty"`
}

// Fact is one of the facts.
type Fact struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	// Message is what the author of a constraint has to say.
	Message string `json:"message,omitempty"`
}

// Correction is a set of changes that helps.
type Correction struct {
	Text    string   `json:"text"`
	Changes []Change `json:"changes,omitempty"`
	// Result is the result set after them.
	Result []string `json:"result,omitempty"`
}

// Change is one change of the spec.
type Change struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	// Value is what it is changed to, where there is something to say.
	Value string `json:"value,omitempty"`
}
