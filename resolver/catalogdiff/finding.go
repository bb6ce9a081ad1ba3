package catalogdiff

import (
	"cmp"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// Codes returns the codes of findings, each with a few words about it. They are stable; a
// code may be added. Among what got better, the code says what it was that is so no more.
//
// An error stops somebody. Of these, edgeLost is an error where an installed version cannot
// move any more and a warning where it gets less far; notInstallable a warning for a bundle
// that is new; clash an error if none of the versions go together any more; deprecated an
// error where the head of a channel is barred. dependentBroken is about a package that did
// not change itself, or a bundle that holds another one back that it depends on; of
// newProblem, Problem says which.
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
		"dependentBroken":       "a dependent in another package is broken or holds back what it depends on",
		"newProblem":            "the catalog has a new problem",
		"deprecated":            "something was deprecated",
		"crdVersionDropped":     "an upgrade takes a served version of a resource definition away",
	}
}

// Finding is one thing that got worse or better for users.
type Finding struct {
	// Code is one of [Codes].
	Code string `json:"code"`
	// Severity distinguishes an error, which stops somebody, from a warning.
	Severity graph.Severity `json:"severity"`
	// Catalog is set, as "namespace/name", where the finding is about something of
	// [Options.Beside].
	Catalog string `json:"catalog,omitempty"`
	// Package, Channel and Bundle name what it is about, each empty where the finding
	// does not lie inside one. Together with Code and Problem they identify it from
	// one run to the next.
	Package string `json:"package,omitempty"`
	Channel string `json:"channel,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// Text is a sentence that says who is hit, and why. It is not stable.
	Text string `json:"text"`
	// Cause is what Text says of several bundles of one channel together, where that is
	// so: findings that have it in common can be told as one.
	Cause string `json:"-"`
	// Why is the reason in Text alone, where a conflict is one.
	Why string `json:"-"`
	// Facts are the kinds of the facts of that conflict, in ascending order, each once.
	Facts []argument.FactKind `json:"-"`
	// File and Line are a place in the new state: of what is to be corrected as far
	// as that is known, else of the finding's bundle, channel or package. Lines count
	// from 1. Both are empty for what the new state lacks altogether.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Problem is the code of the problem, for NewProblem.
	Problem graph.Code `json:"problem,omitempty"`
	// Bundles are all installed versions that are hit, where there are several.
	Bundles []string `json:"bundles,omitempty"`
}

// compareFindings orders findings: errors first, then by where they are.
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

// Change is one difference between the two states that matters to a resolution,
// whether it is good or bad.
type Change struct {
	// Kind is stable; a kind may be added: packageAdded, packageRemoved, defaultChannel,
	// channelAdded, channelRemoved, head, entryAdded, entryRemoved, entryChanged,
	// bundleAdded, bundleRemoved, property, image, compatibility, deprecation.
	Kind    string `json:"kind"`
	Package string `json:"package"`
	Channel string `json:"channel,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// Was and Is are what it was and what it is: names, versions, the fields of an entry, the
	// type and value of a property, a message ("deprecated" for none). A long text is cut.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
}

// Report is what [Compare] found.
type Report struct {
	// Changes are all differences, by package.
	Changes []Change `json:"changes,omitempty"`
	// Worse and Better are what users notice: errors first, then by package.
	Worse  []Finding `json:"worse,omitempty"`
	Better []Finding `json:"better,omitempty"`
	// Old and New sum up the audits of both states, of what the change can reach.
	Old audit.Summary `json:"old"`
	New audit.Summary `json:"new"`
	// ClashesLeftOut says that so many packages provide the same APIs that it was not
	// looked for those that clash only in one of the states.
	ClashesLeftOut bool `json:"clashesLeftOut,omitempty"`
	// Changed are the packages that differ, and Audited those that were audited, the
	// changed ones and what depends on them; both in ascending order.
	Changed []string `json:"-"`
	Audited []string `json:"-"`
}
