package view

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// WhatIfs writes the answer to a scenario, and what each of its what-ifs changes.
func (t *Text) WhatIfs(name string, answer *scenario.Answer) {
	t.Answer(name, answer)
	if len(answer.WhatIf) == 0 && answer.Error == "" {
		t.Line("\nthe scenario asks no what-ifs")
	}
	for _, w := range answer.WhatIf {
		changed := scenario.Answer{Status: w.Status, Set: w.Set, Warnings: w.Warnings, Unresolved: w.Unresolved}
		t.Line("\nwhat if %s: %s", w.Name, t.Verdict(&changed))
		t.Conflict(w.Conflict)
		t.diff(w.Diff)
		t.warnings("  ", newWarnings(answer.Warnings, w.Warnings))
		t.unresolved(slices.DeleteFunc(slices.Clone(w.Unresolved), func(x resolver.Unresolved) bool {
			return slices.ContainsFunc(answer.Unresolved, func(y resolver.Unresolved) bool {
				return x.Subscription == y.Subscription && x.Conflict.Text() == y.Conflict.Text()
			})
		}))
	}
}

// diff writes what changes, a line each.
func (t *Text) diff(d *whatif.Diff) {
	if d == nil {
		return
	}
	if len(d.Install)+len(d.Remove)+len(d.Upgrade) == 0 {
		t.Line("  nothing changes")
	}
	t.marked("+", terminal.Green, d.Install)
	t.marked("-", terminal.Red, d.Remove)
	for _, m := range d.Upgrade {
		colour, note := terminal.Yellow, ""
		if IsDowngrade(m.From, m.To) {
			colour, note = terminal.Red, " (downgrade)"
		}
		t.Line("  %s %s -> %s%s", t.Paint(colour, "~"), m.From, t.paintVersion(colour, m.To), note)
	}
	if len(d.Keep) > 0 {
		t.Line("  %s", t.Paint(terminal.Dim, "= "+strings.Join(d.Keep, ", ")))
	}
}

// marked writes a line for each bundle behind a mark.
func (t *Text) marked(mark string, colour terminal.Colour, bundles []string) {
	for _, name := range bundles {
		t.Line("  %s %s", t.Paint(colour, mark), t.paintVersion(colour, name))
	}
}

// each writes a line for each name.
func (t *Text) each(format string, names []string) {
	for _, name := range names {
		t.Line(format, name)
	}
}

// Upgraded writes the least change that upgrades some subscriptions: its answer, or the
// rounds of the upgrade path. far are the rounds that lead nowhere, where up is nil.
func (t *Text) Upgraded(name string, answer *scenario.Answer, up *upgrade.Upgraded, far []*resolver.Solution) {
	switch {
	case up != nil && len(up.Rounds) > 1:
		t.Line("%s: %s", name, t.headline(scenario.Resolved, roundsHeadline(up)))
		t.upgradeRounds(up)
		t.besides(up)
	case up != nil:
		shown := *answer
		shown.Steps = slices.DeleteFunc(slices.Clone(answer.Steps), func(s resolver.Step) bool { return s.Action == resolver.Keep })
		shown.Blocked = nil
		t.Answer(name, &shown)
		for _, b := range answer.Blocked {
			if len(shown.Steps) == 0 {
				t.WriteString("nothing to upgrade: ")
			}
			t.Line("%s", blockedText(b))
			t.blockedWhy(b)
		}
		if len(shown.Steps) == 0 && len(answer.Blocked) == 0 {
			t.Line("nothing to upgrade: no upgrade leads to anything better")
		}
		t.companions("", up.Rounds[0].Companions)
		t.besides(up)
	default:
		t.Line("%s: %s", name, t.Verdict(answer))
		t.far(far)
		t.Conflict(answer.Conflict)
	}
}

// blockedText says in a line which bundle a subscription cannot have, and why.
func blockedText(b whatif.Blocked) string {
	return text.Inert(b.Bundle) + " is blocked: " + text.Inert(b.Text)
}

// blockedAsker is what a bundle is blocked for.
func blockedAsker(b whatif.Blocked) string {
	if b.Extension {
		return "extension"
	}
	return "subscription"
}

// blockedWhy writes the conflict behind what is blocked.
func (t *Text) blockedWhy(b whatif.Blocked) {
	if b.Conflict == nil {
		return
	}
	for line := range strings.SplitSeq(text.Block(strings.TrimRight(b.Conflict.Text(), "\n")), "\n") {
		t.Line("%s", strings.TrimRight("  "+line, " "))
	}
}

