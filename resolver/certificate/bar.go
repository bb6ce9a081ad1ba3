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

// surround is what bundles have to fit (section 12), as far as it is known.
type surround struct {
	required   bool
	kubernetes *semver.Version
	openshift  *properties.OpenShiftVersion
	modes      properties.InstallModes
}

// survey finds out what bundles have to fit.
func (w *world) survey() {
	c := &w.req.Cluster
	w.required = w.req.Policy.Compatibility == resolver.CompatibilityRequire
	if v, err := properties.ParseKubernetesVersion(c.KubernetesVersion); err == nil {
		w.kubernetes = &v
	}
	if v, err := properties.ParseOpenShiftVersion(c.OpenShiftVersion); err == nil {
		w.openshift = &v
	}
	if g := w.req.OperatorGroup; g != nil {
		targets := slices.Compact(slices.Sorted(slices.Values(g.TargetNamespaces)))
		own := slices.Contains(targets, w.req.Namespace)
		switch {
		case len(targets) == 0 || targets[0] == "":
			w.modes = properties.AllNamespaces
		case len(targets) == 1 && own:
			w.modes = properties.OwnNamespace
		case len(targets) == 1:
			w.modes = properties.SingleNamespace
		case own:
			w.modes = properties.MultiNamespace | properties.OwnNamespace
		default:
			w.modes = properties.MultiNamespace
		}
	}
	visible := c.Properties
	if v, err := properties.ParseKubernetesVersion(c.KubernetesVersion); err == nil && visible.Len() == 0 {
		if p, err := properties.New("olm.kubeversion", fmt.Appendf(nil, `{"version":%q}`, v)); err == nil {
			visible = properties.NewSet(p)
		}
	}
	w.eval = constraints.NewEvaluator(constraints.EvaluatorOptions{Cluster: visible, APIs: c.APIs})
}

// unfit reports whether a bundle does not fit the cluster or the operator group.
func (w *world) unfit(n *bundle) bool {
	if !w.required || n.installed {
		return false
	}
	for d, known := range n.CRDs() {
		for i := range w.req.Cluster.CRDs {
			c := &w.req.Cluster.CRDs[i]
			if c.Group != d.Group || c.Name != d.Name && (d.Name != "" || c.Kind != d.Kind) {
				continue
			}
			if known && slices.ContainsFunc(c.StoredVersions, func(v string) bool { return !d.Has(v) }) {
				return true
			}
			break
		}
	}
	f := n.Compatibility
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
		len(w.apis) > 0 && slices.ContainsFunc(f.NativeAPIs, func(g properties.GVK) bool { return !w.apis[g] })
}

// bars reports whether a bundle can never be newly chosen.
func (w *world) bars(n *bundle) bool {
	if !n.barKnown {
		n.barKnown = true
		n.barred = w.barredBy(n)
	}
	return n.barred
}

func (w *world) barredBy(n *bundle) bool {
	for i, f := range w.req.Forbid {
		if w.means(f.Bundle, n) && w.counts(factKey{kind: "forbidden", index: i}) {
			return true
		}
	}
	if n.installed {
		return false
	}
	if w.req.Veto != nil && w.counts(factKey{kind: "forbidden", index: -1, bundle: n}) && w.vetoed(n) {
		return true
	}
	if w.quarantined(n.cat, n.Bundle) && w.counts(factKey{kind: "quarantined", subject: n.Package}) {
		return true
	}
	return !w.offered(n) || n.Barred && w.counts(factKey{kind: "deprecated", bundle: n}) ||
		w.unfit(n) && w.counts(factKey{kind: "incompatible", bundle: n})
}

// vetoed reports whether the veto of the request rejects a bundle.
func (w *world) vetoed(n *bundle) bool {
	key := w.cats[n.cat].Key
	why, err := w.req.Veto(w.ctx, key, n.Bundle)
	if err != nil {
		w.fail(cmp.Or(w.ctx.Err(), error(&resolver.VetoError{Bundle: resolver.BundleRef{Catalog: key, Name: n.Name}, Err: err})))
	}
	return why != ""
}

// quarantined reports whether a bundle would be offered if the catalog were not broken there.
func (w *world) quarantined(cat int, b *graph.Bundle) bool {
	switch {
	case len(b.Places) > 0 || w.declares(b):
		return false
	case b.Quarantine != nil:
		return true
	}
	pkg := w.cats[cat].Content.Package(b.Package)
	return pkg != nil && slices.ContainsFunc(pkg.Channels, func(ch *graph.Channel) bool {
		return ch.Quarantined() != nil && ch.Entry(b.Name) != nil
	})
}

// test evaluates a rule on one bundle.
func (w *world) test(c constraints.Constraint, n *bundle) bool {
	if w.err != nil { // the check ends
		return false
	}
	if rule, ok := c.(*constraints.CEL); ok && !rule.Program.Needs().Maybe(n.Properties) {
		return false
	}
	if n.subject == nil {
		n.subject = constraints.NewSubject(n.Properties)
	}
	m, err := w.eval.Match(w.ctx, c, n.subject)
	w.fail(err)
	return m
}
