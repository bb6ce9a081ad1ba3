// Package draw has rapid generators of small resolution problems of every
// kind, for tests: sound and broken catalogs, upgrades, constraints nested
// three levels deep, all policies.
package draw

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed" // draws the same in every run
	"github.com/seed109e2655/resolute/resolver"
)

// maxBundles limits the catalog bundles of a problem to keep brute force fast.
const maxBundles = 12

var (
	packages   = []string{"a", "b", "c", "d", "e"}
	kinds      = []string{"Foo", "Bar", "Baz", "Qux"}
	labels     = []string{"blue", "red"}
	extraTypes = []string{"certified", "tier"}
	tiers      = []string{"gold", "silver"}
	channels   = []string{"stable", "alpha", "beta"}
)

// Problem draws a problem.
func Problem() *rapid.Generator[*oracle.Problem] { return rapid.Custom(problem) }

// Package draws a package of up to nine versions, some of them releases of the
// same version, with wide ranges of skipped versions, which are rare in
// problems.
func Package() *rapid.Generator[*oracle.Package] {
	return rapid.Custom(func(t *rapid.T) *oracle.Package {
		d := &drawer{dice: dice{t}, left: maxBundles, tall: true}
		d.dense = d.chance(50)
		p := d.pkg("p")
		return &p
	})
}

// drawer draws one problem. It draws choices bit by bit, because rapid's
// integers are mostly small; fewer set bits make a simpler problem.
type drawer struct {
	dice
	p    *oracle.Problem
	left int // remaining bundles
	// deep means many requirements and few conflicts.
	deep bool
	// fitting means that compatibility with the cluster matters.
	fitting bool
	// tall makes packages of many versions; dense makes most of their ranges
	// wide.
	tall, dense bool
	// sameNames means that two bundles of one name may be in a result.
	sameNames bool
	// packageOf maps installed bundles to their packages, given or not.
	packageOf map[string]string
}

var coin = rapid.Bool()

// dice draws values that are independent of the problem.
type dice struct{ t *rapid.T }

// below draws an integer from 0 to n-1, roughly uniformly.
func (d dice) below(n int) int {
	const bits = 7
	u := 0
	for range bits {
		u <<= 1
		if coin.Draw(d.t, "") {
			u |= 1
		}
	}
	return u * n >> bits
}

// chance is true with the given percentage.
func (d dice) chance(percent int) bool { return d.below(100) >= 100-percent }

// between draws an integer from lo to hi.
func (d dice) between(lo, hi int) int { return lo + d.below(hi-lo+1) }

func pick[T any](d interface{ below(n int) int }, list []T) T { return list[d.below(len(list))] }

// some draws a sublist, including each item with the given chance.
func some[T any](d *drawer, list []T, percent int) []T {
	var out []T
	for _, x := range list {
		if d.chance(percent) {
			out = append(out, x)
		}
	}
	return out
}

func problem(t *rapid.T) *oracle.Problem {
	d := &drawer{dice: dice{t}, p: &oracle.Problem{Namespace: "ns"}, left: maxBundles, packageOf: map[string]string{}}
	d.deep = d.chance(45)
	d.fitting = d.chance(35)
	d.policy()
	d.cluster()
	d.catalogs()
	d.twins()
	for _, s := range d.sources() { // all possible requirements are known now
		s.bundle.Requires = d.requires()
	}
	if !d.chance(25) || !d.grown() {
		d.installed()
	}
	d.subscriptions()
	d.extras()
	if d.chance(60) {
		d.ease()
	}
	if d.sameNames {
		d.disambiguate()
	}
	d.p.Settle()
	return d.p
}

// ease makes an unsatisfiable problem easier, to get enough satisfiable ones:
// it replaces a bundle's constraints or drops a subscription.
func (d *drawer) ease() {
	for range 6 {
		a, err := oracle.Solve(d.p)
		if err != nil || a.Resolved {
			return
		}
		if n := len(d.p.Subscriptions); n > 1 && d.chance(12) {
			d.p.Drop(n - 1)
			continue
		}
		bundles := d.bundles()
		b := pick(d, bundles)
		if len(b.Requires) == 0 {
			b = pick(d, bundles)
		}
		b.Requires = nil
		if d.chance(40) {
			b.Requires = d.requires()
		}
	}
}

// bundles lists all bundles, including installed ones.
func (d *drawer) bundles() []*oracle.Bundle {
	var list []*oracle.Bundle
	for _, s := range d.sources() {
		list = append(list, s.bundle)
	}
	for i := range d.p.Installed {
		list = append(list, &d.p.Installed[i].Bundle)
	}
	return list
}

func (d *drawer) policy() {
	pol := &d.p.Policy
	if d.chance(15) {
		pol.Upgrades = resolver.UpgradesSelfCertified
	}
	if !d.deep && d.chance(20) {
		pol.Compounds = resolver.CompoundsPerBundle
	}
	if d.chance(30) {
		pol.Goal = pick(d, []resolver.Goal{resolver.MinimalChange, resolver.Oldest})
	}
	if d.chance(20) {
		pol.Deprecations = resolver.DeprecationsAvoid
	}
	if d.chance(18) {
		pol.Failures = resolver.FailuresPartial
	}
	if d.fitting {
		pol.Compatibility = pick(d, []resolver.Compatibility{resolver.CompatibilityRequire, resolver.CompatibilityRequire, resolver.CompatibilityRequire, "", resolver.CompatibilityIgnore})
	}
}

