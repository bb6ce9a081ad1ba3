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

// Options say how a cluster becomes scenarios. The zero value is the default.
type Options struct {
	// Catalogs says where the content of catalogs lies, by their keys
	// ("namespace/name"), or by their names alone: a path to a file-based catalog, or
	// an image such as docker://registry.example/index:v1, as a scenario names them.
	// A key that is neither of a catalog of the cluster nor one that a subscription names
	// is an [*UnknownCatalogError].
	Catalogs map[string]string
	// GlobalNamespace is the namespace whose catalogs all others see. Empty stands
	// for openshift-marketplace if the cluster has that, else olm.
	GlobalNamespace string
	// LikeOLM sets the policies that agree with OLM Classic: compound constraints
	// hold for one bundle alone, and one failure fails the namespace.
	LikeOLM bool
	// APIs counts the APIs of resource definitions that no operator owns as served
	// by the cluster. OLM does not look at them. Such definitions get into the scenarios,
	// too: otherwise those alone do that an operator owns or that came with one.
	APIs bool
	// Migration says of each subscription whether it can become an extension of OLM v1.
	Migration bool
	// KubernetesVersion and OpenShiftVersion are used where the objects do not say
	// them.
	KubernetesVersion, OpenShiftVersion string
}

// Capture is a cluster as scenarios, in the shape in which it is written as JSON.
type Capture struct {
	Cluster    Versions    `json:"cluster"`
	Catalogs   []Catalog   `json:"catalogs"`
	Namespaces []Namespace `json:"namespaces"`
	// Extensions is what OLM v1 manages; nil if the cluster has none of it.
	Extensions *Extensions `json:"extensions,omitempty"`
	// Migration says of each subscription whether it could be an extension, by namespace
	// and name, where that was asked for.
	Migration []Migration `json:"migration,omitempty"`
	// Problems are what could not be used.
	Problems []graph.Problem `json:"problems,omitempty"`

	clusterCatalogs *scenario.Scenario // with those of OLM v1 that are available
}

// Catalog is a catalog of the cluster.
type Catalog struct {
	// Key is "namespace/name".
	Key      string `json:"key"`
	Priority int    `json:"priority"`
	// Image is where its content comes from on the cluster.
	Image string `json:"image,omitempty"`
	// Healthy is false if the cluster says that it cannot be reached.
	Healthy bool `json:"healthy"`
	// ImageTemplate is what Image is made of for each version of Kubernetes, if the
	// annotation olm.catalogImageTemplate says so.
	ImageTemplate string `json:"imageTemplate,omitempty"`
	// Path is where the content lies here, as [Options.Catalogs] says.
	Path string `json:"path,omitempty"`
}

// Namespace is one namespace with subscriptions or operators.
type Namespace struct {
	Namespace string `json:"namespace"`
	// Scenario is the resolution problem. Of its catalogs it says where their content lies.
	Scenario *scenario.Scenario `json:"scenario"`
	// Findings are what stands out, by code and subject.
	Findings []Finding `json:"findings"`
	Observed Observed  `json:"observed"`
	// Plans are the install plans that wait to be approved, by name.
	Plans []PendingPlan `json:"plans,omitempty"`
}

// Observed is what OLM says of a namespace.
type Observed struct {
	// Status is "resolved": OLM has nothing to complain about; "unsatisfiable": it says that
	// the constraints cannot be satisfied; "failed": something else prevents it from resolving
	// or from installing what it resolved: a bundle that cannot be unpacked, a service account
	// that is missing, a catalog whose image cannot be pulled; or "unknown": the objects do
	// not say.
	Status string `json:"status"`
	// Message is that of the condition, or of the finding.
	Message string `json:"message,omitempty"`
}

// UnknownCatalogError says that [Options.Catalogs] has the content of a catalog that the
// cluster does not have and no subscription names.
type UnknownCatalogError struct {
	Key string
	// Known are the keys that there are, sorted.
	Known []string
}

// Error implements error.
func (e *UnknownCatalogError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("the cluster has no catalogs, so none has the key %s", text.Quote(e.Key))
	}
	return fmt.Sprintf("the cluster has no catalog %s, it has %s%s", text.Quote(e.Key), text.And(e.Known), text.DidYouMean(e.Key, slices.Values(e.Known)))
}

// checkCatalogs holds the catalogs that the options name against those that there are.
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

// Capture makes a scenario of each namespace that has a subscription, or an operator
// which is not the copy of one in another namespace. Nothing but names, versions,
// properties and conditions gets into it. The same objects give the same capture, in
// whichever order and form they were added. The error is an [*UnknownCatalogError], or that
// of the context, once it has ended.
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

// until goes through a list, as long as a context has not ended.
func until[T any](ctx context.Context, list []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, x := range list {
			if ctx.Err() != nil || !yield(x) {
				return
			}
		}
	}
}

// index is the objects of a cluster by namespace.
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
	problems []graph.Problem // of what objects hold

	subscribed  map[string]bool            // the keys of catalogs that subscriptions name
	places      map[string]int             // of each package, how many namespaces subscribe to it
	named       map[string]int             // of each name, how many subscriptions have it
	pulls       map[string]pull            // the images that cannot be pulled
	unreachable map[cache.Key]pull         // the catalogs of which pods or events say so
	accounts    map[string]map[string]bool // the service accounts of each namespace

	clusterCatalogs []*clusterCatalog
	parser          *constraints.Parser // where migrations are judged
	allGroups       []*operatorGroup
	providers       map[string][]int                   // by API, the groups whose operators provide it
	watched         map[*operatorGroup]map[string]bool // the namespaces, where they are known
}

// knownCatalog is a catalog of the cluster, or one that the options name.
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

// indexCatalogs finds the catalogs of the cluster, and adds those beyond them that the
// options and a subscription name.
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

// globalNamespace is the namespace whose catalogs all others see.
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

// namespaces are those that there is something to resolve in, or something installed.
func (ix *index) namespaces() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(ix.subs)), maps.Keys(ix.csvs))
	slices.Sort(names)
	return slices.Compact(names)
}

// isClusterCatalog reports whether a key is that of a catalog of OLM v1.
func (ix *index) isClusterCatalog(key string) bool {
	_, name, ok := strings.Cut(key, "/")
	if !ok {
		name = key
	}
	_, known := ix.objects[objectKey{"ClusterCatalog", "", name}]
	return known
}

// servedAPIs are the APIs of resource definitions that no operator owns.
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

// definitions are the resource definitions of the cluster, with the operators that own
// them, as many as a scenario may have.
func (ix *index) definitions() []properties.CRD {
	owners := make(map[string][]properties.CRDOwner)
	for _, v := range all[*clusterServiceVersion](ix.Cluster) {
		for _, a := range v.Spec.CustomResourceDefinitions.Owned {
			if v.Metadata.Namespace == "" {
				continue
			}
			owner := properties.CRDOwner{Namespace: v.Metadata.Namespace, Bundle: v.Metadata.Name}
			if list := owners[a.Name]; len(list) == 0 || list[len(list)-1] != owner { // it is listed for each version
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
