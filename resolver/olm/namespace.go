package olm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Annotations, labels and values in OLM's objects.
const (
	annotationGenerated     = "olm.generated-by"
	annotationExcludeGlobal = "olm.operatorframework.io/exclude-global-namespace-resolution"
	annotationProperties    = "operatorframework.io/properties"
	annotationProvidedAPIs  = "olm.providedAPIs"
	annotationTemplate      = "olm.catalogImageTemplate"
	annotationAlongside     = "operatorframework.io/installed-alongside-" // + digest: namespace/bundle
	failForward             = "TechPreviewUnsafeFailForward"
)

// builder builds the scenario of one namespace.
type builder struct {
	*index
	name   string
	subs   []*subscription
	csvs   []*clusterServiceVersion // without those excluded by fail-forward
	all    []*clusterServiceVersion
	byName map[string]*clusterServiceVersion // of csvs
	next   map[string]string                 // the replacement of a CSV
	// further caches the last replacement of a CSV; stands is the same while fail-forward
	// excludes CSVs.
	further, stands map[string]string
	owner           map[string][]*subscription // by the last replacement of the installed CSV

	properties map[*clusterServiceVersion][]scenario.Property
	// Indexes for migrations: operators by provided "package" or "api" and its name, requirements
	// by operator, and dependents by operator.
	provided   map[string][]*clusterServiceVersion
	needed     map[*clusterServiceVersion][]*clusterServiceVersion
	dependents map[*clusterServiceVersion][]*clusterServiceVersion
	lookups    map[string][]planLookup // of install plans, by bundle, for migrations
	findings   []Finding
}

// builder indexes a namespace. The index is incomplete if the context has ended.
func (ix *index) builder(ctx context.Context, name string) *builder {
	b := &builder{index: ix, name: name, subs: ix.subs[name], all: ix.csvs[name],
		byName: make(map[string]*clusterServiceVersion), next: make(map[string]string), further: make(map[string]string), stands: make(map[string]string), owner: make(map[string][]*subscription),
		properties: make(map[*clusterServiceVersion][]scenario.Property)}
	b.findReplacements()
	b.failForward()
	for _, v := range b.csvs {
		b.byName[v.Metadata.Name] = v
	}
	for s := range until(ctx, b.subs) {
		if own := b.installed(s); own != "" {
			end := b.end(own)
			b.owner[end] = append(b.owner[end], s)
		}
	}
	for v := range until(ctx, b.csvs) {
		b.properties[v] = b.readProperties(v)
	}
	return b
}

// findReplacements finds the replacement of each CSV: the CSV that names it in spec.replaces, or
// the one that its subscription upgrades to.
func (b *builder) findReplacements() {
	present := make(map[string]bool, len(b.all))
	for _, v := range b.all {
		present[v.Metadata.Name] = true
	}
	link := func(old, by string) {
		if old != by && present[old] && present[by] && b.next[old] == "" && b.end(by) != old {
			b.next[old], b.further[old] = by, by
		}
	}
	for _, v := range b.all {
		link(v.Spec.Replaces, v.Metadata.Name)
	}
	for _, s := range b.subs {
		link(s.Status.InstalledCSV, s.Status.CurrentCSV)
	}
}

func (b *builder) end(name string) string { return last(b.further, name) }

// last returns the last name of a chain and compresses its path.
func last(further map[string]string, name string) string {
	end := name
	for further[end] != "" {
		end = further[end]
	}
	for name != end {
		further[name], name = end, further[name]
	}
	return end
}

// failForward excludes the CSVs that a failed one is replacing, if the group enables that.
func (b *builder) failForward() {
	b.csvs = b.all
	groups := b.groups[b.name]
	if len(groups) != 1 || groups[0].Spec.UpgradeStrategy != failForward {
		return
	}
	phases := make(map[string]string, len(b.all))
	for _, v := range b.all {
		phases[v.Metadata.Name] = v.Status.Phase
	}
	b.csvs = slices.DeleteFunc(slices.Clone(b.all), func(v *clusterServiceVersion) bool {
		end := b.end(v.Metadata.Name)
		left := v.Status.Phase == "Replacing" && end != v.Metadata.Name && phases[end] == "Failed"
		if left {
			b.stands[v.Metadata.Name] = b.next[v.Metadata.Name]
		}
		return left
	})
}