func (d *drawer) cluster() {
	if d.chance(50) {
		v := oracle.Version{N: d.between(1, 3)}
		d.p.Cluster.Kube = &v
	}
	if d.chance(15) {
		d.p.Cluster.APIs = []string{pick(d, kinds)}
	}
	if d.fitting {
		d.environment()
	}
}

func (d *drawer) catalogs() {
	keys := []oracle.Key{{Namespace: "ns", Name: "one"}, {Namespace: "olm", Name: "one"}, {Namespace: "olm", Name: "two"}, {Namespace: "ns", Name: "two"}}
	n := 1
	if d.chance(40) {
		n = d.between(2, 3)
	}
	for range n {
		i := d.below(len(keys))
		c := oracle.Catalog{Key: keys[i]}
		keys = append(keys[:i:i], keys[i+1:]...)
		if d.chance(30) {
			c.Priority = d.between(1, 2)
		}
		perCatalog := 5
		if n > 1 {
			perCatalog = 4
		}
		names := packages
		for range d.between(2, perCatalog) {
			if d.left == 0 {
				break
			}
			i := d.below(len(names))
			c.Packages = append(c.Packages, d.pkg(names[i]))
			names = append(names[:i:i], names[i+1:]...)
		}
		d.p.Catalogs = append(d.p.Catalogs, c)
	}
}

func (d *drawer) pkg(name string) oracle.Package {
	p := oracle.Package{Name: name}
	n := min(d.between(1, 3)+d.below(10)/8, d.left)
	if d.tall {
		n = d.between(3, 9)
	}
	d.left -= n
	for v := 1; v <= n; v++ {
		p.Bundles = append(p.Bundles, d.bundle(name, v))
		if b := &p.Bundles[v-1]; d.tall && v > 1 && d.chance(20) {
			b.Version, b.Release = p.Bundles[v-2].Version, fmt.Sprint(v)
		}
	}
	if d.chance(2) && n > 1 {
		p.Bundles[n-1].Name = p.Bundles[0].Name // duplicate
	}
	names := channels
	for range 1 + d.below(10)/6 + d.below(10)/9 {
		i := d.below(len(names))
		p.Channels = append(p.Channels, d.channel(names[i], &p))
		names = append(names[:i:i], names[i+1:]...)
	}
	if d.chance(2) {
		p.Channels = append(p.Channels, p.Channels[0]) // duplicate
	}
	p.DefaultChannel = pick(d, p.Channels).Name
	if d.chance(4) {
		p.DefaultChannel = pick(d, []string{"gone", ""})
	}
	if d.chance(3) {
		p.Surplus = 1 - 2*d.below(2)
	}
	d.notes(&p)
	return p
}

// twins gives a bundle the name of a bundle of another package in another
// catalog.
func (d *drawer) twins() {
	cs := d.p.Catalogs
	if len(cs) < 2 || len(cs[0].Packages) == 0 || len(cs[1].Packages) == 0 || !d.chance(12) {
		return
	}
	from, to := pick(d, cs[0].Packages), pick(d, cs[1].Packages)
	if from.Name == to.Name {
		return
	}
	old, name := &to.Bundles[d.below(len(to.Bundles))], pick(d, from.Bundles).Name
	rename := func(n *string) {
		if *n == old.Name {
			*n = name
		}
	}
	for i := range to.Channels {
		for j := range to.Channels[i].Entries {
			e := &to.Channels[i].Entries[j]
			rename(&e.Name)
			rename(&e.Replaces)
			for k := range e.Skips {
				rename(&e.Skips[k])
			}
		}
	}
	old.Name, d.sameNames = name, true
}

// disambiguate prevents two bundles of one name from being in the result,
// which no cluster can have.
func (d *drawer) disambiguate() {
	for len(d.p.Installed)+len(d.p.Subscriptions) > 0 {
		a, err := oracle.Solve(d.p)
		i := 1
		for i < len(a.Set) && a.Set[i] != a.Set[i-1] {
			i++
		}
		if err != nil || i >= len(a.Set) {
			return
		}
		n := len(d.p.Installed)
		d.p.Installed = slices.DeleteFunc(d.p.Installed, func(in oracle.Installed) bool { return in.Bundle.Name == a.Set[i] })
		if last := len(d.p.Subscriptions) - 1; len(d.p.Installed) == n && last >= 0 {
			d.p.Drop(last)
		} else if len(d.p.Installed) == n {
			return
		}
	}
}

func bundleName(pkg string, v int) string { return fmt.Sprintf("%s.v%d", pkg, v) }

// own is the API that bundles of a package usually provide.
func own(pkg string) string { return kinds[int(pkg[0]-'a')%len(kinds)] }

