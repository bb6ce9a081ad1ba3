package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// begin answers what the page begins with.
func (s *Server) begin(*http.Request) (any, error) {
	type catalog struct {
		Key      string `json:"key"`
		Packages int    `json:"packages"`
		Bundles  int    `json:"bundles"`
	}
	out := struct {
		State    json.RawMessage `json:"state"`
		Catalogs []catalog       `json:"catalogs"`
	}{State: s.start}
	for _, c := range s.catalogs {
		n := 0
		for range c.Content.Packages() {
			n++
		}
		out.Catalogs = append(out.Catalogs, catalog{c.Key.String(), n, c.Content.Len()})
	}
	return out, nil
}

// offer is a correction, and the state to which it leads.
type offer struct {
	Text   string          `json:"text"`
	Result []string        `json:"result"`
	State  json.RawMessage `json:"state,omitempty"` // absent where it changes a later round alone
	Left   int             `json:"remaining,omitempty"`
}

// argued is a conflict as the page shows it.
type argued struct {
	Headline string   `json:"headline"`
	Text     string   `json:"text"`
	Picture  *drawing `json:"picture"`
	Offers   []offer  `json:"offers"`
	Tried    int      `json:"tried,omitempty"`
}

// resolve answers a state, and says what differs from the state before.
func (s *Server) resolve(r *http.Request) (any, error) {
	ctx := r.Context()
	q, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	req, st, err := s.request(ctx, q.State)
	if err != nil {
		return nil, err
	}
	out := struct {
		Answer    *scenario.Answer `json:"answer"`
		Otherwise string           `json:"otherwise,omitempty"` // the headline, where a subscription gets something else than it asks for
		Picture   *drawing         `json:"picture,omitempty"`
		Diff      *whatif.Diff     `json:"diff,omitempty"`
		Conflicts []argued         `json:"conflicts,omitempty"`
	}{}
	sol, err := s.resolver.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		_ = whatif.FindCorrections(ctx, s.resolver, req, conflict, whatif.FindOptions{}) // what was found by then has to do
		for _, one := range conflict.All() {
			a, err := argue(st, &req, one)
			if err != nil {
				return nil, err
			}
			out.Conflicts = append(out.Conflicts, a)
		}
	} else if err != nil {
		return nil, err
	}
	out.Answer = scenario.NewAnswer(sol, err)
	out.Answer.Stats.Bundles = s.bundles()
	if len(out.Answer.Otherwise()) > 0 {
		out.Otherwise = out.Answer.Headline()
	}
	if sol == nil {
		return out, nil
	}
	out.Picture = drawn(sol)
	out.Diff, err = s.compare(ctx, q.Before, sol)
	return out, err
}

// compare says what differs from the answer to a state before. It is nil if there is no
// such state, or if that one has no solution.
func (s *Server) compare(ctx context.Context, before json.RawMessage, now *resolver.Solution) (*whatif.Diff, error) {
	if len(before) == 0 {
		return nil, nil
	}
	req, _, err := s.request(ctx, before)
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

// argue shows a conflict, each correction with the state that it leads to.
func argue(st *scenario.Scenario, req *resolver.Request, c *resolver.Conflict) (argued, error) {
	said := c.Argument()
	said.Further = nil // they are shown by themselves
	a := argued{Headline: c.Headline(), Text: said.Text(), Picture: drawn(said), Tried: c.Tried}
	before, err := writeState(st)
	if err != nil {
		return a, err
	}
	for _, correction := range c.Corrections {
		changed, err := req.Apply(correction.Changes...)
		if err != nil {
			return a, err
		}
		next, err := restated(st, &changed)
		if err != nil {
			return a, err
		}
		raw, err := writeState(next)
		if err != nil {
			return a, err
		}
		if bytes.Equal(raw, before) {
			raw = nil
		}
		a.Offers = append(a.Offers, offer{correction.Text, correction.Result, raw, correction.Remaining})
	}
	return a, nil
}

// road follows the upgrade road of a state. The rounds come with what they change, and
// the first of them with the state that they leave, so that the page can go there.
func (s *Server) road(r *http.Request) (any, error) {
	ctx := r.Context()
	q, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	req, st, err := s.request(ctx, q.State)
	if err != nil {
		return nil, err
	}
	rounds := MaxSteps / (1 + len(req.Installed) + len(req.Subscriptions) + len(req.Extensions))
	road, err := s.resolver.Converge(ctx, req, resolver.ConvergeOptions{MaxRounds: min(MaxRounds, max(1, rounds))})
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	if err != nil && !errors.As(err, &conflict) && !(errors.As(err, &incomplete) && ctx.Err() == nil) {
		return nil, err
	}
	out := struct {
		*scenario.Path
		End     string            `json:"end,omitempty"`
		Picture *drawing          `json:"picture"`
		States  []json.RawMessage `json:"states"`
	}{Path: scenario.NewPath(road, err)}
	out.End, out.Picture = out.Path.End(), drawn(out.Path)
	for i, size := 0, 0; road != nil && i < len(road.Rounds) && ctx.Err() == nil; i++ {
		req = req.Advance(road.Rounds[i])
		if st, err = restated(st, &req); err != nil {
			return nil, err
		}
		raw, err := writeState(st)
		if err != nil {
			return nil, err
		}
		if size += len(raw); size > MaxStates {
			break
		}
		out.States = append(out.States, raw)
	}
	for _, round := range out.Rounds {
		round.Set = nil
		round.Steps = slices.DeleteFunc(round.Steps, func(step resolver.Step) bool { return step.Action == resolver.Keep })
	}
	return out, ctx.Err()
}

// why answers why a bundle is in the result, or why it is not.
func (s *Server) why(r *http.Request) (any, error) {
	ctx := r.Context()
	q, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	req, _, err := s.request(ctx, q.State)
	if err != nil {
		return nil, err
	}
	out := struct {
		Text    string   `json:"text"`
		In      bool     `json:"in"`
		Picture *drawing `json:"picture,omitempty"`
	}{}
	explained, err := scenario.Explain(ctx, s.resolver, req, q.Bundle)
	var conflict *resolver.Conflict
	var wrong *resolver.RequestError
	switch {
	case errors.As(err, &conflict):
		out.Text = "There is no solution at all, so that no bundle is in it.\n" + conflict.Text()
	case errors.As(err, &wrong):
		return nil, &problem{http.StatusNotFound, err.Error()}
	case err != nil:
		return nil, err
	default:
		out.Text, out.In, conflict = explained.Text(), explained.In, explained.Conflict
	}
	if conflict != nil {
		out.Picture = drawn(conflict.Argument())
	}
	return out, nil
}

// export writes a state as a scenario file for the command line, with the catalogs
// where they lie on this machine.
func (s *Server) export(r *http.Request) (any, error) {
	q, err := readQuestion(r)
	if err != nil {
		return nil, err
	}
	st, err := s.readState(r.Context(), q.State)
	if err != nil {
		return nil, err
	}
	st.Catalogs = slices.Clone(s.base.Catalogs)
	for i := range st.Catalogs {
		c := &st.Catalogs[i]
		if c.Path != "" && !filepath.IsAbs(c.Path) {
			if c.Path, err = filepath.Abs(filepath.Join(filepath.Dir(s.base.File()), filepath.FromSlash(c.Path))); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	if err := st.Write(&b, scenario.YAML); err != nil {
		return nil, err
	}
	return map[string]string{"yaml": b.String()}, nil
}
