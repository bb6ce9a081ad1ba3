package resolver

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/seed109e2655/resolute/graph"
)

// roadState is a cluster on an upgrade road: what is installed, and which of it
// the only subscription owns. Everything else is the same along all roads of a
// package's audit, but for the channel that is followed.
type roadState struct {
	channel   *graph.Channel
	installed []Installed
	owned     string
}

// key identifies a state among those of one package. States of equal keys make
// equal requests: everything installed came from the catalogs, so that catalog,
// package and name stand for version and properties as well. Each part has its
// length before it, for names may hold anything.
func (s *roadState) key() string {
	var b []byte
	part := func(text string) {
		b = strconv.AppendInt(b, int64(len(text)), 10)
		b = append(append(b, ':'), text...)
	}
	part(s.channel.Name)
	part(s.owned)
	for i := range s.installed {
		in := &s.installed[i]
		part(in.Catalog.Namespace)
		part(in.Catalog.Name)
		part(in.Package)
		part(in.Name)
		part(in.Channel)
		b = strconv.AppendBool(b, in.Automatic)
	}
	return string(b)
}

// roadEnd is what becomes of a state: how many rounds change something until the
// road stops, or begins to repeat itself.
type roadEnd struct {
	rounds int
	stop   *roadStop
}

// roadStop is where roads end. All that end there share it.
type roadStop struct {
	at         string    // what the subscription owns
	conflict   *Conflict // why it is not the head; nil if it is
	orphans    []string
	incomplete string
}

// subscription is the only one of a package's audit.
func (p *packageAudit) subscription(s roadState) Subscription {
	sub := Subscription{Name: p.unit.pkg.Name, Package: p.unit.pkg.Name, Catalog: p.unit.catalog.Key, InstalledCSV: s.owned}
	if s.channel != nil {
		sub.Channel = s.channel.Name
	}
	return sub
}

// resolve resolves a state, changed further as an explanation needs it.
func (p *packageAudit) resolve(ctx context.Context, s roadState, more ...Change) (*Solution, error) {
	changes := make([]Change, 0, len(s.installed)+1+len(more))
	for _, in := range s.installed {
		changes = append(changes, InstallBundle(in))
	}
	changes = append(changes, Add(p.subscription(s)))
	return p.session.Resolve(ctx, append(changes, more...)...)
}

// advance is the state once a solution has been carried out.
func (p *packageAudit) advance(s roadState, sol *Solution) roadState {
	req := *p.base
	req.Installed, req.Subscriptions = s.installed, []Subscription{p.subscription(s)}
	req = Advance(req, sol)
	s.installed, s.owned = req.Installed, req.Subscriptions[0].InstalledCSV
	return s
}

// follow goes the road from a state to its end, or to where another road of the
// package has been. The error is that of the context.
func (p *packageAudit) follow(ctx context.Context, s roadState) (*roadEnd, error) {
	var road []roadState
	var keys []string
	on := make(map[string]int)
	for {
		key := s.key()
		if end, known := p.ends[key]; known {
			return p.settleRoad(keys, end), nil
		}
		if at, again := on[key]; again {
			p.settleLoop(road[at:], keys[at:])
			return p.settleRoad(keys[:at], p.ends[key]), nil
		}
		next, stop, err := p.step(ctx, s)
		if err != nil {
			return nil, err
		}
		if stop != nil {
			end := &roadEnd{stop: stop}
			p.ends[key] = end
			return p.settleRoad(keys, end), nil
		}
		on[key] = len(keys)
		keys, road = append(keys, key), append(road, s)
		s = next
	}
}

// settleRoad notes the end of each state of a road that leads to an end, and
// returns that of the first.
func (p *packageAudit) settleRoad(keys []string, end *roadEnd) *roadEnd {
	for _, key := range slices.Backward(keys) {
		end = &roadEnd{rounds: end.rounds + 1, stop: end.stop}
		p.ends[key] = end
	}
	return end
}

// settleLoop notes that states lead round in a circle. Each is where a road that
// comes in there begins to repeat itself.
func (p *packageAudit) settleLoop(loop []roadState, keys []string) {
	for i, s := range loop {
		round := append(slices.Clone(loop[i:]), loop[:i+1]...)
		p.ends[keys[i]] = &roadEnd{rounds: len(loop), stop: &roadStop{at: s.owned, conflict: p.loopConflict(s, round)}}
	}
}

// step carries out one resolution: it returns the next state, or the stop if
// nothing changes any more. The error is that of the context.
func (p *packageAudit) step(ctx context.Context, s roadState) (roadState, *roadStop, error) {
	sol, err := p.resolve(ctx, s)
	var conflict *Conflict
	switch {
	case ctx.Err() != nil:
		return s, nil, ctx.Err()
	case errors.As(err, &conflict):
		return s, &roadStop{at: s.owned, conflict: conflict}, nil
	case err != nil:
		return s, &roadStop{at: s.owned, incomplete: incompleteText(err)}, nil
	case !settledAlready(sol):
		return p.advance(s, sol), nil, nil
	}
	stop := &roadStop{at: s.owned}
	for _, w := range sol.Warnings {
		if w.Kind == WarnOrphan {
			stop.orphans = append(stop.orphans, w.Bundle)
		}
	}
	if head := s.channel.Head(); head != nil && head.Name == s.owned {
		return s, stop, nil
	}
	err = p.explain(ctx, s, stop)
	return s, stop, err
}
