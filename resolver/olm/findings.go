package olm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// Finding is a current or future obstacle in a namespace.
type Finding struct {
	// Code is stable; a code may be added: noOperatorGroup, severalOperatorGroups,
	// unhealthyCatalog, missingCatalog, danglingCSV, subscriptionWithoutCSV,
	// csvOfSeveralSubscriptions, installModeUnsupported, groupOverlap,
	// upgradePendingApproval, mixedApproval, planFailed, phaseFailed,
	// operatorConditionNotUpgradeable, bundleUnpackFailed, serviceAccountMissing,
	// catalogUnreachable.
	Code string `json:"code"`
	// Severity is an error if OLM is blocked, and a warning if OLM works but an administrator
	// should know.
	Severity graph.Severity `json:"severity"`
	// Subject is the affected object: a subscription, a CSV, an install plan, a catalog
	// ("namespace/name"), or the namespace.
	Subject string `json:"subject"`
	// Message states the cause, its effect and what to do.
	Message string `json:"message"`
	// Commands are the commands for the message, in their order, if OLM's documentation has some.
	Commands []string `json:"commands,omitempty"`
}

// Codes of findings that keep OLM from installing anything, whatever it resolved.
const (
	codeUnpack      = "bundleUnpackFailed"
	codeAccount     = "serviceAccountMissing"
	codeUnreachable = "catalogUnreachable"
)

// Reasons in the status of a ClusterServiceVersion.
const (
	reasonNotUpgradeable = "OperatorConditionNotUpgradeable"
	reasonGroup          = "UnsupportedOperatorGroup"
	reasonOverlap        = "InterOperatorGroupOwnerConflict"
)

func (b *builder) found(code, subject, format string, args ...any) {
	b.findings = append(b.findings, Finding{Code: code, Severity: graph.SeverityError, Subject: subject, Message: text.Inert(fmt.Sprintf(format, args...))})
}

// warn adds a warning.
func (b *builder) warn(code, subject, format string, args ...any) {
	b.found(code, subject, format, args...)
	b.findings[len(b.findings)-1].Severity = graph.SeverityWarning
}

// sorted returns the distinct findings by code and subject.
func (b *builder) sorted() []Finding {
	slices.SortStableFunc(b.findings, func(x, y Finding) int {
		return cmp.Or(strings.Compare(x.Code, y.Code), strings.Compare(x.Subject, y.Subject))
	})
	b.findings = slices.CompactFunc(b.findings, func(x, y Finding) bool { return x.Code == y.Code && x.Subject == y.Subject })
	return append([]Finding{}, b.findings...)
}

func (b *builder) find(visible []*knownCatalog) {
	b.findGroups()
	b.findCatalogs(visible)
	b.findOwners()
	b.findPlans()
	b.findUnpacking()
	b.findAccounts()
	for _, v := range b.csvs {
		b.findTrouble(v)
	}
}

func (b *builder) findGroups() {
	switch groups := b.groups[b.name]; len(groups) {
	case 0:
		b.found("noOperatorGroup", b.name, "namespace %s has no OperatorGroup, so OLM installs nothing there; create one", b.name)
	case 1:
	default:
		b.found("severalOperatorGroups", b.name, "namespace %s has %d OperatorGroups, %s; OLM resolves nothing there until you delete all but one",
			b.name, len(groups), text.And(namesOf(groups)))
	}
}

func (b *builder) findCatalogs(visible []*knownCatalog) {
	seen := make(map[cache.Key]bool, len(visible))
	for _, k := range visible {
		seen[k.key] = true
		if k.trouble != "" {
			b.found("unhealthyCatalog", k.Key, "catalog %s is not healthy: %s; OLM resolves nothing in this namespace until it is healthy or deleted", k.Key, text.Clip(k.trouble, maxMessage))
		}
		if k.Path == "" && k.Image == "" {
			b.warn("missingCatalog", k.Key, "the content of catalog %s is unknown; put it at %s beside the scenario", k.Key, placeholder(k.key))
		}
	}
	b.findUnreachable(seen)
	for _, s := range b.subs {
		for _, h := range s.Status.CatalogHealth {
			if h.Healthy != nil && !*h.Healthy {
				key := cache.Key{Namespace: h.CatalogSourceRef.Namespace, Name: h.CatalogSourceRef.Name}.String()
				b.found("unhealthyCatalog", key, "subscription %s reports that catalog %s is not healthy; OLM resolves nothing in this namespace until it is healthy or deleted", s.Metadata.Name, key)
			}
		}
		key := catalogOf(s)
		if key == (cache.Key{}) || seen[key] {
			continue
		}
		why := "the cluster has no such CatalogSource"
		if _, known := b.catalogs[key.String()]; known {
			why = "catalogs of namespace " + key.Namespace + " are not visible in this namespace"
		}
		b.found("missingCatalog", key.String(), "subscription %s names catalog %s, but %s; correct the subscription, or create the catalog", s.Metadata.Name, key, why)
	}
}

