package olm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/olm/internal/dump"
)

// Limits of what a [Cluster] keeps.
const (
	// MaxObjects limits the number of objects: a million. Copies of operators in other namespaces
	// do not count.
	MaxObjects = 1_000_000
	// MaxItems limits the lists, objects and list items in one object. A larger object is
	// skipped.
	MaxItems = 100_000
	// MaxKeptBytes limits the size of all kept objects as JSON: 256 MiB.
	MaxKeptBytes = 256 << 20
	// MaxPropertiesBytes limits the properties annotation of an operator: 3 MiB, more than an API
	// server accepts. For a longer annotation, the properties come from the specification.
	MaxPropertiesBytes = 3 << 20
	// MaxProblems limits the number of problems.
	MaxProblems = 1000
)

// Cluster holds the objects that determine what OLM does on a cluster. Objects are added from
// dumps or one at a time, in any order.
//
// The zero value is an empty cluster. A Cluster must not be changed while another goroutine uses
// it; without changes it is safe for concurrent use.
type Cluster struct {
	objects map[objectKey]*object
	kept    int // bytes of them

	copied   int
	problems []graph.Problem
	more     int // problems beyond the limit
}

type objectKey struct{ kind, namespace, name string }

type object struct {
	resource
	file  string
	bytes int // kept, as JSON
}

// TwoClustersError reports objects of more than one cluster.
type TwoClustersError struct {
	// Object is the object with two identities, as "Kind namespace/name".
	Object string
	// Files are the two files that hold the object.
	Files [2]string
	// UIDs are the two identities.
	UIDs [2]string
}

// Error implements error.
func (e *TwoClustersError) Error() string {
	const added = "an object that was added"
	return text.Inert(fmt.Sprintf("the dump holds objects of two clusters, or from before and after an object was recreated: %s has the uid %s in %s and %s in %s; give one dump of one cluster at a time",
		e.Object, e.UIDs[0], cmp.Or(e.Files[0], added), e.UIDs[1], cmp.Or(e.Files[1], added)))
}

// ReadFile adds the objects of a dump: a file of objects in JSON or YAML (a list, or a stream of
// documents), or a folder or archive of such files (tar, zip; all optionally with gzip), such as
// a must-gather. The error is an I/O error for the path itself, a [*TwoClustersError], an
// [*EmptyError], the error of the context, or an exceeded limit. Errors inside the dump are
// problems.
func (c *Cluster) ReadFile(ctx context.Context, name string) error {
	r := c.reader()
	return notEmpty(r, name, r.ReadPath(ctx, name))
}

// Read adds the objects of a stream, as ReadFile does, except for zip archives. The name is used
// in messages.
func (c *Cluster) Read(ctx context.Context, r io.Reader, name string) error {
	reader := c.reader()
	return notEmpty(reader, name, reader.Read(ctx, r, name))
}

// EmptyError reports a dump without an object of a cluster.
type EmptyError struct{ Name string }

// Error implements error.
func (e *EmptyError) Error() string {
	return text.Inert(e.Name) + " holds no object of a cluster: give the output of `kubectl get olm -A -o yaml`, a must-gather, or a folder or archive of objects in YAML or JSON (files ending in .yaml, .yml, .json or .jsonl)"
}

func notEmpty(r *dump.Reader, name string, err error) error {
	if err == nil && r.Objects == 0 {
		return &EmptyError{name}
	}
	return err
}

// Add adds one object in JSON. Objects of unsupported kinds are ignored. A later state of an
// object replaces an earlier one. The error is a [*TwoClustersError], or reports that the content
// is not an object.
func (c *Cluster) Add(content []byte) error {
	var head struct{ APIVersion, Kind string }
	if err := json.Unmarshal(content, &head); err != nil {
		return fmt.Errorf("the object is not JSON: %w", err)
	}
	group, version := dump.SplitAPIVersion(head.APIVersion)
	if !isWanted(group, head.Kind) {
		return nil
	}
	return c.visit(dump.Object{Group: group, Version: version, Kind: head.Kind, JSON: content})
}

// Problems returns the skipped objects and files in the order in which they were found, each with
// a stable code: archive, large, syntax, path, unknownVersion, unreadable, object, duplicate or
// properties. An unknown line is 0.
func (c *Cluster) Problems() []graph.Problem {
	out := slices.Clone(c.problems)
	if c.more > 0 {
		out = append(out, graph.Problem{Severity: graph.SeverityError, Code: "unreadable", Message: fmt.Sprintf("and %d more problems", c.more)})
	}
	return out
}

