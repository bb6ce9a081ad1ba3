package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// Report collects an audit for rendering as text or as an HTML page. Pass its method Bundle to
// [Options.Each] or [Read], and set Summary. It keeps notes in groups, and counts of everything
// else. It is not safe for concurrent use.
type Report struct {
	// Summary is the summary of the audit.
	Summary Summary
	// Packages are all audited packages with bundles, in the order of the findings.
	Packages []Package
}

// Package is one package in a report.
type Package struct {
	Catalog, Package string
	// Counts are those of the package, without clashes and seconds.
	Counts Summary
	// Notes are the notable findings, in the order of the first bundle of each.
	Notes []Note

	index map[string]int // of Notes, by content
}

// Note is a statement about bundles of a package.
type Note struct {
	// Kind is stable: "notInstallable" (on an empty cluster), "stuck" (the upgrade path ends
	// before the head of the channel), "deprecated", "orphans" (the path leaves orphaned
	// dependencies), "incomplete" (a question has no answer).
	Kind    string
	Bundles []string
	// Channel and StuckAt are the channel and bundle at which the path ends. StuckAt is empty if
	// each bundle is stuck at itself.
	Channel, StuckAt string
	// Unlisted is true if no channel lists the bundles: Channel is then the followed channel.
	Unlisted bool
	// Reason is the reason in one line, with "it" for each of the bundles, or for the bundle they
	// are stuck at.
	Reason string
	// Conflict explains the reason for the first of the bundles; nil if no conflict is the reason.
	Conflict *resolver.Conflict
}

// Bundle adds a finding, in the order of the audit. The error is always nil.
func (r *Report) Bundle(b *Bundle) error {
	n := len(r.Packages)
	if n == 0 || r.Packages[n-1].Catalog != b.Catalog || r.Packages[n-1].Package != b.Package {
		r.Packages = append(r.Packages, Package{Catalog: b.Catalog, Package: b.Package})
		n++
	}
	p := &r.Packages[n-1]
	p.Counts.add(b)
	if !b.Installable && b.Conflict != nil && !b.skipped() {
		p.note(b, Note{Kind: "notInstallable"}, b.Conflict)
	}
	if to := b.ReachesHead; to != nil && !to.Reaches {
		p.note(b, Note{Kind: "stuck", Channel: to.Channel, StuckAt: to.StuckAt, Unlisted: to.Unlisted}, to.Conflict)
	}
	if b.Deprecated != "" {
		p.note(b, Note{Kind: "deprecated", Reason: b.Deprecated}, nil)
	}
	if len(b.Orphans) > 0 {
		p.note(b, Note{Kind: "orphans", Reason: "nothing requires " + text.And(b.Orphans) + " any more"}, nil)
	}
	if b.Incomplete != "" {
		p.note(b, Note{Kind: "incomplete", Reason: b.Incomplete}, nil)
	}
	return nil
}

// note adds a bundle to the note with the same content, or to a new note.
func (p *Package) note(b *Bundle, n Note, c *resolver.Conflict) {
	if c != nil {
		n.Reason = Cause(c, cmp.Or(n.StuckAt, b.Bundle))
	}
	if n.StuckAt == b.Bundle {
		n.StuckAt = ""
	}
	key := fmt.Sprintf("%s %q %q %t %q", n.Kind, n.Channel, n.StuckAt, n.Unlisted, n.Reason)
	i, ok := p.index[key]
	if !ok {
		n.Conflict = c
		i = len(p.Notes)
		p.Notes = append(p.Notes, n)
		if p.index == nil {
			p.index = make(map[string]int)
		}
		p.index[key] = i
	}
	p.Notes[i].Bundles = append(p.Notes[i].Bundles, b.Bundle)
}

// Clean reports whether each bundle that is offered can be installed, and each reaches the head of
// its channel.
func (r *Report) Clean() bool {
	s := &r.Summary
	return s.Installable+s.Skipped == s.Bundles && s.Stuck+s.Incomplete == 0
}

// Verdict is the verdict in a few words.
func (r *Report) Verdict() string {
	s, parts := &r.Summary, []string(nil)
	for _, c := range []struct {
		n    int
		text string
	}{{r.NotInstallable(), "cannot be installed"}, {s.Stuck, title("stuck", s.Stuck)}, {s.Incomplete, title("incomplete", s.Incomplete)}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.text))
		}
	}
	if len(parts) == 0 {
		return "Everything can be installed and reaches the head of its channel"
	}
	return "Of " + text.Count(s.Bundles, "bundle", "bundles") + ", " + text.And(parts)
}

