package certificate_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
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

// Each correction of a drawn conflict is proven: its result, or that conflicts remain and the result
// without what these are about. One of them may show as several once the first is gone.
func TestPropertyCertificatesOfCorrections(t *testing.T) {
	first, count := problems(t)
	generator, converter, r := draw.Problem(), draw.NewConverter(), resolver.New()
	proven := make(map[string]int)
	for i := range count / 4 {
		proveCorrections(t, r, converter.Request(generator.Example(first+i)), proven)
	}
	t.Logf("corrections proven: %v", proven)
	require.Greater(t, proven["all resolved"], count/40)
	require.Greater(t, proven["others remain"], count/60)
	require.Greater(t, proven["without the others"], count/100)
}

// A correction that is an upgrade path is proven round by round.
func TestCertificatesOfCorrectingPaths(t *testing.T) {
	proven := make(map[string]int)
	for _, problem := range []string{`
		a/one a.v1 a.v2
		a/two a.v3 replaces=a.v2
		a/two a.v4 replaces=a.v3
		a/three a.v5 replaces=a.v4
		web/x web.v1 needs=a@>=5.0.0
		installed a.v1 package=a
		subscribe a in=one at=a.v1
		subscribe web`, `
		a/one a.v1 a.v2
		a/two a.v3 replaces=a.v2 needs=b@>=2.0.0
		b/one b.v1 b.v2
		web/x web.v1 needs=a@>=3.0.0
		installed a.v1 package=a
		installed b.v1 package=b
		subscribe a in=one at=a.v1
		subscribe b at=b.v1
		subscribe web`} {
		proveCorrections(t, resolver.New(), universe.Request(t, problem), proven)
	}
	require.Equal(t, 2, proven["upgrade paths"])
}

// proveCorrections proves each correction of each conflict of a request, and counts them by kind.
func proveCorrections(t *testing.T, r *resolver.Resolver, req resolver.Request, proven map[string]int) {
	t.Helper()
	var conflict *resolver.Conflict
	if _, err := r.Resolve(ctx, req); !errors.As(err, &conflict) || whatif.FindCorrections(ctx, r, req, conflict, whatif.FindOptions{}) != nil {
		return
	}
	req = testkit.Must(req.Apply())(t)
	req.Policy.Failures = resolver.FailuresAll
	before := checked(t, r, req)
	for _, c := range conflict.Corrections {
		rounds := 0
		for _, change := range c.List() {
			if follow, ok := change.(resolver.FollowChannel); ok {
				rounds = max(rounds, follow.Round)
			}
		}
		corrected := advanced(t, r, req, c.List(), rounds)
		cert := checked(t, r, corrected)
		kind := "all resolved"
		if rounds > 0 {
			kind = "upgrade paths"
		}
		if c.Remaining > 0 {
			require.Equal(t, certificate.Unsatisfiable, cert.Status, c.Text)
			others, exact := without(corrected, before.Further)
			if proven["others remain"]++; !exact {
				continue
			}
			kind, cert = "without the others", checked(t, r, others)
		}
		require.Equal(t, certificate.Resolved, cert.Status, c.Text)
		require.ElementsMatch(t, c.Result, testkit.Map(cert.Set, func(id int) string { return cert.Bundles[id-1].Name }), c.Text)
		proven[kind]++
	}
}

func checked(t *testing.T, r *resolver.Resolver, req resolver.Request) *certificate.Certificate {
	t.Helper()
	cert := testkit.Must(certificate.Make(ctx, r, req))(t)
	require.NoError(t, certificate.Check(ctx, req, cert))
	return cert
}

// advanced makes changes, those of an upgrade path in their rounds. In the rounds before the last
// one installed bundles follow their channels, and the rest waits (section 7).
func advanced(t *testing.T, r *resolver.Resolver, req resolver.Request, changes []resolver.Change, rounds int) resolver.Request {
	t.Helper()
	for round := 1; round < rounds; round++ {
		req = follow(t, req, changes, round)
		moving := req
		moving.Policy.Goal, moving.Force = resolver.Newest, nil
		moving.Subscriptions = slices.DeleteFunc(slices.Clone(req.Subscriptions), func(s resolver.Subscription) bool { return req.Owned()[s.Name] == "" })
		checked(t, r, moving)
		req = req.Advance(testkit.Must(r.Resolve(ctx, moving))(t))
	}
	if rounds > 0 {
		return follow(t, req, changes, rounds)
	}
	return testkit.Must(req.Apply(changes...))(t)
}

// follow makes the changes of a round.
func follow(t *testing.T, req resolver.Request, changes []resolver.Change, round int) resolver.Request {
	t.Helper()
	for _, change := range changes {
		if follow := change.(resolver.FollowChannel); follow.Round == round {
			follow.Round = 0
			req = testkit.Must(req.Apply(follow))(t)
		}
	}
	return req
}

// without removes the subscriptions that conflicts are about. It reports false if they are
// about anything installed or forced, which cannot be removed without other effects.
func without(req resolver.Request, conflicts []*resolver.Proof) (resolver.Request, bool) {
	owned, exact := req.Owned(), true
	for _, proof := range conflicts {
		for _, f := range proof.Facts {
			exact = exact && f.Kind != "installed" && f.Kind != "forced" && (f.Kind != "subscription" || owned[f.Subject] == "")
			req.Subscriptions = slices.DeleteFunc(slices.Clone(req.Subscriptions), func(s resolver.Subscription) bool { return f.Kind == "subscription" && s.Name == f.Subject })
		}
	}
	return req, exact
}
