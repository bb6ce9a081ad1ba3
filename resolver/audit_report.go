package resolver

import (
	"cmp"
	"fmt"
	"strings"
)

// AuditReport gathers an audit for people, as text or as a page of HTML. Give its
// method Bundle to [AuditOptions.Each] or [ReadAudit], and set Summary. It keeps
// what is out of the ordinary, in groups, and the counts of everything else. It is
// not safe for concurrent use.
type AuditReport struct {
	// Summary is the summary of the audit.
	Summary AuditSummary
	// Packages are all audited packages with bundles, in the order of the
	// findings.
	Packages []AuditPackage
}

// AuditPackage is one package in a report.
type AuditPackage struct {
	Catalog, Package string
	// Counts are those of the package alone; without clashes and seconds.
	Counts AuditSummary
	// Notes say what is out of the ordinary, in the order of the first bundle of
	// each.
	Notes []AuditNote

	index map[string]int // of Notes, by what they say
}

// AuditNoteKind is the stable code of an [AuditNote].
type AuditNoteKind string

// The kinds of notes.
const (
	// NoteNotInstallable: the bundles cannot be installed on an empty cluster.
	NoteNotInstallable AuditNoteKind = "notInstallable"
	// NoteStuck: their upgrade roads end before the head of the channel.
	NoteStuck AuditNoteKind = "stuck"
	// NoteDeprecated: the catalog says something against them.
	NoteDeprecated AuditNoteKind = "deprecated"
	// NoteOrphans: their upgrade roads leave bundles behind that nothing needs.
	NoteOrphans AuditNoteKind = "orphans"
	// NoteIncomplete: not everything could be found out about them.
	NoteIncomplete AuditNoteKind = "incomplete"
)

// AuditNote says one thing of all bundles of a package that it is true of.
type AuditNote struct {
	Kind    AuditNoteKind
	Bundles []string
	// Channel and StuckAt are where bundles are stuck. StuckAt is empty where
	// each of them is, that is, where none of them moves.
	Channel, StuckAt string
	// Reason says why in one line, in which "it" stands for each of the bundles,
	// or for the one that they are stuck at.
	Reason string
	// Text is the whole argument for the first of the bundles, empty where the
	// reason is all there is.
	Text string
}

// Bundle takes in a finding. Findings have to come in the order of the audit. The
// error is always nil.
func (r *AuditReport) Bundle(b *AuditBundle) error {
	n := len(r.Packages)
	if n == 0 || r.Packages[n-1].Catalog != b.Catalog || r.Packages[n-1].Package != b.Package {
		r.Packages = append(r.Packages, AuditPackage{Catalog: b.Catalog, Package: b.Package})
		n++
	}
	p := &r.Packages[n-1]
	p.Counts.add(b)
	if !b.Installable && b.Conflict != nil {
		p.note(b, AuditNote{Kind: NoteNotInstallable}, b.Conflict)
	}
	if to := b.ReachesHead; to != nil && !to.Reaches {
		p.note(b, AuditNote{Kind: NoteStuck, Channel: to.Channel, StuckAt: to.StuckAt}, to.Conflict)
	}
	if b.Deprecated != "" {
		p.note(b, AuditNote{Kind: NoteDeprecated, Reason: b.Deprecated}, nil)
	}
	if len(b.Orphans) > 0 {
		p.note(b, AuditNote{Kind: NoteOrphans, Reason: "nothing needs " + enumerate(b.Orphans) + " any more"}, nil)
	}
	if b.Incomplete != "" {
		p.note(b, AuditNote{Kind: NoteIncomplete, Reason: b.Incomplete}, nil)
	}
	return nil
}

// note adds a bundle to the note that says the same, or a new note.
func (p *AuditPackage) note(b *AuditBundle, n AuditNote, c *AuditConflict) {
	if c != nil {
		n.Reason = c.reasonFor(cmp.Or(n.StuckAt, b.Bundle))
	}
	if n.StuckAt == b.Bundle {
		n.StuckAt = ""
	}
	key := fmt.Sprintf("%s %q %q %q", n.Kind, n.Channel, n.StuckAt, n.Reason)
	i, ok := p.index[key]
	if !ok {
		if c != nil {
			n.Text = c.Text()
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

// headline says how the audit came out.
func (r *AuditReport) headline() string {
	s := &r.Summary
	return fmt.Sprintf("%s of %s: %d can be installed on an empty cluster, %d cannot; %d %s not reach the head of %s channel",
		counted(s.Bundles, "bundle"), counted(len(r.Packages), "package"), s.Installable, r.noted(NoteNotInstallable),
		s.Stuck, plural(s.Stuck, "does", "do"), plural(s.Stuck, "its", "their"))
}

// further says what else there is to count.
func (r *AuditReport) further() string {
	s := &r.Summary
	var parts []string
	for _, c := range []struct {
		n    int
		text string
	}{
		{s.Quarantined, "quarantined"}, {s.Deprecated, "deprecated"}, {s.Orphans, "leaving orphans behind"}, {s.Incomplete, "not fully answered"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.text))
		}
	}
	return strings.Join(parts, ", ")
}

// noted counts the bundles that have a note of a kind.
func (r *AuditReport) noted(kind AuditNoteKind) int {
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
func (k AuditNoteKind) title(n int) string {
	switch k {
	case NoteNotInstallable:
		return "cannot be installed on an empty cluster"
	case NoteStuck:
		return plural(n, "does not reach the head of its channel", "do not reach the head of their channel")
	case NoteDeprecated:
		return plural(n, "is deprecated", "are deprecated")
	case NoteOrphans:
		return plural(n, "leaves", "leave") + " orphans behind on the way"
	case NoteIncomplete:
		return "could not be fully answered"
	default:
		return string(k)
	}
}

// noteKinds are all kinds, in the order in which they are told.
func noteKinds() []AuditNoteKind {
	return []AuditNoteKind{NoteNotInstallable, NoteStuck, NoteDeprecated, NoteOrphans, NoteIncomplete}
}

// where says which bundles a note is about, the ends of the list where it is long,
// and how far they get.
func (n *AuditNote) where() string {
	text := clean(shorten(n.Bundles, 4))
	switch {
	case n.Kind != NoteStuck:
	case n.StuckAt == "":
		text += fmt.Sprintf(", in channel %s", clean(n.Channel))
	default:
		text += fmt.Sprintf(", in channel %s as far as %s", clean(n.Channel), clean(n.StuckAt))
	}
	return text
}

func counted(n int, what string) string { return fmt.Sprintf("%d %s", n, plural(n, what, what+"s")) }
