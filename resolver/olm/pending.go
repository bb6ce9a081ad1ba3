package olm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// PendingPlan is an install plan that waits to be approved.
type PendingPlan struct {
	// Plan is its name, Bundles are what it installs, and Subscriptions wait for it.
	Plan          string   `json:"plan"`
	Bundles       []string `json:"bundles"`
	Subscriptions []string `json:"subscriptions,omitempty"`
	// Verdict says where approving it leads: "wanted", to what the subscriptions want;
	// "further", towards that, and more upgrades follow; "outdated", elsewhere, for the
	// catalogs offer something else by now; or "conflict", to a namespace that has no
	// solution. Text says it in words. Both are empty unless [PendingPlan.Judge] found
	// them out.
	Verdict string `json:"verdict,omitempty"`
	Text    string `json:"text,omitempty"`
	// Command approves it, where it leads to what the subscriptions want.
	Command string `json:"command,omitempty"`
}

// pendingPlans are the install plans of the namespace that wait, by name.
func (b *builder) pendingPlans() []PendingPlan {
	var out []PendingPlan
	at := func(name string) *PendingPlan {
		i := slices.IndexFunc(out, func(p PendingPlan) bool { return p.Plan == name })
		if i < 0 {
			out, i = append(out, PendingPlan{Plan: name, Bundles: []string{}}), len(out)
		}
		return &out[i]
	}
	for _, p := range b.plans[b.name] {
		if p.waits() {
			at(p.Metadata.Name).Bundles = slices.Clone(p.Spec.Names)
		}
	}
	for _, s := range b.subs {
		name := b.pendingPlan(s)
		if name == "" {
			continue
		}
		p := at(name)
		p.Subscriptions = append(p.Subscriptions, s.Metadata.Name)
		if s.Status.CurrentCSV != "" && b.objects[objectKey{"InstallPlan", b.name, name}] == nil {
			p.Bundles = text.AppendNew(p.Bundles, s.Status.CurrentCSV)
		}
	}
	slices.SortFunc(out, func(a, b PendingPlan) int { return cmp.Compare(a.Plan, b.Plan) })
	return out
}

// Judge finds out where approving the plan leads in a namespace, whose request has the
// catalogs and the subscriptions that wait on hold. The error is that of the resolver where
// it is no conflict.
func (p *PendingPlan) Judge(ctx context.Context, r *resolver.Resolver, req resolver.Request) error {
	req, err := req.Apply() // with the subscriptions of dependencies, as a copy
	if err != nil {
		return err
	}
	req = req.Known() // its packages
	for i := range req.Subscriptions {
		if s := &req.Subscriptions[i]; slices.Contains(p.Subscriptions, s.Name) {
			s.Hold = ""
		}
	}
	wanted, _, err := moves(ctx, r, req)
	if err != nil {
		return err
	}
	does, unknown := p.carryOut(&req)
	next, conflict, err := moves(ctx, r, req)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("approving install plan %s would %s", text.Name(p.Plan), text.And(does))
	command := fmt.Sprintf("kubectl patch installplan %s -n %s --type merge -p '{\"spec\":{\"approved\":true}}'", text.Name(p.Plan), text.Name(req.Namespace))
	switch other := slices.DeleteFunc(slices.Clone(does), func(s string) bool { return slices.Contains(wanted, s) }); {
	case len(unknown) > 0 || len(does) == 0:
		p.Verdict = "outdated"
		p.Text = fmt.Sprintf("install plan %s installs %s, which the catalogs do not have; the subscriptions want now: %s", text.Name(p.Plan), text.Short(unknown, 5), orNothing(wanted))
	case conflict != nil:
		p.Verdict = "conflict"
		p.Text = fmt.Sprintf("%s, and then there is no solution: %s", said, conflict.Headline())
	case len(wanted) > 0 && len(other) > 0:
		p.Verdict = "outdated"
		p.Text = fmt.Sprintf("%s; the subscriptions want now: %s", said, orNothing(wanted))
	case len(next) > 0:
		p.Verdict = "further"
		p.Text = fmt.Sprintf("%s, which is a step towards what the subscriptions want; next: %s", said, text.Short(next, 5))
		p.Command = command
	default:
		p.Verdict = "wanted"
		p.Text = fmt.Sprintf("%s, and that is all that the subscriptions want", said)
		p.Command = command
	}
	return nil
}

func orNothing(list []string) string { return cmp.Or(text.Short(list, 5), "nothing") }

// moves are what a resolution installs and upgrades, in words, or the conflict.
func moves(ctx context.Context, r *resolver.Resolver, req resolver.Request) ([]string, *resolver.Conflict, error) {
	sol, err := r.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return nil, conflict, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var out []string
	for _, s := range sol.Steps {
		if s.Action != resolver.Keep {
			out = append(out, moved(s.Replaces, s.Bundle))
		}
	}
	return out, nil, nil
}

// moved says in words that a bundle is installed, perhaps in the place of others.
func moved(replaced []string, bundle string) string {
	if len(replaced) == 0 {
		return "install " + text.Name(bundle)
	}
	return "upgrade " + text.And(text.Names(replaced)) + " to " + text.Name(bundle)
}

// carryOut puts the bundles of the plan in the place of what is installed of their
// packages, and says so in words. It returns those that no catalog has.
func (p *PendingPlan) carryOut(req *resolver.Request) (does, unknown []string) {
	for _, name := range p.Bundles {
		found := false
		for _, c := range req.Catalogs {
			if c.Content == nil || len(c.Content.Named(name)) == 0 {
				continue
			}
			b := c.Content.Bundle(c.Content.Named(name)[0])
			found = true
			var replaced []string
			req.Installed = slices.DeleteFunc(req.Installed, func(in resolver.Installed) bool {
				gone := in.Package == b.Package && in.Name != name
				if gone {
					replaced = append(replaced, in.Name)
				}
				return gone || in.Name == name
			})
			req.Installed = append(req.Installed, resolver.Installed{Name: name, Package: b.Package, Version: b.Version, Properties: &b.Properties, Catalog: c.Key})
			for i := range req.Subscriptions {
				if s := &req.Subscriptions[i]; s.Package == b.Package {
					s.InstalledCSV = name
				}
			}
			does = append(does, moved(replaced, name))
			break
		}
		if !found {
			unknown = append(unknown, text.Name(name))
		}
	}
	return does, unknown
}
