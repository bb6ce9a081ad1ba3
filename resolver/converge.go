package resolver

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// DefaultRounds is how many rounds Converge makes at most unless told otherwise.
const DefaultRounds = 1000

// ConvergeOptions are the options of [Resolver.Converge]; the zero value is the
// default.
type ConvergeOptions struct {
	// MaxRounds bounds the road; 0 stands for [DefaultRounds].
	MaxRounds int
	// Round, if it is set, hears of each round as soon as it is resolved.
	Round func(n int, s *Solution)
}

// Road is a whole upgrade road: what happens round by round until nothing changes
// any more (section 9 of the semantics).
type Road struct {
	// Rounds are the solutions that change something, in their order. The last
	// resolution, which finds nothing to do, is not among them.
	Rounds []*Solution
	// Loop says that the road came back to where it had been before and would go
	// round for ever. LoopStart is the round, from 0, that would come next.
	Loop      bool
	LoopStart int
	// Final is the request with everything installed that the road leads to.
	Final Request
	// Last is the solution of Final: what is installed at the end, all kept. It
	// is nil where the road loops.
	Last *Solution
}

// Set returns the names of the bundles at the end of the road, in ascending order.
func (r *Road) Set() []string {
	if r.Last != nil {
		return r.Last.Set()
	}
	if n := len(r.Rounds); n > 0 {
		return r.Rounds[n-1].Set()
	}
	return nil
}

// Converge resolves a request, applies the solution as if it were carried out,
// and goes on until nothing changes: the whole road to the heads of the channels
// and not only its first step.
//
// A round that cannot be resolved ends the road: the error is that of
// [Resolver.Resolve], and the Road holds the rounds before it. More rounds than
// allowed are an [*IncompleteError] with [LimitRounds].
func (r *Resolver) Converge(ctx context.Context, req Request, opts ConvergeOptions) (*Road, error) {
	if opts.MaxRounds <= 0 {
		opts.MaxRounds = DefaultRounds
	}
	r = r.as(OpConverge)
	road := &Road{Final: req}
	seen := map[string]int{installedKey(&road.Final): 0}
	for {
		sol, err := r.Resolve(ctx, road.Final)
		if err != nil {
			return road, err
		}
		if settledAlready(sol) {
			road.Last = sol
			return road, nil
		}
		if len(road.Rounds) >= opts.MaxRounds {
			return road, &IncompleteError{Limit: LimitRounds, Allowed: uint64(opts.MaxRounds),
				Progress: Progress{Decided: len(road.Rounds), Stats: sol.Stats}}
		}
		road.Rounds = append(road.Rounds, sol)
		if opts.Round != nil {
			opts.Round(len(road.Rounds), sol)
		}
		road.Final = Advance(road.Final, sol)
		key := installedKey(&road.Final)
		if at, again := seen[key]; again {
			road.Loop, road.LoopStart = true, at
			return road, nil
		}
		seen[key] = len(road.Rounds)
	}
}

// settledAlready reports whether a solution changes nothing.
func settledAlready(sol *Solution) bool {
	for i := range sol.Steps {
		if sol.Steps[i].Action != Keep {
			return false
		}
	}
	return true
}

// installedKey identifies what is installed and who owns it.
func installedKey(req *Request) string {
	keys := make([]string, 0, len(req.Installed)+len(req.Subscriptions))
	for _, in := range req.Installed {
		keys = append(keys, fmt.Sprintf("i %s %s %s", in.Catalog, in.Package, in.Name))
	}
	for _, s := range req.Subscriptions {
		keys = append(keys, fmt.Sprintf("s %s %s", s.Name, s.InstalledCSV))
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}

// Advance returns the request as it is once a solution has been carried out: the
// bundles of the result set are installed and owned by the subscriptions that they
// meet, and what they replace is gone. Bundles that no subscription wants are
// marked as automatic. The request itself is not changed.
func Advance(req Request, sol *Solution) Request {
	before := make(map[string]Installed, len(req.Installed))
	for _, in := range req.Installed {
		before[in.Name] = in
	}
	req.Subscriptions = slices.Clone(req.Subscriptions)
	owner := make(map[string]bool)
	req.Installed = make([]Installed, 0, len(sol.Steps))
	for i := range sol.Steps {
		step := &sol.Steps[i]
		in, kept := before[step.Bundle]
		if !kept || step.Action != Keep {
			in = installedOf(&req, step)
		}
		in.Subscription, in.ReplacedBy = "", ""
		for _, why := range step.Because {
			if why.Subscription != "" {
				owner[why.Subscription] = true
				adoptBy(&req, why.Subscription, step.Bundle)
			}
		}
		req.Installed = append(req.Installed, in)
	}
	for i := range req.Subscriptions {
		if !owner[req.Subscriptions[i].Name] && !installedNamed(&req, req.Subscriptions[i].InstalledCSV) {
			req.Subscriptions[i].InstalledCSV = ""
		}
	}
	return req
}

// installedOf is the installed bundle that a step brings.
func installedOf(req *Request, step *Step) Installed {
	in := Installed{Name: step.Bundle, Package: step.Package, Version: step.Version,
		Catalog: step.Catalog, Channel: step.Channel, Automatic: true}
	for _, why := range step.Because {
		if why.Subscription != "" || why.Forced {
			in.Automatic = false
		}
	}
	for _, c := range req.Catalogs {
		if c.Key != step.Catalog || c.Content == nil {
			continue
		}
		if pkg := c.Content.Package(step.Package); pkg != nil {
			if b := pkg.Bundle(step.Bundle); b != nil {
				in.Properties = &b.Properties
			}
		}
	}
	return in
}

func adoptBy(req *Request, subscription, bundle string) {
	for i := range req.Subscriptions {
		if req.Subscriptions[i].Name == subscription {
			req.Subscriptions[i].InstalledCSV = bundle
		}
	}
}

func installedNamed(req *Request, name string) bool {
	return slices.ContainsFunc(req.Installed, func(in Installed) bool { return in.Name == name })
}
