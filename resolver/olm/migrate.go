package olm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Verdicts of a [Migration].
const (
	VerdictEligible    = "eligible"    // no rule is violated
	VerdictAcknowledge = "acknowledge" // only rules that an administrator may override are violated
	VerdictBlocked     = "blocked"     // a hard rule is violated
	VerdictUnknown     = "unknown"     // no hard rule is violated, and decisive data are missing
)

// Migration is the verdict on whether a subscription can become an extension of OLM v1, by the
// rules C1 to C10 for the migration from OLM v0.
type Migration struct {
	Namespace    string `json:"namespace"`
	Subscription string `json:"subscription"`
	Package      string `json:"package"`
	// Verdict is one of the Verdict constants.
	Verdict string            `json:"verdict"`
	Reasons []MigrationReason `json:"reasons"`
	// Missing lists the data without which a rule is undecided.
	Missing []string `json:"missing,omitempty"`
	// Warnings lists other effects of the migration, such as a different next version.
	Warnings []string `json:"warnings,omitempty"`
	// Extension is the extension that the subscription becomes, for a request; nil if nothing is
	// installed.
	Extension *resolver.Extension `json:"-"`
	// Object is the same extension as a manifest.
	Object *ClusterExtension `json:"extension,omitempty"`

	facts    *migrationFacts
	requires []scenario.Property
}

// MigrationReason is a violated rule.
type MigrationReason struct {
	// Code is the rule, C1 to C10.
	Code string `json:"code"`
	// Hard reports that no flag overrides the rule.
	Hard bool   `json:"hard"`
	Text string `json:"text"`
	// Override is the flag of the migration tool that overrides the rule.
	Override string `json:"override,omitempty"`
}

// overrides are the flags that override soft rules.
var overrides = map[string]string{
	"C1": "--acknowledge-watch-scope-change", "C4": "--acknowledge-operator-condition", "C5": "--acknowledge-olmv0-api-access",
	"C6": "--acknowledge-scoped-serviceaccount", "C8": "--acknowledge-not-steady-state",
}

// migrationFacts are the facts from objects, and later from the content of catalogs.
type migrationFacts struct {
	sub      *subscription
	csv      *clusterServiceVersion
	version  string
	reasons  []MigrationReason
	missing  []string
	warnings []string
	requires []scenario.Property // distinct
	others   map[string]bool     // the installed bundles that it requires, directly or indirectly
	whole    bool                // others is complete
	source   cache.Key
	image    string // image of the catalog of the operator
	targets  []*clusterCatalog
	index    *index
}

func (f *migrationFacts) against(code, format string, args ...any) {
	flag := overrides[code]
	f.reasons = append(f.reasons, MigrationReason{Code: code, Hard: flag == "", Override: flag, Text: text.Clip(text.Inert(fmt.Sprintf(format, args...)), maxMessage)})
}

func (f *migrationFacts) lacks(format string, args ...any) {
	f.missing = append(f.missing, text.Inert(fmt.Sprintf(format, args...)))
}

func (f *migrationFacts) warn(format string, args ...any) {
	f.warnings = append(f.warnings, text.Inert(fmt.Sprintf(format, args...)))
}

// migration judges one subscription by the objects of the cluster.
func (b *builder) migration(s *subscription) Migration {
	f := &migrationFacts{sub: s, source: catalogOf(s), targets: b.clusterCatalogs, index: b.index}
	own := s.Status.InstalledCSV
	if o := b.objects[objectKey{"ClusterServiceVersion", b.name, own}]; o != nil {
		f.csv = o.resource.(*clusterServiceVersion)
	}
	switch {
	case own == "":
		f.lacks("an installed version: subscription %s has installed nothing; create an extension instead", s.Metadata.Name)
	case f.csv == nil:
		f.lacks("ClusterServiceVersion %s, which subscription %s installed (C1a, C2, C3, C4, C5, C8)", own, s.Metadata.Name)
	default:
		b.judgeOperator(f)
	}
	b.judgeGroup(f)
	b.judgeSubscription(f)
	b.judgeSources(f)
	b.warnOfOthers(f)
	m := Migration{Namespace: b.name, Subscription: s.Metadata.Name, Package: s.Spec.Package, facts: f}
	m.conclude(nil, nil, "")
	return m
}

