package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// begin returns the initial content of the page.
func (h *Handler) begin(context.Context, *question) (any, error) {
	type catalog struct {
		Key      string `json:"key"`
		Packages int    `json:"packages"`
		Bundles  int    `json:"bundles"`
	}
	out := struct {
		State    json.RawMessage `json:"state"`
		Catalogs []catalog       `json:"catalogs"`
		Examples []example       `json:"examples"`
	}{State: h.start, Examples: h.examples}
	for _, c := range h.catalogs {
		n := 0
		for range c.Content.Packages() {
			n++
		}
		out.Catalogs = append(out.Catalogs, catalog{c.Key.String(), n, c.Content.Len()})
	}
	return out, nil
}

// part is an HTML fragment with the target states of its buttons, or null for buttons without
// one.
type part struct {
	HTML   string            `json:"html"`
	States []json.RawMessage `json:"states,omitempty"`
}

// show renders a fragment.
func (h *Handler) show(ctx context.Context, p *view.Page) (part, error) {
	b := &written{ctx: ctx}
	err := h.parts.Write(b, p)
	return part{HTML: b.String()}, err
}

// livePage returns a page with buttons for the script.
func livePage(ctx context.Context) *view.Page {
	p := view.NewPage(ctx)
	p.Live = true
	return p
}

// resolve answers a state and compares it with the previous one.
func (h *Handler) resolve(ctx context.Context, q *question, st *scenario.Scenario) (any, error) {
	req, err := h.request(ctx, st)
	if err != nil {
		return nil, err
	}
	out := struct {
		Status   scenario.Status             `json:"status"`
		Headline string                      `json:"headline"`
		Set      []string                    `json:"set,omitempty"`
		Changes  []resolver.CorrectionChange `json:"changes,omitempty"` // of all corrections
		part
	}{}
	var states []json.RawMessage
	sol, err := h.resolver.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		_ = whatif.FindCorrections(ctx, h.resolver, req, conflict, whatif.FindOptions{Commands: olm.Commands}) // on error, keep the corrections found so far
		for _, one := range conflict.All() {
			for _, k := range one.Corrections {
				next, err := corrected(st, &req, k.List())
				if err != nil {
					return nil, err
				}
				states, out.Changes = append(states, next), append(out.Changes, k.Changes...)
			}
		}
	} else if err != nil {
		return nil, err
	}
	answer := scenario.NewAnswer(sol, err)
	answer.Stats.Bundles = h.bundles()
	var diff *whatif.Diff
	if sol != nil {
		if diff, err = h.compare(ctx, json.RawMessage(q.Before), sol); err != nil {
			return nil, err
		}
	}
	page := livePage(ctx)
	out.Headline = page.AddChanged(answer, diff)
	if page.Proven(h.proof(ctx, req)); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out.Status, out.Set = answer.Status, answer.Set
	out.part, err = h.show(ctx, page)
	out.States = states
	return out, err
}

// compare returns the difference from the answer to a previous state. It is nil if there is
// none, or if that state has no solution.
func (h *Handler) compare(ctx context.Context, before json.RawMessage, now *resolver.Solution) (*whatif.Diff, error) {
	if len(before) == 0 {
		return nil, nil
	}
	st, err := h.readState(ctx, before)
	if err != nil {
		return nil, err
	}
	req, err := h.request(ctx, st)
	if err != nil {
		return nil, err
	}
	was, err := h.resolver.Resolve(ctx, req)
	if err != nil {
		return nil, ctx.Err()
	}
	d := whatif.Compare(was, now)
	return &d, nil
}

func (h *Handler) bundles() int {
	n := 0
	for _, c := range h.catalogs {
		n += c.Content.Len()
	}
	return n
}

// corrected returns the state after changes, or null if they affect only a later round.
func corrected(st *scenario.Scenario, req *resolver.Request, changes []resolver.Change) (json.RawMessage, error) {
	changed, err := req.Apply(changes...)
	if err != nil {
		return nil, err
	}
	before, err := writeState(st)
	if err != nil {
		return nil, err
	}
	raw, err := writeState(stateAfter(st, &changed))
	if bytes.Equal(raw, before) {
		raw = json.RawMessage("null")
	}
	return raw, err
}

// path follows the upgrades of a state. Each round has its changes; the first rounds also have
// the resulting state, so that the page can go there.
func (h *Handler) path(ctx context.Context, q *question, st *scenario.Scenario) (any, error) {
	req, err := h.request(ctx, st)
	if err != nil {
		return nil, err
	}
	rounds := MaxSteps / (1 + len(req.Installed) + len(req.Subscriptions) + len(req.Extensions))
	done, err := h.resolver.Converge(ctx, req, resolver.ConvergeOptions{MaxRounds: min(MaxRounds, max(1, rounds))})
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	if err != nil && !errors.As(err, &conflict) && !(errors.As(err, &incomplete) && ctx.Err() == nil) {
		return nil, err
	}
	page := livePage(ctx)
	page.AddPath("", scenario.NewPath(done, err))
	out, err := h.show(ctx, page)
	if err != nil {
		return nil, err
	}
	for i, size := 0, 0; done != nil && i < len(done.Rounds) && ctx.Err() == nil; i++ {
		req = req.Advance(done.Rounds[i])
		st = stateAfter(st, &req)
		raw, err := writeState(st)
		if err != nil {
			return nil, err
		}
		if size += len(raw); size > MaxStates {
			break
		}
		out.States = append(out.States, raw)
	}
	return out, ctx.Err()
}

// why explains why a bundle is selected, or why not.
func (h *Handler) why(ctx context.Context, q *question, st *scenario.Scenario) (any, error) {
	req, err := h.request(ctx, st)
	if err != nil {
		return nil, err
	}
	page := livePage(ctx)
	explained, err := scenario.Explain(ctx, h.resolver, req, q.Bundle)
	var conflict *resolver.Conflict
	var wrong *resolver.RequestError
	switch {
	case errors.As(err, &conflict): // no solution, so no bundle is selected
		page.Add("", scenario.NewAnswer(nil, err))
	case errors.As(err, &wrong):
		return nil, &Problem{StatusNotFound, err.Error()}
	case err != nil:
		return nil, err
	default:
		page.AddExplanation("", explained)
	}
	return h.show(ctx, page)
}

// export returns a state as a scenario file for the command line, with the catalogs of the page.
func (h *Handler) export(_ context.Context, _ *question, st *scenario.Scenario) (any, error) {
	st.Catalogs = slices.Clone(h.base.Catalogs)
	var b bytes.Buffer
	if err := st.Write(&b); err != nil {
		return nil, err
	}
	return map[string]string{"yaml": b.String()}, nil
}
