package olm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Manifests are the objects with which a person or a GitOps tool gets the result set of a solution
// on a cluster with the same catalogs: a Namespace, and for subscriptions an OperatorGroup and a
// Subscription for each operator, dependencies included; for extensions of OLM v1 a ServiceAccount
// with its permissions and a ClusterExtension for each. [Cluster.Capture] of a cluster with these
// objects has the same result set.
type Manifests struct {
	Namespace string `json:"namespace"`
	// Targets are the target namespaces of the OperatorGroup, sorted; empty for all namespaces.
	Targets []string `json:"targetNamespaces,omitempty"`
	// Subscriptions are in the order of the request, those for dependencies last.
	Subscriptions []PlannedSubscription `json:"subscriptions,omitempty"`
	// Extensions are in the order of the request, those for dependencies last.
	Extensions []*ClusterExtension `json:"extensions,omitempty"`
	// Notes say what the objects cannot express, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// ManifestError reports why no objects can express a solution.
type ManifestError struct {
	// Bundles are the bundles concerned, if the reason is about bundles.
	Bundles []string
	// Reason says what is wrong, and what to do.
	Reason string
}

// Error implements error.
func (e *ManifestError) Error() string { return e.Reason }

// ManifestsOf returns the objects for a solution of a request. Bundles that stay are included: on an
// empty cluster they would be installed. Approval is Automatic, unless OLM would then upgrade an
// operator beyond the solution; one operator with manual approval makes all of its namespace wait.
//
// The error is a [*ManifestError] if no OperatorGroup fits all operators of the namespace, or if a
// name is not valid on a cluster.
func ManifestsOf(req resolver.Request, sol *resolver.Solution) (*Manifests, error) {
	b := manifester{req: &req, out: &Manifests{Namespace: req.Namespace}, steps: make(map[string]*resolver.Step, len(sol.Steps))}
	for i := range sol.Steps {
		b.steps[sol.Steps[i].Bundle] = &sol.Steps[i]
	}
	next := req.Advance(sol)
	b.named("namespace", req.Namespace)
	if len(req.Extensions) > 0 {
		b.extensions(&next)
	} else {
		b.subscriptions(&next)
		b.group()
	}
	b.unowned(&next, sol)
	if b.err != nil {
		return nil, b.err
	}
	return b.out, nil
}

// manifester builds manifests.
type manifester struct {
	req   *resolver.Request
	out   *Manifests
	steps map[string]*resolver.Step // by bundle
	owned map[string]bool           // bundles with an object
	err   error                     // the first
}

func (b *manifester) fail(bundles []string, format string, args ...any) {
	if b.err == nil {
		b.err = &ManifestError{bundles, fmt.Sprintf(format, args...)}
	}
}

// named checks that an object can have a name.
func (b *manifester) named(kind, name string) {
	if !onCluster(name) || len(name) > 63 && kind == "namespace" {
		b.fail(nil, "%s %s cannot be an object: Kubernetes allows lower-case letters, digits, - and . in names; rename it", kind, text.Quote(name))
	}
}

func (b *manifester) own(bundle string) *resolver.Step {
	step := b.steps[bundle]
	if step != nil {
		if b.owned == nil {
			b.owned = make(map[string]bool)
		}
		b.owned[bundle] = true
	}
	return step
}

// subscriptions adds the subscriptions that own a bundle of the solution.
func (b *manifester) subscriptions(next *resolver.Request) {
	for i := range next.Subscriptions {
		sub := &next.Subscriptions[i]
		step := b.own(sub.InstalledCSV)
		if step == nil {
			continue
		}
		b.named("subscription", sub.Name)
		key := cmp.Or(step.Catalog, step.KeptFrom, sub.Catalog)
		channel := b.channelOf(key, step, sub)
		if key.IsZero() || channel == nil {
			b.out.Notes = append(b.out.Notes, fmt.Sprintf("no catalog offers %s any more, so subscription %s cannot install it on an empty cluster", step.Bundle, sub.Name))
			if key.IsZero() {
				continue
			}
		}
		p := PlannedSubscription{Name: sub.Name, Package: step.Package, Source: key.Name, SourceNamespace: key.Namespace, StartingCSV: step.Bundle, Approval: approvalAutomatic}
		if channel != nil {
			p.Channel = channel.Name
			if beyond := b.successor(channel, step); beyond != "" {
				p.Approval = approvalManual
				b.out.Notes = append(b.out.Notes, fmt.Sprintf("subscription %s has manual approval, because OLM would upgrade %s to %s", sub.Name, step.Bundle, beyond))
			}
		}
		b.out.Subscriptions = append(b.out.Subscriptions, p)
	}
}

// channelOf returns the channel that offers the bundle of a step to a subscription: the channel of
// the step, else the first of the subscription, or of the package, that offers the bundle.
func (b *manifester) channelOf(key cache.Key, step *resolver.Step, sub *resolver.Subscription) *graph.Channel {
	for _, pkg := range b.req.Packages(key, step.Package) {
		names := append([]string{step.Channel}, sub.Channels...)
		for _, ch := range pkg.Channels {
			names = append(names, ch.Name)
		}
		for _, name := range names {
			if ch := pkg.Channel(name); ch != nil && ch.Quarantined() == nil {
				if e := ch.Entry(step.Bundle); e != nil && e.Candidate() {
					return ch
				}
			}
		}
	}
	return nil
}

// successor returns the bundle to which a subscription to a channel upgrades the bundle of a step
// next, or "".
func (b *manifester) successor(ch *graph.Channel, step *resolver.Step) string {
	if step.Version == nil {
		return ""
	}
	for _, e := range ch.Chain() {
		if e.Candidate() && !e.Bundle.Barred && e.Upgrades(step.Bundle, *step.Version) {
			if e.Name == step.Bundle {
				return ""
			}
			return e.Name
		}
	}
	return ""
}

// group chooses the target namespaces: those of the request, else the first kind that all operators
// support. Without install modes, an operator fits every group.
func (b *manifester) group() {
	if g := b.req.OperatorGroup; g != nil {
		b.out.Targets = slices.Compact(slices.Sorted(slices.Values(g.TargetNamespaces)))
		if slices.Contains(b.out.Targets, "") {
			b.out.Targets = nil
		}
		need := properties.NeededInstallModes(b.req.Namespace, b.out.Targets)
		for _, o := range b.modes() {
			if !o.modes.Has(need) {
				b.out.Notes = append(b.out.Notes, fmt.Sprintf("%s does not support the OperatorGroup of the request, which needs %s: it supports %s", o.bundle, need, o.modes))
			}
		}
		return
	}
	known := b.modes()
	fits := func(mode properties.InstallModes) bool {
		return !slices.ContainsFunc(known, func(o operatorModes) bool { return !o.modes.Has(mode) })
	}
	switch {
	case fits(properties.AllNamespaces):
	case fits(properties.OwnNamespace):
		b.out.Targets = []string{b.req.Namespace}
	default:
		bundles := text.Each(known, func(o operatorModes) string { return o.bundle })
		said := text.Each(known, func(o operatorModes) string { return fmt.Sprintf("%s supports %s", o.bundle, o.modes) })
		b.fail(bundles, "no OperatorGroup for all namespaces or for namespace %s alone fits every operator: %s; give the request an operatorGroup with targetNamespaces, or install them in different namespaces",
			b.req.Namespace, strings.Join(said, "; "))
	}
}

// operatorModes are the install modes of a bundle.
type operatorModes struct {
	bundle string
	modes  properties.InstallModes
}

// modes lists the operators whose install modes are known, by name.
func (b *manifester) modes() []operatorModes {
	var out []operatorModes
	for _, name := range slices.Sorted(maps.Keys(b.owned)) {
		if modes := b.modesOf(b.steps[name]); modes.Known() {
			out = append(out, operatorModes{name, modes})
		}
	}
	return out
}

func (b *manifester) modesOf(step *resolver.Step) properties.InstallModes {
	for _, pkg := range b.req.Packages(cmp.Or(step.Catalog, step.KeptFrom), step.Package) {
		if bundle := pkg.Bundle(step.Bundle); bundle != nil && bundle.Compatibility != nil {
			return bundle.Compatibility.InstallModes
		}
	}
	return 0
}

// extensions adds the extensions that own a bundle of the solution.
func (b *manifester) extensions(next *resolver.Request) {
	for i := range next.Extensions {
		e := &next.Extensions[i]
		step := b.own(e.InstalledCSV)
		if step == nil {
			continue
		}
		b.named("extension", e.Name)
		o := extensionObject(e.Name, b.req.Namespace, ExtensionCatalog{PackageName: step.Package, Channels: e.Channels})
		o.Spec.ServiceAccount = &ExtensionServiceAccount{Name: installer}
		c := &o.Spec.Source.Catalog
		if step.Version != nil {
			c.Version = step.Version.String()
		}
		if len(e.Catalogs.MatchLabels)+len(e.Catalogs.MatchExpressions) > 0 {
			c.Selector = &ExtensionSelector{MatchLabels: e.Catalogs.MatchLabels, MatchExpressions: e.Catalogs.MatchExpressions}
		} else if !step.Catalog.IsZero() {
			c.Selector = &ExtensionSelector{MatchLabels: map[string]string{labelName: step.Catalog.Name}}
		}
		if cmp.Or(e.Upgrades, b.req.Policy.Upgrades) == resolver.UpgradesSelfCertified {
			c.UpgradeConstraintPolicy = string(resolver.UpgradesSelfCertified)
		}
		if modes := b.modesOf(step); modes.Known() && !modes.Has(properties.AllNamespaces) {
			b.out.Notes = append(b.out.Notes, fmt.Sprintf("%s does not support AllNamespaces: OLM v1 installs it only where its configuration sets watchNamespace", step.Bundle))
		}
		b.out.Extensions = append(b.out.Extensions, o)
	}
}

// unowned notes the bundles for which there is no object.
func (b *manifester) unowned(next *resolver.Request, sol *resolver.Solution) {
	for i := range sol.Steps {
		if name := sol.Steps[i].Bundle; !b.owned[name] {
			b.out.Notes = append(b.out.Notes, fmt.Sprintf("nothing subscribes to %s, so no object installs it", name))
		}
	}
}

// Names and values in manifests.
const (
	approvalAutomatic = "Automatic"
	approvalManual    = "Manual"
	installer         = "resolute-installer" // the service account of extensions
	groupName         = "resolute"
	groupGlobal       = "global-operators" // the group that OLM is installed with
)

// withGlobalGroup are the namespaces that OLM is installed with, which have a group for all
// namespaces. A second group would stop all operators there.
var withGlobalGroup = []string{"operators", "openshift-operators"}

// YAML returns the objects as a stream of YAML documents in the order in which they have to be
// applied. Notes come first, as comments. Equal manifests have equal bytes.
func (m *Manifests) YAML() []byte {
	y := &lines{}
	for _, note := range m.Notes {
		y.WriteString("# " + text.Inert(note) + "\n")
	}
	y.add("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n", m.Namespace)
	if len(m.Extensions) > 0 {
		m.extensions(y)
		return y.Bytes()
	}
	group := groupName
	if slices.Contains(withGlobalGroup, m.Namespace) {
		group = groupGlobal
	}
	y.add("---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata:\n  name: %s\n  namespace: %s\n", group, m.Namespace)
	if len(m.Targets) == 0 {
		y.WriteString("spec: {}\n")
	} else {
		y.WriteString("spec:\n  targetNamespaces:\n")
		for _, target := range m.Targets {
			y.add("  - %s\n", target)
		}
	}
	for i := range m.Subscriptions {
		m.Subscriptions[i].write(y, m.Namespace)
	}
	return y.Bytes()
}

// extensions writes the objects of OLM v1. Versions of 2026 and later ignore the service account;
// earlier ones install with its permissions.
func (m *Manifests) extensions(y *lines) {
	y.add("---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: %s\n  namespace: %s\n", installer, m.Namespace)
	y.add("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: %s\n", installer+"-"+m.Namespace)
	y.WriteString("roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: cluster-admin\n")
	y.add("subjects:\n- kind: ServiceAccount\n  name: %s\n  namespace: %s\n", installer, m.Namespace)
	for _, e := range m.Extensions {
		y.WriteString("---\n")
		y.Write(e.YAML())
	}
}

// write writes a subscription.
func (s *PlannedSubscription) write(y *lines, namespace string) {
	y.add("---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: %s\n  namespace: %s\nspec:\n", s.Name, namespace)
	if s.Channel != "" {
		y.add("  channel: %s\n", s.Channel)
	}
	y.WriteString("  installPlanApproval: " + s.Approval + "\n")
	y.add("  name: %s\n  source: %s\n  sourceNamespace: %s\n  startingCSV: %s\n", s.Package, s.Source, s.SourceNamespace, s.StartingCSV)
}

// extensionObject returns an object of OLM v1.
func extensionObject(name, namespace string, catalog ExtensionCatalog) *ClusterExtension {
	return &ClusterExtension{APIVersion: "olm.operatorframework.io/v1", Kind: "ClusterExtension", Metadata: ExtensionMetadata{name},
		Spec: ClusterExtensionSpec{Namespace: namespace, Source: ExtensionSource{SourceType: "Catalog", Catalog: catalog}}}
}
