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

// PendingPlan is an install plan that waits for approval.
type PendingPlan struct {
	// Plan is the name, Bundles are the bundles to install, and Subscriptions are the waiting
	// subscriptions.
	Plan          string   `json:"plan"`
	Bundles       []string `json:"bundles"`
	Subscriptions []string `json:"subscriptions,omitempty"`
	// Verdict is the result of approving the plan: "wanted", the state that the subscriptions
	// demand; "further", a step towards it, with more upgrades to follow; "outdated", another
	// state, because the catalogs have changed; or "conflict", a namespace without a solution.
	// Text explains it. Both are empty before [PendingPlan.Judge].
	Verdict string `json:"verdict,omitempty"`
	Text    string `json:"text,omitempty"`
	// Command approves the plan. It is set if the verdict is "wanted".
	Command string `json:"command,omitempty"`
}

// pendingPlans returns the pending install plans of the namespace by name.
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

// Judge computes the verdict on approving the plan. The request needs the catalogs, with the
// waiting subscriptions on hold. The error is that of the resolver, except for a conflict.
func (p *PendingPlan) Judge(ctx context.Context, r *resolver.Resolver, req resolver.Request) error {
	req, err := req.Apply() // a copy with generated subscriptions
	if err != nil {
		return err
	}
	req = req.Known() // with the known packages
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
	effect := fmt.Sprintf("approving install plan %s would %s", text.Name(p.Plan), text.And(does))
	command := fmt.Sprintf("kubectl patch installplan %s -n %s --type merge -p '{\"spec\":{\"approved\":true}}'", text.Name(p.Plan), text.Name(req.Namespace))
	switch other := slices.DeleteFunc(slices.Clone(does), func(s string) bool { return slices.Contains(wanted, s) }); {
	case len(unknown) > 0 || len(does) == 0:
		p.Verdict = "outdated"
		p.Text = fmt.Sprintf("install plan %s installs %s, which the catalogs no longer have; the subscriptions now demand: %s", text.Name(p.Plan), text.Short(unknown, 5), orNothing(wanted))
	case conflict != nil:
		p.Verdict = "conflict"
		p.Text = fmt.Sprintf("%s, after which there is no solution: %s", effect, conflict.Headline())
	case len(wanted) > 0 && len(other) > 0:
		p.Verdict = "outdated"
		p.Text = fmt.Sprintf("%s; the subscriptions now demand: %s", effect, orNothing(wanted))
	case len(next) > 0:
		p.Verdict = "further"
		p.Text = fmt.Sprintf("%s, a step towards the demands of the subscriptions; next: %s", effect, text.Short(next, 5))
		p.Command = command
	default:
		p.Verdict = "wanted"
		p.Text = fmt.Sprintf("%s, which satisfies all subscriptions", effect)
		p.Command = command
	}
	return nil
}

func orNothing(list []string) string { return cmp.Or(text.Short(list, 5), "nothing") }

// moves describes the installs and upgrades of a resolution, or returns the conflict.
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

// moved describes the installation of a bundle and what it replaces.
func moved(replaced []string, bundle string) string {
	if len(replaced) == 0 {
		return "install " + text.Name(bundle)
	}
	return "upgrade " + text.And(text.Names(replaced)) + " to " + text.Name(bundle)
}

// carryOut replaces the installed bundles by those of the plan and describes the steps. It
// returns the bundles that no catalog has.
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
