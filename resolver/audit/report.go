package audit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Report gathers an audit for people, as text or as a page of HTML. Give its
// method Bundle to [Options.Each] or [Read], and set Summary. It keeps
// what is out of the ordinary, in groups, and the counts of everything else. It is
// not safe for concurrent use.
type Report struct {
	// Summary is the summary of the audit.
	Summary Summary
	// Packages are all audited packages with bundles, in the order of the
	// findings.
	Packages []Package
}

// Package is one package in a report.
type Package struct {
	Catalog, Package string
	// Counts are those of the package alone; without clashes and seconds.
	Counts Summary
	// Notes say what is out of the ordinary, in the order of the first bundle of
	// each.
	Notes []Note

	index map[string]int // of Notes, by what they say
}

// Note says one thing of all bundles of a package that it is true of.
type Note struct {
	// Kind is stable: "notInstallable" (on an empty cluster), "stuck" (the upgrade path ends
	// before the head of the channel), "deprecated", "orphans" (the path leaves bundles behind
	// that nothing needs), "incomplete" (not everything could be found out).
	Kind    string
	Bundles []string
	// Channel and StuckAt are where bundles are stuck. StuckAt is empty where
	// each of them is, that is, where none of them moves.
	Channel, StuckAt string
	// Unlisted is true if no channel lists the bundles: Channel is the one that they were
	// followed along.
	Unlisted bool
	// Reason says why in one line, in which "it" stands for each of the bundles,
	// or for the one that they are stuck at.
	Reason string
	// Text is the whole argument for the first of the bundles, empty where the
	// reason is all there is. Argument is the same as a tree; it is nil where there is no
	// Text, and where the conflict was read from JSON.
	Text     string
	Argument *argument.Argument
}

// Bundle takes in a finding. Findings have to come in the order of the audit. The
// error is always nil.
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
		p.note(b, Note{Kind: "orphans", Reason: "nothing needs " + text.And(b.Orphans) + " any more"}, nil)
	}
	if b.Incomplete != "" {
		p.note(b, Note{Kind: "incomplete", Reason: b.Incomplete}, nil)
	}
	return nil
}

// note adds a bundle to the note that says the same, or a new note.
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

func (r *Report) headline() string {
	s := &r.Summary
	return fmt.Sprintf("%s of %s: %d can be installed on an empty cluster, %d cannot; %d %s not reach the head of %s channel",
		text.Count(s.Bundles, "bundle", "bundles"), text.Count(len(r.Packages), "package", "packages"), s.Installable, r.noted("notInstallable"),
		s.Stuck, text.Plural(s.Stuck, "does", "do"), text.Plural(s.Stuck, "its", "their"))
}

// skipped counts in a sentence what is not meant to be newly installed; empty if nothing is.
func (r *Report) skipped() string {
	n := r.Summary.Skipped
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d more %s cannot be newly installed on purpose: a newer version skips %s.", n, text.Plural(n, "bundle", "bundles"), text.Plural(n, "it", "them"))
}

func (r *Report) further() string {
	s := &r.Summary
	var parts []string
	for _, c := range []struct {
		n    int
		text string
	}{
		{s.Quarantined, "in a broken part of the catalog"}, {s.Deprecated, "deprecated"},
		{s.Orphans, "with an upgrade that leaves unneeded bundles behind"}, {s.Incomplete, "not fully answered"},
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

// title is what n bundles with a note of a kind have in common.
func title(kind string, n int) string {
	switch kind {
	case "notInstallable":
		return "cannot be installed on an empty cluster"
	case "stuck":
		return text.Plural(n, "does not reach the head of its channel", "do not reach the head of their channel")
	case "deprecated":
		return text.Plural(n, "is deprecated", "are deprecated")
	case "orphans":
		return text.Plural(n, "leaves", "leave") + " unneeded bundles behind when upgraded"
	case "incomplete":
		return "could not be fully answered"
	default:
		return kind
	}
}

// where says which bundles a note is about, the ends of the list where it is long,
// and how far they get.
func (n *Note) where() string {
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
		where += " as far as " + text.Inert(n.StuckAt)
	}
	return where
}