func (b *builder) findOwners() {
	for _, s := range b.subs {
		if name := s.Status.InstalledCSV; name != "" && b.installed(s) == "" {
			b.found("subscriptionWithoutCSV", s.Metadata.Name, "subscription %s reports that it installed %s, which no longer exists; delete the subscription and create it again", s.Metadata.Name, name)
		}
	}
	for _, v := range b.csvs {
		name := v.Metadata.Name
		if b.end(name) != name {
			continue // no longer counts as installed
		}
		owners := b.owner[name]
		switch {
		case len(owners) > 1:
			b.found("csvOfSeveralSubscriptions", name, "subscriptions %s all report that they installed %s; keep one and delete the others", text.And(namesOf(owners)), name)
		case len(owners) == 0:
			b.findDangling(v)
		}
	}
}

// findDangling reports an unowned operator.
func (b *builder) findDangling(v *clusterServiceVersion) {
	name := v.Metadata.Name
	pkg, _ := packageOf(b.properties[v])
	pkg = cmp.Or(pkg, labelledPackage(v))
	for _, s := range b.subs {
		if pkg != "" && s.Spec.Package == pkg {
			b.found("danglingCSV", name, "no subscription owns %s, so it blocks subscription %s to the same package %s; let the subscription adopt it, or delete it", name, s.Metadata.Name, pkg)
			return
		}
	}
	b.warn("danglingCSV", name, "no subscription owns %s: it is never upgraded, and blocks every subscription to its package; create one that adopts it, or delete it", name)
}

// findTrouble reports the failures that OLM recorded on an operator.
func (b *builder) findTrouble(v *clusterServiceVersion) {
	name, status := v.Metadata.Name, &v.Status
	if status.Phase == "Failed" {
		b.found("phaseFailed", name, "%s failed%s; correct the cause, or upgrade past it with fail-forward upgrades", name, because(status.Reason, status.Message))
	}
	if reason := b.unsupported(v); reason != "" {
		b.found("installModeUnsupported", name, "%s does not support its OperatorGroup: %s; change the targets of the group, or install it in another namespace", name, reason)
	}
	if other := b.overlap(v); other != "" {
		b.found("groupOverlap", name, "%s provides APIs that an operator of %s already provides for the same namespaces; keep one of them, or make their OperatorGroups watch different namespaces", name, other)
	}
	if why, says := b.notUpgradeable(name); says {
		b.warn("operatorConditionNotUpgradeable", name, "%s reports that it is not upgradeable%s; OLM waits until it is", name, why)
	}
}

// unsupported explains why an operator does not support its group; empty if it does. OLM has
// already checked running operators.
func (b *builder) unsupported(v *clusterServiceVersion) string {
	if v.Status.Reason == reasonGroup {
		return cmp.Or(text.Clip(text.Inert(v.Status.Message), maxMessage), "no install mode matches")
	}
	groups := b.groups[b.name]
	if len(groups) != 1 || v.Status.Phase == "Succeeded" || len(v.Spec.InstallModes) == 0 {
		return ""
	}
	targets, known := groups[0].targets()
	if !known {
		return ""
	}
	supported := make(map[string]bool)
	for _, m := range v.Spec.InstallModes {
		supported[m.Type] = m.Supported
	}
	for _, mode := range slices.Backward(properties.NeededInstallModes(b.name, targets).Names()) {
		if !supported[mode] {
			return "it does not support " + mode
		}
	}
	return ""
}

