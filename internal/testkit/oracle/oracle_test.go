package oracle_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
)

// The cases are small enough to be worked out by hand; many are those of the
// conformance scenarios, with the answers given there.

func v(n int) oracle.Version { return oracle.Version{N: n} }

func at(n int) *oracle.Version { return &oracle.Version{N: n} }

func atLeast(n int) oracle.Range { return oracle.Range{{{Op: ">=", V: v(n)}}} }

func below(n int) oracle.Range { return oracle.Range{{{Op: "<", V: v(n)}}} }

// bundle makes pkg.vN.
func bundle(pkg string, n int, with ...func(*oracle.Bundle)) oracle.Bundle {
	b := oracle.Bundle{Name: fmt.Sprintf("%s.v%d", pkg, n), Version: v(n)}
	for _, w := range with {
		w(&b)
	}
	return b
}

func provides(kinds ...string) func(*oracle.Bundle) {
	return func(b *oracle.Bundle) { b.Provides = kinds }
}

func requires(cs ...oracle.Constraint) func(*oracle.Bundle) {
	return func(b *oracle.Bundle) { b.Requires = append(b.Requires, cs...) }
}

func gvk(kind string) oracle.Constraint { return oracle.Constraint{Kind: oracle.GVK, Name: kind} }

func pkgIn(name string, r oracle.Range) oracle.Constraint {
	return oracle.Constraint{Kind: oracle.Pkg, Name: name, Range: r}
}

func rule(r oracle.Rule) oracle.Constraint { return oracle.Constraint{Kind: oracle.CEL, Rule: &r} }

func compound(kind oracle.Kind, of ...oracle.Constraint) oracle.Constraint {
	return oracle.Constraint{Kind: kind, Of: of}
}

// chain is a package of one channel "stable", each bundle replacing the one
// before.
func chain(name string, bundles ...oracle.Bundle) oracle.Package {
	p := oracle.Package{Name: name, Default: "stable", Bundles: bundles}
	ch := oracle.Channel{Name: "stable"}
	last := ""
	for _, b := range bundles {
		ch.Entries = append(ch.Entries, oracle.Entry{Name: b.Name, Replaces: last})
		last = b.Name
	}
	p.Channels = []oracle.Channel{ch}
	return p
}

func catalog(name string, packages ...oracle.Package) oracle.Catalog {
	return oracle.Catalog{Key: oracle.Key{Namespace: "ns", Name: name}, Packages: packages}
}

// problem subscribes to packages of catalog c, or of any with one catalog only.
func problem(catalogs []oracle.Catalog, subscriptions ...string) *oracle.Problem {
	p := &oracle.Problem{Namespace: "ns", Catalogs: catalogs}
	for _, s := range subscriptions {
		p.Subscriptions = append(p.Subscriptions, oracle.Subscription{Name: s, Package: s})
	}
	return p
}

func one(packages ...oracle.Package) []oracle.Catalog {
	return []oracle.Catalog{catalog("c", packages...)}
}

func installed(b oracle.Bundle, pkg string) oracle.Installed {
	return oracle.Installed{Bundle: b, Package: pkg}
}