func (d *drawer) bundle(pkg string, v int) oracle.Bundle {
	b := oracle.Bundle{Name: bundleName(pkg, v), Version: oracle.Version{N: v}}
	b.Version.RC = d.chance(6)
	if d.chance(60) {
		b.Provides = append(b.Provides, own(pkg))
	}
	if !d.deep && d.chance(15) {
		if k := pick(d, kinds); len(b.Provides) == 0 || b.Provides[0] != k {
			b.Provides = append(b.Provides, k)
		}
	}
	b.Labels = some(d, labels, 12)
	if d.chance(25) {
		e := oracle.Extra{Type: pick(d, extraTypes), Text: "yes"}
		if d.chance(50) {
			e.Text, e.Tier = "", pick(d, tiers)
		}
		b.Extras = append(b.Extras, e)
	}
	b.Deprecated = d.chance(5)
	if d.chance(8) {
		b.Release = pick(d, []string{"1", "2", "rc.1"})
	}
	if d.fitting {
		d.needs(&b)
	}
	if !d.deep && d.chance(5) {
		b.Defect = pick(d, []oracle.Defect{oracle.BadVersion, oracle.BadRelease, oracle.BadRule, oracle.UnknownKey, oracle.MissingIdentity,
			oracle.ForeignIdentity, oracle.TwoKindsAtOnce, oracle.MalformedBinding})
	}
	return b
}

func (d *drawer) notes(p *oracle.Package) {
	if !d.chance(15) {
		return
	}
	for range d.between(1, 2) {
		n := declared.Deprecation{Schema: graph.SchemaPackage, Message: fmt.Sprintf("note %d", len(p.Deprecations)+1)}
		switch d.below(3) {
		case 0:
			n.Schema, n.Name = graph.SchemaBundle, pick(d, p.Bundles).Name
		case 1:
			n.Schema, n.Name = graph.SchemaChannel, pick(d, p.Channels).Name
		}
		p.Deprecations = append(p.Deprecations, n)
	}
}

// channel draws a chain of entries, each replacing the previous one, and then
// varies it as real catalogs do.
func (d *drawer) channel(name string, p *oracle.Package) oracle.Channel {
	ch := oracle.Channel{Name: name}
	for i := range p.Bundles {
		b := &p.Bundles[i]
		if d.chance(12) && len(p.Bundles) > 1 {
			continue
		}
		e := oracle.Entry{Name: b.Name}
		if n := len(ch.Entries); n > 0 {
			d.edges(&e, ch.Entries, b.Version)
		}
		if i > 0 && b.Name == p.Bundles[0].Name && d.chance(70) {
			continue // duplicate entries break the channel
		}
		ch.Entries = append(ch.Entries, e)
		if d.chance(4) { // an entry without a bundle
			ch.Entries = append(ch.Entries, oracle.Entry{Name: e.Name + "-gone", Replaces: e.Name})
		}
	}
	if len(ch.Entries) == 0 {
		ch.Entries = []oracle.Entry{{Name: p.Bundles[0].Name}}
	}
	d.corrupt(&ch, p.Name)
	return ch
}

func (d *drawer) edges(e *oracle.Entry, below []oracle.Entry, v oracle.Version) {
	last := len(below) - 1
	e.Replaces = below[last].Name
	if d.chance(25) { // skip some entries
		to := d.below(last + 1)
		e.Replaces = below[to].Name
		for _, s := range below[to+1:] {
			e.Skips = append(e.Skips, s.Name)
		}
		if d.chance(20) {
			e.Replaces = ""
		}
	}
	if d.chance(10) {
		e.Skips = append(e.Skips, pick(d, below).Name)
	}
	if d.chance(12) {
		e.SkipRange = fmt.Sprintf(">=%d.0.0 <%d.0.0", d.between(0, max(v.N-1, 0)), v.N)
	}
	if d.dense && d.chance(90) || d.tall && d.chance(20) {
		e.SkipRange = fmt.Sprintf("<%d.0.0", d.between(2, 9))
	}
}

// corrupt sometimes breaks a channel or ties it to another package.
func (d *drawer) corrupt(ch *oracle.Channel, pkg string) {
	first := &ch.Entries[0]
	if d.chance(15) { // the oldest entry replaces something
		first.Replaces = bundleName(pick(d, packages), d.between(0, 2))
		if first.Replaces == first.Name {
			first.Replaces = pkg + ".v0"
		}
	}
	if d.chance(6) {
		e := pick(d, []int{0, len(ch.Entries) - 1})
		ch.Entries[e].Skips = append(ch.Entries[e].Skips, bundleName(pick(d, packages), d.between(0, 2)))
	}
	if d.deep || !d.chance(8) {
		return
	}
	switch d.below(4) {
	case 0: // several heads
		e := &ch.Entries[len(ch.Entries)-1]
		e.Replaces, e.Skips = "", nil
	case 1: // a cycle
		first.Replaces = ch.Entries[len(ch.Entries)-1].Name
	case 2: // duplicate entry
		ch.Entries = append(ch.Entries, *first)
	case 3:
		ch.Entries = nil
	}
}
