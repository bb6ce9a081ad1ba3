package audit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
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
	// Text is the complete argument for the first of the bundles; empty if it adds nothing to the
	// reason. Argument is the same as a tree; nil without a Text, or if the conflict was read
	// from JSON.
	Text     string
	Argument *argument.Argument
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
		if c != nil {
			if n.Text = c.Text(); c.Words == "" {
				n.Argument = c.Argument()
			}
		}
		i = len(p.Notes)
		p.Notes = append(p.Notes, n)
		if p.index == nil {
			p.index = make(map[string]int)
		}
		p.index[key] = i
	}
	p.Notes[i].Bundles = append(p.Notes[i].Bundles, b.Bundle)
}

// Headline is the verdict in one sentence, without a full stop.
func (r *Report) Headline() string {
	s := &r.Summary
	return fmt.Sprintf("%s of %s: %d can be installed on an empty cluster, %d cannot; %d %s not reach the head of %s channel",
		text.Count(s.Bundles, "bundle", "bundles"), text.Count(len(r.Packages), "package", "packages"), s.Installable, r.noted("notInstallable"),
		s.Stuck, text.Plural(s.Stuck, "does", "do"), text.Plural(s.Stuck, "its", "their"))
}

// skipped describes the bundles that are not offered for new installs; empty if there are none.
func (r *Report) skipped() string {
	n := r.Summary.Skipped
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d more %s not offered for new installs because a newer version skips %s.", n, text.Plural(n, "bundle is", "bundles are"), text.Plural(n, "it", "them"))
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

func (r *Report) noted(kind string) int {
	n := 0
	for i := range r.Packages {
		for _, note := range r.Packages[i].Notes {
			if note.Kind == kind {
				n += len(note.Bundles)
			}
		}
	}
	return n
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
