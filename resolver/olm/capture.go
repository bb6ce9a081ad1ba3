package olm

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Options configures [Cluster.Capture]. The zero value is the default.
type Options struct {
	// Catalogs maps a catalog key ("namespace/name") or name to the location of its content: a
	// path to a file-based catalog, or an image such as docker://registry.example/index:v1. A key
	// that neither the cluster has nor a subscription names is an [*UnknownCatalogError].
	Catalogs map[string]string
	// GlobalNamespace is the namespace whose catalogs are visible in all namespaces. The default
	// is openshift-marketplace if the cluster has that namespace, else olm.
	GlobalNamespace string
	// LikeOLM selects the policies that agree with OLM Classic: one bundle must satisfy a
	// compound constraint, and one failure fails the namespace.
	LikeOLM bool
	// APIs treats the APIs of unowned resource definitions as served by the cluster, which OLM
	// does not. The scenarios then include these definitions, too; by default they include only
	// definitions that an operator owns or brought.
	APIs bool
	// Migration judges for each subscription whether it can become an extension of OLM v1.
	Migration bool
	// KubernetesVersion and OpenShiftVersion are the defaults for objects without versions.
	KubernetesVersion, OpenShiftVersion string
}

// Capture holds the scenarios of a cluster. It is also the JSON format.
type Capture struct {
	Cluster    Versions    `json:"cluster"`
	Catalogs   []Catalog   `json:"catalogs"`
	Namespaces []Namespace `json:"namespaces"`
	// Extensions is the scenario of OLM v1; nil if the cluster has no extensions.
	Extensions *Extensions `json:"extensions,omitempty"`
	// Migration has a verdict for each subscription, by namespace and name, if requested by
	// [Options.Migration].
	Migration []Migration `json:"migration,omitempty"`
	// Problems lists objects and files that could not be used.
	Problems []graph.Problem `json:"problems,omitempty"`

	clusterCatalogs *scenario.Scenario // with the available catalogs of OLM v1
}

// Catalog is a catalog of the cluster.
type Catalog struct {
	// Key is "namespace/name".
	Key      string `json:"key"`
	Priority int    `json:"priority"`
	// Image is the image from which the cluster serves the catalog.
	Image string `json:"image,omitempty"`
	// Healthy is false if the cluster reports the catalog as unreachable.
	Healthy bool `json:"healthy"`
	// ImageTemplate is the annotation olm.catalogImageTemplate: the template of Image for each
	// version of Kubernetes.
	ImageTemplate string `json:"imageTemplate,omitempty"`
	// Path is the location of the content from [Options.Catalogs].
	Path string `json:"path,omitempty"`
}

// Namespace is one namespace with subscriptions or operators.
type Namespace struct {
	Namespace string `json:"namespace"`
	// Scenario is the resolution problem. It refers to its catalogs by location.
	Scenario *scenario.Scenario `json:"scenario"`
	// Findings are sorted by code and subject.
	Findings []Finding `json:"findings"`
	Observed Observed  `json:"observed"`
	// Plans are the pending install plans, by name.
	Plans []PendingPlan `json:"plans,omitempty"`
}

// Observed is the status that OLM reports for a namespace.
type Observed struct {
	// Status is "resolved": OLM reports no failure; "unsatisfiable": OLM reports that the
	// constraints cannot be satisfied; "failed": OLM cannot resolve, or cannot install the
	// solution, for another reason, such as a bundle that fails to unpack, a missing service
	// account or an image that cannot be pulled; or "unknown": the objects report no status.
	Status string `json:"status"`
	// Message is the message of the condition or of the finding.
	Message string `json:"message,omitempty"`
}

// UnknownCatalogError reports a key of [Options.Catalogs] that neither the cluster has nor a
// subscription names.
type UnknownCatalogError struct {
	Key string
	// Known are the existing keys, sorted.
	Known []string
}

// Error implements error.
func (e *UnknownCatalogError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("the cluster has no catalogs, so none has the key %s", text.Quote(e.Key))
	}
	return fmt.Sprintf("the cluster has no catalog %s, it has %s%s", text.Quote(e.Key), text.And(e.Known), text.DidYouMean(e.Key, slices.Values(e.Known)))
}

// checkCatalogs checks that each catalog of the options exists.
func (ix *index) checkCatalogs() error {
	known := slices.Collect(maps.Keys(ix.catalogs))
	for _, o := range all[*clusterCatalog](ix.Cluster) {
		known = append(known, o.meta().Name)
	}
	known = slices.AppendSeq(known, maps.Keys(ix.subscribed))
	slices.Sort(known)
	known = slices.Compact(known)
	for _, key := range slices.Sorted(maps.Keys(ix.opts.Catalogs)) {
		named := func(k string) bool { return k == key || strings.HasSuffix(k, "/"+key) }
		if !slices.ContainsFunc(known, named) && !ix.isClusterCatalog(key) {
			return &UnknownCatalogError{Key: key, Known: known}
		}
	}
	return nil
}