// installed returns the CSV that a subscription owns; empty if there is none. The replacement of
// an excluded CSV counts as that CSV.
func (b *builder) installed(s *subscription) string {
	name := last(b.stands, s.Status.InstalledCSV)
	if b.byName[name] == nil {
		return ""
	}
	return name
}

func (b *builder) build(ctx context.Context, c *Capture) Namespace {
	s := &scenario.Scenario{Namespace: b.name}
	s.Cluster = c.Cluster.scenario()
	s.Cluster.APIs, s.Cluster.CRDs = b.apis, b.crds
	visible := b.visibleCatalogs()
	for _, k := range visible {
		s.Catalogs = append(s.Catalogs, k.scenario())
	}
	s.OperatorGroup = b.operatorGroup()
	for v := range until(ctx, b.csvs) {
		s.Installed = append(s.Installed, b.installedBundle(v))
	}
	for sub := range until(ctx, b.subs) {
		s.Subscriptions = append(s.Subscriptions, b.subscription(sub))
	}
	if b.opts.LikeOLM {
		s.Policy.Compounds, s.Policy.Failures = resolver.CompoundsPerBundle, resolver.FailuresAll
	}
	b.find(visible)
	findings := b.sorted()
	observed := b.observed(findings)
	switch observed.Status {
	case "resolved", "unsatisfiable":
		s.Expect = json.RawMessage(fmt.Sprintf(`{"status":%q}`, observed.Status))
	}
	return Namespace{Namespace: b.name, Scenario: s, Findings: findings, Observed: observed, Plans: b.pendingPlans()}
}

