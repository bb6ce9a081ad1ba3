package olm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/olm/internal/dump"
)

// Severity says how much a finding or a problem matters.
type Severity string

// The severities.
const (
	// Error: OLM does not go on here, or a part of the dump is missing.
	Error Severity = "error"
	// Warning: it works, and somebody should know.
	Warning Severity = "warning"
)

// Problem is something in a dump that could not be used.
type Problem struct {
	Severity Severity `json:"severity"`
	// Code is stable: archive, large, syntax, path, unknownVersion, unreadable,
	// object, duplicate, properties.
	Code string `json:"code"`
	// File and Line are where it stands; line 0 is not known.
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// String returns the problem as one line, "file:line: message".
func (p Problem) String() string {
	place := ""
	switch {
	case p.File != "" && p.Line > 0:
		place = fmt.Sprintf("%s:%d: ", p.File, p.Line)
	case p.File != "":
		place = p.File + ": "
	}
	return text.Inert(place + p.Message)
}

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
	problems []Problem
	more     int // problems beyond the bound
}

// objectKey names an object in a cluster.
type objectKey struct{ kind, namespace, name string }

// object is one object of a cluster.
type object struct {
	meta  *meta
	value any
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
	return text.Inert(fmt.Sprintf("the dump holds objects of two clusters, or from before and after an object was made anew: %s has the uid %s in %s and %s in %s; give one dump of one cluster at a time",
		e.Object, e.UIDs[0], orUnnamed(e.Files[0]), e.UIDs[1], orUnnamed(e.Files[1])))
}

func orUnnamed(file string) string { return cmp.Or(file, "an object that was added") }

// ReadFile adds the objects of a dump of the operating system: a file of objects in
// JSON or YAML (a list, or many documents), a folder or an archive (tar, zip, each
// file also with gzip) of such files; a must-gather is one. The error is that of
// the system if the path cannot be read, a [*TwoClustersError], that of the context,
// or says which bound was passed. What is wrong inside is a [Problem].
func (c *Cluster) ReadFile(ctx context.Context, name string) error {
	return c.reader().ReadPath(ctx, name)
}

// ReadFS adds the objects of all files of a file system. The errors are those of
// [Cluster.ReadFile].
func (c *Cluster) ReadFS(ctx context.Context, fsys fs.FS) error {
	return c.reader().ReadFS(ctx, fsys)
}

// Read adds the objects of a stream: as ReadFile does, but for zip archives. The
// name is for messages.
func (c *Cluster) Read(ctx context.Context, r io.Reader, name string) error {
	return c.reader().Read(ctx, r, name)
}

// Add adds one object as JSON; objects of kinds that are not looked at are ignored.
// An object that was added before is replaced by a later state of it. The error is a
// [*TwoClustersError], or says that the content is not an object.
func (c *Cluster) Add(content []byte) error {
	var head struct{ APIVersion, Kind string }
	if err := json.Unmarshal(content, &head); err != nil {
		return fmt.Errorf("the object is not JSON: %w", err)
	}
	group, version, ok := strings.Cut(head.APIVersion, "/")
	if !ok {
		group, version = "", head.APIVersion
	}
	if !isWanted(group, version, head.Kind) {
		return nil
	}
	return c.visit(dump.Object{Group: group, Version: version, Kind: head.Kind, JSON: content})
}

// Problems returns what could not be used, in the order in which it was found.
func (c *Cluster) Problems() []Problem {
	out := slices.Clone(c.problems)
	if c.more > 0 {
		out = append(out, Problem{Severity: Error, Code: "unreadable", Message: fmt.Sprintf("and %d more problems", c.more)})
	}
	return out
}

// Copied returns the number of ClusterServiceVersions that are copies of one in
// another namespace. They are not looked at.
func (c *Cluster) Copied() int { return c.copied }

// reader makes a reader that adds to the cluster.
func (c *Cluster) reader() *dump.Reader {
	return &dump.Reader{
		Wanted: isWanted, Visit: c.visit, Copied: func() { c.copied++ },
		Problem: func(p dump.Problem) {
			severity := Error
			if p.Warning {
				severity = Warning
			}
			c.problem(Problem{Severity: severity, Code: p.Code, File: p.File, Line: p.Line, Message: p.Message})
		},
	}
}

func (c *Cluster) problem(p Problem) {
	if len(c.problems) >= MaxProblems {
		c.more++
		return
	}
	c.problems = append(c.problems, p)
}