func TestSets(t *testing.T) {
	blues := chain("blue", bundle("blue", 1, provides("OldBlue")), bundle("blue", 2, provides("Blue")))
	for _, c := range []struct {
		name string
		p    *oracle.Problem
		want []string // nil: no solution
	}{
		{"a new subscription gets the head", problem(one(chain("a", bundle("a", 1), bundle("a", 2))), "a"), []string{"a.v2"}},
		{"a barred head is passed over", problem(one(chain("a", bundle("a", 1),
			bundle("a", 2, func(b *oracle.Bundle) { b.Deprecated = true }))), "a"), []string{"a.v1"}},
		{"a required API brings its provider", problem(one(
			chain("a", bundle("a", 1, requires(gvk("Foo")))), chain("b", bundle("b", 1, provides("Foo")))), "a"),
			[]string{"a.v1", "b.v1"}},
		{"nothing provides the API", problem(one(chain("a", bundle("a", 1, requires(gvk("Foo"))))), "a"), nil},
		{"two providers of an API", problem(one(chain("one", bundle("one", 1, provides("Foo"))),
			chain("two", bundle("two", 1, provides("Foo")))), "one", "two"), nil},
		{"the first subscription gets its best", problem(one(chain("a", bundle("a", 1), bundle("a", 2, provides("Foo"))),
			chain("b", bundle("b", 1), bundle("b", 2, provides("Foo")))), "b", "a"), []string{"a.v1", "b.v2"}},
		{"all through two bundles", problem(one(
			chain("red", bundle("red", 1, requires(compound(oracle.All, pkgIn("blue", atLeast(2)), gvk("Green"))))),
			blues, chain("green", bundle("green", 1, provides("Green")))), "red"), []string{"blue.v2", "green.v1", "red.v1"}},
		{"any weighs all children together", problem(one(
			chain("red", bundle("red", 1, requires(compound(oracle.Any, gvk("Missing"), gvk("Green"), gvk("Blue"))))),
			blues, chain("green", bundle("green", 1, provides("Green")))), "red"), []string{"blue.v2", "red.v1"}},
		{"any of alls commits to a whole child", problem(one(
			chain("red", bundle("red", 1, requires(compound(oracle.Any,
				compound(oracle.All, pkgIn("blue", below(2)), gvk("Blue")),
				compound(oracle.All, pkgIn("blue", below(2)), gvk("Green")))))),
			blues, chain("green", bundle("green", 1, provides("Green")))), "red"), []string{"blue.v1", "green.v1", "red.v1"}},
		{"a prohibition in an any comes first and binds", problem(one(
			chain("red", bundle("red", 1, requires(
				compound(oracle.Any, gvk("Blue"), compound(oracle.Not, gvk("Blue"))), pkgIn("blue", atLeast(1))))),
			blues), "red"), []string{"blue.v1", "red.v1"}},
		{"what was chosen already satisfies an any", problem(one(
			chain("red", bundle("red", 1, requires(compound(oracle.Any, gvk("Blue"), compound(oracle.Not, gvk("Blue")))))),
			blues), "red", "blue"), []string{"blue.v2", "red.v1"}},
		{"not keeps an API out of the set", problem(one(
			chain("red", bundle("red", 1, requires(pkgIn("blue", atLeast(1)), compound(oracle.Not, gvk("Blue"))))), blues), "red"),
			[]string{"blue.v1", "red.v1"}},
		{"not counts the declaring bundle", problem(one(
			chain("red", bundle("red", 1, provides("Red"), requires(compound(oracle.Not, gvk("Red")))))), "red"), nil},
		{"not of not asks for it", problem(one(
			chain("red", bundle("red", 1, requires(compound(oracle.Not, compound(oracle.Not, gvk("Blue")))))), blues), "red"),
			[]string{"blue.v2", "red.v1"}},
		{"not of all forbids them together only", problem(one(
			chain("red", bundle("red", 1, requires(pkgIn("blue", atLeast(1)), gvk("Green"),
				compound(oracle.Not, compound(oracle.All, gvk("Blue"), gvk("Green")))))),
			blues, chain("green", bundle("green", 1, provides("Green")))), "red"), []string{"blue.v1", "green.v1", "red.v1"}},
		{"an empty any never holds", problem(one(chain("a", bundle("a", 1), bundle("a", 2, requires(compound(oracle.Any))))), "a"), []string{"a.v1"}},
		{"empty all and not hold", problem(one(chain("a", bundle("a", 1), bundle("a", 2,
			requires(compound(oracle.All), compound(oracle.Not))))), "a"), []string{"a.v2"}},
		{"CEL picks by property", problem(one(
			chain("red", bundle("red", 1, requires(rule(oracle.Rule{Kind: oracle.HasType, Type: "certified"})))),
			chain("blue", bundle("blue", 1, func(b *oracle.Bundle) { b.Extras = []oracle.Extra{{Type: "certified", Text: "yes"}} }),
				bundle("blue", 2))), "red"), []string{"blue.v1", "red.v1"}},
		{"a virtual entry carries the chain", virtual(), []string{"a.v1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := testkit.Must(oracle.Solve(c.p))(t)
			require.Equal(t, c.want != nil, a.Resolved)
			require.Equal(t, c.want, a.Set)
		})
	}
}

// virtual has a channel a.v1 ← a.v2 ← a.v3 without the bundle a.v2, and a.v3 cannot
// be.
func virtual() *oracle.Problem {
	a := chain("a", bundle("a", 1), bundle("a", 2), bundle("a", 3, requires(gvk("Nowhere"))))
	a.Bundles = append(a.Bundles[:1], a.Bundles[2])
	return problem(one(a), "a")
}

