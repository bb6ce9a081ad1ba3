package cel

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// sample is a bundle with everything that a rule of a policy sees.
func sample(t testing.TB) *constraints.Candidate {
	return &constraints.Candidate{
		Package: "blue", Name: "blue.v1.2.0", Version: "1.2.0-rc.1", Release: "2", Catalog: "olm/community",
		Channels: []string{"stable", "fast"}, Image: "quay.io/acme/blue@sha256:1", Deprecated: true,
		Properties: set(t, `[{"type": "acme.lifecycle", "value": {"end": "2026-12-31"}}]`),
		Metadata: &properties.Metadata{
			Annotations: map[string]string{"createdAt": "2026-08-10T00:00:00Z", "capabilities": "Basic Install"},
			Labels:      map[string]string{"arch": "amd64"}},
	}
}

func environment(t testing.TB) *constraints.Environment {
	return &constraints.Environment{KubernetesVersion: "v1.33", OpenShiftVersion: "4.20",
		Properties: set(t, `[{"type": "acme.blocked", "value": ["blue.v1.2.0"]}]`), Now: time.Date(2026, 8, 22, 0, 0, 0, 0, time.UTC)}
}

// evalVeto evaluates a rule on a bundle.
func evalVeto(t testing.TB, rule string, c *constraints.Candidate, e *constraints.Environment) (bool, error) {
	compiler := NewVetoCompiler(Options{})
	r, err := compiler.Compile(rule)
	require.NoError(t, err)
	forbids, cost, err := compiler.Bind(c, e).Eval(t.Context(), r)
	require.Positive(t, cost)
	return forbids, err
}

// Each variable and field of a rule has the value of the bundle, the cluster or the request.
func TestVetoVariables(t *testing.T) {
	for _, rule := range []string{
		`bundle.package == "blue" && bundle.name == "blue.v1.2.0" && bundle.release == "2" && bundle.catalog == "olm/community"`,
		`semver_compare(bundle.version, "1.2.0") < 0 && bundle.version.contains("-")`,
		`bundle.channels == ["stable", "fast"] && "fast" in bundle.channels && bundle.channels.exists(c, c.startsWith("st"))`,
		`!["registry.redhat.io/", "registry.example/"].exists(r, bundle.image.startsWith(r))`,
		`bundle.deprecated`,
		`now - bundle.createdAt < duration("336h")`,
		`now - timestamp(bundle.createdAt) == duration("288h")`,
		`has(bundle.createdAt) && bundle.createdAt < timestamp("2026-08-11T00:00:00Z")`,
		`bundle.properties.exists(p, p.type == "acme.lifecycle" && timestamp(p.value.end + "T00:00:00Z") < now + duration("4320h"))`,
		`bundle.annotations["capabilities"] == "Basic Install" && !("x" in bundle.annotations)`,
		`bundle.labels.arch == "amd64" && bundle.labels.size() == 1`,
		`cluster.kubernetesVersion == "1.33.0" && cluster.openshiftVersion == "4.20"`,
		`cluster.properties.exists(p, p.type == "acme.blocked" && bundle.name in p.value)`,
		`dyn(bundle)["package"] == "blue" && dyn(bundle).exists(k, k == "labels")`,
	} {
		t.Run(rule, func(t *testing.T) {
			forbids, err := evalVeto(t, rule, sample(t), environment(t))
			require.NoError(t, err)
			require.True(t, forbids)
		})
	}
}

// What is not known makes a rule fail, and the error says what is missing.
func TestVetoFails(t *testing.T) {
	for _, c := range []struct {
		rule, want string
		change     func(*constraints.Candidate, *constraints.Environment)
	}{
		{`bundle.annotations["x"] == "y"`, "no such key", nil},
		{`bundle.annotations.size() == 0`, "annotations and labels of the bundle are not known",
			func(c *constraints.Candidate, _ *constraints.Environment) { c.Metadata = nil }},
		{`has(bundle.createdAt) && bundle.createdAt < now`, "annotations and labels of the bundle are not known",
			func(c *constraints.Candidate, _ *constraints.Environment) { c.Metadata = nil }},
		{`bundle.createdAt < now`, "no such key", func(c *constraints.Candidate, _ *constraints.Environment) { c.Metadata = &properties.Metadata{} }},
		{`bundle.createdAt < now`, `createdAt is not a time like 2026-01-31T12:00:00Z: "01/02/2020"`,
			func(c *constraints.Candidate, _ *constraints.Environment) {
				c.Metadata.Annotations["createdAt"] = "01/02/2020"
			}},
		{`now > timestamp("2026-01-01T00:00:00Z")`, "the request does not give now",
			func(_ *constraints.Candidate, e *constraints.Environment) { e.Now = time.Time{} }},
		{`semver_compare(bundle.version, "no") == 0`, "second argument", nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			candidate, env := sample(t), environment(t)
			if c.change != nil {
				c.change(candidate, env)
			}
			_, err := evalVeto(t, c.rule, candidate, env)
			require.ErrorContains(t, err, c.want)
		})
	}
	forbids, err := evalVeto(t, `has(bundle.createdAt)`, &constraints.Candidate{Metadata: &properties.Metadata{}}, environment(t))
	require.NoError(t, err)
	require.False(t, forbids)
}

