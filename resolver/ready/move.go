package ready

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// move takes the cluster to the next version: what has to be done before, the move,
// and what has to be done after it.
func (c *checker) move(ctx context.Context, i int) error {
	m := &mover{checker: c, hop: i, today: &c.worlds[i], next: &c.worlds[i+1]}
	view, err := m.first(ctx)
	if err != nil {
		return err
	}
	c.needy = nil
	for _, o := range c.ops {
		if len(view.needs[o]) > 0 {
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
	m.conclude(view)
	return nil
}

// first is what becomes of the operators if nothing is done. What does not fit today
// either is no matter of the upgrade.
func (m *mover) first(ctx context.Context) (*view, error) {
	view, err := m.look(ctx, m.state, m.next)
	if err != nil || m.hop > 0 {
		return view, err
	}
	for _, needs := range view.needs { // in any order
		if slices.ContainsFunc(needs, func(r Reason) bool { return r.Code == Incompatible }) {
			if err := m.unfitToday(ctx); err != nil {
				return nil, err
			}
			return m.look(ctx, m.state, m.next)
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

// plan finds what has to move before the cluster does, and what after it, such that
// as many operators as possible can stay at the end, and as few steps as possible are
// taken that need not be.
func (m *mover) plan(ctx context.Context, view *view) error {
	first, err := m.walk(ctx, nil, m.state, m.today, m.next, m.needy)
	if err != nil {
		return err
	}
	early := m.which(first.solved)
	if err := m.try(ctx, early); err != nil {
		return err
	}
	// What today's catalogs alone do not solve, they may still have to begin: to get
	// on a road that goes on, or to let the cluster go at all.
	var both []*operator
	for _, o := range m.needy {
		stuck := !m.before.solved[o] && !m.after.solved[o]
		holding := m.after.solved[o] && view.hard(o) && first.released[o]
		if !slices.Contains(early, o) && first.moved[o] && (stuck || holding) {
			both = append(both, o)
		}
	}
	if len(both) == 0 {
		return nil
	}
	before, after := m.before, m.after
	if err := m.try(ctx, inOrder(slices.Concat(early, both))); err != nil {
		return err
	}
	helped := slices.DeleteFunc(both, func(o *operator) bool { return !m.before.solved[o] && !m.after.solved[o] })
	if len(helped) == 0 {
		m.before, m.after = before, after
		return nil
	}
	return m.try(ctx, inOrder(slices.Concat(early, helped)))
}

// try has some operators move before the cluster does, and all that still need it
// after that. Those that do not get to where they can stay do not move.
func (m *mover) try(ctx context.Context, early []*operator) (err error) {
	if m.before, err = m.walk(ctx, nil, m.state, m.today, m.next, early); err != nil {
		return err
	}
	var late []*operator
	for _, o := range m.needy {
		if !m.before.solved[o] {
			late = append(late, o)
		}
	}
	if m.after, err = m.walk(ctx, m.before, m.before.state, m.next, m.next, late); err != nil {
		return err
	}
	if useful := m.which(m.after.solved); len(useful) < len(late) {
		m.after, err = m.walk(ctx, m.before, m.before.state, m.next, m.next, useful)
	}
	return err
}

// which are the needy operators of a set.
func (m *mover) which(set map[*operator]bool) []*operator {
	return slices.DeleteFunc(slices.Clone(m.needy), func(o *operator) bool { return !set[o] })
}

// inOrder puts operators into the order of the report, each once.
func inOrder(list []*operator) []*operator {
	slices.SortFunc(list, func(a, b *operator) int { return a.number - b.number })
	return slices.Compact(list)
}

// unfitToday finds out which bundles do not fit the cluster as it is, for reasons that
// have nothing to do with the upgrade.
func (m *mover) unfitToday(ctx context.Context) error {
	sol, err := m.r.Resolve(ctx, m.today.request(m.state, resolver.GoalMinimalChange))
	if err != nil {
		return conflictIsNoWay(err)
	}
	for _, w := range sol.Warnings {
		for _, o := range m.ops {
			if w.Kind == "incompatible" && o.start == w.Bundle {
				o.unfitToday = true
			}
		}
	}
	return nil
}

// conclude takes over the verdicts and the steps.
func (m *mover) conclude(view *view) {
	begin := StepBefore
	if m.hop > 0 {
		begin = StepAfter
	}
	m.order = append(m.order, m.before.steps(begin, nil)...)
	m.order = append(m.order, Step{When: StepUpgrade, Action: UpgradeCluster,
		OpenShift: m.next.cluster.OpenShiftVersion, Kubernetes: m.next.cluster.KubernetesVersion})
	m.order = append(m.order, m.after.steps(StepAfter, nil)...)
	for _, o := range m.ops {
		if o.start == "" || o.dead {
			continue
		}
		o.tell(view.info[o]...)
		m.tellLifecycle(o)
		needs := view.needs[o]
		if len(needs) == 0 {
			continue
		}
		m.tellNeeds(o, needs...)
		early, late := m.before.steps(begin, o), m.after.steps(StepAfter, o)
		switch { // it did not move itself: the moves of others make room for it
		case len(early)+len(late) > 0:
		case m.before.solved[o]:
			early = m.before.steps(begin, nil)
		case m.after.solved[o]:
			late = m.after.steps(StepAfter, nil)
		}
		o.Road = append(append(o.Road, early...), late...)
		switch {
		case !m.before.solved[o] && !m.after.solved[o]:
			m.die(o)
		case (len(early) > 0 || m.before.solved[o]) && m.hop == 0:
			o.Verdict = o.Verdict.worse(UpdateBefore)
		default:
			o.Verdict = o.Verdict.worse(UpdateAfter)
		}
		m.tellHold(o)
		if view.hard(o) && m.after.solved[o] && !m.before.released[o] {
			o.tell(Reason{Forced, "only the catalogs of the next version have an update that runs on it: the upgrade has to be forced, or " + text.Name(o.Bundle) + " removed first"})
		}
	}
	m.state = m.after.state
}

func (m *mover) die(o *operator) {
	o.dead, o.Road = true, nil
	o.Verdict = NoWay
	for _, r := range o.Reasons {
		if r.Code == CatalogGone || r.Code == PackageGone || r.Code == ChannelGone {
			o.Verdict = Gone
		}
	}
}

// tellNeeds notes why something has to be done. With several versions in a row it says
// which one it is about.
func (m *mover) tellNeeds(o *operator, needs ...Reason) {
	for _, r := range needs {
		if len(m.versions) > 1 {
			r.Text = fmt.Sprintf("%s: %s", m.name(), r.Text)
		}
		o.Reasons = text.AppendNew(o.Reasons, r)
	}
}

// name names the version that the cluster moves to.
func (m *mover) name() string {
	switch c := m.next.cluster; {
	case c.OpenShiftVersion != "":
		return "OpenShift " + text.Name(c.OpenShiftVersion)
	case c.KubernetesVersion != "":
		return "Kubernetes " + text.Name(c.KubernetesVersion)
	}
	return fmt.Sprintf("version %d", m.hop+1)
}

func (o *operator) tell(info ...Reason) { o.info = text.AppendNew(o.info, info...) }

// tellHold says of an operator that has to move that it is held back.
func (m *mover) tellHold(o *operator) {
	for _, s := range m.state.Subscriptions {
		if s.Name == o.Subscription && s.Hold != "" && len(o.Road) > 0 {
			o.tell(Reason{Held, "subscription " + text.Name(s.Name) + " is held back, and has to be let go first: " + text.Inert(s.Hold)})
		}
	}
}

// wanted looks whether what is only wanted so far can be had in the next version.
func (m *mover) wanted(ctx context.Context) error {
	if len(m.pending) == 0 {
		return nil
	}
	tomorrow, err := m.unresolved(ctx, m.next)
	if err != nil {
		return err
	}
	var today map[string]*resolver.Conflict
	for i := range m.pending {
		s := &m.pending[i]
		o := m.ops[slices.IndexFunc(m.ops, func(o *operator) bool { return o.start == "" && o.Subscription == s.Name })]
		why, fails := tomorrow[s.Name]
		if !fails || o.dead {
			continue
		}
		headline := text.Inert(why.Headline())
		if _, gone := m.next.channels(s); gone != "" {
			m.tellNeeds(o, Reason{gone, headline})
		}
		m.tellNeeds(o, Reason{Conflict, headline})
		if today == nil {
			if today, err = m.unresolved(ctx, m.today); err != nil {
				return err
			}
		}
		if _, also := today[s.Name]; also {
			o.tell(Reason{AlreadyToday, "it cannot be installed today either"})
		}
		m.die(o)
	}
	return nil
}

// unresolved are the subscriptions that cannot be met in a world, those included that
// have nothing installed.
func (m *mover) unresolved(ctx context.Context, w *world) (map[string]*resolver.Conflict, error) {
	req := w.request(m.state, resolver.GoalMinimalChange)
	req.Subscriptions = append(slices.Clone(req.Subscriptions), m.pending...)
	sol, err := m.r.Resolve(ctx, req)
	out := make(map[string]*resolver.Conflict)
	if err != nil {
		return out, conflictIsNoWay(err)
	}
	for _, u := range sol.Unresolved {
		out[u.Subscription] = u.Conflict
	}
	return out, nil
}

// alreadyToday says of each operator with a conflict whether it has one today, too.
func (m *mover) alreadyToday(ctx context.Context, view *view) error {
	var today *resolver.Solution
	for _, o := range m.needy {
		if !slices.ContainsFunc(view.needs[o], func(r Reason) bool { return r.Code == Conflict }) || m.hop > 0 {
			continue
		}
		if today == nil {
			var err error
			if today, err = m.r.Resolve(ctx, m.today.request(m.state, resolver.GoalMinimalChange)); err != nil {
				return conflictIsNoWay(err)
			}
		}
		if slices.ContainsFunc(today.Unresolved, func(u resolver.Unresolved) bool {
			return u.Installed == o.start || o.Subscription != "" && u.Subscription == o.Subscription
		}) {
			o.tell(Reason{AlreadyToday, "it is in conflict today as well"})
		}
	}
	return nil
}

// conflictIsNoWay passes on an error that ends the work. A conflict does not: then
// there is no road.
func conflictIsNoWay(err error) error {
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return nil
	}
	return err
}