// kinds are the objects that are looked at, by group and kind, with the versions
// that are known.
func kinds(group, kind string) (versions []string, empty func() (any, *meta)) {
	switch group + "/" + kind {
	case "operators.coreos.com/Subscription":
		return []string{"v1alpha1"}, func() (any, *meta) { o := new(subscription); return o, &o.Metadata }
	case "operators.coreos.com/ClusterServiceVersion":
		return []string{"v1alpha1"}, func() (any, *meta) { o := new(clusterServiceVersion); return o, &o.Metadata }
	case "operators.coreos.com/InstallPlan":
		return []string{"v1alpha1"}, func() (any, *meta) { o := new(installPlan); return o, &o.Metadata }
	case "operators.coreos.com/CatalogSource":
		return []string{"v1alpha1"}, func() (any, *meta) { o := new(catalogSource); return o, &o.Metadata }
	case "operators.coreos.com/OperatorGroup":
		return []string{"v1", "v1alpha2"}, func() (any, *meta) { o := new(operatorGroup); return o, &o.Metadata }
	case "operators.coreos.com/OperatorCondition":
		return []string{"v1", "v2"}, func() (any, *meta) { o := new(operatorCondition); return o, &o.Metadata }
	case "config.openshift.io/ClusterVersion":
		return []string{"v1"}, func() (any, *meta) { o := new(clusterVersion); return o, &o.Metadata }
	case "/Node":
		return []string{"v1"}, func() (any, *meta) { o := new(node); return o, &o.Metadata }
	case "/Namespace":
		return []string{"v1"}, func() (any, *meta) { o := new(namespaceObject); return o, &o.Metadata }
	case "apiextensions.k8s.io/CustomResourceDefinition":
		return []string{"v1", "v1beta1"}, func() (any, *meta) { o := new(resourceDefinition); return o, &o.Metadata }
	case "olm.operatorframework.io/ClusterExtension":
		return []string{"v1"}, func() (any, *meta) { o := new(clusterExtension); return o, &o.Metadata }
	case "olm.operatorframework.io/ClusterCatalog":
		return []string{"v1"}, func() (any, *meta) { o := new(clusterCatalog); return o, &o.Metadata }
	}
	return nil, nil
}

// isWanted reports whether objects of a kind are looked at, in whatever version.
func isWanted(group, _, kind string) bool {
	versions, _ := kinds(group, kind)
	return versions != nil
}

// visit adds an object.
func (c *Cluster) visit(o dump.Object) error {
	versions, empty := kinds(o.Group, o.Kind)
	bad := Problem{Severity: Error, Code: "object", File: o.File, Line: o.Line}
	if !slices.Contains(versions, o.Version) {
		bad.Code = dump.CodeUnknownVersion
		bad.Message = fmt.Sprintf("a %s of version %s/%s is left out: the versions that are known are %s", o.Kind, o.Group, o.Version, strings.Join(versions, ", "))
		c.problem(bad)
		return nil
	}
	if !quickjson.Bounded(o.JSON, MaxItems) {
		bad.Code = dump.CodeLarge
		bad.Message = fmt.Sprintf("a %s has more than %d lists, objects and items of lists, or more than %d levels of them, and is left out: no cluster holds such a one", o.Kind, MaxItems, quickjson.MaxLevels)
		c.problem(bad)
		return nil
	}
	value, m := empty()
	if err := json.Unmarshal(o.JSON, value); err != nil {
		bad.Message = fmt.Sprintf("a %s has not the shape of one, and is left out: %v", o.Kind, err)
		c.problem(bad)
		return nil
	}
	if csv, is := value.(*clusterServiceVersion); is && csv.isCopy() {
		c.copied++
		return nil
	}
	if reason := badName(m); reason != "" {
		bad.Code, bad.Message = dump.CodePath, fmt.Sprintf("a %s is left out: %s", o.Kind, reason)
		c.problem(bad)
		return nil
	}
	key := objectKey{o.Kind, m.Namespace, m.Name}
	if missing := missing(value); missing != "" {
		bad.Message = fmt.Sprintf("%s is left out: it does not name %s", key, missing)
		c.problem(bad)
		return nil
	}
	return c.add(key, &object{meta: m, value: value, file: o.File, bytes: keptOf(o.JSON, value)})
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
	switch {
	case !twice && len(c.objects) >= MaxObjects:
		return &dump.LimitError{File: o.file, What: "objects", Most: MaxObjects}
	case twice && before.meta.UID != o.meta.UID && before.meta.UID != "" && o.meta.UID != "":
		return &TwoClustersError{Object: key.String(), Files: [2]string{before.file, o.file}, UIDs: [2]string{before.meta.UID, o.meta.UID}}
	case twice && clusterID(before.value) != clusterID(o.value):
		return &TwoClustersError{Object: key.String(), Files: [2]string{before.file, o.file}, UIDs: [2]string{clusterID(before.value), clusterID(o.value)}}
	case twice && !later(o.meta.ResourceVersion, before.meta.ResourceVersion):
		return nil
	}
	if twice {
		c.kept -= before.bytes
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
func clusterID(value any) string {
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
	for _, n := range []struct {
		what, name string
		most       int
		may        bool
	}{{"name", m.Name, 253, false}, {"namespace", m.Namespace, 63, true}} {
		switch {
		case n.name == "" && n.may:
		case n.name == "":
			return "it has no name"
		case len(n.name) > n.most || strings.ContainsFunc(n.name, isNotOfNames) || n.name[0] == '.':
			return fmt.Sprintf("%q is not the %s of an object", text.Clip(n.name, 80), n.what)
		}
	}
	return ""
}

// missing is what an object that asks for a package should name and does not, with
// its field; empty if nothing is missing.
func missing(value any) string {
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

// all goes through the objects of a kind in the order of their names.
func all[T any](c *Cluster, kind string) []*T {
	var keys []objectKey
	for key := range maps.Keys(c.objects) {
		if key.kind == kind {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b objectKey) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
	var out []*T
	for _, key := range keys {
		if v, is := c.objects[key].value.(*T); is {
			out = append(out, v)
		}
	}
	return out
}