// judgeOperator checks the installed operator against C1a, C2, C3, C4 and C5.
func (b *builder) judgeOperator(f *migrationFacts) {
	v := f.csv
	name := v.Metadata.Name
	if !v.supportsAll() {
		f.against("C1a", "%s does not support the install mode AllNamespaces, in which extensions run", name)
	}
	f.requires = b.requirements(f)
	f.others, f.whole = b.closure(v)
	if owned := v.Spec.APIServiceDefinitions.Owned; len(owned) > 0 {
		f.against("C3", "%s owns API services (%s), which OLM v1 does not support", name,
			text.Short(text.Each(owned, func(a api) string { return a.Version + "." + a.Group }), 5))
	}
	if o := b.objects[objectKey{"OperatorCondition", b.name, name}]; o != nil {
		if list := o.resource.(*operatorCondition).Status.Conditions; len(list) > 0 {
			f.against("C4", "%s reports conditions to OLM in its OperatorCondition (%s), which OLM v1 does not read", name,
				text.Short(text.Each(list, func(c condition) string { return c.Type }), 5))
		}
	}
	if resources := v.olmAccess(); len(resources) > 0 {
		f.against("C5", "%s has permissions for %s of operators.coreos.com, but for nothing of olm.operatorframework.io", name, text.And(resources))
	}
	f.version = v.Spec.Version
	if _, version := packageOf(b.propertiesOf(v)); version != "" {
		f.version = version
	}
}

// propertiesOf returns the properties of an operator, excluded by fail-forward or not.
func (b *builder) propertiesOf(v *clusterServiceVersion) []scenario.Property {
	if list, known := b.properties[v]; known {
		return list
	}
	return b.readProperties(v)
}

// isRequirement reports whether OLM v1 rejects bundles with a property.
func isRequirement(p scenario.Property) bool {
	switch p.Type {
	case properties.TypeGVKRequired, properties.TypePackageRequired, properties.TypeLabelRequired, properties.TypeConstraint:
		return true
	}
	return false
}

// requirements returns the requirements of an operator from OLM's annotation, its specification,
// and the install plans that installed it.
func (b *builder) requirements(f *migrationFacts) []scenario.Property {
	v := f.csv
	list := slices.Clone(b.propertiesOf(v))
	written := func(properties, place string) {
		more, err := parseRequirements(properties)
		if err != nil {
			f.lacks("the requirements of %s: %s is invalid (C2)", v.Metadata.Name, place)
		}
		list = append(list, more...)
	}
	if s, says := v.Metadata.Annotations[annotationProperties]; says {
		written(s, "its annotation "+annotationProperties)
	}
	for _, l := range b.lookups[v.Metadata.Name] {
		if l.Properties != "" {
			written(l.Properties, "its bundle lookup in install plan "+l.plan.Metadata.Name)
		}
	}
	for _, gvk := range v.apis(true) {
		list = append(list, property(properties.TypeGVKRequired, gvk))
	}
	return b.distinct(list)
}

// parseRequirements parses the requirements in an annotation or a lookup, with values of any
// type, also from a list of properties, as the migration tool does.
func parseRequirements(written string) ([]scenario.Property, error) {
	if len(written) > MaxPropertiesBytes {
		return nil, fmt.Errorf("it has more than %d bytes", MaxPropertiesBytes)
	}
	var list []scenario.Property
	if err := json.Unmarshal([]byte(written), &list); err != nil {
		var wrapped struct{ Properties []scenario.Property }
		if err := json.Unmarshal([]byte(written), &wrapped); err != nil {
			return nil, err
		}
		list = wrapped.Properties
	}
	return slices.DeleteFunc(list, func(p scenario.Property) bool { return !isRequirement(p) }), nil
}

// distinct returns the requirements among properties, distinct by their description.
func (ix *index) distinct(list []scenario.Property) []scenario.Property {
	var out []scenario.Property
	seen := make(map[string]bool)
	for _, p := range list {
		if !isRequirement(p) {
			continue
		}
		if words := ix.requirement(p); !seen[words] {
			seen[words] = true
			out = append(out, p)
		}
	}
	return out
}

func (ix *index) inWords(list []scenario.Property) []string {
	return text.Each(list, ix.requirement)
}

