package resolver

import (
	"errors"
)

// Extension requests an operator as OLM v1 does (section 13 of the semantics): the highest
// version in a range, regardless of channel heads. A request has extensions or subscriptions,
// not both. Answers and changes refer to an extension in the fields for subscriptions.
type Extension struct {
	// Name identifies the extension in the request and in answers.
	Name string `json:"name"`
	// Package is the package to install.
	Package string `json:"package"`
	// VersionRange restricts the version, in the syntax of Masterminds semver, for example
	// "^1.2" or ">=1.0, <3". Empty allows all versions. A range matches pre-releases only if it
	// names one.
	VersionRange string `json:"versionRange,omitempty"`
	// Channels restricts the extension to bundles of these channels; empty allows every channel
	// of the package.
	Channels []string `json:"channels,omitempty"`
	// Catalogs selects catalogs by their labels; the zero value selects all.
	Catalogs CatalogSelector `json:"catalogs,omitzero"`
	// Upgrades selects the versions to which an installed bundle may upgrade; empty means the
	// value of the policy.
	Upgrades Upgrades `json:"upgrades,omitempty"`
	// InstalledCSV names the installed bundle that the extension owns.
	InstalledCSV string `json:"installedCSV,omitempty"`
	// Pin is the name of the only bundle to select; empty allows all candidates.
	Pin string `json:"-"`
}

// Validate checks the extension. The error joins all problems and wraps their causes; it is nil
// if the extension is valid.
func (e *Extension) Validate() error {
	v := validator{}
	v.demand("extensions", 0, e.Name, e.Package, make(map[string]int))
	v.extension(0, e)
	var out []error
	for _, p := range v.problems {
		out = append(out, extensionError(p))
	}
	return errors.Join(out...)
}

// extensionError is a problem of an extension outside a request.
type extensionError RequestProblem

func (e extensionError) Error() string { return e.Message }

func (e extensionError) Unwrap() error { return e.Err }

// Extension returns the extension that a planned step adds for a dependency: the package of the
// bundle at exactly its version. The second result is false for every other step.
func (s *Step) Extension() (Extension, bool) {
	if !s.Planned || s.Version == nil {
		return Extension{}, false
	}
	return Extension{Name: s.Package, Package: s.Package, VersionRange: s.Version.String(), InstalledCSV: s.Bundle}, true
}