// Copied returns the number of skipped ClusterServiceVersions that are copies of one in
// another namespace.
func (c *Cluster) Copied() int { return c.copied }

func (c *Cluster) reader() *dump.Reader {
	return &dump.Reader{Wanted: isWanted, Relevant: isRelevant, Visit: c.visit, Copied: func() { c.copied++ }, Problem: c.problem}
}

func (c *Cluster) problem(p graph.Problem) {
	if len(c.problems) >= MaxProblems {
		c.more++
		return
	}
	c.problems = append(c.problems, p)
}

type kind struct {
	versions []string
	empty    func() resource
}

// kinds are the supported kinds by group and kind.
var kinds = map[string]kind{
	"operators.coreos.com/Subscription":             {[]string{"v1alpha1"}, func() resource { return new(subscription) }},
	"operators.coreos.com/ClusterServiceVersion":    {[]string{"v1alpha1"}, func() resource { return new(clusterServiceVersion) }},
	"operators.coreos.com/InstallPlan":              {[]string{"v1alpha1"}, func() resource { return new(installPlan) }},
	"operators.coreos.com/CatalogSource":            {[]string{"v1alpha1"}, func() resource { return new(catalogSource) }},
	"operators.coreos.com/OperatorGroup":            {[]string{"v1", "v1alpha2"}, func() resource { return new(operatorGroup) }},
	"operators.coreos.com/OperatorCondition":        {[]string{"v1", "v2"}, func() resource { return new(operatorCondition) }},
	"config.openshift.io/ClusterVersion":            {[]string{"v1"}, func() resource { return new(clusterVersion) }},
	"config.openshift.io/Infrastructure":            {[]string{"v1"}, func() resource { return new(infrastructure) }},
	"/Pod":                                          {[]string{"v1"}, func() resource { return new(pod) }},
	"/Event":                                        {[]string{"v1"}, func() resource { return new(event) }},
	"events.k8s.io/Event":                           {[]string{"v1", "v1beta1"}, func() resource { return new(event) }},
	"/ServiceAccount":                               {[]string{"v1"}, func() resource { return new(serviceAccount) }},
	"/Node":                                         {[]string{"v1"}, func() resource { return new(node) }},
	"/Namespace":                                    {[]string{"v1"}, func() resource { return new(namespaceObject) }},
	"apiextensions.k8s.io/CustomResourceDefinition": {[]string{"v1", "v1beta1"}, func() resource { return new(resourceDefinition) }},
	"olm.operatorframework.io/ClusterExtension":     {[]string{"v1"}, func() resource { return new(clusterExtension) }},
	"olm.operatorframework.io/ClusterCatalog":       {[]string{"v1"}, func() resource { return new(clusterCatalog) }},
}

// names are the names of the supported kinds in any group.
var names = func() map[string]bool {
	out := make(map[string]bool, len(kinds))
	for key := range kinds {
		_, name, _ := strings.Cut(key, "/")
		out[name] = true
	}
	return out
}()

// isWanted reports whether an object has a supported kind. An object without a group may have
// one.
func isWanted(group, kind string) bool {
	_, wanted := kinds[group+"/"+kind]
	return wanted || group == "" && names[kind]
}

func (c *Cluster) visit(o dump.Object) error {
	skip := func(code graph.Code, format string, args ...any) error {
		c.problem(graph.Problem{Severity: graph.SeverityError, Code: code, File: o.File, Line: o.Line, Message: fmt.Sprintf(format, args...)})
		return nil
	}
	kind, wanted := kinds[o.Group+"/"+o.Kind]
	switch {
	case wanted:
	case o.Version == "":
		return skip(dump.CodeObject, "a %s without an apiVersion is skipped: add its apiVersion", o.Kind)
	default:
		return nil // of another group
	}
	if !slices.Contains(kind.versions, o.Version) {
		return skip(dump.CodeUnknownVersion, "a %s of version %s/%s is skipped: the supported versions are %s",
			o.Kind, o.Group, o.Version, strings.Join(kind.versions, ", "))
	}
	if !quickjson.Bounded(o.JSON, MaxItems) {
		return skip(dump.CodeLarge, "a %s has more than %d lists, objects and items of lists, or more than %d levels of them, and is skipped: no cluster holds such an object",
			o.Kind, MaxItems, quickjson.MaxLevels)
	}
	value := kind.empty()
	if err := json.Unmarshal(o.JSON, value); err != nil {
		return skip(dump.CodeObject, "skipped: not a valid %s: %v", o.Kind, err)
	}
	if csv, is := value.(*clusterServiceVersion); is && csv.isCopy() {
		c.copied++
		return nil
	}
	if !trim(value) {
		return nil
	}
	m := value.meta()
	if reason := badName(m); reason != "" {
		return skip(dump.CodePath, "a %s is skipped: %s", o.Kind, reason)
	}
	key := objectKey{o.Kind, m.Namespace, m.Name}
	if missing := missing(value); missing != "" {
		return skip(dump.CodeObject, "%s is skipped: it does not name %s", key, missing)
	}
	return c.add(key, &object{value, o.File, keptOf(o.JSON, value)})
}

