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

// The bounds of what is kept of a cluster.
const (
	// MaxObjects bounds the objects that are kept: a million. Copies of operators in
	// other namespaces are not kept.
	MaxObjects = 1_000_000
	// MaxItems bounds the lists, objects and items of lists in one object, which is left
	// out with more.
	MaxItems = 100_000
	// MaxKeptBytes bounds what is kept of all objects, as JSON: 256 MiB.
	MaxKeptBytes = 256 << 20
	// MaxPropertiesBytes bounds the annotation with the properties of an operator: 3 MiB,
	// more than an API server takes. Without it, what the specification says is used.
	MaxPropertiesBytes = 3 << 20
	// MaxProblems bounds the problems that are kept.
	MaxProblems = 1000
)

// Cluster is what the OLM objects of a cluster say: of all kinds that decide what
// OLM does, nothing else. Objects are added by reading dumps, or one at a time; in
// which order does not matter.
//
// The zero value is an empty cluster. A Cluster must not be changed while another
// goroutine uses it; without changes it is safe for concurrent use.
type Cluster struct {
	objects map[objectKey]*object
	kept    int // bytes of them

	copied   int
	problems []graph.Problem
	more     int // problems beyond the bound
}

type objectKey struct{ kind, namespace, name string }

type object struct {
	resource
	file  string
	bytes int // that are kept, as JSON
}

// TwoClustersError says that objects come from more than one cluster.
type TwoClustersError struct {
	// Object is one that has two identities, as "Kind namespace/name".
	Object string
	// Files are where it has the one and the other.
	Files [2]string
	// UIDs are the identities.
	UIDs [2]string
}

// Error implements error.
func (e *TwoClustersError) Error() string {
	const added = "an object that was added"
	return text.Inert(fmt.Sprintf("the dump holds objects of two clusters, or from before and after an object was made anew: %s has the uid %s in %s and %s in %s; give one dump of one cluster at a time",
		e.Object, e.UIDs[0], cmp.Or(e.Files[0], added), e.UIDs[1], cmp.Or(e.Files[1], added)))
}

// ReadFile adds the objects of a dump of the operating system: a file of objects in
// JSON or YAML (a list, or many documents), a folder or an archive (tar, zip, each
// file also with gzip) of such files; a must-gather is one. The error is that of
// the system if the path cannot be read, a [*TwoClustersError], an [*EmptyError], that of
// the context, or says which bound was passed. What is wrong inside is a problem.
func (c *Cluster) ReadFile(ctx context.Context, name string) error {
	r := c.reader()
	return notEmpty(r, name, r.ReadPath(ctx, name))
}

// Read adds the objects of a stream: as ReadFile does, but for zip archives. The
// name is for messages.
func (c *Cluster) Read(ctx context.Context, r io.Reader, name string) error {
	reader := c.reader()
	return notEmpty(reader, name, reader.Read(ctx, r, name))
}

// EmptyError says that a dump holds no object of a cluster.
type EmptyError struct{ Name string }

// Error implements error.
func (e *EmptyError) Error() string {
	return text.Inert(e.Name) + " holds no object of a cluster: give what `kubectl get olm -A -o yaml` prints, a must-gather, or a folder or archive of objects in YAML or JSON (files ending in .yaml, .yml, .json or .jsonl)"
}

func notEmpty(r *dump.Reader, name string, err error) error {
	if err == nil && r.Objects == 0 {
		return &EmptyError{name}
	}
	return err
}

// Add adds one object as JSON; objects of kinds that are not looked at are ignored.
// An object that was added before is replaced by a later state of it. The error is a
// [*TwoClustersError], or says that the content is not an object.
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

// Problems returns what could not be used, in the order in which it was found, each with
// a stable code: archive, large, syntax, path, unknownVersion, unreadable, object,
// duplicate or properties. A line that is not known is 0.
func (c *Cluster) Problems() []graph.Problem {
	out := slices.Clone(c.problems)
	if c.more > 0 {
		out = append(out, graph.Problem{Severity: graph.SeverityError, Code: "unreadable", Message: fmt.Sprintf("and %d more problems", c.more)})
	}
	return out
}

