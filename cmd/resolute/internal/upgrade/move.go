package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// move upgrades the cluster to the next version: the steps before it, the upgrade, and the steps
// after it.
func (c *checker) move(ctx context.Context, i int) error {
	m := &mover{checker: c, hop: i, today: &c.worlds[i], next: &c.worlds[i+1]}
	view, err := m.first(ctx)
	if err != nil {
		return err
	}
	c.needy = nil
	for _, o := range c.ops {
		if o.needy = len(view.needs[o]) > 0; o.needy {
			c.needy = append(c.needy, o)
		}
	}
	if err := m.plan(ctx, view); err != nil {
		return err
	}
	if err := m.wanted(ctx); err != nil {
		return err
	}
	if err := m.alreadyToday(ctx, view); err != nil {
		return err
	}
	return m.conclude(ctx, view)
}

// first returns the view if no operator moves. Bundles that are already incompatible today are not
// attributed to the upgrade.
func (m *mover) first(ctx context.Context) (*view, error) {
	view, err := m.view(ctx, m.state, m.next)
	if err != nil || m.hop > 0 {
		return view, err
	}
	for _, needs := range view.needs { // in any order
		if slices.ContainsFunc(needs, func(r Reason) bool { return r.Code == incompatible }) {
			if err := m.unfitToday(ctx); err != nil {
				return nil, err
			}
			return m.view(ctx, m.state, m.next)
		}
	}
	return view, nil
}

type mover struct {
	*checker
	hop           int
	today, next   *world
	before, after *walk
}

// unfitToday determines the bundles that are incompatible with the current cluster, independent of
// the upgrade.
func (m *mover) unfitToday(ctx context.Context) error {
	found, err := m.resolve(ctx, m.today.request(m.state, resolver.MinimalChange))
	if err != nil {
		return err
	}
	for _, o := range m.ops {
		o.unfitToday = o.start != "" && slices.ContainsFunc(found.warnings[o.start], func(w *resolver.Warning) bool { return w.Kind == resolver.WarningIncompatible })
	}
	return nil
}

// conclude records the verdicts and the steps.
func (m *mover) conclude(ctx context.Context, view *view) error {
	begin := stepBefore
	if m.hop > 0 {
		begin = stepAfter
	}
	m.order = append(m.order, m.before.steps(begin, nil)...)
	m.order = append(m.order, Step{When: stepUpgrade, Action: upgradeCluster,
		OpenShift: m.next.Cluster.OpenShiftVersion, Kubernetes: m.next.Cluster.KubernetesVersion})
	m.order = append(m.order, m.after.steps(stepAfter, nil)...)
	at := placesOf(&m.state)
	for _, o := range m.ops {
		if err := ended(ctx); err != nil {
			return err
		}
		if o.start == "" || o.dead {
			continue
		}
		o.note(view.info[o]...)
		m.noteLifecycle(o, at.installed[o.start])
		needs := view.needs[o]
		if len(needs) == 0 {
			continue
		}
		m.noteNeeds(o, needs...)
		early, late := m.before.steps(begin, o), m.after.steps(stepAfter, o)
		switch { // the moves of others make room for it
		case len(early)+len(late) > 0:
		case m.before.solved[o]:
			early = m.before.steps(begin, nil)
		case m.after.solved[o]:
			late = m.after.steps(stepAfter, nil)
		}
		o.Path = append(append(o.Path, early...), late...)
		for _, r := range append(slices.Clone(m.before.rounds), m.after.rounds...) {
			o.noteDefinitions(r.warnings, func(w *resolver.Warning) bool {
				return slices.ContainsFunc(o.Path, func(s Step) bool { return s.Bundle == w.Bundle })
			})
		}
		switch {
		case !m.before.solved[o] && !m.after.solved[o]:
			m.die(o)
			if err := m.noteRefused(ctx, o); err != nil {
				return err
			}
		case (len(early) > 0 || m.before.solved[o]) && m.hop == 0:
			o.Verdict = o.Verdict.worse(UpdateBefore)
		default:
			o.Verdict = o.Verdict.worse(UpdateAfter)
		}
		o.noteHold(at.subs[o.owner()])
		if view.hard(o) && m.after.solved[o] && !m.before.released[o] {
			o.note(Reason{forced, "only the catalogs of the next version have a compatible update: force the cluster upgrade, or remove " + text.Name(o.Bundle) + " first"})
		}
	}
	m.state = m.after.state
	return nil
}

func (m *mover) die(o *operator) {
	o.dead, o.Path = true, nil
	o.Verdict = NoWay
	for _, r := range o.Reasons {
		if r.Code == catalogGone || r.Code == packageGone || r.Code == channelGone {
			o.Verdict = Gone
		}
	}
}

// noteNeeds records reasons for an action. With several versions, each names its version.
func (m *mover) noteNeeds(o *operator, needs ...Reason) {
	for _, r := range needs {
		if len(m.versions) > 1 {
			r.Text = fmt.Sprintf("%s: %s", m.name(), r.Text)
		}
		o.Reasons = text.AppendNew(o.Reasons, r)
	}
}

