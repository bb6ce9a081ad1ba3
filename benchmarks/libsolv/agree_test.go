package libsolv_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func needTestsolv(t testing.TB) {
	t.Helper()
	if _, err := libsolv.Find(); err != nil {
		t.Skip(err)
	}
}

// drawConfig draws small instances of every shape, about half of them
// unsatisfiable.
func drawConfig(t *rapid.T) synthetic.Config {
	share := rapid.SampledFrom([]float64{0, 0.5, 1})
	cfg := synthetic.Config{
		Seed:            rapid.Uint64().Draw(t, "seed"),
		Shape:           rapid.SampledFrom(synthetic.Shapes()).Draw(t, "shape"),
		Packages:        rapid.IntRange(8, 20).Draw(t, "packages"),
		Versions:        rapid.IntRange(1, 4).Draw(t, "versions"),
		Catalogs:        rapid.IntRange(1, 3).Draw(t, "catalogs"),
		Fanout:          rapid.IntRange(0, 3).Draw(t, "fanout"),
		Cyclic:          rapid.Bool().Draw(t, "cyclic"),
		RangeShare:      share.Draw(t, "range"),
		GVKShare:        share.Draw(t, "gvk"),
		CELShare:        share.Draw(t, "cel"),
		CompoundShare:   share.Draw(t, "compound"),
		AnyShare:        share.Draw(t, "any"),
		AnyWidth:        rapid.IntRange(1, 4).Draw(t, "width"),
		SkipShare:       share.Draw(t, "skips"),
		ConflictDensity: share.Draw(t, "conflicts"),
		Contenders:      rapid.IntRange(0, 5).Draw(t, "contenders"),
		Subscriptions:   rapid.IntRange(1, 4).Draw(t, "subscriptions"),
	}
	if cfg.Shape == synthetic.Contention {
		cfg.Contenders = max(1, cfg.Contenders)
	}
	cfg.Installed = rapid.IntRange(0, cfg.Subscriptions).Draw(t, "installed")
	return cfg
}

// agree solves with both programs and compares the answers; it returns
// libsolv's.
func agree(ctx context.Context, t require.TestingT, dir string, req resolver.Request) bool {
	test := testkit.Must(libsolv.Translate(ctx, req))(t)
	path := testkit.Must(test.Write(dir))(t)
	theirs := testkit.Must(libsolv.Run(ctx, path))(t)
	sol, err := resolver.New().Resolve(ctx, req)
	var conflict *resolver.Conflict
	if err != nil {
		require.ErrorAs(t, err, &conflict)
	}
	if theirs.Satisfiable != (sol != nil) {
		text, _ := os.ReadFile(path)
		require.Fail(t, "programs disagree", "libsolv finds a solution: %v, resolute: %v\n%s", theirs.Satisfiable, err, text)
	}
	return theirs.Satisfiable
}

func TestAgreesWithLibsolvOnSyntheticInstances(t *testing.T) {
	needTestsolv(t)
	dir := t.TempDir()
	answers := map[bool]int{}
	rapid.Check(t, func(r *rapid.T) {
		g := testkit.Must(synthetic.New(drawConfig(r)))(r)
		req := testkit.Must(g.Request(t.Context()))(r)
		answers[agree(t.Context(), r, dir, req)]++
	})
	if !t.Failed() && !testing.Short() { // which draws too few
		require.Greater(t, answers[true], 10, "too few satisfiable instances")
		require.Greater(t, answers[false], 10, "too few unsatisfiable instances")
	}
}

// The scenarios of package scenario cover details: excluded and skipped
// bundles, `not`, policies, replaced bundles.
func TestAgreesWithLibsolvOnScenarios(t *testing.T) {
	needTestsolv(t)
	var files []string
	for _, pattern := range []string{"../../resolver/scenario/testdata/conformance/*.yaml", "../../resolver/scenario/testdata/rules/*.yaml"} {
		found := testkit.Must(filepath.Glob(pattern))(t)
		files = append(files, found...)
	}
	compared := 0
	for _, file := range files {
		s, err := scenario.ReadFile(t.Context(), file)
		var malformed *scenario.Error
		if errors.As(err, &malformed) {
			continue
		}
		require.NoError(t, err)
		loaded := testkit.Must(s.Load(t.Context()))(t)
		if _, err = resolver.New().Resolve(t.Context(), loaded.Request); invalid(err) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			if _, err := libsolv.Translate(t.Context(), loaded.Request); err != nil {
				testkit.As[*libsolv.InexpressibleError](t, err)
				t.Log(err)
				return
			}
			compared++
			agree(t.Context(), t, t.TempDir(), loaded.Request)
		})
	}
	require.Greater(t, compared, 5, fmt.Sprint(files))
}

// invalid reports whether a request is invalid.
func invalid(err error) bool {
	var conflict *resolver.Conflict
	return err != nil && !errors.As(err, &conflict)
}