// overlap returns the namespace whose operators already provide an API of v for a namespace that
// both watch; empty if there is none.
func (b *builder) overlap(v *clusterServiceVersion) string {
	groups := b.groups[b.name]
	if len(groups) != 1 {
		return ""
	}
	own, first := b.providedBy(groups[0]), len(b.allGroups)
	for _, gvk := range v.apis(false) {
		api := gvk.Kind + "." + gvk.Version + "." + gvk.Group
		if own[api] && !groups[0].Spec.StaticProvidedAPIs { // OLM removes it from the group
			continue
		}
		for _, i := range b.providers[api] {
			if other := b.allGroups[i]; i < first && other.Metadata.Namespace != b.name && b.intersect(groups[0], other) {
				first = i
				break
			}
		}
	}
	if first < len(b.allGroups) {
		return "namespace " + b.allGroups[first].Metadata.Namespace
	}
	if v.Status.Reason == reasonOverlap {
		return "another namespace"
	}
	return ""
}

// providedBy returns the APIs that a group provides, as OLM, or the administrator of static APIs,
// annotates them: Kind.version.group.
func (ix *index) providedBy(g *operatorGroup) map[string]bool {
	out := make(map[string]bool)
	for api := range strings.SplitSeq(g.Metadata.Annotations[annotationProvidedAPIs], ",") {
		if api = strings.TrimSpace(api); api != "" {
			out[api] = true
		}
	}
	return out
}

// indexGroups indexes groups by the APIs that they provide, and the namespaces that they watch:
// their own and others, or none if unknown.
func (ix *index) indexGroups() {
	ix.providers, ix.watched = make(map[string][]int), make(map[*operatorGroup]map[string]bool)
	for i, g := range ix.allGroups {
		for api := range ix.providedBy(g) {
			ix.providers[api] = append(ix.providers[api], i)
		}
		if targets, known := g.targets(); known {
			ix.watched[g] = map[string]bool{g.Metadata.Namespace: true}
			for _, t := range targets {
				ix.watched[g][t] = true
			}
		}
	}
}

// intersect reports whether two groups watch a common namespace. A group also watches its own.
func (ix *index) intersect(a, b *operatorGroup) bool {
	x, y := ix.watched[a], ix.watched[b]
	if x == nil || y == nil {
		return false
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	for n := range x { // in any order
		if y[n] {
			return true
		}
	}
	return x[""] || y[""]
}

// findPlans reports pending approvals and failed install plans.
func (b *builder) findPlans() {
	var manual, automatic []string
	referred := make(map[string]bool)
	for _, s := range b.subs {
		if s.Spec.InstallPlanApproval == "Manual" {
			manual = append(manual, s.Metadata.Name)
		} else {
			automatic = append(automatic, s.Metadata.Name)
		}
		if s.Status.InstallPlanRef != nil {
			referred[s.Status.InstallPlanRef.Name] = true
		}
		if plan := b.pendingPlan(s); plan != "" {
			b.warn("upgradePendingApproval", plan, "install plan %s needs approval; subscription %s waits for it to upgrade to %s; approve it, or nothing else in this namespace proceeds", plan, s.Metadata.Name, cmp.Or(s.Status.CurrentCSV, "another version"))
		}
		if c := find(s.Status.Conditions, "InstallPlanFailed"); c != nil && s.Status.InstallPlanRef != nil {
			b.failedPlan(s.Status.InstallPlanRef.Name, c.Reason, c.Message)
		}
	}
	if len(manual) > 0 && len(automatic) > 0 {
		b.warn("mixedApproval", b.name, "%s %s manual approval, and %s %s automatic approval; one manual subscription makes every install plan in namespace %s wait",
			text.Short(manual, 5), text.Plural(len(manual), "has", "have"), text.Short(automatic, 5), text.Plural(len(automatic), "has", "have"), b.name)
	}
	newest := 0
	for _, p := range b.plans[b.name] {
		newest = max(newest, p.Spec.Generation)
	}
	for _, p := range b.plans[b.name] {
		name, latest := p.Metadata.Name, p.Spec.Generation == newest
		current := referred[name] || len(referred) == 0 && latest
		switch {
		case p.Status.Phase == "Failed" && (current || latest):
			b.failedPlan(name, "", p.failure())
		case p.waits() && current:
			b.warn("upgradePendingApproval", name, "install plan %s needs approval: %s; approve it, or nothing else in this namespace proceeds", name, text.Short(p.Spec.Names, 5))
		}
	}
}

func (b *builder) failedPlan(name, reason, message string) {
	b.found("planFailed", name, "install plan %s failed%s; correct the cause and delete the plan, so that OLM creates a new one", name, because(reason, message))
}

func (p *installPlan) failure() string {
	for _, c := range p.Status.Conditions {
		if c.Status == "False" && c.Message != "" {
			return c.Message
		}
	}
	return p.Status.Message
}
