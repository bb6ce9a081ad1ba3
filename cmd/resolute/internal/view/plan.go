package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// remove is the action for an installed bundle that goes without a successor of its own.
const remove resolver.Action = "remove"

// plan is what an answer changes on a cluster, or in comparison with another answer: each change,
// and how many bundles stay. Text and pages show the same one.
type plan struct {
	Changes []change
	Kept    int
}

// change is one change of a plan. From or To is empty if there is none.
type change struct {
	Action   resolver.Action
	From, To string
}

// newPlan returns the plan of the steps of an answer, in their order.
func newPlan(steps []resolver.Step) *plan {
	p := new(plan)
	for i := range steps {
		s := &steps[i]
		if s.Action == resolver.Keep {
			p.Kept++
			continue
		}
		from, removed := replaces(s)
		p.Changes = append(p.Changes, change{s.Action, from, s.Bundle})
		for _, name := range removed {
			p.Changes = append(p.Changes, change{remove, name, ""})
		}
	}
	return p
}

// replaces returns the bundle that a step upgrades, or "", and others that it removes.
func replaces(s *resolver.Step) (from string, removed []string) {
	if len(s.Replaces) == 0 {
		return "", nil
	}
	base, _ := text.SplitVersion(s.Bundle)
	i := max(0, slices.IndexFunc(s.Replaces, func(name string) bool { of, _ := text.SplitVersion(name); return of == base }))
	return s.Replaces[i], slices.Concat(s.Replaces[:i], s.Replaces[i+1:])
}

// newDiffPlan returns the plan from one answer to another.
func newDiffPlan(d *whatif.Diff) *plan {
	p := &plan{Kept: len(d.Keep)}
	for _, name := range d.Install {
		p.Changes = append(p.Changes, change{resolver.Install, "", name})
	}
	for _, m := range d.Upgrade {
		action := resolver.Upgrade
		if isDowngrade(m.From, m.To) {
			action = resolver.Downgrade
		}
		p.Changes = append(p.Changes, change{action, m.From, m.To})
	}
	for _, name := range d.Remove {
		p.Changes = append(p.Changes, change{remove, name, ""})
	}
	return p
}

// Cluster reports whether there is anything before the plan.
func (p *plan) Cluster() bool {
	return p.Kept > 0 || slices.ContainsFunc(p.Changes, func(c change) bool { return c.From != "" })
}

// Summary counts the changes and what stays.
func (p *plan) Summary() string {
	n := make(map[resolver.Action]int)
	for _, c := range p.Changes {
		n[c.Action]++
	}
	var said []string
	for _, action := range []resolver.Action{resolver.Install, resolver.Upgrade, resolver.Downgrade, remove} {
		if n[action] > 0 {
			said = append(said, fmt.Sprintf("%d to %s", n[action], action))
		}
	}
	if len(said) == 0 {
		said = []string{"nothing changes"}
	}
	if p.Kept > 0 {
		said = append(said, fmt.Sprintf("%d unchanged", p.Kept))
	}
	return "Plan: " + strings.Join(said, ", ") + "."
}

// Sign is the sign of the change: + ~ -.
func (c change) Sign() string { return actionViews()[c.Action].symbol }

// Text names the bundles of the change.
func (c change) Text() string {
	if c.To == "" {
		return text.Inert(c.From)
	}
	return moved(c.From, c.To)
}

// Note names a downgrade as such.
func (c change) Note() string {
	if c.Action == resolver.Downgrade {
		return " (downgrade)"
	}
	return ""
}

// moved returns a bundle after the one it replaces, if any.
func moved(from, to string) string {
	if from == "" {
		return text.Inert(to)
	}
	return text.Inert(from) + " -> " + text.Inert(to)
}

// plan writes the changes, one per line, and their summary.
func (t *Text) plan(indent string, p *plan) {
	t.changes(indent, p)
	t.Line("%s%s", indent, p.Summary())
}

// changes writes the changes of a plan, one per line.
func (t *Text) changes(indent string, p *plan) {
	for _, c := range p.Changes {
		colour := actionViews()[c.Action].colour
		t.Line("%s%s %s%s", indent, t.Paint(colour, c.Sign()), t.paintVersion(colour, c.Text()), c.Note())
	}
}

// Changes writes the changes of steps, one per line.
func (t *Text) Changes(indent string, steps []resolver.Step) { t.changes(indent, newPlan(steps)) }

// actionView is the presentation of an action.
type actionView struct {
	symbol string
	colour terminal.Colour
}

func actionViews() map[resolver.Action]actionView {
	return map[resolver.Action]actionView{
		resolver.Install: {"+", terminal.Green}, resolver.Upgrade: {"~", terminal.Yellow},
		resolver.Downgrade: {"~", terminal.Red}, remove: {"-", terminal.Red}, resolver.Keep: {"=", terminal.Dim},
	}
}

// signed returns the word for an action after its sign.
func signed(action resolver.Action) string {
	return actionViews()[action].symbol + " " + string(action)
}
