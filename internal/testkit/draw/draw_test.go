package draw_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
)

// shares counts the drawn problems with a property.
type shares struct {
	n     int
	count map[string]int
}

func (s *shares) add(name string, has bool) {
	if has {
		s.count[name]++
	}
}

// TestProblemsAreInteresting draws problems from fixed seeds and checks that
// each property that the property tests depend on is frequent enough.
func TestProblemsAreInteresting(t *testing.T) {
	s := shares{n: testkit.Times(600, 3000), count: map[string]int{}}
	gen := draw.Problem()
	for seed := range s.n {
		p := gen.Example(seed)
		a, err := oracle.Solve(p)
		require.NoError(t, err, "seed %d", seed)
		s.request(p)
		s.answer(p, a)
		s.installed(p, a)
	}
	for name, percent := range map[string]float64{
		"resolved": 40, "unsatisfiable": 25, "passed over": 10, "two waves": 10, "three waves": 1.5, "cycle": 0.5,
		"upgrade": 4, "keep": 15, "committed": 0.3, "idle": 1, "ban": 4, "four steps": 2,
		"several catalogs": 30, "same bundle twice": 4, "PerBundle": 8, "SelfCertified": 8, "goal": 15, "Avoid": 12,
		"replacedBy": 2, "owned": 15, "unowned": 15, "forbid": 8, "force": 4, "added": 6, "cluster API": 8,
		"gone": 1, "noEdge": 1.2, "quarantined": 3, "deprecated": 3, "orphan": 1.5, "incompatible": 3, "broken": 1.5,
		"broken, a subscription satisfied": 0.8, "dependency with subscription": 5, "upgrade of a generated one": 0.8,
		"generated, of the request": 4, "generated, implied": 4, "unknown package": 0.6, "unknown version": 1,
		"release": 30, "properties empty": 3, "package without identity": 5,
	} {
		got := 100 * float64(s.count[name]) / float64(s.n)
		t.Logf("%-20s %5.1f %%", name, got)
		if got < percent*testkit.Times(0.5, 1) {
			t.Errorf("%.1f percent of the problems have %s; want %.1f", got, name, percent)
		}
	}
}

func (s *shares) request(p *oracle.Problem) {
	s.add("several catalogs", len(p.Catalogs) > 1)
	release := false
	eachBundle(func(b *oracle.Bundle) { release = release || b.Release != "" })(p)
	s.add("release", release)
	s.add("PerBundle", p.Policy.Compounds != "")
	s.add("SelfCertified", p.Policy.Upgrades != "")
	s.add("goal", p.Policy.Goal != "")
	s.add("Avoid", p.Policy.Deprecations != "")
	s.add("forbid", len(p.Forbid) > 0)
	s.add("force", len(p.Force) > 0)
	s.add("added", len(p.Added) > 0)
	s.add("cluster API", len(p.Cluster.APIs) > 0)
	names := map[string]bool{}
	twice := false
	for _, c := range p.Catalogs {
		here := map[string]bool{}
		for _, pkg := range c.Packages {
			for _, b := range pkg.Bundles {
				twice = twice || names[b.Name]
				here[b.Name] = true
			}
		}
		for n := range here {
			names[n] = true
		}
	}
	s.add("same bundle twice", twice)
	s.add("replacedBy", slices.ContainsFunc(p.Installed, func(in oracle.Installed) bool { return in.ReplacedBy != "" }))
	owned := func(in oracle.Installed) bool {
		return in.Subscription != "" || slices.ContainsFunc(p.Subscriptions, func(s oracle.Subscription) bool {
			return s.InstalledCSV == in.Bundle.Name
		})
	}
	s.add("owned", slices.ContainsFunc(p.Installed, owned))
	s.add("unowned", slices.ContainsFunc(p.Installed, func(in oracle.Installed) bool { return !owned(in) }))
}

