package certificate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
)

func TestExp(t *testing.T) {
	first := int(testkit.Must(seed.Seed())(t))
	conv := draw.NewConverter()
	r := resolver.New()
	ok, unsat, partial, bad, lem := 0, 0, 0, 0, 0
	_ = oracle.Problem{}
	for i := range 3000 {
		p := draw.Problem().Example(first + i)
		req := conv.Request(p)
		sol, err := r.Resolve(context.Background(), req)
		var conflict *resolver.Conflict
		switch {
		case errors.As(err, &conflict):
			unsat++
			if !conflict.Minimal {
				t.Log("not minimal")
				continue
			}
		case err != nil:
			continue
		case len(sol.Unresolved) > 0:
			partial++
			continue
		}
		cert, err := certificate.Make(context.Background(), r, req)
		require.NoError(t, err)
		lem += len(cert.Lemmas)
		if err := certificate.Check(context.Background(), req, cert); err != nil {
			if bad++; bad < 10 {
				t.Logf("seed %d: %v", first+i, err)
			}
			continue
		}
		ok++
	}
	t.Log(ok, unsat, partial, bad, lem)
}
