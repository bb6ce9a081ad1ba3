package draw_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
)

// feature is a part of a problem that can be taken away from it.
type feature struct {
	name string
	// without takes it away.
	without func(*oracle.Problem)
	// has and decides are the least percentages of problems that have it, and
	// whose result set or status is another one without it.
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
		{"compatibility Require", func(p *oracle.Problem) { p.Policy.Compatibility = oracle.Warn }, 20, 3},
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

// TestFeaturesDecide takes each feature away from the problems that have it, and
// checks that the result is often enough another one: a feature that is drawn and
// never matters would test nothing.
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
			t.Errorf("%.1f percent of the problems have %s, %.2f percent are decided by it; it should be %.1f and %.2f",
				has, f.name, decides, f.has, f.decides)
		}
	}
}
