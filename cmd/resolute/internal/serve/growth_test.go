package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// questions are all that the page asks, each answered and written as JSON. What a player can
// mend is an answer, too.
func questions(t *testing.T) map[string]growth.Operation {
	servers := make(map[*growth.World]*Server)
	of := func(w *growth.World) *Server {
		if servers[w] == nil {
			start, err := scenario.ReadFile(t.Context(), w.Files.Scenario)
			require.NoError(t, err)
			servers[w], err = New(t.Context(), Config{Scenario: start})
			require.NoError(t, err)
		}
		return servers[w]
	}
	type operation = func(*http.Request) (any, error)
	ask := func(f func(*Server) operation, fill func(w *growth.World, s *Server, q *question, query url.Values)) growth.Operation {
		return func(ctx context.Context, w *growth.World) error {
			s, q, query := of(w), question{}, make(url.Values)
			fill(w, s, &q, query)
			body, err := json.Marshal(q)
			require.NoError(t, err)
			r := httptest.NewRequest("POST", "http://localhost/?"+query.Encode(), bytes.NewReader(body)).WithContext(ctx)
			out, err := f(s)(r)
			var told *problem
			var refused *resolver.RequestError
			if (errors.As(err, &told) || errors.As(err, &refused)) && ctx.Err() == nil {
				return nil
			}
			if err == nil {
				_, err = encoded(ctx, out)
			}
			return err
		}
	}
	state := func(_ *growth.World, s *Server, q *question, _ url.Values) { q.State = s.start }
	drawing := func(sources bool) growth.Operation {
		return ask(func(s *Server) operation { return s.withState(s.graph) }, func(w *growth.World, s *Server, q *question, _ url.Values) {
			q.State, q.Catalog, q.Package, q.Sources = s.start, s.catalogs[0].Key.String(), w.Files.Package, sources
		})
	}
	searching := func(words string) growth.Operation {
		return ask(func(s *Server) operation { return s.search }, func(_ *growth.World, _ *Server, _ *question, query url.Values) { query.Set("q", words) })
	}
	naming := func(missing string) growth.Operation {
		return ask(func(s *Server) operation { return s.onePackage }, func(w *growth.World, _ *Server, _ *question, query url.Values) {
			query.Set("name", w.Files.Package+missing)
		})
	}
	return map[string]growth.Operation{
		"search": searching("p"), "search versions": searching("1.1.0 v1"), "search nothing": searching("pp0x"),
		"package": naming(""), "missing package": naming("x"),
		"graph": drawing(false), "graph sources": drawing(true),
		"resolve": ask(func(s *Server) operation { return s.withState(s.resolve) }, state),
		"compare": ask(func(s *Server) operation { return s.withState(s.resolve) }, func(_ *growth.World, s *Server, q *question, _ url.Values) { q.State, q.Before = s.start, s.start }),
		"path":    ask(func(s *Server) operation { return s.withState(s.path) }, state),
		"why": ask(func(s *Server) operation { return s.withState(s.why) }, func(w *growth.World, s *Server, q *question, _ url.Values) {
			q.State, q.Bundle = s.start, w.Files.Bundle
		}),
		"export": ask(func(s *Server) operation { return s.withState(s.export) }, state),
	}
}

// growing are the questions that may take more of a shape than n log n.
var growing = []growth.Exception{
	{Shape: "rules about the same properties", Why: "each rule is evaluated on each bundle that has the property; resolver.Limits.CELCost bounds the cost of all of them"},
	{Shape: "a range for each subscription", Why: "each subscription has a list of candidates of its own; all lists together are bounded by resolver.Limits.Bundles"},
	{Shape: "skipRange everywhere", Operations: []string{"graph"}, Why: "each version has up to 100 edges"},
	{Shape: "hostile rules", Operations: []string{"resolve", "compare"}, Why: "corrections are tried, and each try resolves: 300 at most"},
	{Shape: "many channels", Operations: []string{"resolve", "compare"}, Why: "each other channel is tried as a correction: 300 at most"},
	{Shape: "versions that miss the same package", Operations: []string{"resolve", "compare", "path", "why"}, Why: "each version's requirement is tried as a correction: 300 at most"},
	{Shape: "many subscriptions to one package", Operations: []string{"why"}, Why: "the SAT solver is asked for each candidate that is worse than the forced one"},
}

// TestGrowth: eight times as much takes each question of the page little more than eight
// times as much.
func TestGrowth(t *testing.T) {
	(&growth.Table{Size: 32, Operations: questions(t), Grows: growing, Dir: t.TempDir()}).Growth(t)
}

// TestEndsAnywhere: whenever its context ends, each question of the page ends soon.
func TestEndsAnywhere(t *testing.T) {
	(&growth.Table{Size: 16, Operations: questions(t), Grows: growing, Dir: t.TempDir()}).Ends(t)
}
