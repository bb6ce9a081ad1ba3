package certificate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// environment is what bundles have to fit (section 12), as far as it is known.
type environment struct {
	kubernetes *semver.Version
	openshift  *properties.OpenShiftVersion
	modes      properties.InstallModes
	apis       map[properties.GVK]bool
	veto       *constraints.Veto // rules of the policy, nil for none
	visible    *constraints.Environment
}

// survey finds out what bundles have to fit, and what rules see of the cluster.
func (w *world) survey() {
	c, visible := &w.req.Cluster, w.req.Cluster.Properties
	w.fit.apis = make(map[properties.GVK]bool)
	for _, api := range c.APIs {
		w.fit.apis[api] = true
	}
	if v, err := properties.ParseKubernetesVersion(c.KubernetesVersion); err == nil {
		w.fit.kubernetes = &v
		if p, err := properties.New("olm.kubeversion", fmt.Appendf(nil, `{"version":%q}`, v)); err == nil && visible.Len() == 0 {
			visible = properties.NewSet(p)
		}
	}
	if v, err := properties.ParseOpenShiftVersion(c.OpenShiftVersion); err == nil {
		w.fit.openshift = &v
	}
	if g := w.req.OperatorGroup; g != nil {
		w.fit.modes = properties.NeededInstallModes(w.req.Namespace, g.TargetNamespaces)
	}
	w.rules = constraints.NewEvaluator(constraints.EvaluatorOptions{Cluster: visible, APIs: c.APIs})
	w.fit.visible = &constraints.Environment{KubernetesVersion: c.KubernetesVersion, OpenShiftVersion: c.OpenShiftVersion, Properties: visible, Now: w.req.Now}
	var rules []string
	for _, r := range w.req.Policy.Veto {
		rules = append(rules, r.Rule)
	}
	if len(rules) > 0 {
		var err error
		w.fit.veto, err = constraints.NewParser().Veto(w.ctx, rules)
		w.err = cmp.Or(w.err, err)
	}
}

// unfit reports whether a catalog's bundle does not fit the cluster or the operator group.
func (w *world) unfit(b *graph.Bundle) bool {
	for d, known := range b.CRDs() {
		i := slices.IndexFunc(w.req.Cluster.CRDs, func(c properties.CRD) bool {
			return c.Group == d.Group && (c.Name == d.Name || d.Name == "" && c.Kind == d.Kind)
		})
		if known && i >= 0 && slices.ContainsFunc(w.req.Cluster.CRDs[i].StoredVersions, func(v string) bool { return !d.Has(v) }) {
			return true
		}
	}
	f, e := b.Compatibility, &w.fit
	if f == nil {
		return false
	}
	if e.kubernetes != nil && !f.MinKubeVersion.IsZero() {
		if fits, known := f.MinKubeVersion.Allows(*e.kubernetes); !fits || !known {
			return true
		}
	}
	return e.modes != 0 && f.InstallModes.Known() && !f.InstallModes.Has(e.modes) ||
		e.openshift != nil && !f.MaxOpenShift.IsZero() && !f.MaxOpenShift.Allows(*e.openshift) ||
		len(e.apis) > 0 && slices.ContainsFunc(f.NativeAPIs, func(api properties.GVK) bool { return !e.apis[api] })
}

// bars reports whether a bundle can never be selected.
func (w *world) bars(n *node) bool {
	if n.barred == 0 {
		if n.barred = isFalse; w.excludes(n) {
			n.barred = isTrue
		}
	}
	return n.barred > 0
}

func (w *world) excludes(n *node) bool {
	for i, f := range w.req.Forbid {
		if w.means(f.Bundle, n) && !(n.in != nil && w.stage.broken[n.Name]) && w.counts(fact{Kind: "forbidden", Subject: f.Bundle.Name, Index: i}) {
			return true
		}
	}
	about := func(kind string, index int) bool {
		return w.counts(fact{Kind: kind, Subject: n.Name, Bundle: n.id, Index: index})
	}
	return n.in == nil && (!w.offered(n.cat, n.Bundle) || n.Barred && about("deprecated", 0) ||
		w.quarantined(n.cat, n.Bundle) && w.counts(fact{Kind: "quarantined", Subject: n.Package}) ||
		about("forbidden", -1) && w.vetoed(n) ||
		w.req.Policy.Compatibility == resolver.CompatibilityRequire && w.unfit(n.Bundle) && about("incompatible", 0))
}

// vetoed reports whether the veto of the request, or a rule of its policy, rejects a bundle.
func (w *world) vetoed(n *node) bool {
	from := &w.cats[n.cat]
	if w.req.Veto != nil {
		why, err := w.req.Veto(w.ctx, from.Key, n.Bundle)
		if err != nil {
			w.err = cmp.Or(w.err, w.ctx.Err(), error(&resolver.VetoError{Bundle: resolver.BundleRef{Catalog: from.Key, Name: n.Name}, Err: err}))
		}
		if why != "" {
			return true
		}
	}
	if w.fit.veto == nil || w.err != nil {
		return false
	}
	verdict, err := w.rules.Judge(w.ctx, w.fit.veto, from.Content.Package(n.Package).Candidate(n.Bundle, from.Key.String()), w.fit.visible)
	w.err = cmp.Or(w.err, err)
	return verdict.Rule >= 0
}

// offered reports whether a bundle of a catalog can be selected at all: it has a place, or is
// declared, which suffices for extensions, or a fact alone keeps it out.
func (w *world) offered(cat int, b *graph.Bundle) bool {
	return len(b.Places) > 0 || len(w.req.Extensions) > 0 && b.Quarantine == nil || w.quarantined(cat, b)
}

// quarantined reports whether facts count and a bundle would be offered if the catalog were not
// broken there.
func (w *world) quarantined(cat int, b *graph.Bundle) bool {
	if w.facts == nil || len(b.Places) > 0 || len(w.req.Extensions) > 0 && b.Quarantine == nil {
		return false
	}
	pkg := w.cats[cat].Content.Package(b.Package)
	return b.Quarantine != nil || pkg != nil && slices.ContainsFunc(pkg.Channels, func(ch *graph.Channel) bool {
		return ch.Quarantined() != nil && ch.Entry(b.Name) != nil
	})
}
