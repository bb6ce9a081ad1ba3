package catalogdiff

import (
	"cmp"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// Code says what a [Finding] is about. Codes are stable; a code may be added.
type Code string

// The codes. Among what got better, the code says what it was that is so no more.
const (
	// BundleRemoved: a bundle that could be installed is not in the catalog any more.
	BundleRemoved Code = "bundleRemoved"
	// PackageRemoved: a package of which something could be installed is gone.
	PackageRemoved Code = "packageRemoved"
	// ChannelRemoved: a channel that lists something is gone.
	ChannelRemoved Code = "channelRemoved"
	// EdgeLost: an upgrade edge is gone, so that an installed version cannot move any
	// more (an error), or gets less far than before (a warning).
	EdgeLost Code = "edgeLost"
	// NotInstallable: a bundle that changed, or its place in the channels, cannot be
	// installed on an empty cluster any more (an error). A bundle that is new and
	// cannot be installed is a warning.
	NotInstallable Code = "notInstallable"
	// HeadUnreachable: installed versions no longer reach the head of their channel.
	HeadUnreachable Code = "headUnreachable"
	// DefaultChannelChanged: another channel is followed where none is named.
	DefaultChannelChanged Code = "defaultChannelChanged"
	// HeadLowered: the head of a channel has a lower version than before.
	HeadLowered Code = "headLowered"
	// Clash: packages cannot be installed together, because both provide an API. It
	// is an error if none of their versions go together any more.
	Clash Code = "clash"
	// DependentBroken: something of a package that did not change itself cannot be
	// installed or does not reach its head any more; or a bundle holds another one
	// back that it depends on.
	DependentBroken Code = "dependentBroken"
	// NewProblem: the catalog has a problem that it did not have; Problem says which.
	NewProblem Code = "newProblem"
	// Deprecated: a package, channel or bundle is newly deprecated, or barred from
	// being newly chosen, which is an error where it is the head of a channel.
	Deprecated Code = "deprecated"
)

// Codes returns all codes, each with a few words about it.
func Codes() map[Code]string {
	return map[Code]string{
		BundleRemoved:         "a bundle that could be installed was removed",
		PackageRemoved:        "a package that could be installed was removed",
		ChannelRemoved:        "a channel was removed",
		EdgeLost:              "an upgrade edge was lost",
		NotInstallable:        "a bundle cannot be installed",
		HeadUnreachable:       "installed versions do not reach the head of their channel",
		DefaultChannelChanged: "the default channel changed",
		HeadLowered:           "the head of a channel went back to a lower version",
		Clash:                 "packages cannot be installed together",
		DependentBroken:       "a dependent in another package is broken or holds back what it depends on",
		NewProblem:            "the catalog has a new problem",
		Deprecated:            "something was deprecated",
	}
}

// Finding is one thing that got worse or better for users.
type Finding struct {
	// Code says what it is; it is stable.
	Code Code `json:"code"`
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
		strings.Compare(string(a.Code), string(b.Code)),
		strings.Compare(string(a.Problem), string(b.Problem)),
		strings.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		strings.Compare(a.Text, b.Text),
	)
}

// ChangeKind says what a [Change] is. Kinds are stable; a kind may be added.
type ChangeKind string

// The kinds of changes, with what Was and Is hold.
const (
	PackageAdded       ChangeKind = "packageAdded"
	PackageGone        ChangeKind = "packageRemoved"
	DefaultChannelMove ChangeKind = "defaultChannel" // the names
	ChannelAdded       ChangeKind = "channelAdded"
	ChannelGone        ChangeKind = "channelRemoved"
	HeadMoved          ChangeKind = "head" // the bundles
	EntryAdded         ChangeKind = "entryAdded"
	EntryGone          ChangeKind = "entryRemoved"
	EntryChanged       ChangeKind = "entryChanged" // its fields
	BundleAdded        ChangeKind = "bundleAdded"  // the version
	BundleGone         ChangeKind = "bundleRemoved"
	PropertyChanged    ChangeKind = "property"      // type and value, either may be empty
	ImageChanged       ChangeKind = "image"         // the references
	Compatibility      ChangeKind = "compatibility" // what it says of where it runs
	DeprecationChanged ChangeKind = "deprecation"   // the messages, "deprecated" for none
)

// Change is one difference between the two states that matters to a resolution,
// whether it is good or bad.
type Change struct {
	Kind    ChangeKind `json:"kind"`
	Package string     `json:"package"`
	Channel string     `json:"channel,omitempty"`
	Bundle  string     `json:"bundle,omitempty"`
	// Was and Is are what it was and what it is; a long text is cut.
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