// installed counts the data of installed bundles, present and missing.
func (s *shares) installed(p *oracle.Problem, a oracle.Answer) {
	said := func(has func(*oracle.Installed) bool) bool {
		return slices.ContainsFunc(p.Installed, func(in oracle.Installed) bool { return has(&in) })
	}
	s.add("properties empty", said(func(in *oracle.Installed) bool {
		ps, given := in.Properties()
		return given && len(ps) == 0
	}))
	s.add("package without identity", said(func(in *oracle.Installed) bool {
		return in.Package == "" && in.Bundle.Defect == oracle.MissingIdentity
	}))
	s.add("unknown package", slices.ContainsFunc(a.Steps, func(st oracle.Step) bool { return st.Package == "" }))
	s.add("unknown version", slices.ContainsFunc(a.Steps, func(st oracle.Step) bool { return st.Version == nil }))
	implied := p.Generated()
	s.add("generated, implied", len(implied) > 0)
	generated := func(sub oracle.Subscription) bool { return sub.Generated }
	s.add("generated, of the request", slices.ContainsFunc(p.Subscriptions, generated))
	s.add("upgrade of a generated one", slices.ContainsFunc(append(implied, p.Subscriptions...), func(sub oracle.Subscription) bool {
		return sub.Generated && slices.ContainsFunc(a.Steps, func(st oracle.Step) bool {
			return st.Action == "upgrade" && slices.Contains(st.Replaces, sub.InstalledCSV)
		})
	}))
	s.add("broken, a subscription satisfied", len(a.Broken) > 0 && len(a.Unresolved) < len(p.Subscriptions))
	s.add("dependency with subscription", slices.ContainsFunc(a.Steps, func(st oracle.Step) bool { return st.Subscription != nil }))
}

func (s *shares) answer(p *oracle.Problem, a oracle.Answer) {
	s.add("resolved", a.Resolved)
	s.add("unsatisfiable", !a.Resolved)
	s.add("committed", a.Trace.Committed > 0)
	s.add("idle", a.Trace.Idle > 0)
	s.add("ban", a.Trace.Bans > 0)
	s.add("four steps", len(a.Steps) >= 4)
	steps := func(has func(oracle.Step) bool) bool { return slices.ContainsFunc(a.Steps, has) }
	s.add("passed over", steps(func(st oracle.Step) bool { return len(st.PassedOver) > 0 }))
	s.add("two waves", steps(func(st oracle.Step) bool { return st.Wave >= 1 }))
	s.add("three waves", steps(func(st oracle.Step) bool { return st.Wave >= 2 }))
	s.add("upgrade", steps(func(st oracle.Step) bool { return st.Action == "upgrade" }))
	s.add("keep", steps(func(st oracle.Step) bool { return st.Action == "keep" }))
	s.add("cycle", cyclic(a.Steps))
	for _, kind := range []string{"gone", "noEdge", "quarantined", "deprecated", "orphan", "incompatible", "broken"} {
		s.add(kind, slices.ContainsFunc(a.Warnings, func(w oracle.Warning) bool { return w.Kind == kind }))
	}
}

// cyclic finds two bundles of one wave that require each other.
func cyclic(steps []oracle.Step) bool {
	needs := func(a, b oracle.Step) bool {
		return slices.ContainsFunc(b.Because, func(r oracle.Reason) bool { return r.Bundle == a.Bundle })
	}
	for _, a := range steps {
		for _, b := range steps {
			if a.Bundle != b.Bundle && needs(a, b) && needs(b, a) {
				return true
			}
		}
	}
	return false
}

// feature is a removable part of a problem.
type feature struct {
	name string
	// without removes it.
	without func(*oracle.Problem)
	// has and decides are the minimum percentages of problems that have it,
	// and whose result set or status changes without it.
	has, decides float64
}