func TestPolicies(t *testing.T) {
	three := chain("a", bundle("a", 1), bundle("a", 2), bundle("a", 3))
	for _, c := range []struct {
		name   string
		policy oracle.Policy
		owned  bool
		want   string
	}{
		{"an upgrade follows one edge", oracle.Policy{}, true, "a.v2"},
		{"SelfCertified takes any version", oracle.Policy{SelfCertified: true}, true, "a.v3"},
		{"MinimalChange stays", oracle.Policy{Goal: oracle.MinimalChange}, true, "a.v1"},
		{"MinimalChange on a new one takes the head", oracle.Policy{Goal: oracle.MinimalChange}, false, "a.v3"},
		{"Oldest reverses the channel", oracle.Policy{Goal: oracle.Oldest}, false, "a.v1"},
		{"Oldest leaves the oldest where it is", oracle.Policy{Goal: oracle.Oldest, SelfCertified: true}, true, "a.v1"},
		{"Avoid puts what is noted last", oracle.Policy{Avoid: true}, false, "a.v2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := problem(one(three), "a")
			p.Policy = c.policy
			p.Catalogs[0].Packages[0].Notes = []oracle.Note{{Bundle: "a.v3", Message: "old"}}
			if c.owned {
				p.Installed = []oracle.Installed{installed(bundle("a", 1), "a")}
				p.Subscriptions[0].InstalledCSV = "a.v1"
			}
			a := testkit.Must(oracle.Solve(p))(t)
			require.Equal(t, []string{c.want}, a.Set)
			require.Equal(t, c.want == "a.v3", len(a.Warnings) == 1, "a warning of the deprecation: %v", a.Warnings)
		})
	}
}

func TestPerBundle(t *testing.T) {
	p := problem(one(
		chain("red", bundle("red", 1, requires(compound(oracle.All, gvk("Blue"), gvk("Green"))))),
		chain("both", bundle("both", 1, provides("Blue", "Green"))),
		chain("blue", bundle("blue", 1, provides("Blue"))), chain("green", bundle("green", 1, provides("Green")))), "red")
	for _, perBundle := range []bool{false, true} {
		p.Policy.PerBundle = perBundle
		a := testkit.Must(oracle.Solve(p))(t)
		want := []string{"blue.v1", "green.v1", "red.v1"}
		if perBundle {
			want = []string{"both.v1", "red.v1"}
		}
		require.Equal(t, want, a.Set)
	}
}

func TestPartial(t *testing.T) {
	p := problem(one(chain("bad", bundle("bad", 1, requires(gvk("Nowhere")))), chain("a", bundle("a", 1))), "bad", "a")
	a := testkit.Must(oracle.Solve(p))(t)
	require.False(t, a.Resolved)
	p.Policy.Partial = true
	a = testkit.Must(oracle.Solve(p))(t)
	require.Equal(t, []string{"a.v1"}, a.Set)
	require.Equal(t, []string{"bad"}, a.Unresolved)
}

func TestTooBig(t *testing.T) {
	var packages []oracle.Package
	for i := range oracle.MaxVariables + 1 {
		packages = append(packages, chain(fmt.Sprint("p", i), bundle("p", i)))
	}
	_, err := oracle.Solve(problem(one(packages...), "p1"))
	require.ErrorContains(t, err, "too many")
}

// ab has a.v1 ← a.v2 and b.v1 ← b.v2, each a with the b of its version.
func ab() []oracle.Catalog {
	is := func(n int) oracle.Constraint {
		return pkgIn("b", oracle.Range{{{Op: "=", V: v(n)}}})
	}
	return one(chain("a", bundle("a", 1, requires(is(1))), bundle("a", 2, requires(is(2)))),
		chain("b", bundle("b", 1), bundle("b", 2)))
}

func maxOpenShift(values ...string) func(*oracle.Bundle) {
	return func(b *oracle.Bundle) { b.MaxOpenShift = values }
}

// with changes a problem.
func with(p *oracle.Problem, changes ...func(*oracle.Problem)) *oracle.Problem {
	for _, c := range changes {
		c(p)
	}
	return p
}

// has installs bundles.
func has(list ...oracle.Installed) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Installed = list }
}

// owns makes the first subscription the owner of a bundle.
func owns(name string) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Subscriptions[0].InstalledCSV = name }
}

func policy(pol oracle.Policy) func(*oracle.Problem) {
	return func(p *oracle.Problem) { p.Policy = pol }
}

// TestEveryConflict is the conformance scenario of that name, the list of conflicts
// being judged.
func TestEveryConflict(t *testing.T) {
	p := with(problem(one(chain("a", bundle("a", 1), bundle("a", 2))), "x", "a", "y"))
	j := testkit.Must(oracle.NewJudge(p))(t)
	conflict := func(sub string) []oracle.Fact {
		return []oracle.Fact{{Kind: "subscription", Subject: sub}, {Kind: "noCandidate", Subject: sub}}
	}
	require.NoError(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("y")}))
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x")}), "another conflict")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("y"), conflict("x")}), "in common")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{conflict("x"), conflict("a")}), "hold together")
	require.ErrorContains(t, j.CheckAll([][]oracle.Fact{append(conflict("x"), conflict("y")...)}), "not needed")
}
