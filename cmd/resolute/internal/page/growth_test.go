package page

import (
	"context"
	"encoding/json"
	"errors"
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
	servers := make(map[*growth.World]*Handler)
	of := func(w *growth.World) *Handler {
		if servers[w] == nil {
			start, err := scenario.ReadFile(t.Context(), w.Files.Scenario)
			require.NoError(t, err)
			servers[w] = handlerOf(t, start)
		}
		return servers[w]
	}
	ask := func(path string, fill func(w *growth.World, h *Handler, q *question, query url.Values)) growth.Operation {
		return func(ctx context.Context, w *growth.World) error {
			h, q, query := of(w), question{}, make(url.Values)
			fill(w, h, &q, query)
			var body []byte
			if q.State != nil {
				var err error
				body, err = json.Marshal(q)
				require.NoError(t, err)
			}
			_, err := h.Answer(ctx, "api/"+path+"?"+query.Encode(), body)
			var told *Problem
			var refused *resolver.RequestError
			if (errors.As(err, &told) || errors.As(err, &refused)) && ctx.Err() == nil {
				return nil
			}
			return err
		}
	}
	state := func(_ *growth.World, h *Handler, q *question, _ url.Values) { q.State = h.start }
	drawing := func(sources bool) growth.Operation {
		return ask("graph", func(w *growth.World, h *Handler, q *question, _ url.Values) {
			q.State, q.Catalog, q.Package, q.Sources = h.start, h.catalogs[0].Key.String(), w.Files.Package, sources
		})
	}
	searching := func(words string) growth.Operation {
		return ask("search", func(_ *growth.World, _ *Handler, _ *question, query url.Values) { query.Set("q", words) })
	}
	naming := func(missing string) growth.Operation {
		return ask("package", func(w *growth.World, _ *Handler, _ *question, query url.Values) {
			query.Set("name", w.Files.Package+missing)
		})
	}
	about := ask("about", func(w *growth.World, h *Handler, _ *question, query url.Values) {
		query.Set("name", w.Files.Package)
		query.Set("catalog", h.catalogs[0].Key.String())
	})
	return map[string]growth.Operation{
		"about":  about,
		"search": searching("p"), "search versions": searching("1.1.0 v1"), "search nothing": searching("pp0x"),
		"package": naming(""), "missing package": naming("x"),
		"graph": drawing(false), "graph sources": drawing(true),
		"resolve": ask("resolve", state),
		"compare": ask("resolve", func(_ *growth.World, h *Handler, q *question, _ url.Values) { q.State, q.Before = h.start, h.start }),
		"path":    ask("path", state),
		"why": ask("why", func(w *growth.World, h *Handler, q *question, _ url.Values) {
			q.State, q.Bundle = h.start, w.Files.Bundle
		}),
		"export": ask("export", state),
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
