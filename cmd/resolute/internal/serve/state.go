package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// A state is the problem that a player looks at: a scenario without its catalogs,
// which are the server's, and without what-ifs, which the player makes by hand. What
// a player sends can name no file and no address for that reason.

// readState reads a state.
func (s *Server) readState(ctx context.Context, raw json.RawMessage) (*scenario.Scenario, error) {
	if len(raw) == 0 {
		raw = s.start
	}
	st, err := scenario.Parse(ctx, "the problem", raw)
	if err != nil {
		return nil, err
	}
	if len(st.Catalogs)+len(st.WhatIf)+len(st.Expect) > 0 {
		return nil, bad("a state has no catalogs, no whatif and no expect: the catalogs are those that the server was started with")
	}
	return st, st.Validate()
}

// writeState is a scenario as a state.
func writeState(st *scenario.Scenario) (json.RawMessage, error) {
	bare := *st
	bare.Catalogs, bare.WhatIf, bare.Expect = nil, nil, nil
	return json.Marshal(&bare)
}

// request makes a request of a state.
func (s *Server) request(ctx context.Context, st *scenario.Scenario) (resolver.Request, error) {
	loaded, err := s.loader.Load(ctx, st) // which has no catalogs to read
	if err != nil {
		return resolver.Request{}, err
	}
	loaded.Request.Catalogs = s.catalogs
	return loaded.Request, nil
}

// question is what the page sends.
type question struct {
	State  json.RawMessage `json:"state"`
	Before json.RawMessage `json:"before"`
	Bundle string          `json:"bundle"`

	Catalog string `json:"catalog"`
	Package string `json:"package"`
	Channel string `json:"channel"`
	Sources bool   `json:"sources"`
}

// asked answers a question about a state.
func (s *Server) asked(answer func(context.Context, *question, *scenario.Scenario) (any, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		var q question
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil {
			return nil, bad("this is not a question: %v", err)
		}
		st, err := s.readState(r.Context(), q.State)
		if err != nil {
			return nil, err
		}
		return answer(r.Context(), &q, st)
	}
}

// restated is a state with what a request says of what is asked for, installed, forbidden
// and relaxed: the request of the state after a correction, or after a round of upgrades.
func restated(st *scenario.Scenario, req *resolver.Request) *scenario.Scenario {
	out, said := *st, scenario.Of(req)
	out.Installed, out.Subscriptions, out.Extensions, out.Forbid, out.Relax = said.Installed, said.Subscriptions, said.Extensions, said.Forbid, said.Relax
	before := make(map[string]scenario.Installed, len(st.Installed))
	for _, in := range slices.Backward(st.Installed) { // the first of a name
		before[in.Name] = in
	}
	for i, in := range out.Installed {
		if old, ok := before[in.Name]; ok {
			out.Installed[i] = old
		} else {
			out.Installed[i].Version, out.Installed[i].Properties = "", nil // as the catalogs say
		}
	}
	return &out
}
