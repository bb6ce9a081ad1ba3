package resolver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// WriteDIMACS writes the hard rules of a request as a formula in conjunctive
// normal form, in the DIMACS format that SAT solvers read. The formula is
// satisfiable exactly if [Resolver.Resolve] finds a solution under the policy
// AllOrNothing.
//
// It is about the bundles that the request reaches, and holds for them: that each
// subscription has one of its candidates, that installed bundles stay or are
// replaced by a candidate of the subscription that owns them, that forced bundles
// are there, that each chosen bundle has its constraints met, that at most one bundle of a
// package and one provider of an API is chosen (section 5 of the semantics).
// Bundles that can never be chosen, because they are forbidden, deprecated or set
// aside, have no variable.
//
// What it does not hold is any preference: which of the solutions is the best
// (section 6), and that nothing is in the set without a reason. Every result set
// is a model of it; a model may have bundles that nothing asks for. Policy
// [FailuresPartial] makes no difference to it: all subscriptions have to be met.
//
// Comments map variables to bundles, one a line, as "c 3 olm/community etcd.v0.9.4";
// for an installed bundle "installed" stands in the place of the catalog. The
// other variables are auxiliary. Names are made inert. The same request gives the same
// bytes.
//
// The error is a [*RequestError] or an [*IncompleteError] as of Resolve, or that
// of w.
func (r *Resolver) WriteDIMACS(ctx context.Context, w io.Writer, req Request) error {
	p, err := prepare(ctx, &req, r.settings(), false)
	if err != nil {
		return err
	}
	f := formula.Encode(&p.Problem, formula.Plain, p.solverObserver())
	if p.Stopped() {
		return p.failed(p.Err())
	}
	return f.WriteDIMACS(w, func(w *bufio.Writer) { p.writeComments(w, f) })
}

// writeComments says what the formula is about, and which variable means which
// bundle. A failed write shows when the writer is flushed.
func (p *resolution) writeComments(out *bufio.Writer, f *formula.Formula) {
	fmt.Fprintf(out, "c the hard rules of a request: %s, %s\n",
		text.Count(len(p.asked), "subscription", "subscriptions"), text.Count(len(p.req.Installed), "installed bundle", "installed bundles"))
	fmt.Fprintln(out, "c bundles by variable; variables that are not listed are auxiliary")
	for n := range p.Nodes {
		if f.Literal(problem.NodeID(n)) == 0 {
			continue
		}
		nd := &p.Nodes[n]
		from := "installed"
		if nd.Inst < 0 {
			from = p.Cats[nd.Cat].Key.String()
		}
		fmt.Fprintf(out, "c %d %s %s\n", f.Literal(problem.NodeID(n)), oneWord(from), oneWord(nd.Bundle.Name))
	}
}

// oneWord makes a name inert and replaces its spaces, so that a comment has as many
// words as it should.
func oneWord(s string) string { return strings.ReplaceAll(text.Inert(s), " ", "\ufffd") }
