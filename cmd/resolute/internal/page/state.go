package page

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// A state is a scenario without catalogs, which belong to the handler, and without what-ifs,
// which users make interactively. It therefore contains no paths or addresses.

// readState parses a state.
func (h *Handler) readState(ctx context.Context, raw json.RawMessage) (*scenario.Scenario, error) {
	if len(raw) == 0 {
		raw = h.start
	}
	st, err := scenario.Parse(ctx, "the problem", raw)
	if err != nil {
		return nil, err
	}
	if len(st.Catalogs)+len(st.WhatIf)+len(st.Expect) > 0 {
		return nil, bad("a state must not have catalogs, whatif or expect; the page has its own catalogs")
	}
	return st, st.Validate()
}

// writeState encodes a scenario as a state.
func writeState(st *scenario.Scenario) (json.RawMessage, error) {
	bare := *st
	bare.Catalogs, bare.WhatIf, bare.Expect = nil, nil, nil
	return json.Marshal(&bare)
}

// request returns the request of a state.
func (h *Handler) request(ctx context.Context, st *scenario.Scenario) (resolver.Request, error) {
	loaded, err := st.Load(ctx) // no catalogs to read
	if err != nil {
		return resolver.Request{}, err
	}
	loaded.Request.Catalogs = h.catalogs
	return loaded.Request, nil
}

// withState adapts a function that answers a question about a state.
func (h *Handler) withState(answer func(context.Context, *question, *scenario.Scenario) (any, error)) answerer {
	return func(ctx context.Context, q *question) (any, error) {
		st, err := h.readState(ctx, json.RawMessage(q.State))
		if err != nil {
			return nil, err
		}
		return answer(ctx, q, st)
	}
}

// stateAfter returns a state with the subscriptions, installed, forbidden and relaxed bundles, and
// the policy rules, of a request, after a correction or an upgrade round.
func stateAfter(st *scenario.Scenario, req *resolver.Request) *scenario.Scenario {
	out, said := *st, scenario.Of(req)
	out.Installed, out.Subscriptions, out.Extensions, out.Forbid, out.Relax = said.Installed, said.Subscriptions, said.Extensions, said.Forbid, said.Relax
	out.Policy.Veto = said.Policy.Veto
	before := make(map[string]scenario.Installed, len(st.Installed))
	for _, in := range slices.Backward(st.Installed) { // keep the first of each name
		before[in.Name] = in
	}
	for i, in := range out.Installed {
		if old, ok := before[in.Name]; ok {
			out.Installed[i] = old
		} else {
			out.Installed[i].Version, out.Installed[i].Properties = "", nil // taken from the catalogs
		}
	}
	return &out
}