// Capture returns a scenario of each namespace that has a subscription, or an operator that is
// not a copy. A scenario contains only names, versions, properties and conditions. The result
// depends neither on the order nor on the format of the objects. The error is an
// [*UnknownCatalogError] or the error of the context.
func (c *Cluster) Capture(ctx context.Context, opts Options) (*Capture, error) {
	ix := c.index(opts)
	if opts.Migration {
		ix.parser = constraints.NewParser()
	}
	if err := ix.checkCatalogs(); err != nil {
		return nil, err
	}
	out := &Capture{Cluster: ix.versions(), Catalogs: []Catalog{}, Namespaces: []Namespace{}}
	for _, key := range slices.Sorted(maps.Keys(ix.catalogs)) {
		out.Catalogs = append(out.Catalogs, ix.catalogs[key].Catalog)
	}
	for _, name := range ix.namespaces() {
		b := ix.builder(ctx, name)
		out.Namespaces = append(out.Namespaces, b.build(ctx, out))
		if opts.Migration {
			b.indexDependencies()
			for s := range until(ctx, b.subs) {
				out.Migration = append(out.Migration, b.migration(s))
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	out.Extensions = ix.extensions(out)
	out.Problems = append(c.Problems(), ix.problems...)
	return out, nil
}

// until iterates over a list until the context ends.
func until[T any](ctx context.Context, list []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, x := range list {
			if ctx.Err() != nil || !yield(x) {
				return
			}
		}
	}
}

// index holds the objects of a cluster by namespace.
type index struct {
	*Cluster
	opts     Options
	subs     map[string][]*subscription
	csvs     map[string][]*clusterServiceVersion
	groups   map[string][]*operatorGroup
	plans    map[string][]*installPlan
	catalogs map[string]*knownCatalog
	global   string
	apis     []properties.GVK
	crds     []properties.CRD
	problems []graph.Problem // in the content of objects

	subscribed  map[string]bool            // the keys of catalogs that subscriptions name
	places      map[string]int             // the number of namespaces that subscribe to a package
	named       map[string]int             // the number of subscriptions with a name
	pulls       map[string]pull            // the images that cannot be pulled
	unreachable map[cache.Key]pull         // the catalogs whose image cannot be pulled, by pods or events
	accounts    map[string]map[string]bool // the service accounts of each namespace

	clusterCatalogs []*clusterCatalog
	parser          *constraints.Parser // if migrations are judged
	allGroups       []*operatorGroup
	providers       map[string][]int                   // by API, the groups whose operators provide it
	watched         map[*operatorGroup]map[string]bool // the watched namespaces, if known
}

// knownCatalog is a catalog of the cluster or of the options.
type knownCatalog struct {
	Catalog
	key     cache.Key
	trouble string // why it is not healthy
}

func (c *Cluster) index(opts Options) *index {
	ix := &index{
		Cluster: c, opts: opts,
		subs:            byNamespace(all[*subscription](c)),
		csvs:            byNamespace(all[*clusterServiceVersion](c)),
		plans:           byNamespace(all[*installPlan](c)),
		allGroups:       all[*operatorGroup](c),
		clusterCatalogs: all[*clusterCatalog](c),
		catalogs:        make(map[string]*knownCatalog),
		places:          make(map[string]int),
		named:           make(map[string]int),
		subscribed:      make(map[string]bool),
		accounts:        make(map[string]map[string]bool),
	}
	for _, a := range all[*serviceAccount](c) {
		m := a.meta()
		if ix.accounts[m.Namespace] == nil {
			ix.accounts[m.Namespace] = make(map[string]bool)
		}
		ix.accounts[m.Namespace][m.Name] = true
	}
	for _, subs := range ix.subs {
		here := make(map[string]bool)
		for _, s := range subs {
			if key := catalogOf(s); key != (cache.Key{}) {
				ix.subscribed[key.String()] = true
			}
			ix.named[s.Metadata.Name]++
			if pkg := s.Spec.Package; !here[pkg] {
				here[pkg] = true
				ix.places[pkg]++
			}
		}
	}
	ix.groups = byNamespace(ix.allGroups)
	ix.indexGroups()
	ix.indexPulls()
	ix.indexCatalogs()
	ix.global = ix.globalNamespace()
	if opts.APIs {
		ix.apis = ix.servedAPIs()
	}
	ix.crds = ix.definitions()
	return ix
}

// indexCatalogs collects the catalogs of the cluster, of the options and of subscriptions.
func (ix *index) indexCatalogs() {
	for _, s := range all[*catalogSource](ix.Cluster) {
		key := cache.Key{Namespace: s.Metadata.Namespace, Name: s.Metadata.Name}
		k := ix.known(key, s.Spec.Priority, s.Spec.Image, s.unhealthy())
		k.ImageTemplate = s.Metadata.Annotations[annotationTemplate]
		if _, unreachable := ix.unreachable[key]; unreachable && !s.isReady() {
			k.Healthy = false
		}
		ix.catalogs[key.String()] = k
	}
	for name, path := range ix.opts.Catalogs {
		if _, known := ix.catalogs[name]; known || ix.isClusterCatalog(name) || !ix.subscribed[name] {
			continue
		}
		if key, err := cache.ParseKey(name); err == nil {
			ix.catalogs[name] = &knownCatalog{key: key, Catalog: Catalog{Key: name, Healthy: true, Path: path}}
		}
	}
}

func (ix *index) known(key cache.Key, priority int, image, trouble string) *knownCatalog {
	return &knownCatalog{key: key, trouble: trouble, Catalog: Catalog{Key: key.String(), Priority: priority, Image: image,
		Healthy: trouble == "", Path: cmp.Or(ix.opts.Catalogs[key.String()], ix.opts.Catalogs[key.Name])}}
}

// globalNamespace returns the namespace whose catalogs are visible in all namespaces.
func (ix *index) globalNamespace() string {
	if ix.opts.GlobalNamespace != "" {
		return ix.opts.GlobalNamespace
	}
	const openshift = "openshift-marketplace"
	for key := range ix.objects {
		if key.namespace == openshift || key.kind == "Namespace" && key.name == openshift {
			return openshift
		}
	}
	for _, subs := range ix.subs { // a dump without the objects of that namespace
		for _, s := range subs {
			if s.Spec.SourceNamespace == openshift {
				return openshift
			}
		}
	}
	return "olm"
}

// namespaces returns the namespaces with a subscription or an installed operator.
func (ix *index) namespaces() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(ix.subs)), maps.Keys(ix.csvs))
	slices.Sort(names)
	return slices.Compact(names)
}

