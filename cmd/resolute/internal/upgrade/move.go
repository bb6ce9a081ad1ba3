package upgrade

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

// first is what becomes of the operators if nothing is done. What does not fit today
// either has nothing to do with the upgrade.
func (m *mover) first(ctx context.Context) (*view, error) {
	view, err := m.look(ctx, m.state, m.next)
	if err != nil || m.hop > 0 {
		return view, err
	}
	for _, needs := range view.needs { // in any order
		if slices.ContainsFunc(needs, func(r Reason) bool { return r.Code == incompatible }) {
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

// plan finds what has to move so that as many operators as possible can stay at the end. An
// operator that could stay, and cannot once others have moved, has to move as well. Where
// it has nowhere to go, those others do not move.
func (m *mover) plan(ctx context.Context, view *view) error {
	m.barred = make(map[*operator]bool)
	if err := m.planned(ctx, view); err != nil {
		return err
	}
	var also []*operator
	for harmed := m.harmed(); len(harmed) > 0; harmed = m.harmed() {
		for _, o := range harmed {
			o.needy, view.needs[o] = true, m.end().needs[o]
		}
		also = append(also, harmed...)
		m.needy = inOrder(append(m.needy, harmed...))
		if err := m.planned(ctx, view); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(also, func(o *operator) bool { return !m.before.solved[o] && !m.after.solved[o] }) {
		return nil
	}
	for _, o := range also {
		o.needy = false
		delete(view.needs, o)
	}
	m.needy = slices.DeleteFunc(m.needy, func(o *operator) bool { return !o.needy })
	for _, o := range m.needy {
		m.barred[o] = true
	}
	for _, o := range m.needy {
		delete(m.barred, o)
		if err := m.planned(ctx, view); err != nil {
			return err
		}
		m.barred[o] = len(m.harmed()) > 0
	}
	return m.planned(ctx, view)
}

// end is what becomes of the operators once all have moved; nil if none does.
func (m *mover) end() *view {
	if m.after.view != nil {
		return m.after.view
	}
	return m.before.view
}

// harmed are the operators that could stay if the others did, and cannot any more.
func (m *mover) harmed() []*operator {
	end := m.end()
	if end == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.ops), func(o *operator) bool { return o.needy || len(end.needs[o]) == 0 })
}

// planned finds what has to move before the cluster does, and what after it, such that
// as many operators as possible can stay at the end, and as few steps as possible are
// taken that need not be.
func (m *mover) planned(ctx context.Context, view *view) error {
	first, err := m.walk(ctx, nil, m.state, m.today, m.next, m.needy)
	if err != nil {
		return err
	}
	early := m.which(first.solved)
	if err := m.try(ctx, early); err != nil {
		return err
	}
	// What today's catalogs alone do not solve, they may still have to begin: to get
	// on a path that goes on, or to let the cluster go at all.
	var both []*operator
	for _, o := range m.needy {
		stuck := !m.before.solved[o] && !m.after.solved[o]
		holding := m.after.solved[o] && view.hard(o) && first.released[o]
		if !first.solved[o] && first.moved[o] && (stuck || holding) {
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
	late := slices.DeleteFunc(slices.Clone(m.needy), func(o *operator) bool { return m.before.solved[o] })
	if err := m.follow(ctx, late); err != nil {
		return err
	}
	helped := slices.DeleteFunc(slices.Clone(early), func(o *operator) bool { return !m.before.solved[o] && !m.after.solved[o] })
	if len(helped) < len(early) {
		return m.try(ctx, helped)
	}
	return nil
}

// follow has some operators move after the cluster has, and with them those that could stay
// before and cannot any more. Where these have nowhere to go, an operator moves only if it takes
// the place of none of them.
func (m *mover) follow(ctx context.Context, late []*operator) error {
	movers := late
	for {
		if err := m.walkAfter(ctx, movers); err != nil {
			return err
		}
		more := inOrder(slices.Concat(movers, m.undone()))
		if len(more) == len(movers) {
			break
		}
		movers = more
	}
	if useful := m.which(m.after.solved); len(useful) < len(movers) {
		if err := m.walkAfter(ctx, useful); err != nil {
			return err
		}
	}
	if len(m.undone()) == 0 {
		return nil
	}
	var kept []*operator
	for _, o := range late {
		if err := m.walkAfter(ctx, append(slices.Clip(kept), o)); err != nil {
			return err
		}
		if m.after.solved[o] && len(m.undone()) == 0 {
			kept = append(kept, o)
		}
	}
	return m.walkAfter(ctx, kept)
}

// walkAfter has some operators move after the cluster has.
func (m *mover) walkAfter(ctx context.Context, movers []*operator) (err error) {
	m.after, err = m.walk(ctx, m.before, m.before.state, m.next, m.next, movers)
	return err
}

// undone are the operators that can stay once the first ones have moved, and cannot once all have.
func (m *mover) undone() []*operator {
	if m.after.view == nil {
		return nil
	}
	return slices.DeleteFunc(m.which(m.before.solved), func(o *operator) bool { return m.after.settled(o) })
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
	found, err := m.resolve(ctx, m.today.request(m.state, "MinimalChange"))
	if err != nil {
		return err
	}
	for _, o := range m.ops {
		o.unfitToday = o.start != "" && slices.ContainsFunc(found.warnings[o.start], func(w *resolver.Warning) bool { return w.Kind == "incompatible" })
	}
	return nil
}

// conclude takes over the verdicts and the steps.
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
		o.tell(view.info[o]...)
		m.tellLifecycle(o, at.installed[o.start])
		needs := view.needs[o]
		if len(needs) == 0 {
			continue
		}
		m.tellNeeds(o, needs...)
		early, late := m.before.steps(begin, o), m.after.steps(stepAfter, o)
		switch { // it did not move itself: the moves of others make room for it
		case len(early)+len(late) > 0:
		case m.before.solved[o]:
			early = m.before.steps(begin, nil)
		case m.after.solved[o]:
			late = m.after.steps(stepAfter, nil)
		}
		o.Path = append(append(o.Path, early...), late...)
		for _, r := range append(slices.Clone(m.before.rounds), m.after.rounds...) {
			o.tellDefinitions(r.told, func(w *resolver.Warning) bool {
				return slices.ContainsFunc(o.Path, func(s Step) bool { return s.Bundle == w.Bundle })
			})
		}
		switch {
		case !m.before.solved[o] && !m.after.solved[o]:
			m.die(o)
			if err := m.tellRefused(ctx, o); err != nil {
				return err
			}
		case (len(early) > 0 || m.before.solved[o]) && m.hop == 0:
			o.Verdict = o.Verdict.worse(UpdateBefore)
		default:
			o.Verdict = o.Verdict.worse(UpdateAfter)
		}
		o.tellHold(at.subs[o.owner()])
		if view.hard(o) && m.after.solved[o] && !m.before.released[o] {
			o.tell(Reason{forced, "only the catalogs of the next version have an update that runs on it: the upgrade has to be forced, or " + text.Name(o.Bundle) + " removed first"})
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
	switch c := m.next.Cluster; {
	case c.OpenShiftVersion != "":
		return "OpenShift " + text.Name(c.OpenShiftVersion)
	case c.KubernetesVersion != "":
		return "Kubernetes " + text.Name(c.KubernetesVersion)
	}
	return fmt.Sprintf("version %d", m.hop+1)
}

func (o *operator) tell(info ...Reason) { o.info = text.AppendNew(o.info, info...) }

// tellHold says of an operator that has to move that its subscription is held back.
func (o *operator) tellHold(s *asking) {
	if s != nil && s.Hold != "" && len(o.Path) > 0 {
		o.tell(Reason{held, "subscription " + text.Name(s.Name) + " is on hold, which has to end first: " + text.Inert(s.Hold)})
	}
}

// tellDefinitions says what becomes of the definitions of the cluster, by those warnings
// that are about an operator.
func (o *operator) tellDefinitions(list []resolver.Warning, about func(*resolver.Warning) bool) {
	for i := range list {
		if w := &list[i]; w.Code != "" && about(w) {
			o.tell(Reason{w.Code, text.Clip(text.Inert(w.Message), maxReason)})
		}
	}
}

// tellRefused says of an operator that gets nowhere which updates of it are no candidates,
// because of the definitions of the cluster.
func (m *mover) tellRefused(ctx context.Context, o *operator) error {
	if len(m.state.Cluster.CRDs) == 0 || m.policy.Compatibility != "Require" {
		return nil
	}
	for _, w := range []*world{m.today, m.next} {
		req := w.request(m.state, m.goal())
		req.Policy.Compatibility = "Warn"
		found, err := m.resolve(ctx, req)
		if err != nil {
			return err
		}
		o.tellDefinitions(found.Warnings, func(w *resolver.Warning) bool { return w.Package == o.Package })
	}
	return nil
}

// tellLifecycle says what the next version says of how long an operator is supported.
func (m *mover) tellLifecycle(o *operator, in *resolver.Installed) {
	if in == nil || len(m.next.lifecycles[o.Package]) == 0 {
		return
	}
	version, known := versionOf(in)
	if v := m.next.lifecycles.of(o.Package, version.String()); known && v != nil {
		o.tell(Reason{lifecycleSaid, v.String()})
	}
}

// wanted looks whether what is only wanted so far is available in the next version.
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
		s, o := &m.pending[i].asking, m.pending[i].op
		why := tomorrow.conflict("", s.Name)
		if why == nil || o.dead {
			continue
		}
		headline := text.Inert(why.Error())
		if _, gone := m.next.channels(s); gone != "" {
			m.tellNeeds(o, Reason{gone, m.next.lacks(gone, s)})
		}
		m.tellNeeds(o, Reason{conflicts, headline})
		if today == nil {
			if today, err = m.unresolved(ctx, m.today); err != nil {
				return err
			}
		}
		if today.conflict("", s.Name) != nil {
			o.tell(Reason{alreadyToday, "it cannot be installed today either"})
			o.apart = true
		}
		m.die(o)
	}
	return nil
}

// unresolved is what cannot be met in a world, those included that have nothing
// installed.
func (m *mover) unresolved(ctx context.Context, w *world) (*outcome, error) {
	req := w.request(m.state, "MinimalChange")
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

// resolve resolves a request; of a conflict nothing is known.
func (c *checker) resolve(ctx context.Context, req resolver.Request) (*outcome, error) {
	sol, err := c.r.Resolve(ctx, req)
	if err != nil {
		return outcomeOf(new(resolver.Solution)), unlessConflict(err)
	}
	return outcomeOf(sol), nil
}

// alreadyToday says of each operator with a conflict whether it has one today, too.
func (m *mover) alreadyToday(ctx context.Context, view *view) error {
	var today *outcome
	for _, o := range m.needy {
		if !slices.ContainsFunc(view.needs[o], func(r Reason) bool { return r.Code == conflicts }) || m.hop > 0 {
			continue
		}
		if today == nil {
			var err error
			if today, err = m.resolve(ctx, m.today.request(m.state, "MinimalChange")); err != nil {
				return err
			}
		}
		if today.conflict(o.start, o.owner()) != nil {
			o.tell(Reason{alreadyToday, "it is in conflict today as well"})
		}
	}
	return nil
}

// unlessConflict passes on an error that ends the work. A conflict does not: then
// there is no upgrade path.
func unlessConflict(err error) error {
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return nil
	}
	return err
}