// blocked writes for each subscription that does not get its best candidate why it does not.
func (t *Text) blocked(list []whatif.Blocked) {
	for _, b := range list {
		t.Line("%s %s: %s", blockedAsker(b), text.Inert(b.Subscription), blockedText(b))
		t.blockedWhy(b)
	}
}

func roundsHeadline(up *upgrade.Upgraded) string {
	return "upgrade path, " + text.Count(len(up.Rounds), "round", "rounds")
}

// far writes how far a path leads that does not lead where it should.
func (t *Text) far(rounds []*resolver.Solution) {
	if len(rounds) == 0 {
		return
	}
	t.Line("the upgrade path ends after %s:", text.Count(len(rounds), "round", "rounds"))
	for i, sol := range rounds {
		t.Line("round %d:", i+1)
		t.Changes("  ", sol.Steps)
	}
	t.Line("it leads no further:")
}

// upgradeRounds writes what each round of a path does, and what comes along.
func (t *Text) upgradeRounds(up *upgrade.Upgraded) {
	var before []resolver.Warning
	for i, round := range up.Rounds {
		t.Line("round %d:", i+1)
		t.Changes("  ", round.Solution.Steps)
		t.companions("  ", round.Companions)
		t.warnings("  ", newWarnings(before, round.Solution.Warnings))
		before = round.Solution.Warnings
	}
}

// companions writes what comes along with an upgrade.
func (t *Text) companions(indent string, list []upgrade.Companion) {
	for _, c := range list {
		t.Line("%salong with it: %s", indent, c.Bundle)
		for _, why := range c.Because {
			t.Line("%s  because %s", indent, companionReason(why))
		}
	}
}

// besides writes what else approving the whole namespace would change.
func (t *Text) besides(up *upgrade.Upgraded) {
	switch {
	case up.Whole != nil:
		t.Line("the namespace as a whole has no solution")
	case len(up.Besides) > 0:
		t.Line("approving the whole namespace would change besides:")
		t.Changes("  ", up.Besides)
	}
}

// companionReason says why a companion has to come along.
func companionReason(r resolver.Reason) string {
	if strings.HasPrefix(r.Constraint, r.Bundle) { // also if there is no bundle
		return r.Constraint
	}
	return r.Bundle + " requires " + r.Constraint
}

// Needs writes who needs whom.
func (t *Text) Needs(name string, bundles []upgrade.Bundle) {
	t.Line("%s: %s", name, text.Count(len(bundles), "bundle", "bundles"))
	for _, n := range bundles {
		t.WriteString(text.Inert(n.Bundle))
		if len(n.Subscriptions) > 0 {
			t.WriteString(", of subscription " + List(n.Subscriptions))
		}
		t.Line("")
		t.ties("needs", n.Needs)
		t.ties("needed by", n.NeededBy)
	}
}

func (t *Text) ties(what string, list []upgrade.Tie) {
	for _, tie := range list {
		t.Line("  %s %s: %s", what, tie.Bundle, tie.Constraint)
	}
}

// Dropped writes what dropping a subscription does.
func (t *Text) Dropped(subscription string, d *upgrade.Dropped) {
	t.Line("without subscription %s", subscription)
	t.each(string(t.Paint(terminal.Red, "  %s breaks")), d.Breaks)
	t.each("  %s is left over", d.Orphans)
	if n := len(d.LeftOver); n > 0 {
		t.Line("  %s on the cluster", text.Count(n, "CustomResourceDefinition and its objects stay", "CustomResourceDefinitions and their objects stay"))
		for _, left := range d.LeftOver {
			line := "    " + text.Inert(left.Name)
			if len(left.StoredVersions) > 0 {
				line += ", stored as " + text.And(text.Each(left.StoredVersions, text.Inert))
			}
			if len(left.Owners) > 0 {
				line += ", also owned by " + List(text.Each(left.Owners, func(o properties.CRDOwner) string { return o.Bundle + " in namespace " + o.Namespace }))
			}
			t.Line("%s", line)
		}
	}
	if len(d.Breaks)+len(d.Orphans)+len(d.LeftOver) == 0 {
		t.Line("  nothing breaks, and nothing is left over")
	}
}