// isClusterCatalog reports whether a key names a catalog of OLM v1.
func (ix *index) isClusterCatalog(key string) bool {
	_, name, ok := strings.Cut(key, "/")
	if !ok {
		name = key
	}
	_, known := ix.objects[objectKey{"ClusterCatalog", "", name}]
	return known
}

// servedAPIs returns the APIs of unowned resource definitions.
func (ix *index) servedAPIs() []properties.GVK {
	owned := make(map[properties.GVK]bool)
	for _, list := range ix.csvs {
		for _, v := range list {
			for _, gvk := range v.apis(false) {
				owned[gvk] = true
			}
		}
	}
	var out []properties.GVK
	for _, d := range all[*resourceDefinition](ix.Cluster) {
		for _, v := range d.versions() {
			gvk := properties.GVK{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind}
			if v.Served && !owned[gvk] && gvk.Validate() == nil {
				out = append(out, gvk)
			}
		}
	}
	return out
}

// definitions returns the resource definitions with their owners, up to the limit of a scenario.
func (ix *index) definitions() []properties.CRD {
	owners := make(map[string][]properties.CRDOwner)
	for _, v := range all[*clusterServiceVersion](ix.Cluster) {
		for _, a := range v.Spec.CustomResourceDefinitions.Owned {
			if v.Metadata.Namespace == "" {
				continue
			}
			owner := properties.CRDOwner{Namespace: v.Metadata.Namespace, Bundle: v.Metadata.Name}
			if list := owners[a.Name]; len(list) == 0 || list[len(list)-1] != owner { // an owner is listed once for each version
				owners[a.Name] = append(list, owner)
			}
		}
	}
	var out []properties.CRD
	for _, d := range all[*resourceDefinition](ix.Cluster) {
		own := owners[d.Metadata.Name]
		if len(out) < scenario.MaxCRDs && (len(own) > 0 || ix.opts.APIs || d.ofOLM()) && d.Spec.Group != "" && d.Spec.Names.Kind != "" {
			out = append(out, properties.CRD{Name: d.Metadata.Name, Group: d.Spec.Group, Kind: d.Spec.Names.Kind,
				Versions: d.versions(), StoredVersions: d.Status.StoredVersions, Owners: own})
		}
	}
	return out
}
