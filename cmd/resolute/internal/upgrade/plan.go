package upgrade

import (
	"context"
	"slices"
)

// plan determines the moves after which as many operators as possible can stay. An operator that
// could stay, and cannot once others have moved, has to move as well. If it cannot, those others do
// not move.
func (m *mover) plan(ctx context.Context, view *view) error {
	m.frozen = make(map[*operator]bool)
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
		m.frozen[o] = true
	}
	for _, o := range m.needy {
		delete(m.frozen, o)
		if err := m.planned(ctx, view); err != nil {
			return err
		}
		m.frozen[o] = len(m.harmed()) > 0
	}
	return m.planned(ctx, view)
}

// end returns the view once all have moved; nil if none does.
func (m *mover) end() *view {
	if m.after.view != nil {
		return m.after.view
	}
	return m.before.view
}

// harmed returns the operators that can stay only if the others do.
func (m *mover) harmed() []*operator {
	end := m.end()
	if end == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.ops), func(o *operator) bool { return o.needy || len(end.needs[o]) == 0 })
}

// planned determines the moves before and after the cluster upgrade, so that as many operators as
// possible can stay and no unnecessary step is taken.
func (m *mover) planned(ctx context.Context, view *view) error {
	first, err := m.walk(ctx, nil, m.state, m.today, m.next, m.needy)
	if err != nil {
		return err
	}
	early := m.needyOf(first.solved)
	if err := m.try(ctx, early); err != nil {
		return err
	}
	// Operators that the current catalogs alone do not unblock may still have to move first: to
	// reach a path that continues, or to release the cluster.
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

// try moves some operators before the cluster upgrade, and all that still need it after. Those that
// do not reach a bundle at which they can stay do not move.
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

// follow moves some operators after the cluster upgrade, and with them those that could stay before
// and no longer can. If these cannot move, an operator moves only if it breaks none of them.
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
	if useful := m.needyOf(m.after.solved); len(useful) < len(movers) {
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

// walkAfter moves some operators after the cluster upgrade.
func (m *mover) walkAfter(ctx context.Context, movers []*operator) (err error) {
	m.after, err = m.walk(ctx, m.before, m.before.state, m.next, m.next, movers)
	return err
}

// undone returns the operators that can stay once the first ones have moved, and cannot once all
// have.
func (m *mover) undone() []*operator {
	if m.after.view == nil {
		return nil
	}
	return slices.DeleteFunc(m.needyOf(m.before.solved), func(o *operator) bool { return m.after.settled(o) })
}

// needyOf returns the needy operators of a set.
func (m *mover) needyOf(set map[*operator]bool) []*operator {
	return slices.DeleteFunc(slices.Clone(m.needy), func(o *operator) bool { return !set[o] })
}

// inOrder sorts operators in the order of the report and removes duplicates.
func inOrder(list []*operator) []*operator {
	slices.SortFunc(list, func(a, b *operator) int { return a.number - b.number })
	return slices.Compact(list)
}
