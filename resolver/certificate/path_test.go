package certificate_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Every round of an upgrade path, and the result of every correction, is the answer to a request,
// which has a certificate of its own.
func TestPropertyCertificatesOfRounds(t *testing.T) {
	first, count := problems(t)
	generator, converter, r := draw.Problem(), draw.NewConverter(), resolver.New()
	rounds := 0
	for i := range count / 4 {
		path := &resolver.Path{Final: converter.Request(generator.Example(first + i))}
		for _, err := range path.Follow(ctx, 20, func(ctx context.Context, req resolver.Request) (*resolver.Solution, error) {
			sol, err := r.Resolve(ctx, req)
			if err != nil {
				return nil, err
			}
			rounds++
			cert := testkit.Must(certificate.Make(ctx, r, req))(t)
			require.NoError(t, certificate.Check(ctx, req, cert), "seed %d, round %d", first+i, len(path.Rounds)+1)
			require.Equal(t, stepNames(sol), setNames(cert), "seed %d", first+i)
			return sol, nil
		}) {
			if err != nil {
				break
			}
		}
	}
	t.Logf("%d rounds proven", rounds)
	require.Greater(t, rounds, count/20)
}

func TestPropertyCertificatesOfCorrections(t *testing.T) {
	first, count := problems(t)
	generator, converter, r := draw.Problem(), draw.NewConverter(), resolver.New()
	proven := 0
	for i := range count / 4 {
		req := converter.Request(generator.Example(first + i))
		var conflict *resolver.Conflict
		if _, err := r.Resolve(ctx, req); !errors.As(err, &conflict) || whatif.FindCorrections(ctx, r, req, conflict, whatif.FindOptions{}) != nil {
			continue
		}
		for _, c := range conflict.Corrections {
			upgrades := func(c resolver.Change) bool {
				follow, ok := c.(resolver.FollowChannel)
				return ok && follow.Round > 0
			}
			if c.Remaining > 0 || slices.ContainsFunc(c.List(), upgrades) {
				continue // the request has no solution yet
			}
			corrected := testkit.Must(req.Apply())(t)
			corrected.Policy.Failures = resolver.FailuresAll
			corrected = testkit.Must(corrected.Apply(c.List()...))(t)
			cert := testkit.Must(certificate.Make(ctx, r, corrected))(t)
			require.NoError(t, certificate.Check(ctx, corrected, cert), "seed %d", first+i)
			require.Equal(t, certificate.Resolved, cert.Status, "seed %d: %s", first+i, c.Text)
			names := testkit.Map(cert.Set, func(id int) string { return cert.Bundles[id-1].Name })
			require.ElementsMatch(t, c.Result, names, "seed %d", first+i)
			proven++
		}
	}
	t.Logf("the results of %d corrections proven", proven)
	require.Greater(t, proven, count/40)
}
