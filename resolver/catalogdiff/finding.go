package catalogdiff

import (
	"cmp"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// Codes returns the codes of findings, each with a short description. They are stable; codes may
// be added. An improvement has the code of the resolved regression.
//
// An error affects clusters that cannot upgrade or install. EdgeLost is an error if an installed
// version cannot upgrade and a warning if it reaches less; notInstallable is a warning for a new
// bundle; clash is an error if no versions can be installed together any more; deprecated is an
// error if the head of a channel is forbidden. DependentBroken is about an unchanged package, or
// a bundle that holds back its dependency; for newProblem, Problem has the code of the problem.
func Codes() map[string]string {
	return map[string]string{
		"bundleRemoved":         "a bundle that could be installed was removed",
		"packageRemoved":        "a package that could be installed was removed",
		"channelRemoved":        "a channel was removed",
		"edgeLost":              "an upgrade edge was lost",
		"notInstallable":        "a bundle cannot be installed",
		"headUnreachable":       "installed versions do not reach the head of their channel",
		"defaultChannelChanged": "the default channel changed",
		"headLowered":           "the head of a channel went back to a lower version",
		"clash":                 "packages cannot be installed together",
		"dependentBroken":       "a dependent in another package is broken or holds back its dependency",
		"newProblem":            "the catalog has a new problem",
		"deprecated":            "something was deprecated",
		"crdVersionDropped":     "an upgrade drops a served version of a resource definition",
	}
}

// Finding is a regression or improvement for users.
type Finding struct {
	// Code is one of [Codes].
	Code string `json:"code"`
	// Severity is an error if clusters cannot upgrade or install, else a warning.
	Severity graph.Severity `json:"severity"`
	// Catalog is "namespace/name" for a finding about a catalog of [Options.Beside].
	Catalog string `json:"catalog,omitempty"`
	// Package, Channel and Bundle name the subject; each is empty if it does not apply. Together
	// with Code and Problem they identify the finding across runs.
	Package string `json:"package,omitempty"`
	Channel string `json:"channel,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// Text is a sentence that names the affected clusters and the reason. It is not stable.
	Text string `json:"text"`
	// Cause is the text without the bundle, if it applies to several bundles of a channel:
	// reports can merge findings with the same cause.
	Cause string `json:"-"`
	// Why is the reason in Text, if that is a conflict.
	Why string `json:"-"`
	// Facts are the distinct kinds of facts of that conflict, sorted.
	Facts []argument.FactKind `json:"-"`
	// File and Line locate the declaration to correct in the new state, if known, else the
	// bundle, channel or package. Lines count from 1. Both are empty if the new state does not
	// have the subject.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Problem is the code of the problem, for newProblem.
	Problem graph.Code `json:"problem,omitempty"`
	// Bundles are all affected installed versions, if several.
	Bundles []string `json:"bundles,omitempty"`
}

// compareFindings orders findings by severity, then by subject.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		strings.Compare(string(a.Severity), string(b.Severity)), // "error", "warning"
		strings.Compare(a.Catalog, b.Catalog),
		strings.Compare(a.Package, b.Package),
		strings.Compare(a.Channel, b.Channel),
		strings.Compare(a.Bundle, b.Bundle),
		strings.Compare(a.Code, b.Code),
		strings.Compare(string(a.Problem), string(b.Problem)),
		strings.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		strings.Compare(a.Text, b.Text),
	)
}

// Change is a difference between the two states that is relevant for resolution.
type Change struct {
	// Kind is stable; kinds may be added: packageAdded, packageRemoved, defaultChannel,
	// channelAdded, channelRemoved, head, entryAdded, entryRemoved, entryChanged, bundleAdded,
	// bundleRemoved, property, image, compatibility, deprecation.
	Kind    string `json:"kind"`
	Package string `json:"package"`
	Channel string `json:"channel,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// Was and Is are the old and the new value: names, versions, the fields of an entry, the type
	// and value of a property, a message ("deprecated" for none). Long texts are truncated.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
}

// Report is the result of [Compare].
type Report struct {
	// Changes are all differences, by package.
	Changes []Change `json:"changes,omitempty"`
	// Worse and Better are regressions and improvements: errors first, then by package.
	Worse  []Finding `json:"worse,omitempty"`
	Better []Finding `json:"better,omitempty"`
	// Old and New summarize the audits of both states, for the packages in scope.
	Old audit.Summary `json:"old"`
	New audit.Summary `json:"new"`
	// ClashesLeftOut reports that too many packages provide the same APIs, so that clashes in
	// only one of the states were not computed.
	ClashesLeftOut bool `json:"clashesLeftOut,omitempty"`
	// Changed are the changed packages, and Audited the changed ones and their dependents; both
	// sorted.
	Changed []string `json:"-"`
	Audited []string `json:"-"`
}
