package olm

import (
	"fmt"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Migration says of one subscription whether it could become an extension, judged by
// the objects of the cluster alone.
type Migration struct {
	Namespace    string `json:"namespace"`
	Subscription string `json:"subscription"`
	Package      string `json:"package"`
	// Verdict is "asIs": it could, as it is; "planDependencies": it could, if what it
	// requires becomes extensions too, which OLM v1 leaves to its users; or "cannot": it
	// cannot, or not yet.
	Verdict string            `json:"verdict"`
	Reasons []MigrationReason `json:"reasons"`
	// Extension is what it would become; nil if it cannot.
	Extension *resolver.Extension `json:"extension,omitempty"`
}

// MigrationReason is why a subscription cannot become an extension as it is. Its
// codes are generated, notInstalled, notSucceeded, installMode, severalNamespaces,
// notUpgradeable, pendingApproval, requires.
type MigrationReason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// migration judges one subscription.
func (b *builder) migration(s *subscription) Migration {
	m := Migration{Namespace: b.name, Subscription: s.Metadata.Name, Package: s.Spec.Package, Verdict: "asIs", Reasons: []MigrationReason{}}
	blocked := func(code, format string, args ...any) {
		m.Verdict = "cannot"
		m.Reasons = append(m.Reasons, MigrationReason{code, text.Inert(fmt.Sprintf(format, args...))})
	}
	if isGenerated(s) {
		blocked("generated", "it came with a dependency: what needs it has to bring it as an extension of its own")
	}
	if places := b.places[s.Spec.Package]; places > 1 {
		blocked("severalNamespaces", "there are subscriptions to package %s in %d namespaces, and an extension is there once for the whole cluster", s.Spec.Package, places)
	}
	own := b.end(b.installed(s))
	v := b.byName[own]
	if v == nil {
		blocked("notInstalled", "nothing of it is installed; make an extension of it instead")
		return m
	}
	if v.Status.Phase != "Succeeded" {
		blocked("notSucceeded", "%s is in phase %q; wait until it has succeeded", own, v.Status.Phase)
	}
	if !v.supportsAll() {
		blocked("installMode", "%s does not support the install mode AllNamespaces", own)
	}
	if b.condition(own) != nil {
		blocked("notUpgradeable", "%s says that it is not upgradeable", own)
	}
	if plan := b.pendingPlan(s); plan != "" {
		blocked("pendingApproval", "install plan %s waits to be approved; approve it or take it back first", plan)
	}
	if m.Verdict == "cannot" {
		return m
	}
	for _, p := range b.properties[v] {
		switch p.Type {
		case properties.TypeGVKRequired, properties.TypePackageRequired, properties.TypeLabelRequired, properties.TypeConstraint:
			m.Verdict = "planDependencies"
			m.Reasons = append(m.Reasons, MigrationReason{"requires", text.Clip(text.Inert(p.Type+" "+string(p.Value)), maxMessage)})
		}
	}
	e := resolver.Extension{Name: s.Metadata.Name, Package: s.Spec.Package, InstalledCSV: own}
	if s.Spec.Channel != "" {
		e.Channels = []string{s.Spec.Channel}
	}
	if key := catalogOf(s); key != (cache.Key{}) {
		e.Catalogs.MatchLabels = map[string]string{"olm.operatorframework.io/metadata.name": key.Name}
	}
	m.Extension = &e
	return m
}

// supportsAll reports whether an operator can watch all namespaces. One that does not
// say in which modes it runs is taken to.
func (v *clusterServiceVersion) supportsAll() bool {
	for _, m := range v.Spec.InstallModes {
		if m.Type == "AllNamespaces" {
			return m.Supported
		}
	}
	return len(v.Spec.InstallModes) == 0
}