func features() []feature {
	return []feature{
		{"several channels", eachSubscription(func(s *oracle.Subscription) {
			if len(s.Channels) > 1 {
				s.Channels = s.Channels[:1]
			}
		}), 12, 0.8},
		{"hold", eachSubscription(func(s *oracle.Subscription) { s.Hold = "" }), 8, 0.4},
		{"generated subscriptions", func(p *oracle.Problem) {
			p.Subscriptions = slices.DeleteFunc(p.Subscriptions, func(s oracle.Subscription) bool { return s.Generated })
			eachInstalled(func(in *oracle.Installed) { in.Automatic = false })(p)
		}, 20, 1},
		{"properties missing", eachInstalled(func(in *oracle.Installed) {
			if in.Bare {
				*in = oracle.Installed{Bundle: oracle.Bundle{Name: in.Bundle.Name}, Package: in.Package, Version: in.Version,
					Catalog: in.Catalog, Channel: in.Channel, Subscription: in.Subscription, ReplacedBy: in.ReplacedBy, Automatic: in.Automatic}
			}
		}), 4, 0.4},
		{"a version not as the properties say", eachInstalled(func(in *oracle.Installed) { in.Version = &in.Bundle.Version }), 8, 0.1},
		{"package of an installed bundle not given", eachInstalled(func(in *oracle.Installed) {
			if in.Package == "" {
				in.Package, in.Identity = "elsewhere", ""
			}
		}), 10, 1.5},
		{"compatibility Require", func(p *oracle.Problem) { p.Policy.Compatibility = "" }, 20, 3},
		{"operator group", func(p *oracle.Problem) { p.Group = nil }, 15, 0.6},
		{"version of Kubernetes", func(p *oracle.Problem) { p.Cluster.Kubernetes = "" }, 15, 0.2},
		{"version of OpenShift", func(p *oracle.Problem) { p.Cluster.OpenShift = "" }, 15, 0.8},
		{"native APIs", eachBundle(func(b *oracle.Bundle) {
			for _, csv := range []*oracle.CSV{b.Metadata, b.Object} {
				if csv != nil {
					csv.NativeAPIs = nil
				}
			}
		}), 15, 0.2},
		{"a manifest instead of metadata", eachBundle(func(b *oracle.Bundle) { b.Object = nil }), 15, 0.5},
		{"greatest OpenShift", eachBundle(func(b *oracle.Bundle) { b.MaxOpenShift = nil }), 20, 0.8},
	}
}

func eachSubscription(do func(*oracle.Subscription)) func(*oracle.Problem) {
	return func(p *oracle.Problem) {
		for i := range p.Subscriptions {
			do(&p.Subscriptions[i])
		}
	}
}

func eachInstalled(do func(*oracle.Installed)) func(*oracle.Problem) {
	return func(p *oracle.Problem) {
		for i := range p.Installed {
			do(&p.Installed[i])
		}
	}
}

func eachBundle(do func(*oracle.Bundle)) func(*oracle.Problem) {
	return func(p *oracle.Problem) {
		for i := range p.Catalogs {
			for j := range p.Catalogs[i].Packages {
				for k := range p.Catalogs[i].Packages[j].Bundles {
					do(&p.Catalogs[i].Packages[j].Bundles[k])
				}
			}
		}
	}
}

// TestFeaturesDecide removes each feature from the problems that have it and
// checks that the result changes often enough: a feature that never matters
// tests nothing.
func TestFeaturesDecide(t *testing.T) {
	n := testkit.Times(300, 2000)
	has, decides := map[string]int{}, map[string]int{}
	generator := draw.Problem()
	for seed := range n {
		p := generator.Example(seed)
		want := testkit.Must(oracle.Solve(p))(t)
		for _, f := range features() {
			q := p.Clone()
			f.without(q)
			if reflect.DeepEqual(p, q) {
				continue
			}
			has[f.name]++
			got := testkit.Must(oracle.Solve(q))(t)
			if got.Resolved != want.Resolved || !slices.Equal(got.Set, want.Set) {
				decides[f.name]++
			}
		}
	}
	for _, f := range features() {
		has, decides := 100*float64(has[f.name])/float64(n), 100*float64(decides[f.name])/float64(n)
		t.Logf("%-40s %5.1f %%, decides %5.2f %%", f.name, has, decides)
		if testkit.Long() && (has < f.has || decides < f.decides) {
			t.Errorf("%.1f percent of the problems have %s, %.2f percent depend on it; want %.1f and %.2f",
				has, f.name, decides, f.has, f.decides)
		}
	}
}