// Headline counts the bundles in one sentence, without a full stop. The parts add up to all bundles.
func (r *Report) Headline() string {
	s := &r.Summary
	line := fmt.Sprintf("%s of %s: %d can be installed on an empty cluster, %d cannot", text.Count(s.Bundles, "bundle", "bundles"),
		text.Count(len(r.Packages), "package", "packages"), s.Installable, r.NotInstallable())
	if n := s.Skipped; n > 0 {
		line += fmt.Sprintf(", %d %s not offered for new installs because a newer version skips %s", n, text.Plural(n, "is", "are"), text.Plural(n, "it", "them"))
	}
	if n := r.Undecided(); n > 0 {
		line += fmt.Sprintf(", %d %s undecided", n, text.Plural(n, "is", "are"))
	}
	return line + fmt.Sprintf("; %d %s", s.Stuck, title("stuck", s.Stuck))
}

// Further counts the bundles with other notable properties; empty without any.
func (r *Report) Further() string {
	s := &r.Summary
	var parts []string
	for _, c := range []struct {
		n    int
		text string
	}{
		{s.Quarantined, "in a broken part of the catalog"}, {s.Deprecated, "deprecated"},
		{s.Orphans, "with orphaned dependencies after upgrades"}, {s.Incomplete, "incomplete"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.text))
		}
	}
	return strings.Join(parts, ", ")
}

// NotInstallable is the number of bundles that are offered but cannot be installed on an empty
// cluster.
func (r *Report) NotInstallable() int { return r.noted("notInstallable") }

// NotInstallable is the number of bundles that are offered but cannot be installed on an empty
// cluster.
func (p *Package) NotInstallable() int { return p.noted("notInstallable") }

// Undecided is the number of bundles of which it is not known whether they can be installed. All
// bundles are installable, not installable, skipped or undecided.
func (r *Report) Undecided() int {
	return r.Summary.Bundles - r.Summary.Installable - r.Summary.Skipped - r.NotInstallable()
}

// noted returns the number of bundles with a kind of note.
func (r *Report) noted(kind string) (n int) {
	for i := range r.Packages {
		n += r.Packages[i].noted(kind)
	}
	return n
}

func (p *Package) noted(kind string) (n int) {
	for i := range p.Notes {
		if p.Notes[i].Kind == kind {
			n += len(p.Notes[i].Bundles)
		}
	}
	return n
}

// Trouble counts the findings of the package that make an audit fail.
func (p *Package) Trouble() int {
	return p.NotInstallable() + p.Counts.Stuck + p.Counts.Incomplete
}

// Troubled returns the packages, those with the most bundles that cannot be installed or are stuck
// first.
func (r *Report) Troubled() []Package {
	list := slices.Clone(r.Packages)
	slices.SortStableFunc(list, func(a, b Package) int { return cmp.Compare(b.Trouble(), a.Trouble()) })
	return list
}

// Title describes the common property of the bundles of a note, as "is deprecated".
func (n *Note) Title() string { return title(n.Kind, len(n.Bundles)) }

// title describes the common property of n bundles with a note of a kind.
func title(kind string, n int) string {
	switch kind {
	case "notInstallable":
		return "cannot be installed on an empty cluster"
	case "stuck":
		return text.Plural(n, "does not reach the head of its channel", "do not reach the head of their channel")
	case "deprecated":
		return text.Plural(n, "is deprecated", "are deprecated")
	case "orphans":
		return text.Plural(n, "has", "have") + " orphaned dependencies after upgrades"
	case "incomplete":
		return text.Plural(n, "was", "were") + " not fully audited"
	default:
		return kind
	}
}

// Where names the bundles of a note, shortened if there are many, and how far they get.
func (n *Note) Where() string {
	where := text.Inert(text.Short(n.Bundles, 4))
	if n.Kind != "stuck" {
		return where
	}
	if n.Unlisted {
		where += ", which no channel lists, followed"
	} else {
		where += ","
	}
	where += " in channel " + text.Inert(n.Channel)
	if n.StuckAt != "" {
		where += " up to " + text.Inert(n.StuckAt)
	}
	return where
}
