package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/strict"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Configuration is the operators part of an ImageSetConfiguration. The rest is kept
// unchanged for [Plan.WriteConfiguration].
type Configuration struct {
	// File is the name of the file, for messages.
	File string
	// Operators are the catalogs to mirror from.
	Operators []Operator
	// Blocked match the references of images that are not mirrored.
	Blocked []*regexp.Regexp
	// Warnings are settings that oc-mirror tolerates or that have no effect.
	Warnings []scenario.Problem

	root *document.Node
}

// Operator is a catalog, and what to mirror of it.
type Operator struct {
	// Catalog is the reference of its image.
	Catalog string
	// Full selects every bundle of the selected channels, not only heads.
	Full bool
	// Packages are the packages to mirror; empty means every package of the catalog.
	Packages []Package

	node *document.Node
	name string // of the mirrored catalog
	line int
}

// Package is a package to mirror.
type Package struct {
	Name string
	// DefaultChannel overrides the catalog's default channel.
	DefaultChannel string
	// MinVersion and MaxVersion are the range of versions of all its channels.
	MinVersion, MaxVersion string
	// Channels are the channels to mirror; empty means all.
	Channels []Channel
	// Bundles are single bundles to mirror, instead of channels and versions.
	Bundles []string `json:"-"`

	line int
}

// Channel is a channel to mirror.
type Channel struct {
	Name string
	// MinVersion and MaxVersion are the range of versions.
	MinVersion, MaxVersion string

	line int
}

// MaxBytes is the size of the largest configuration that is read: 4 MiB.
const MaxBytes = 4 << 20

// maxProblems bounds the problems of a configuration that are listed.
const maxProblems = 100

// The kind and the version of the format that is read.
const (
	kind       = "ImageSetConfiguration"
	apiVersion = "mirror.openshift.io/v2alpha1"
)

// Parse reads a configuration, YAML or JSON. The error is a [*scenario.Error], or
// that of the context.
func Parse(ctx context.Context, file string, data []byte) (*Configuration, error) {
	p := &parser{c: &Configuration{File: file}, nodes: make(map[string]*document.Node), lines: make(map[string]int)}
	root, err := document.Decode(ctx, data, file, document.Limits{MaxBytes: MaxBytes})
	var bad *document.SyntaxError
	switch {
	case errors.As(err, &bad):
		p.fail(bad.Line, "", "%s", bad.Reason)
		return nil, p.err()
	case err != nil:
		return nil, err
	}
	p.c.root = root
	p.document(root)
	if len(p.found) > 0 {
		return nil, p.err()
	}
	return p.c, nil
}

type parser struct {
	c     *Configuration
	found []scenario.Problem
	nodes map[string]*document.Node // the parts of the file, by their paths, and where they stand
	lines map[string]int
}

