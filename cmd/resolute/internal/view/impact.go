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

// WhatIfs writes the answer to a scenario and the changes of each what-if.
func (t *Text) WhatIfs(name string, answer *scenario.Answer) {
	t.Answer(name, answer)
	if len(answer.WhatIf) == 0 && answer.Error == "" {
		t.Line("\nthe scenario has no what-ifs")
	}
	for _, w := range answer.WhatIf {
		changed := scenario.Answer{Status: w.Status, Set: w.Set, Warnings: w.Warnings, Unresolved: w.Unresolved}
		t.Line("\nwhat if %s: %s", w.Name, t.Verdict(&changed))
		t.Conflict(w.Conflict)
		t.diff(w.Diff)
		t.warnings("  ", newWarnings(answer.Warnings, w.Warnings))
		t.unresolved(newUnresolved(answer.Unresolved, w.Unresolved))
	}
}

// newUnresolved returns what is unresolved for another reason than before, or was resolved.
func newUnresolved(before, now []resolver.Unresolved) []resolver.Unresolved {
	return slices.DeleteFunc(slices.Clone(now), func(x resolver.Unresolved) bool {
		return slices.ContainsFunc(before, func(y resolver.Unresolved) bool {
			return x.Subscription == y.Subscription && x.Conflict.Text() == y.Conflict.Text()
		})
	})
}

// AddWhatIfs adds the section of an answer, and a section with the changes of each what-if.
func (p *Page) AddWhatIfs(name string, answer *scenario.Answer) *Page {
	base := p.answer(name, answer)
	if len(answer.WhatIf) == 0 && answer.Error == "" {
		base.say("The scenario has no what-ifs.")
	}
	for i := range answer.WhatIf {
		w := &answer.WhatIf[i]
		s := p.answer(name, &scenario.Answer{Status: w.Status, Error: w.Error, Set: w.Set, Conflict: w.Conflict,
			Warnings: newWarnings(answer.Warnings, w.Warnings), Unresolved: newUnresolved(answer.Unresolved, w.Unresolved)})
		s.WhatIf, s.Headline, s.Stats = true, "What if "+text.Inert(w.Name)+": "+strings.ToLower(s.Headline[:1])+s.Headline[1:], nil
		if s.change(w.Diff); s.Diff == nil && w.Diff != nil {
			s.say("Nothing changes.")
		}
	}
	return p
}

// diff writes the plan of a difference.
func (t *Text) diff(d *whatif.Diff) {
	if d == nil {
		return
	}
	t.plan("  ", newDiffPlan(d))
}

// each writes one line per name.
func (t *Text) each(format string, names []string) {
	for _, name := range names {
		t.Line(format, name)
	}
}

// Upgraded writes the smallest upgrade of subscriptions: its answer, or the rounds of its
// upgrade path. If up is nil, far has the rounds before the path ends.
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
		t.answer(name, &shown, newPlan(answer.Steps))
		for _, b := range answer.Blocked {
			if len(shown.Steps) == 0 {
				t.WriteString("nothing to upgrade: ")
			}
			t.Line("%s", blockedText(b))
			t.blockedWhy(b)
		}
		if len(shown.Steps) == 0 && len(answer.Blocked) == 0 {
			t.Line("nothing to upgrade: no better candidate is reachable")
		}
		t.companions("", up.Rounds[0].Companions)
		t.besides(up)
	default:
		t.Line("%s: %s", name, t.Verdict(answer))
		t.far(far)
		t.Conflict(answer.Conflict)
	}
}

// blockedText returns the blocked bundle of a subscription and the reason, in one line.
func blockedText(b whatif.Blocked) string {
	return text.Inert(b.Bundle) + " is blocked: " + text.Inert(b.Text)
}

// blockedKind returns the kind of object that a bundle is blocked for.
func blockedKind(b whatif.Blocked) string {
	if b.Extension {
		return "extension"
	}
	return "subscription"
}

// blockedWhy writes the conflict of a blocked bundle.
func (t *Text) blockedWhy(b whatif.Blocked) {
	if b.Conflict == nil {
		return
	}
	for line := range strings.SplitSeq(text.Block(strings.TrimRight(b.Conflict.Text(), "\n")), "\n") {
		t.Line("%s", strings.TrimRight("  "+line, " "))
	}
}

// blocked writes the reason for each subscription without its best candidate.
func (t *Text) blocked(list []whatif.Blocked) {
	for _, b := range list {
		t.Line("%s %s: %s", blockedKind(b), text.Inert(b.Subscription), blockedText(b))
		t.blockedWhy(b)
	}
}

func roundsHeadline(up *upgrade.Upgraded) string {
	return "upgrade path, " + text.Count(len(up.Rounds), "round", "rounds")
}

// far writes the rounds of a path that ends early.
func (t *Text) far(rounds []*resolver.Solution) {
	if len(rounds) == 0 {
		return
	}
	t.Line("the upgrade path ends after %s:", text.Count(len(rounds), "round", "rounds"))
	for i, sol := range rounds {
		t.Line("round %d:", i+1)
		t.Changes("  ", sol.Steps)
	}
	t.Line("no further round is possible:")
}

// upgradeRounds writes the changes and companions of each round of a path.
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

// companions writes the operators that an upgrade also changes.
func (t *Text) companions(indent string, list []upgrade.Companion) {
	for _, c := range list {
		t.Line("%salso changes: %s", indent, c.Bundle)
		for _, why := range c.Because {
			t.Line("%s  because %s", indent, companionReason(why))
		}
	}
}

// besides writes the further changes of approving the whole namespace.
func (t *Text) besides(up *upgrade.Upgraded) {
	switch {
	case up.Whole != nil:
		t.Line("the namespace as a whole has no solution")
	case len(up.Besides) > 0:
		t.Line("approving everything in the namespace would also:")
		t.Changes("  ", up.Besides)
	}
}

// companionReason returns why a companion must change.
func companionReason(r resolver.Reason) string {
	if strings.HasPrefix(r.Constraint, r.Bundle) { // or the bundle is empty
		return r.Constraint
	}
	return r.Bundle + " requires " + r.Constraint
}

// Needs writes dependencies and dependents.
func (t *Text) Needs(name string, bundles []upgrade.Bundle) {
	t.Line("%s: %s", name, text.Count(len(bundles), "bundle", "bundles"))
	for _, n := range bundles {
		t.WriteString(text.Inert(n.Bundle))
		if len(n.Subscriptions) > 0 {
			t.WriteString(", owned by subscription " + List(n.Subscriptions))
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

// Dropped writes the effect of dropping a subscription.
func (t *Text) Dropped(subscription string, d *upgrade.Dropped) {
	t.Line("without subscription %s", subscription)
	t.each(string(t.Paint(terminal.Red, "  %s breaks")), d.Breaks)
	t.each("  %s is orphaned", d.Orphans)
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
		t.Line("  nothing breaks or is orphaned")
	}
}
