package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// begin returns the initial content of the page.
func (s *Server) begin(*http.Request) (any, error) {
	type catalog struct {
		Key      string `json:"key"`
		Packages int    `json:"packages"`
		Bundles  int    `json:"bundles"`
	}
	out := struct {
		State    json.RawMessage `json:"state"`
		Catalogs []catalog       `json:"catalogs"`
		Examples []example       `json:"examples"`
	}{State: s.start, Examples: s.examples}
	for _, c := range s.catalogs {
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
func (s *Server) show(ctx context.Context, p *view.Page) (part, error) {
	b := &written{ctx: ctx}
	err := s.parts.Write(b, p)
	return part{HTML: b.String()}, err
}

// livePage returns a page with buttons for the script.
func livePage(ctx context.Context) *view.Page {
	p := view.NewPage(ctx)
	p.Live = true
	return p
}

// resolve answers a state and compares it with the previous one.
func (s *Server) resolve(ctx context.Context, q *question, st *scenario.Scenario) (any, error) {
	req, err := s.request(ctx, st)
	if err != nil {
		return nil, err
	}
	out := struct {
		Status   scenario.Status   `json:"status"`
		Headline string            `json:"headline"`
		Set      []string          `json:"set,omitempty"`
		Changes  []resolver.Change `json:"changes,omitempty"` // changes of each correction
		part
	}{}
	var states []json.RawMessage
	sol, err := s.resolver.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		_ = whatif.FindCorrections(ctx, s.resolver, req, conflict, whatif.FindOptions{Commands: olm.Commands}) // on error, keep the corrections found so far
		for _, one := range conflict.All() {
			for _, k := range one.Corrections {
				next, err := corrected(st, &req, k.Changes)
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
	answer.Stats.Bundles = s.bundles()
	var diff *whatif.Diff
	if sol != nil {
		if diff, err = s.compare(ctx, q.Before, sol); err != nil {
			return nil, err
		}
	}
	page := livePage(ctx)
	out.Headline = page.AddChanged(answer, diff)
	if page.Proven(s.proof(ctx, req)); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out.Status, out.Set = answer.Status, answer.Set
	out.part, err = s.show(ctx, page)
	out.States = states
	return out, err
}

// compare returns the difference from the answer to a previous state. It is nil if there is
// none, or if that state has no solution.
func (s *Server) compare(ctx context.Context, before json.RawMessage, now *resolver.Solution) (*whatif.Diff, error) {
	if len(before) == 0 {
		return nil, nil
	}
	st, err := s.readState(ctx, before)
	if err != nil {
		return nil, err
	}
	req, err := s.request(ctx, st)
	if err != nil {
		return nil, err
	}
	was, err := s.resolver.Resolve(ctx, req)
	if err != nil {
		return nil, ctx.Err()
	}
	d := whatif.Compare(was, now)
	return &d, nil
}

func (s *Server) bundles() int {
	n := 0
	for _, c := range s.catalogs {
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
func (s *Server) path(ctx context.Context, q *question, st *scenario.Scenario) (any, error) {
	req, err := s.request(ctx, st)
	if err != nil {
		return nil, err
	}
	rounds := MaxSteps / (1 + len(req.Installed) + len(req.Subscriptions) + len(req.Extensions))
	done, err := s.resolver.Converge(ctx, req, resolver.ConvergeOptions{MaxRounds: min(MaxRounds, max(1, rounds))})
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	if err != nil && !errors.As(err, &conflict) && !(errors.As(err, &incomplete) && ctx.Err() == nil) {
		return nil, err
	}
	page := livePage(ctx)
	page.AddPath("", scenario.NewPath(done, err))
	out, err := s.show(ctx, page)
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
func (s *Server) why(ctx context.Context, q *question, st *scenario.Scenario) (any, error) {
	req, err := s.request(ctx, st)
	if err != nil {
		return nil, err
	}
	page := livePage(ctx)
	explained, err := scenario.Explain(ctx, s.resolver, req, q.Bundle)
	var conflict *resolver.Conflict
	var wrong *resolver.RequestError
	switch {
	case errors.As(err, &conflict): // no solution, so no bundle is selected
		page.Add("", scenario.NewAnswer(nil, err))
	case errors.As(err, &wrong):
		return nil, &problem{http.StatusNotFound, err.Error()}
	case err != nil:
		return nil, err
	default:
		page.AddExplanation("", explained)
	}
	return s.show(ctx, page)
}

// export returns a state as a scenario file for the command line, with the paths of the
// catalogs on this machine.
func (s *Server) export(_ context.Context, _ *question, st *scenario.Scenario) (any, error) {
	st.Catalogs = slices.Clone(s.base.Catalogs)
	for i := range st.Catalogs {
		c := &st.Catalogs[i]
		if c.Path != "" && !filepath.IsAbs(c.Path) {
			var err error
			if c.Path, err = filepath.Abs(filepath.Join(filepath.Dir(s.base.File()), filepath.FromSlash(c.Path))); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	if err := st.Write(&b); err != nil {
		return nil, err
	}
	return map[string]string{"yaml": b.String()}, nil
}