// Copied returns the number of ClusterServiceVersions that are copies of one in
// another namespace. They are not looked at.
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

// kinds are the objects that are looked at, by group and kind.
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

// names are the kinds that are looked at, in whichever group.
var names = func() map[string]bool {
	out := make(map[string]bool, len(kinds))
	for key := range kinds {
		_, name, _ := strings.Cut(key, "/")
		out[name] = true
	}
	return out
}()

// isWanted reports whether an object is looked at, or may be, since it says no group.
func isWanted(group, kind string) bool {
	_, wanted := kinds[group+"/"+kind]
	return wanted || group == "" && names[kind]
}

func (c *Cluster) visit(o dump.Object) error {
	leaveOut := func(code graph.Code, format string, args ...any) error {
		c.problem(graph.Problem{Severity: graph.SeverityError, Code: code, File: o.File, Line: o.Line, Message: fmt.Sprintf(format, args...)})
		return nil
	}
	kind, wanted := kinds[o.Group+"/"+o.Kind]
	switch {
	case wanted:
	case o.Version == "":
		return leaveOut(dump.CodeObject, "a %s without an apiVersion is left out: add its apiVersion", o.Kind)
	default:
		return nil // of another group
	}
	if !slices.Contains(kind.versions, o.Version) {
		return leaveOut(dump.CodeUnknownVersion, "a %s of version %s/%s is left out: the versions that are known are %s",
			o.Kind, o.Group, o.Version, strings.Join(kind.versions, ", "))
	}
	if !quickjson.Bounded(o.JSON, MaxItems) {
		return leaveOut(dump.CodeLarge, "a %s has more than %d lists, objects and items of lists, or more than %d levels of them, and is left out: no cluster holds such a one",
			o.Kind, MaxItems, quickjson.MaxLevels)
	}
	value := kind.empty()
	if err := json.Unmarshal(o.JSON, value); err != nil {
		return leaveOut(dump.CodeObject, "a %s has not the shape of one, and is left out: %v", o.Kind, err)
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
		return leaveOut(dump.CodePath, "a %s is left out: %s", o.Kind, reason)
	}
	key := objectKey{o.Kind, m.Namespace, m.Name}
	if missing := missing(value); missing != "" {
		return leaveOut(dump.CodeObject, "%s is left out: it does not name %s", key, missing)
	}
	return c.add(key, &object{value, o.File, keptOf(o.JSON, value)})
}

// measured is up to how many bytes of an object count whether they are kept or not.
const measured = 4 << 10

// keptOf is how many bytes a value has as JSON that was read of some text.
func keptOf(text []byte, value any) int {
	if len(text) > measured {
		if kept, err := json.Marshal(value); err == nil {
			return len(kept)
		}
	}
	return len(text)
}

// add adds an object that is well formed.
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
		return &dump.LimitError{File: o.file, What: "objects", Most: MaxObjects}
	}
	if c.kept += o.bytes; c.kept > MaxKeptBytes {
		return &dump.LimitError{File: o.file, What: "bytes of objects", Most: MaxKeptBytes}
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

// clusterID is the identity that OpenShift gives to a cluster.
func clusterID(value resource) string {
	if v, is := value.(*clusterVersion); is {
		return v.Spec.ClusterID
	}
	return ""
}

// later reports whether a resource version is not before another one: they are
// numbers, though nobody promises that.
func later(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a >= b
}

// badName says what is wrong with the name of an object, empty if nothing is. Names
// become parts of paths and of other names.
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

// missing is what an object that asks for a package should name and does not, with
// its field; empty if nothing is missing.
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
			return "a catalog that there could be (spec.source)"
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

// all are the objects of a kind in the order of their names.
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
