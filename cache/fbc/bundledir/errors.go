package bundledir

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
)

// Codes of problems, beside those of package fbc.
const (
	// CodeNotBundle: the directory has no folder manifests or metadata, or no
	// ClusterServiceVersion.
	CodeNotBundle graph.Code = "notBundle"
	// CodeManifest: a manifest, or a part of one, cannot be used.
	CodeManifest graph.Code = "manifest"
	// CodeMetadata: a file in metadata, or a part of one, cannot be used.
	CodeMetadata graph.Code = "metadata"
	// CodeNotOwned: the ClusterServiceVersion owns a custom resource definition
	// that is not among the manifests.
	CodeNotOwned graph.Code = "ownedMissing"
	// CodeIgnored: opm and OLM skip this (a warning).
	CodeIgnored graph.Code = "ignored"
)

// Error reports a directory that is not a bundle or is invalid.
type Error struct {
	// Problems are all problems, including warnings, in the order of the files. At least one has
	// severity error.
	Problems []graph.Problem
}

// Error returns the first error and the number of errors.
func (e *Error) Error() string {
	errs := slices.DeleteFunc(slices.Clone(e.Problems), func(p graph.Problem) bool { return p.Severity != graph.SeverityError })
	switch len(errs) {
	case 0:
		return "the bundle directory cannot be read"
	case 1:
		return "the bundle directory cannot be read: " + errs[0].Error()
	}
	return fmt.Sprintf("the bundle directory cannot be read: it has %d errors, first: %s", len(errs), errs[0].Error())
}

// Unwrap returns each problem as an error: a [*graph.Problem].
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Problems))
	for i := range e.Problems {
		errs[i] = &e.Problems[i]
	}
	return errs
}
