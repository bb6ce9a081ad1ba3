package page

import (
	"context"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// proof proves the answer to a request and checks the proof. It is nil for an answer that has
// none, or for which there was no time.
func (h *Handler) proof(ctx context.Context, req resolver.Request) *view.Proof {
	said := make(map[view.RejectedBundle]string)
	r := h.resolver.With(resolver.WithHooks(trace.Hooks{Search: func(_ context.Context, e trace.Event) {
		if c := e.Candidate; c != nil && c.Verdict != trace.Chosen {
			of := view.RejectedBundle{Name: c.Bundle, Catalog: c.Catalog.String()}
			if c.Installed {
				of.Catalog = ""
			}
			said[of] = c.Reason(graph.Terms{})
		}
	}}))
	cert, err := certificate.Make(ctx, r, req)
	if err != nil || certificate.Check(ctx, req, cert) != nil {
		return nil
	}
	return view.NewProof(cert, said)
}