// supportsAll reports whether an operator can watch all namespaces.
func (v *clusterServiceVersion) supportsAll() bool {
	return slices.Contains(v.Spec.InstallModes, installMode{Type: "AllNamespaces", Supported: true})
}

// olmAccess returns the resources of OLM v0 that an operator has permissions for, unless it also
// has some for OLM v1. Every operator has permission for its operatorconditions.
func (v *clusterServiceVersion) olmAccess() []string {
	var found []string
	for _, p := range slices.Concat(v.Spec.Install.Spec.Permissions, v.Spec.Install.Spec.ClusterPermissions) {
		for _, rule := range p.Rules {
			every := slices.Contains(rule.APIGroups, "*")
			if slices.Contains(rule.APIGroups, "olm.operatorframework.io") || every && slices.Contains(rule.Resources, "*") {
				return nil
			}
			if !every && !slices.Contains(rule.APIGroups, "operators.coreos.com") {
				continue
			}
			for _, r := range rule.Resources {
				r, _, _ = strings.Cut(r, "/")
				if slices.Contains([]string{"subscriptions", "installplans", "clusterserviceversions", "catalogsources", "*"}, r) {
					found = text.AppendNew(found, r)
				}
			}
		}
	}
	return found
}

// judgeGroup checks the operator group against C1 and C6.
func (b *builder) judgeGroup(f *migrationFacts) {
	groups := b.groups[b.name]
	if len(groups) == 0 {
		f.lacks("the OperatorGroup of namespace %s (C1, C6)", b.name)
	}
	var scoped, accounts []string
	for _, g := range groups {
		if targets := g.specific(); targets != "" {
			scoped = append(scoped, fmt.Sprintf("OperatorGroup %s targets %s", g.Metadata.Name, targets))
		}
		if account := g.Spec.ServiceAccountName; account != "" {
			accounts = append(accounts, fmt.Sprintf("OperatorGroup %s installs with service account %s", g.Metadata.Name, account))
		}
		if s := g.Spec.UpgradeStrategy; s != "" && s != "Default" {
			f.warn("the upgrade strategy %s of OperatorGroup %s has no equivalent in OLM v1 and is ignored", s, g.Metadata.Name)
		}
	}
	if len(scoped) > 0 {
		f.against("C1", "%s; as an extension the operator watches all namespaces", text.And(scoped))
	}
	if len(accounts) > 0 {
		f.against("C6", "%s; OLM v1 installs with its own rights", text.And(accounts))
	}
}

// specific describes the namespaces that a group targets; empty if it targets all.
func (g *operatorGroup) specific() string {
	var selector struct {
		MatchLabels      map[string]string
		MatchExpressions []json.RawMessage
	}
	_ = json.Unmarshal(g.Spec.Selector, &selector) // an invalid selector selects nothing
	for _, list := range [][]string{g.Spec.TargetNamespaces, g.Status.Namespaces} {
		if list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" }); len(list) > 0 {
			slices.Sort(list)
			return text.Plural(len(list), "namespace ", "namespaces ") + text.Short(list, 5)
		}
	}
	if len(selector.MatchLabels)+len(selector.MatchExpressions) > 0 {
		return "the namespaces of a selector"
	}
	return ""
}

// judgeSubscription checks the subscription against C8 and C9.
func (b *builder) judgeSubscription(f *migrationFacts) {
	var unsteady []string
	if f.csv != nil && f.csv.Status.Phase != "Succeeded" {
		unsteady = append(unsteady, fmt.Sprintf("%s is in phase %q, not Succeeded", f.csv.Metadata.Name, f.csv.Status.Phase))
	}
	if state := f.sub.Status.State; state != "AtLatestKnown" && state != "UpgradePending" {
		unsteady = append(unsteady, fmt.Sprintf("subscription %s is in state %q, neither AtLatestKnown nor UpgradePending", f.sub.Metadata.Name, state))
	}
	if len(unsteady) > 0 {
		f.against("C8", "%s; wait until it is", text.And(unsteady))
	}
	if by, says := f.sub.Metadata.Annotations[annotationGenerated]; says {
		f.against("C9", "subscription %s was generated for a dependency (by %s): migrate its dependents", f.sub.Metadata.Name, cmp.Or(by, "an install plan"))
	}
}