// name names the version that the cluster is upgraded to.
func (m *mover) name() string {
	switch c := m.next.Cluster; {
	case c.OpenShiftVersion != "":
		return "OpenShift " + text.Name(c.OpenShiftVersion)
	case c.KubernetesVersion != "":
		return "Kubernetes " + text.Name(c.KubernetesVersion)
	}
	return fmt.Sprintf("version %d", m.hop+1)
}

func (o *operator) note(info ...Reason) { o.info = text.AppendNew(o.info, info...) }

// noteHold notes the hold of a subscription whose operator has to move.
func (o *operator) noteHold(s *demand) {
	if s != nil && s.Hold != "" && len(o.Path) > 0 {
		o.note(Reason{held, "subscription " + text.Name(s.Name) + " is on hold, which has to end first: " + text.Inert(s.Hold)})
	}
}

// noteDefinitions notes the warnings about the resource definitions of the cluster that concern an
// operator.
func (o *operator) noteDefinitions(list []resolver.Warning, about func(*resolver.Warning) bool) {
	for i := range list {
		if w := &list[i]; w.Code != "" && about(w) {
			o.note(Reason{string(w.Code), text.Clip(text.Inert(w.Message), maxReason)})
		}
	}
}

// noteRefused notes, for an operator that cannot move, the upgrades that are excluded because of
// the resource definitions of the cluster.
func (m *mover) noteRefused(ctx context.Context, o *operator) error {
	if len(m.state.Cluster.CRDs) == 0 || m.policy.Compatibility != resolver.CompatibilityRequire {
		return nil
	}
	for _, w := range []*world{m.today, m.next} {
		req := w.request(m.state, m.goal())
		req.Policy.Compatibility = resolver.CompatibilityWarn
		found, err := m.resolve(ctx, req)
		if err != nil {
			return err
		}
		o.noteDefinitions(found.Warnings, func(w *resolver.Warning) bool { return w.Package == o.Package })
	}
	return nil
}

// noteLifecycle notes the lifecycle of an operator in the next version.
func (m *mover) noteLifecycle(o *operator, in *resolver.Installed) {
	if in == nil || len(m.next.lifecycles[o.Package]) == 0 {
		return
	}
	version, known := versionOf(in)
	if v := m.next.lifecycles.of(o.Package, version.String()); known && v != nil {
		o.note(Reason{lifecycleSaid, v.String()})
	}
}

// wanted checks whether demands without an installed bundle can be satisfied in the next version.
func (m *mover) wanted(ctx context.Context) error {
	if len(m.pending) == 0 {
		return nil
	}
	tomorrow, err := m.unresolved(ctx, m.next)
	if err != nil {
		return err
	}
	var today *outcome
	for i := range m.pending {
		s, o := &m.pending[i].demand, m.pending[i].op
		why := tomorrow.conflict("", s.Name)
		if why == nil || o.dead {
			continue
		}
		headline := text.Inert(why.Error())
		if _, gone := m.next.channels(s); gone != "" {
			m.noteNeeds(o, Reason{gone, m.next.missingIn(gone, s)})
		}
		m.noteNeeds(o, Reason{conflicts, headline})
		if today == nil {
			if today, err = m.unresolved(ctx, m.today); err != nil {
				return err
			}
		}
		if today.conflict("", s.Name) != nil {
			o.note(Reason{alreadyToday, "it cannot be installed today either"})
			o.apart = true
		}
		m.die(o)
	}
	return nil
}

// unresolved resolves all demands in a world, including those without an installed bundle.
func (m *mover) unresolved(ctx context.Context, w *world) (*outcome, error) {
	req := w.request(m.state, resolver.MinimalChange)
	req.Subscriptions, req.Extensions = slices.Clone(req.Subscriptions), slices.Clone(req.Extensions)
	for i := range m.pending {
		if e := m.pending[i].extension; e != nil {
			req.Extensions = append(req.Extensions, *e)
			continue
		}
		req.Subscriptions = append(req.Subscriptions, m.pending[i].Subscription)
	}
	return m.resolve(ctx, req)
}

// resolve resolves a request; nil if it is a conflict.
func (c *checker) resolve(ctx context.Context, req resolver.Request) (*outcome, error) {
	sol, err := c.r.Resolve(ctx, req)
	if err != nil {
		return outcomeOf(new(resolver.Solution)), ignoreConflict(err)
	}
	return outcomeOf(sol), nil
}

// alreadyToday notes the operators whose conflict exists today too.
func (m *mover) alreadyToday(ctx context.Context, view *view) error {
	var today *outcome
	for _, o := range m.needy {
		if !slices.ContainsFunc(view.needs[o], func(r Reason) bool { return r.Code == conflicts }) || m.hop > 0 {
			continue
		}
		if today == nil {
			var err error
			if today, err = m.resolve(ctx, m.today.request(m.state, resolver.MinimalChange)); err != nil {
				return err
			}
		}
		if today.conflict(o.start, o.owner()) != nil {
			o.note(Reason{alreadyToday, "it is in conflict today as well"})
		}
	}
	return nil
}

// ignoreConflict returns errors that stop the work, and nil for a conflict: then there is no
// upgrade path.
func ignoreConflict(err error) error {
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return nil
	}
	return err
}
