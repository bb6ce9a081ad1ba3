package scenario

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// NewAnswer puts what [resolver.Resolver.Resolve] returned into the shape of an
// answer. The times are left at zero.
func NewAnswer(sol *resolver.Solution, err error) *Answer {
	a := new(Answer)
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	switch {
	case err == nil:
		a.Status = Resolved
		a.solution(sol)
	case errors.As(err, &conflict):
		a.Status = Unsatisfiable
		a.Conflict = newConflict(conflict)
		a.Stats.count(conflict.Stats)
	case errors.As(err, &incomplete):
		a.Status = Incomplete
		a.Error = err.Error()
		a.Stats.count(incomplete.Progress.Stats)
	case isStopped(err):
		a.Status = Incomplete
		a.Error = err.Error()
	default:
		a.Status = Invalid
		a.Error = err.Error()
	}
	return a
}

func (a *Answer) solution(sol *resolver.Solution) {
	a.Set = sol.Set()
	for _, s := range sol.Steps {
		a.Steps = append(a.Steps, newStep(s))
	}
	for _, w := range sol.Warnings {
		a.Warnings = append(a.Warnings, Warning{
			Kind: string(w.Kind), Bundle: w.Bundle, Package: w.Package, Channel: w.Channel,
			Catalog: w.Catalog, Subscription: w.Subscription, Message: w.Message,
		})
	}
	for _, u := range sol.Unresolved {
		a.Unresolved = append(a.Unresolved, Unresolved{Subscription: u.Subscription, Installed: u.Installed, Conflict: newConflict(u.Conflict)})
	}
	a.Stats.count(sol.Stats)
}

func newStep(s resolver.Step) Step {
	step := Step{
		Wave: s.Wave, Action: string(s.Action), Bundle: s.Bundle, Package: s.Package,
		Channel: s.Channel, Image: s.Image,
	}
	if s.Version != nil {
		step.Version = s.Version.String()
	}
	if sub, ok := s.Subscription(); ok {
		step.Subscription = &StepSubscription{Name: sub.Name, Package: sub.Package, Channel: sub.Channels[0],
			Catalog: sub.Catalog.String(), StartingCSV: sub.StartingCSV}
	}
	if e, ok := s.Extension(); ok {
		step.Extension = &StepExtension{Name: e.Name, Package: e.Package, VersionRange: e.VersionRange}
	}
	if s.Catalog != (cache.Key{}) {
		step.Catalog = s.Catalog.String()
	}
	if len(s.Replaces) > 0 {
		step.Replaces, step.AlsoReplaces = s.Replaces[0], s.Replaces[1:]
	}
	for _, r := range s.Because {
		step.Because = append(step.Because, Reason(r))
	}
	for _, p := range s.PassedOver {
		step.PassedOver = append(step.PassedOver, p.Name)
	}
	return step
}

// newConflict goes through the resolver's own JSON, so that there is one place
// that says what a conflict looks like.
func newConflict(c *resolver.Conflict) *Conflict {
	if c == nil {
		return nil
	}
	out := new(Conflict)
	data, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		out = &Conflict{Text: c.Text()}
	}
	out.attach(c)
	return out
}

// attach adds what the JSON does not have.
func (c *Conflict) attach(source *resolver.Conflict) {
	c.Source = source
	for i, f := range c.Further {
		f.attach(source.Further[i])
	}
}

func (s *Stats) count(r resolver.Stats) {
	s.Bundles, s.Reached, s.Solves = r.Bundles, r.Reached, r.Solves
	s.Variables, s.Clauses = r.Variables, r.Clauses
}

// milliseconds returns a duration in milliseconds, to the microsecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

// newDiff says how a what-if's solution differs from that of the base problem,
// which may be nil.
func newDiff(base, changed *resolver.Solution) *Diff {
	d := resolver.Compare(base, changed)
	out := &Diff{Install: d.Install, Remove: d.Remove, Keep: d.Keep}
	for _, m := range d.Upgrade {
		out.Upgrade = append(out.Upgrade, Move{From: m.From, To: m.To})
	}
	return out
}
