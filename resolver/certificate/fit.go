package certificate

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// environment is what bundles have to fit (section 12), as far as it is known, and what rules see.
type environment struct {
	kubernetes *semver.Version
	openshift  *properties.OpenShiftVersion
	modes      properties.InstallModes
	served     map[properties.GVK]bool
	veto       *constraints.Veto // rules of the policy, nil for none
	visible    *constraints.Environment
}

// survey finds out about the environment.
func (w *world) survey() {
	c, visible := &w.req.Cluster, w.req.Cluster.Properties
	w.served = make(map[properties.GVK]bool)
	for _, api := range c.APIs {
		w.served[api] = true
	}
	if v, err := properties.ParseKubernetesVersion(c.KubernetesVersion); err == nil {
		w.kubernetes = &v
		if p, err := properties.New("olm.kubeversion", fmt.Appendf(nil, `{"version":%q}`, v)); err == nil && visible.Len() == 0 {
			visible = properties.NewSet(p)
		}
	}
	if v, err := properties.ParseOpenShiftVersion(c.OpenShiftVersion); err == nil {
		w.openshift = &v
	}
	if g := w.req.OperatorGroup; g != nil {
		w.modes = properties.NeededInstallModes(w.req.Namespace, g.TargetNamespaces)
	}
	w.rules = constraints.NewEvaluator(constraints.EvaluatorOptions{Cluster: visible, APIs: c.APIs})
	w.visible = &constraints.Environment{KubernetesVersion: c.KubernetesVersion, OpenShiftVersion: c.OpenShiftVersion, Properties: visible, Now: w.req.Now}
	var rules []string
	for _, r := range w.req.Policy.Veto {
		rules = append(rules, r.Rule)
	}
	if len(rules) > 0 {
		var err error
		w.veto, err = constraints.NewParser().Veto(w.ctx, rules)
		w.fail(err)
	}
}

// exclude lists the facts that keep a bundle out of the set.
func (w *world) exclude(n *node) (facts []fact) {
	for i, f := range w.req.Forbid {
		if w.means(f.Bundle, n) && !(n.in != nil && w.stage.broken[n.Name]) {
			facts = append(facts, fact{Kind: "forbidden", Subject: f.Bundle.Name, Index: i})
		}
	}
	if n.in != nil {
		return facts
	}
	if w.quarantined(n.cat, n.Bundle) {
		facts = append(facts, fact{Kind: "quarantined", Subject: n.Package})
	}
	about := func(holds bool, kind string, index int) {
		if holds {
			facts = append(facts, fact{Kind: kind, Subject: n.Name, Bundle: n.id, Index: index})
		}
	}
	about(n.Barred, "deprecated", 0)
	about(w.vetoed(n), "forbidden", -1)
	about(w.req.Policy.Compatibility == resolver.CompatibilityRequire && w.unfit(n.Bundle), "incompatible", 0)
	return facts
}

// unfit reports whether a catalog's bundle does not fit the cluster or the operator group.
func (w *world) unfit(b *graph.Bundle) bool {
	for d, known := range b.CRDs() {
		i := slices.IndexFunc(w.req.Cluster.CRDs, func(c properties.CRD) bool { return c.Name == d.Name })
		if known && i >= 0 && slices.ContainsFunc(w.req.Cluster.CRDs[i].StoredVersions, func(v string) bool { return !d.Has(v) }) {
			return true
		}
	}
	f := b.Compatibility
	if f == nil {
		return false
	}
	if w.kubernetes != nil && !f.MinKubeVersion.IsZero() {
		if fits, known := f.MinKubeVersion.Allows(*w.kubernetes); !fits || !known {
			return true
		}
	}
	return w.modes != 0 && f.InstallModes.Known() && !f.InstallModes.Has(w.modes) ||
		w.openshift != nil && !f.MaxOpenShift.IsZero() && !f.MaxOpenShift.Allows(*w.openshift) ||
		len(w.served) > 0 && slices.ContainsFunc(f.NativeAPIs, func(api properties.GVK) bool { return !w.served[api] })
}

// vetoed reports whether the veto of the request, or a rule of its policy, rejects a bundle.
func (w *world) vetoed(n *node) bool {
	from := &w.cats[n.cat]
	if w.req.Veto != nil {
		why, err := w.req.Veto(w.ctx, from.Key, n.Bundle)
		if err != nil {
			w.fail(w.ctx.Err())
			w.fail(&resolver.VetoError{Bundle: resolver.BundleRef{Catalog: from.Key, Name: n.Name}, Err: err})
		}
		if why != "" {
			return true
		}
	}
	if w.veto == nil || w.err != nil {
		return false
	}
	verdict, err := w.rules.Judge(w.ctx, w.veto, from.Content.Package(n.Package).Candidate(n.Bundle, from.Key.String()), w.visible)
	w.fail(err)
	return verdict.Rule >= 0
}

// offered reports whether a bundle of a catalog can be selected at all: it has a place, or is
// declared, which suffices for extensions, or a fact alone keeps it out.
func (w *world) offered(cat int, b *graph.Bundle) bool {
	return w.usable(b) || w.quarantined(cat, b)
}

func (w *world) usable(b *graph.Bundle) bool {
	return len(b.Places) > 0 || len(w.req.Extensions) > 0 && b.Quarantine == nil
}

// quarantined reports whether a bundle would be usable if the catalog were not broken there, for a
// proof that something is impossible.
func (w *world) quarantined(cat int, b *graph.Bundle) bool {
	if w.facts == nil && w.stage.next == nil || w.usable(b) {
		return false
	}
	pkg := w.cats[cat].Content.Package(b.Package)
	return b.Quarantine != nil || pkg != nil && slices.ContainsFunc(pkg.Channels, func(ch *graph.Channel) bool {
		return ch.Quarantined() != nil && ch.Entry(b.Name) != nil
	})
}
