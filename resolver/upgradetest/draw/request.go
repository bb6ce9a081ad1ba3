package draw

import (
	"bytes"
	"fmt"

	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// Request is a request that was drawn, and what its catalogs declare. Its catalogs
// are built. It prints itself as a scenario.
type Request struct {
	resolver.Request
	// Declared are the catalogs as they were drawn.
	Declared []*upgradetest.Catalog
}

// String returns the request as a scenario.
func (r Request) String() string {
	var text bytes.Buffer
	if err := upgradetest.ScenarioOf(r.Request).Write(&text, scenario.YAML); err != nil {
		return err.Error()
	}
	return text.String()
}

// GoString returns the request as a scenario: it is what rapid prints.
func (r Request) GoString() string { return "\n" + r.String() }

// Cluster draws clusters: a version of Kubernetes that CEL rules see, and APIs that
// the cluster serves. It shrinks towards a bare one.
func (c Config) Cluster() *rapid.Generator[resolver.Cluster] {
	return rapid.Custom(func(t *rapid.T) resolver.Cluster {
		var out resolver.Cluster
		if rarely(t, "kubernetes") {
			raw := fmt.Sprintf(`{"version":"1.%d.0"}`, 30+rapid.IntRange(0, 3).Draw(t, "minor"))
			if p, err := properties.New("olm.kubeversion", []byte(raw)); err == nil {
				out.Properties = properties.NewSet(p)
			}
		}
		if !c.Sound && rarely(t, "serves") {
			out.APIs = []properties.GVK{api(rapid.IntRange(0, c.packages()-1).Draw(t, "api"))}
		}
		return out
	})
}

// Request draws requests: catalogs, what is installed and who owns it, subscriptions,
// the cluster and policies. It shrinks towards one subscription to pkg-a on an empty
// cluster.
func (c Config) Request() *rapid.Generator[Request] {
	return rapid.Custom(func(t *rapid.T) Request {
		declared := c.Catalogs().Draw(t, "catalogs")
		catalogs, err := upgradetest.Offer(t.Context(), declared...)
		if err != nil {
			t.Fatalf("the catalogs cannot be built: %v", err)
		}
		d := &requestDrawer{Config: c, t: t, out: Request{Declared: declared}, asked: map[string]bool{}}
		d.out.Namespace, d.out.Catalogs = "operators", catalogs
		d.out.Cluster = c.Cluster().Draw(t, "cluster")
		d.subscriptions()
		d.policy()
		if !c.Sound && rarely(t, "forbids") {
			if _, b := d.pick(); b != nil {
				d.out.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: b.Name}, Message: "known data loss"}}
			}
		}
		return d.out
	})
}

type requestDrawer struct {
	Config
	t     *rapid.T
	out   Request
	asked map[string]bool // packages that are subscribed to or installed
}

func (d *requestDrawer) pick() (cache.Key, *graph.Bundle) {
	i := rapid.IntRange(0, len(d.out.Catalogs)-1).Draw(d.t, "of catalog")
	c := d.out.Catalogs[i]
	n := c.Content.Len()
	if n == 0 {
		return c.Key, nil
	}
	return c.Key, c.Content.Bundle(int32(rapid.IntRange(0, n-1).Draw(d.t, "bundle")))
}

// subscriptions draws who asks for what, and what is installed.
func (d *requestDrawer) subscriptions() {
	t := d.t
	for i := range rapid.IntRange(1, 3).Draw(t, "subscriptions") {
		key, b := d.pick()
		if b == nil || d.asked[b.Package] {
			continue
		}
		d.asked[b.Package] = true
		sub := resolver.Subscription{Name: fmt.Sprintf("sub-%d", i+1), Package: b.Package}
		if rarely(t, "from one catalog") {
			sub.Catalog = key
		}
		if len(b.Places) > 0 && rapid.Bool().Draw(t, "from one channel") {
			sub.Channels = []string{b.Places[rapid.IntRange(0, len(b.Places)-1).Draw(t, "place")].Channel.Name}
		}
		if !d.Sound && rarely(t, "version") {
			sub.VersionRange = d.Range().Draw(t, "range")
		}
		if b.Quarantine == nil && rapid.Bool().Draw(t, "installed") {
			d.install(key, b)
			sub.InstalledCSV = b.Name
			if !d.Sound && rarely(t, "unowned") {
				sub.InstalledCSV = ""
			}
		}
		d.out.Subscriptions = append(d.out.Subscriptions, sub)
	}
	if !d.Sound && rarely(t, "left over") {
		if key, b := d.pick(); b != nil && b.Quarantine == nil && !d.asked[b.Package] {
			d.asked[b.Package] = true
			d.install(key, b)
		}
	}
}

func (d *requestDrawer) install(key cache.Key, b *graph.Bundle) {
	d.out.Installed = append(d.out.Installed, resolver.Installed{Name: b.Name, Package: b.Package, Version: b.Version,
		Properties: &b.Properties, Catalog: key})
}

// policy draws what section 8 of the semantics leaves open.
func (d *requestDrawer) policy() {
	if d.Sound || !rarely(d.t, "policy") {
		return
	}
	d.out.Policy = resolver.Policy{
		Upgrades:     rapid.SampledFrom([]string{"Catalog", resolver.UpgradesSelfCertified}).Draw(d.t, "upgrades"),
		Compounds:    rapid.SampledFrom([]string{"Set", resolver.CompoundsPerBundle}).Draw(d.t, "compounds"),
		Goal:         rapid.SampledFrom([]string{"Newest", resolver.GoalMinimalChange, resolver.GoalOldest}).Draw(d.t, "goal"),
		Deprecations: rapid.SampledFrom([]string{"Warn", resolver.DeprecationsAvoid}).Draw(d.t, "deprecations"),
	}
}
