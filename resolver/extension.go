package resolver

import (
	"errors"
)

// Extension asks for an operator as OLM v1 does (section 13 of the semantics): for
// the highest version in a range, whatever the head of a channel is. A request has
// extensions or subscriptions, not both. In answers and changes an extension stands
// where a subscription would.
type Extension struct {
	// Name identifies the extension in the request and in answers.
	Name string `json:"name"`
	// Package is the package to install.
	Package string `json:"package"`
	// VersionRange keeps the versions inside it, in the syntax of Masterminds semver,
	// for example "^1.2" or ">=1.0, <3". Empty keeps all; a range keeps versions with a
	// pre-release only if it names one itself.
	VersionRange string `json:"versionRange,omitempty"`
	// Channels narrows the extension to the bundles of these channels; empty means
	// every channel of the package.
	Channels []string `json:"channels,omitempty"`
	// Catalogs chooses the catalogs to look in; the zero value chooses all.
	Catalogs CatalogSelector `json:"catalogs,omitzero"`
	// Upgrades says which versions an installed bundle may move to; empty stands for
	// what the policy says.
	Upgrades Upgrades `json:"upgrades,omitempty"`
	// InstalledCSV names the installed bundle that the extension owns.
	InstalledCSV string `json:"installedCSV,omitempty"`
	// Pin keeps one of the candidates alone.
	Pin string `json:"-"`
}

// Validate returns an error that says what is wrong with an extension, nil if it is valid.
// It wraps the causes.
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

// extensionError is a problem of an extension that stands for itself, outside a request.
type extensionError RequestProblem

func (e extensionError) Error() string { return e.Message }

func (e extensionError) Unwrap() error { return e.Err }

// Extension returns the extension that a step brings, which installs what another
// extension needs: it asks for the package of the bundle in exactly its version. The
// second result is false for all other steps.
func (s *Step) Extension() (Extension, bool) {
	if !s.Planned || s.Version == nil {
		return Extension{}, false
	}
	return Extension{Name: s.Package, Package: s.Package, VersionRange: s.Version.String(), InstalledCSV: s.Bundle}, true
}
