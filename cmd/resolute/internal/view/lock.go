package view

import (
	"cmp"
	"fmt"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lock"
)

// LockChanges writes the difference between a lock and the next one as a table.
func (t *Text) LockChanges(name string, before, after *lock.Lock) {
	changes := lock.Compare(before.Bundles, after.Bundles)
	if len(changes) == 0 {
		t.Line("%s: no bundle changes", name)
	} else {
		t.Line("%s: %s", name, text.Count(len(changes), "change", "changes"))
	}
	table := &terminal.Table{Columns: []terminal.Column{{Head: "ACTION"}, {Head: "PACKAGE", Optional: true}, {Head: "LOCKED"}, {Head: "NEXT"}, {Head: "CHANNEL"}, {Head: "NOTE"}}}
	for _, c := range changes {
		table.Rows = append(table.Rows, t.lockCells(&c))
	}
	if len(changes) > 0 && !t.Table(table) {
		for _, row := range table.Rows {
			t.Line("%s %s -> %s", row[0].Text, row[2].Text, row[3].Text)
			t.Line("  %s; %s", row[4].Text, row[5].Text)
		}
	}
	for _, c := range after.Catalogs {
		for _, old := range before.Catalogs {
			if old.Key == c.Key && old.Digest != c.Digest {
				t.Line("catalog %s: %s -> %s", c.Key, shortDigest(old.Digest), shortDigest(c.Digest))
			}
		}
	}
}

// shortDigest shortens a digest for people.
func shortDigest(digest string) string { return digest[:min(len(digest), len("sha256:")+12)] }

// lockCells returns the cells of a change.
func (t *Text) lockCells(c *lock.Change) []terminal.Cell {
	from, to := cmp.Or(c.From, &lock.Bundle{}), cmp.Or(c.To, &lock.Bundle{})
	colour := map[lock.ChangeAction]terminal.Colour{lock.Add: actionViews()[resolver.Install].colour, lock.Upgrade: actionViews()[resolver.Upgrade].colour,
		lock.Remove: terminal.Red, lock.Downgrade: terminal.Red, lock.Other: terminal.Yellow}[c.Action]
	action := terminal.Cell{Text: string(c.Action), Paint: func(said string) terminal.Painted { return t.Paint(colour, said) }}
	channel := cmp.Or(to.Channel, from.Channel, "-")
	if c.From != nil && c.To != nil && from.Channel != to.Channel {
		channel = fmt.Sprintf("%s -> %s", cmp.Or(from.Channel, "-"), cmp.Or(to.Channel, "-"))
	}
	return []terminal.Cell{action, {Text: cmp.Or(c.Package, "-")}, {Text: cmp.Or(from.Name, "-"), Short: cmp.Or(from.Version, from.Name, "-")},
		{Text: cmp.Or(to.Name, "-"), Short: cmp.Or(to.Version, to.Name, "-")}, {Text: channel}, {Text: cmp.Or(lockNote(c), "-")}}
}

// lockNote says what else changes.
func lockNote(c *lock.Change) string {
	switch {
	case c.To != nil && c.To.Unpinned:
		return "the image has no digest"
	case c.Action != lock.Other:
		return ""
	case c.From.Image != c.To.Image:
		return "another image"
	case c.From.Catalog != c.To.Catalog:
		return "another catalog"
	case c.From.Installed != c.To.Installed:
		return "installed now"
	}
	return ""
}

// Verification writes whether a locked answer is still right, and what changed.
func (t *Text) Verification(name string, l *lock.Lock, v *lock.Verification) {
	bundles := text.Count(len(l.Bundles), "bundle", "bundles")
	switch {
	case v.Valid && v.Best && len(v.Unread) > 0:
		t.Line("%s: %s", name, t.Good(true, "intact, "+bundles))
	case v.Valid && v.Best:
		t.Line("%s: %s", name, t.Good(true, "valid and the best answer, "+bundles))
	case v.Valid:
		t.Line("%s: %s", name, t.Good(false, "valid, but not the best answer any more"))
	default:
		t.Line("%s: %s", name, t.Good(false, "not valid any more"))
	}
	for _, d := range v.Drift {
		t.Line("  %s: %s", d.Kind, d.Text)
	}
}