// A misspelt field or variable, and a rule that is not a condition, do not compile.
func TestVetoCompileErrors(t *testing.T) {
	for rule, want := range map[string]string{
		`bundle.verson == "1"`:         "line 1, column 7: undefined field 'verson'",
		`bundel.version == "1"`:        "undeclared reference to 'bundel'",
		`bundle.version`:               "must be a boolean",
		`cluster.version == "1"`:       "undefined field 'version'",
		`properties.size() == 0`:       "undeclared reference to 'properties'",
		`bundle.version < 3`:           "no matching overload",
		`now - bundle.createdAt < 14`:  "no matching overload",
		`resolute.Bundle{} == bundle`:  "which is not supported",
		`has(bundle.labels.x) && (1 `:  "Syntax error",
		`bundle["version"] == "1.0.0"`: "no matching overload",
	} {
		_, err := NewVetoCompiler(Options{}).Compile(rule)
		require.ErrorContains(t, err, want, rule)
	}
}

// A rule is bounded like any other, also in what it reads of the bundle.
func TestVetoIsBounded(t *testing.T) {
	large := sample(t)
	for i := range 50_000 {
		large.Metadata.Annotations[string(rune('a'+i%26))+time.Duration(i).String()] = "x"
	}
	compiler := NewVetoCompiler(Options{CostLimit: 10_000})
	for _, rule := range []string{nest(20), `bundle.annotations.exists(k, k == "no")`} {
		r, err := compiler.Compile(rule)
		require.NoError(t, err)
		subject := compiler.Bind(large, environment(t))
		for range 2 {
			_, cost, err := subject.Eval(t.Context(), r)
			var failed *EvalError
			require.ErrorAs(t, err, &failed)
			require.True(t, failed.OverLimit)
			require.EqualValues(t, 10_000, cost)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, err = subject.Eval(ctx, r)
		require.Error(t, err)
	}
}

// What a rule uses is read off its text.
func TestVetoUses(t *testing.T) {
	for _, c := range []struct {
		rule          string
		now, metadata bool
		packages      []string // or names
	}{
		{`bundle.version == "1.0.0"`, false, false, nil},
		{`bundle.package == "b" && bundle.version == "1"`, false, false, []string{"b"}},
		{`bundle.version == "1" && "b" == bundle.package`, false, false, []string{"b"}},
		{`bundle.version == "1" || bundle.package == "b"`, false, false, nil},
		{`!(bundle.package == "b")`, false, false, nil},
		{`bundle.package in ["c", "a", "c"] && now > timestamp("2026-01-01T00:00:00Z")`, true, false, []string{"a", "c"}},
		{`bundle.package == "b" && (bundle.name in ["b.v2", "b.v1"] && bundle.deprecated)`, false, false, []string{"b.v1", "b.v2"}},
		{`has(bundle.createdAt)`, false, true, nil},
		{`bundle.labels.x == "y"`, false, true, nil},
		{`dyn(bundle) == dyn(1)`, false, true, nil},
	} {
		r, err := NewVetoCompiler(Options{}).Compile(c.rule)
		require.NoError(t, err)
		require.Equal(t, c.now, r.UsesNow(), c.rule)
		require.Equal(t, c.metadata, r.UsesMetadata(), c.rule)
		scope := r.Scope()
		require.Equal(t, c.packages, append(scope.Packages, scope.Names...), c.rule)
	}
}

// unfiltered evaluates a rule without its filter.
func unfiltered(t testing.TB, rule constraints.VetoRule, c *constraints.Candidate, e *constraints.Environment) (bool, error) {
	r := *rule.(*vetoRule)
	r.filter = nil
	forbids, _, err := NewVetoCompiler(Options{}).Bind(c, e).Eval(t.Context(), &r)
	return forbids, err
}

// TestVetoFilters: a rule whose filter does not hold is false, and so is a rule whose scope does not
// have the bundle; and filters do their work.
func TestVetoFilters(t *testing.T) {
	terms := []string{`bundle.package == "blue"`, `bundle.package in ["red", "blue"]`, `bundle.name.startsWith("blue.v1")`, `bundle.image.contains("acme")`,
		`bundle.version.endsWith("rc.1")`, `bundle.deprecated`, `semver_compare(bundle.version, "1.2.0") < 0`, `semver_compare(bundle.version, "1.2.0") >= 0`,
		`semver_compare(bundle.version, "1.2.0-rc.1") <= 0`, `semver_compare(bundle.version, "1.0.0") > 0`, `bundle.catalog != "olm/community"`, `1 / size(bundle.release) == 1`,
		`bundle.labels.nothing == "x"`, `"blue" == bundle.package`, `true`, `has(bundle.createdAt)`}
	other := sample(t)
	other.Package, other.Name, other.Version, other.Image, other.Deprecated, other.Release, other.Catalog = "red", "red.v2", "2.0.0", "quay.io/x/y", false, "", "other/c"
	compiler, filtered := NewVetoCompiler(Options{}), 0
	for _, a := range terms {
		for _, b := range terms {
			for _, rule := range []string{a + " && " + b, a + " || " + b, "!(" + a + " && " + b + ")", "!(" + a + ") || " + b, "!(" + a + " || !(" + b + "))"} {
				r, err := compiler.Compile(rule)
				require.NoError(t, err)
				for _, c := range []*constraints.Candidate{sample(t), other} {
					want, failed := unfiltered(t, r, c, environment(t))
					forbids, cost, err := compiler.Bind(c, environment(t)).Eval(t.Context(), r)
					require.Equal(t, want, forbids, rule)
					require.Equal(t, failed, err, rule)
					if cost == 1 {
						filtered++
					}
					if scope := r.Scope(); scope.Packages != nil && !slices.Contains(scope.Packages, c.Package) {
						require.False(t, want, rule)
						require.NoError(t, failed, rule)
					}
				}
			}
		}
	}
	require.Greater(t, filtered, 500)
}

// FuzzVeto: no rule panics or runs long, each result is the same the second time, and a rule that
// is limited to packages is false for every other package.
func FuzzVeto(f *testing.F) {
	for _, rule := range []string{``, `bundle.package == "blue" && bundle.nam`, `bundle.package in ["a"] && 1/0 == 1`, `now - bundle.createdAt < duration("14d")`,
		`dyn(bundle) == dyn(cluster)`, `bundle.properties.all(p, p.type != "x" || p.value.a == 1)`, `"a".matches("(a+)+b") && bundle.package == "z"`,
		`bundle.package == "a" ? true : bundle.package == "blue"`, `type(bundle) == map`, `timestamp("9999-12-31T23:59:59Z") + duration("1h") > now`} {
		f.Add(rule, "2026-08-10")
	}
	compiler := NewVetoCompiler(Options{CostLimit: 10_000})
	f.Fuzz(func(t *testing.T, rule, created string) {
		r, err := compiler.Compile(rule)
		if err != nil {
			return
		}
		c, env := sample(t), environment(t)
		c.Metadata.Annotations["createdAt"] = created
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		forbids, cost, err := compiler.Bind(c, env).Eval(ctx, r)
		if want, failed := unfiltered(t, r, c, env); failed == nil {
			require.Equal(t, want, forbids)
		} else {
			require.True(t, err != nil || failed.(*EvalError).OverLimit)
		}
		again, same, _ := compiler.Bind(c, env).Eval(ctx, r)
		require.Equal(t, forbids, again)
		require.Equal(t, cost, same)
		scope := r.Scope()
		if scope.Packages != nil && !slices.Contains(scope.Packages, c.Package) || scope.Names != nil && !slices.Contains(scope.Names, c.Name) {
			require.False(t, forbids)
			var failed *EvalError
			require.True(t, err == nil || errors.As(err, &failed) && failed.OverLimit, err)
		}
	})
}