// measured is the size in bytes above which the parts that are not kept do not count.
const measured = 4 << 10

// keptOf returns the size in bytes of a value as JSON that was read from a text.
func keptOf(text []byte, value any) int {
	if len(text) > measured {
		if kept, err := json.Marshal(value); err == nil {
			return len(kept)
		}
	}
	return len(text)
}

// add adds a valid object.
func (c *Cluster) add(key objectKey, o *object) error {
	if c.objects == nil {
		c.objects = make(map[objectKey]*object)
	}
	before, twice := c.objects[key]
	if twice {
		was, is := before.meta(), o.meta()
		uids := [2]string{was.UID, is.UID}
		if was.UID == is.UID || was.UID == "" || is.UID == "" {
			uids = [2]string{clusterID(before.resource), clusterID(o.resource)}
		}
		switch {
		case uids[0] != uids[1] && !isShortLived(o.resource):
			return &TwoClustersError{Object: key.String(), Files: [2]string{before.file, o.file}, UIDs: uids}
		case !later(is.ResourceVersion, was.ResourceVersion):
			return nil
		}
		c.kept -= before.bytes
	} else if len(c.objects) >= MaxObjects {
		return &dump.LimitError{File: o.file, What: "objects", Max: MaxObjects}
	}
	if c.kept += o.bytes; c.kept > MaxKeptBytes {
		return &dump.LimitError{File: o.file, What: "bytes of objects", Max: MaxKeptBytes}
	}
	c.objects[key] = o
	return nil
}

// String returns "Kind namespace/name".
func (k objectKey) String() string {
	if k.namespace == "" {
		return k.kind + " " + k.name
	}
	return k.kind + " " + k.namespace + "/" + k.name
}

// clusterID returns the cluster ID that OpenShift assigns.
func clusterID(value resource) string {
	if v, is := value.(*clusterVersion); is {
		return v.Spec.ClusterID
	}
	return ""
}

// later reports whether resource version a is not older than b. Both are numbers in practice,
// though the API does not guarantee it.
func later(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a >= b
}

// badName describes the error in the name or namespace of an object; empty if both are valid.
// Names become parts of paths and of other names.
func badName(m *meta) string {
	bad := func(name string, most int) bool {
		return len(name) > most || strings.ContainsFunc(name, isNotOfNames) || strings.HasPrefix(name, ".")
	}
	switch {
	case m.Name == "":
		return "it has no name"
	case bad(m.Name, 253):
		return fmt.Sprintf("%q is not the name of an object", text.Clip(m.Name, 80))
	case bad(m.Namespace, 63):
		return fmt.Sprintf("%q is not the namespace of an object", text.Clip(m.Namespace, 80))
	}
	return ""
}

// missing describes the required reference that an object lacks, with its field; empty if it
// lacks none.
func missing(value resource) string {
	switch o := value.(type) {
	case *subscription:
		switch key := catalogOf(o); {
		case o.Spec.Package == "":
			return "a package (spec.name)"
		case key == (cache.Key{}):
		case key.Namespace == "":
			return "the namespace of its catalog (spec.sourceNamespace)"
		case strings.Contains(key.Namespace+key.Name, "/"):
			return "a catalog with a valid name (spec.source)"
		}
	case *clusterExtension:
		if o.Spec.Source.Catalog.PackageName == "" {
			return "a package (spec.source.catalog.packageName)"
		}
	}
	return ""
}

func isNotOfNames(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-.:_", r)
}

// all returns the objects of a kind, sorted by name.
func all[T resource](c *Cluster) []T {
	var out []T
	for _, o := range c.objects { // sorted below
		if v, is := o.resource.(T); is {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b T) int {
		return cmp.Or(strings.Compare(a.meta().Namespace, b.meta().Namespace), strings.Compare(a.meta().Name, b.meta().Name))
	})
	return out
}

func byNamespace[T resource](list []T) map[string][]T {
	out := make(map[string][]T)
	for _, o := range list {
		out[o.meta().Namespace] = append(out[o.meta().Namespace], o)
	}
	return out
}

func namesOf[T resource](list []T) []string {
	return text.Each(list, func(o T) string { return o.meta().Name })
}