// visibleCatalogs returns the catalogs of the namespace, and the global ones unless its operator
// group excludes them.
func (b *builder) visibleCatalogs() []*knownCatalog {
	global := b.global
	for _, g := range b.groups[b.name] {
		if g.Metadata.Annotations[annotationExcludeGlobal] == "true" {
			global = ""
		}
	}
	var out []*knownCatalog
	for _, k := range b.catalogs {
		if k.key.Namespace == b.name || k.key.Namespace == global && global != "" {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *knownCatalog) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// scenario returns the catalog for a scenario. A catalog without a known image gets a placeholder
// path.
func (k *knownCatalog) scenario() scenario.Catalog {
	c := scenario.Catalog{Name: k.key.Name, Namespace: k.key.Namespace, Priority: k.Priority, ImageTemplate: k.ImageTemplate}
	switch {
	case isImage(k.Path):
		c.Image = k.Path
	case k.Path != "":
		c.Path = k.Path
	case k.Image != "":
		c.Image = k.Image
	default:
		c.Path = placeholder(k.key)
	}
	return c
}

// isImage reports whether the location of a catalog is a container image.
func isImage(place string) bool {
	for _, transport := range []string{"docker://", "oci:", "oci-archive:", "docker-archive:"} {
		if strings.HasPrefix(place, transport) {
			return true
		}
	}
	return false
}

// placeholder returns the path for the content of a catalog without a known location.
func placeholder(key cache.Key) string { return "catalogs/" + key.Namespace + "/" + key.Name }

// operatorGroup returns the group of the namespace; nil unless there is exactly one and its
// targets are known.
func (b *builder) operatorGroup() *resolver.OperatorGroup {
	groups := b.groups[b.name]
	if len(groups) != 1 {
		return nil
	}
	targets, known := groups[0].targets()
	if !known {
		return nil
	}
	if slices.Contains(targets, "") {
		targets = nil
	}
	sorted := slices.Sorted(slices.Values(targets))
	return &resolver.OperatorGroup{TargetNamespaces: append([]string{}, sorted...)}
}

// catalogOf returns the catalog of a subscription; the zero key if it names none.
func catalogOf(s *subscription) cache.Key {
	if s.Spec.Source == "" {
		return cache.Key{}
	}
	return cache.Key{Namespace: cmp.Or(s.Spec.SourceNamespace, s.Metadata.Namespace), Name: s.Spec.Source}
}

// isGenerated reports whether OLM generated a subscription for a dependency.
func isGenerated(s *subscription) bool {
	_, says := s.Metadata.Annotations[annotationGenerated]
	return says || s.Spec.Channel != "" && s.Spec.Source != "" &&
		s.Metadata.Name == resolver.GeneratedName(s.Spec.Package, s.Spec.Channel, catalogOf(s))
}

func (b *builder) subscription(s *subscription) scenario.Subscription {
	out := scenario.Subscription{Name: s.Metadata.Name, Package: s.Spec.Package, Channel: s.Spec.Channel,
		StartingCSV: s.Spec.StartingCSV, InstalledCSV: b.installed(s)}
	if key := catalogOf(s); key != (cache.Key{}) {
		out.Catalog = key.String()
	}
	if out.InstalledCSV != "" {
		out.Hold = b.hold(s)
	}
	return out
}

// hold returns the reason why an operator is pinned; empty if it may be upgraded.
func (b *builder) hold(s *subscription) string {
	end := b.end(b.installed(s))
	if why, says := b.notUpgradeable(end); says {
		return "the operator reports that it is not upgradeable" + why
	}
	if plan := b.pendingPlan(s); plan != "" && s.Status.CurrentCSV != end {
		return "install plan " + plan + " is not approved"
	}
	return ""
}

// notUpgradeable reports whether an operator, or an administrator for it, marks it as not
// upgradeable, and the reason, as the end of a sentence.
func (b *builder) notUpgradeable(name string) (why string, says bool) {
	if c := b.condition(name); c != nil {
		return because(c.Reason, c.Message), true
	}
	if v := b.byName[name]; v != nil && v.Status.Reason == reasonNotUpgradeable {
		return because("", v.Status.Message), true
	}
	return "", false
}

// condition returns the condition that marks an operator as not upgradeable, or nil.
func (b *builder) condition(name string) *condition {
	if o := b.objects[objectKey{"OperatorCondition", b.name, name}]; o != nil {
		return o.resource.(*operatorCondition).notUpgradeable()
	}
	return nil
}

// because formats the reason and message of a condition as the end of a sentence.
func because(reason, message string) string {
	both := strings.Trim(reason+": "+message, ": ")
	if both == "" {
		return ""
	}
	return ": " + text.Clip(text.Inert(both), maxMessage)
}

// maxMessage limits quoted messages of conditions, in bytes.
const maxMessage = 4000

// pendingPlan returns the name of the pending install plan of a subscription; empty if there is
// none.
func (b *builder) pendingPlan(s *subscription) string {
	pending := find(s.Status.Conditions, "InstallPlanPending")
	ref := s.Status.InstallPlanRef
	if ref == nil {
		return ""
	}
	waits := pending != nil && pending.Reason == "RequiresApproval"
	if o := b.objects[objectKey{"InstallPlan", b.name, ref.Name}]; o != nil {
		waits = o.resource.(*installPlan).waits()
	}
	if waits {
		return ref.Name
	}
	return ""
}

// observed returns the status that OLM reports on the subscriptions of the namespace. A finding
// that prevents installation overrides a resolved status.
func (b *builder) observed(findings []Finding) Observed {
	seen := false
	for _, s := range b.subs {
		if c := find(s.Status.Conditions, "ResolutionFailed"); c != nil {
			o := Observed{Status: "failed", Message: text.Clip(text.Inert(c.Message), maxMessage)}
			if c.Reason == "ConstraintsNotSatisfiable" {
				o.Status = "unsatisfiable"
			}
			return o
		}
		seen = seen || s.Status.CurrentCSV != "" || s.Status.InstalledCSV != ""
	}
	for _, f := range findings {
		switch f.Code {
		case codeUnpack, codeAccount, codeUnreachable:
			return Observed{Status: "failed", Message: f.Message}
		}
	}
	if !seen || len(b.groups[b.name]) != 1 {
		return Observed{Status: "unknown"}
	}
	return Observed{Status: "resolved"}
}