func (p *parser) fail(line int, path, format string, args ...any) {
	if len(p.found) < maxProblems {
		p.found = append(p.found, scenario.Problem{Line: line, Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// warn adds a warning about a path of the file, if the file has it.
func (p *parser) warn(path, message string) {
	if line, there := p.lines[path]; there && len(p.c.Warnings) < maxProblems {
		p.c.Warnings = append(p.c.Warnings, scenario.Problem{Line: line, Path: path, Message: message})
	}
}

func (p *parser) err() error {
	slices.SortStableFunc(p.found, func(a, b scenario.Problem) int { return a.Line - b.Line })
	return &scenario.Error{File: p.c.File, Problems: p.found}
}

// imageSet has the keys that oc-mirror decodes, in any case, and refuses all others.
type imageSet struct {
	Kind        string
	APIVersion  string `json:"apiVersion"`
	ArchiveSize any
	Mirror      struct {
		Platform struct {
			Graph, Architectures, Release, KubeVirtContainer any
			Channels                                         []struct{ Name, MinVersion, MaxVersion, Type, ShortestPath, Full any }
		}
		Operators []struct {
			Operator
			TargetCatalog, TargetTag                      string
			TargetCatalogSourceTemplate, SkipDependencies any
			Packages                                      []struct {
				Package
				Bundles []image
			}
		}
		AdditionalImages, BlockedImages, Samples []image
		Helm                                     struct {
			Repositories []struct {
				Name   any
				URL    any `json:"url"`
				Charts []chart
			}
			Local []chart
		}
	}
}

type image struct{ Name string }

type chart struct {
	Name, Version, Path, Values any
	ImagePaths                  any
}

func (p *parser) document(n *document.Node) {
	if n.Kind == document.KindNull {
		p.fail(n.Line, "", "the file is empty; it should be an %s", kind)
		return
	}
	var said imageSet
	d := strict.Decoder{Refused: ", and oc-mirror refuses that (unknown field)", Add: func(line int, path, message string) { p.fail(line, path, "%s", message) },
		At: func(line int, path string, n *document.Node) { p.lines[path], p.nodes[path] = line, n }}
	d.Decode("", n, reflect.ValueOf(&said).Elem())
	if n.Kind != document.KindMapping {
		return
	}
	if said.Kind != kind || n.Field("kind") == nil { // in this case only, and so is mirror
		p.fail(n.Line, "kind", "want %s, got %q", kind, said.Kind)
	}
	switch v := said.APIVersion; v {
	case apiVersion:
	case "mirror.openshift.io/v1alpha2":
		p.fail(n.Line, "apiVersion", "%s is the format of oc-mirror v1; write %s, without storageConfig", v, apiVersion)
	default:
		p.fail(n.Line, "apiVersion", "want %s, got %q", apiVersion, v)
	}
	if m := n.Field("mirror"); m == nil || m.Kind == document.KindNull {
		p.fail(n.Line, "mirror", "it is missing: nothing is mirrored")
	}
	for i := range said.Mirror.Operators {
		o, path := &said.Mirror.Operators[i], fmt.Sprintf("mirror.operators[%d]", i)
		for k := range o.Packages {
			at := fmt.Sprintf("%s.packages[%d]", path, k)
			o.Packages[k].line = p.lines[at]
			for _, b := range o.Packages[k].Bundles {
				o.Packages[k].Package.Bundles = append(o.Packages[k].Package.Bundles, b.Name)
			}
			o.Operator.Packages = append(o.Operator.Packages, o.Packages[k].Package)
		}
		p.warn(path+".skipDependencies", "it is of oc-mirror v1 and has no effect: v2 never follows dependencies")
		o.node, o.line = p.nodes[path], p.lines[path]
		o.name = p.uniqueName(path, o.Catalog, o.TargetCatalog, o.TargetTag)
		p.operator(&o.Operator, path)
	}
	for i, b := range said.Mirror.BlockedImages {
		path := fmt.Sprintf("mirror.blockedImages[%d]", i)
		re, err := regexp.Compile(b.Name)
		if err != nil {
			p.fail(p.lines[path], path+".name", "%q is not a regular expression: %v", b.Name, err)
		}
		p.c.Blocked = append(p.c.Blocked, re)
	}
}

func (p *parser) operator(o *Operator, path string) {
	if o.Catalog == "" {
		p.fail(o.line, path+".catalog", "it is missing: name the catalog to mirror")
	}
	seen := make(map[string]bool)
	for i := range o.Packages {
		pkg, at := &o.Packages[i], fmt.Sprintf("%s.packages[%d]", path, i)
		p.pkg(pkg, at, o.Full)
		if seen[pkg.Name] {
			p.fail(pkg.line, at, "package %s is given twice, and oc-mirror refuses that (duplicate package entry)", text.Name(pkg.Name))
		}
		seen[pkg.Name] = true
	}
	if slices.ContainsFunc(p.c.Operators, func(other Operator) bool { return other.name == o.name && o.Catalog != "" }) {
		p.fail(o.line, path, "catalog %s is given twice, and oc-mirror refuses that (duplicate found in configuration)", text.Name(o.name))
	}
	p.c.Operators = append(p.c.Operators, *o)
}

// pathComponents matches the targetCatalogs that oc-mirror accepts: a path as in a reference.
var pathComponents = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-*)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-*)[a-z0-9]+)*)*$`)
})

// uniqueName returns the reference of a mirrored catalog: its target replaces path and tag.
// No two catalogs may have the same.
func (p *parser) uniqueName(path, ref, target, tag string) string {
	if target != "" && !pathComponents().MatchString(target) {
		p.fail(p.lines[path+".targetCatalog"], path+".targetCatalog",
			"%q is not valid: it should not contain a tag or a digest, but one or more path components separated by /, in lower case", target)
	}
	if _, rest, found := strings.Cut(ref, "://"); found {
		ref = rest
	}
	host, name, _ := strings.Cut(ref, "/")
	name, digest, _ := strings.Cut(name, "@")
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		tag = cmp.Or(tag, name[colon+1:])
		name = name[:colon]
	}
	out := host + "/" + cmp.Or(target, name)
	if tag != "" {
		out += ":" + tag
	}
	if digest != "" {
		out += "@" + digest
	}
	return out
}

func (p *parser) pkg(pkg *Package, path string, full bool) {
	p.bounds(path, pkg.line, pkg.MinVersion, pkg.MaxVersion, full)
	if pkg.Name == "" {
		p.fail(pkg.line, path+".name", "it is missing: name the package to mirror")
	}
	seen := make(map[string]bool)
	for i := range pkg.Channels {
		ch, at := &pkg.Channels[i], fmt.Sprintf("%s.channels[%d]", path, i)
		ch.line = p.lines[at]
		p.bounds(at, ch.line, ch.MinVersion, ch.MaxVersion, full)
		switch {
		case ch.Name == "":
			p.fail(ch.line, at+".name", "it is missing: name the channel to mirror")
		case seen[ch.Name]:
			p.fail(ch.line, at, "channel %s is given twice, and oc-mirror refuses that (duplicate channel entry)", text.Name(ch.Name))
		}
		seen[ch.Name] = true
	}
	p.bundles(pkg, path, full)
	ranged := func(c Channel) bool { return c.MinVersion+c.MaxVersion != "" }
	if pkg.MinVersion+pkg.MaxVersion != "" && slices.ContainsFunc(pkg.Channels, ranged) {
		p.fail(pkg.line, path, "package %s has a range of versions, and so has one of its channels; give the range either for the package or for each channel", text.Name(pkg.Name))
	}
}

// bundles checks the single bundles of a package.
func (p *parser) bundles(pkg *Package, path string, full bool) {
	switch {
	case len(pkg.Bundles) == 0:
		return
	case full:
		p.fail(pkg.line, path, "full: true takes every version and cannot have bundles; remove one of them")
	case len(pkg.Channels) > 0 || pkg.MinVersion+pkg.MaxVersion != "":
		p.fail(pkg.line, path, "package %s has bundles and also channels or versions, and oc-mirror refuses that (mixing both filtering by bundles and "+
			"filtering by channels or minVersion/maxVersion is not allowed)", text.Name(pkg.Name))
	}
	for i, name := range pkg.Bundles {
		if at := fmt.Sprintf("%s.bundles[%d]", path, i); name == "" {
			p.fail(p.lines[at], at+".name", "it is missing: name the bundle to mirror")
		}
	}
}

func (p *parser) bounds(path string, line int, lowest, highest string, full bool) {
	if full && (lowest != "" || highest != "") {
		p.fail(line, path, "full: true takes every version and cannot have a range; remove one of them")
	}
	parse := func(key, v string) *semver.Version {
		if v == "" {
			return nil
		}
		at := path + "." + key
		if len(v) > maxVersion {
			p.fail(p.lines[at], at, "it is longer than %d bytes", maxVersion)
			return nil
		}
		version, err := semver.NewVersion(v)
		if err != nil {
			p.fail(p.lines[at], at, "%q is not a version such as 1.2.0", v)
			return nil
		}
		return version
	}
	from, to := parse("minVersion", lowest), parse("maxVersion", highest)
	if from != nil && to != nil && from.GreaterThan(to) {
		p.fail(line, path, "minVersion %s is above maxVersion %s: no version is in that range", lowest, highest)
	}
}

const maxVersion = 256