// judgeSources checks the catalogs of the operator against C10.
func (b *builder) judgeSources(f *migrationFacts) {
	var wrong []string
	for _, key := range b.sourcesOf(f) {
		s, _ := b.resource("CatalogSource", key).(*catalogSource)
		switch {
		case key.Name == "":
			wrong = append(wrong, "the subscription names no CatalogSource")
		case s == nil:
			wrong = append(wrong, fmt.Sprintf("the cluster has no CatalogSource %s", key))
		case s.Spec.SourceType != "grpc":
			wrong = append(wrong, fmt.Sprintf("CatalogSource %s is of type %q, not grpc", key, s.Spec.SourceType))
		case s.Spec.Image == "":
			wrong = append(wrong, fmt.Sprintf("CatalogSource %s has no image", key))
		default:
			f.image = s.Spec.Image // the last one is the origin of the bundle
		}
	}
	if len(wrong) > 0 {
		f.against("C10", "%s; only a catalog with an image becomes a ClusterCatalog", text.And(wrong))
	}
}

// resource returns an object of the cluster; nil if there is none.
func (ix *index) resource(kind string, key cache.Key) resource {
	if o := ix.objects[objectKey{kind, key.Namespace, key.Name}]; o != nil {
		return o.resource
	}
	return nil
}

// planLookup is a bundle lookup and its install plan.
type planLookup struct {
	plan *installPlan
	*bundleLookup
}

// sourcesOf returns the catalog of a subscription and the origin of the installed bundle,
// recorded in the install plan of the subscription, else in the newest plan with the bundle.
func (b *builder) sourcesOf(f *migrationFacts) []cache.Key {
	out, ref := []cache.Key{f.source}, cmp.Or(f.sub.Status.InstallPlanRef, &CatalogRef{}).Name
	var best planLookup
	for _, l := range b.lookups[f.sub.Status.InstalledCSV] {
		referred := best.plan != nil && best.plan.Metadata.Name == ref
		if best.plan == nil || l.plan.Metadata.Name == ref || !referred && l.plan.Spec.Generation > best.plan.Spec.Generation {
			best = l
		}
	}
	switch {
	case best.plan != nil && best.Catalog.Name != "":
		return text.AppendNew(out, cache.Key{Namespace: best.Catalog.Namespace, Name: best.Catalog.Name})
	case best.plan == nil && ref != "" && b.resource("InstallPlan", cache.Key{Namespace: b.name, Name: ref}) == nil:
		f.lacks("InstallPlan %s, which records the CatalogSource of %s (C10)", ref, cmp.Or(f.sub.Status.InstalledCSV, "the bundle"))
	}
	return out
}

// warnOfOthers warns of effects on other subscriptions and operators.
func (b *builder) warnOfOthers(f *migrationFacts) {
	if n := b.places[f.sub.Spec.Package]; n > 1 {
		f.warn("%d namespaces have a subscription to package %s; an extension exists once for the whole cluster", n, f.sub.Spec.Package)
	}
	name := f.sub.Metadata.Name
	if n := b.named[name]; n > 1 {
		f.warn("%d subscriptions are named %s, and extensions have no namespace: rename this one", n, name)
	}
	if b.resource("ClusterExtension", cache.Key{Name: name}) != nil {
		f.warn("the cluster has a ClusterExtension %s: rename this one, or remove the subscription if it is already migrated", name)
	}
	if len(f.configured()) > 0 {
		f.warn("spec.config needs the feature gate NewOLMConfigAPI of OLM v1")
	}
	if f.csv == nil {
		return
	}
	var dependents []string
	for _, v := range b.dependents[f.csv] {
		dependents = append(dependents, v.Metadata.Name)
	}
	if len(dependents) > 0 {
		f.warn("%s %s %s; OLM v1 does not protect it from removal", text.Short(dependents, 5), text.Plural(len(dependents), "requires", "require"), f.csv.Metadata.Name)
	}
}

// configured returns the configuration of a subscription for an extension, without the selector,
// which OLM ignores; empty if there is none.
func (f *migrationFacts) configured() json.RawMessage {
	var config map[string]json.RawMessage
	if json.Unmarshal(f.sub.Spec.Config, &config) != nil {
		return nil
	}
	delete(config, "selector")
	if len(config) == 0 {
		return nil
	}
	out, err := json.Marshal(config)
	if err != nil {
		return nil
	}
	return out
}
