package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// Configuration is what an ImageSetConfiguration says of operators. The rest of it is
// kept as it is, for [Plan.WriteConfiguration].
type Configuration struct {
	// File is the name of the file, for messages.
	File string
	// Operators are the catalogs to mirror from.
	Operators []Operator
	// Blocked are the images that are not mirrored, each a regular expression.
	Blocked []string
	// Warnings are what oc-mirror tolerates, and what will not do what is meant.
	Warnings []Problem

	root *document.Node
}

// Operator is a catalog, and what to mirror of it.
type Operator struct {
	// Catalog is the reference of its image.
	Catalog string
	// Full takes every bundle of what is selected, not only heads.
	Full bool
	// Packages are what to mirror; none stands for all.
	Packages []Package

	node *document.Node
	name string // of the mirrored catalog
	line int
}

// Package is a package to mirror.
type Package struct {
	Name string
	// DefaultChannel takes the place of the catalog's default channel.
	DefaultChannel string
	// MinVersion and MaxVersion are the range of versions of all its channels.
	MinVersion, MaxVersion string
	// Channels are the channels to mirror; none stands for all.
	Channels []Channel

	line int
}

// Channel is a channel to mirror.
type Channel struct {
	Name string
	// MinVersion and MaxVersion are the range of versions.
	MinVersion, MaxVersion string

	line int
}

// Problem is something that is wrong with a configuration.
type Problem struct {
	// Line counts from 1, and is 0 where it is not known.
	Line int
	// Path is the part of the file, for example "mirror.operators[0].packages[2]".
	Path string
	// Message says what is wrong and what to do.
	Message string
}

// String returns the problem without its line, as "path: message".
func (p Problem) String() string {
	if p.Path == "" {
		return text.Inert(p.Message)
	}
	return text.Inert(p.Path) + ": " + text.Inert(p.Message)
}

// ConfigurationError says what is wrong with a configuration: all that was found.
type ConfigurationError struct {
	// File is its name.
	File string
	// Problems are in the order of their lines.
	Problems []Problem
}

// Error lists the problems, one a line.
func (e *ConfigurationError) Error() string {
	return strings.Join(text.Each(e.Problems, func(p Problem) string { return Position(e.File, p.Line) + p.String() }), "\n")
}

// Position returns "file:line: ", as much of it as is known.
func Position(file string, line int) string {
	if file == "" && line == 0 {
		return ""
	}
	return graph.Pos{File: text.Inert(file), Line: line}.String() + ": "
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

// Parse reads a configuration, YAML or JSON. The error is a [*ConfigurationError], or
// that of the context.
func Parse(ctx context.Context, file string, data []byte) (*Configuration, error) {
	p := &parser{c: &Configuration{File: file}}
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
	found []Problem
}

func (p *parser) fail(line int, path, format string, args ...any) {
	if len(p.found) < maxProblems {
		p.found = append(p.found, Problem{line, path, fmt.Sprintf(format, args...)})
	}
}

func (p *parser) warn(line int, path, format string, args ...any) {
	if len(p.c.Warnings) < maxProblems {
		p.c.Warnings = append(p.c.Warnings, Problem{line, path, fmt.Sprintf(format, args...)})
	}
}

func (p *parser) err() error {
	slices.SortStableFunc(p.found, func(a, b Problem) int { return a.Line - b.Line })
	return &ConfigurationError{File: p.c.File, Problems: p.found}
}

// keys are the keys of a mapping, with those of the mappings below; nil
// has any. A list has those of its items.
type keys map[string]keys

// known are the keys that oc-mirror decodes.
func known() keys {
	version := func(more keys) keys {
		all := keys{"name": nil, "minVersion": nil, "maxVersion": nil}
		maps.Copy(all, more)
		return all
	}
	images := keys{"name": nil}
	charts := keys{"name": nil, "version": nil, "path": nil, "imagePaths": nil, "values": nil}
	return keys{"kind": nil, "apiVersion": nil, "archiveSize": nil, "mirror": {
		"platform": {"graph": nil, "channels": version(keys{"type": nil, "shortestPath": nil, "full": nil}),
			"architectures": nil, "release": nil, "kubeVirtContainer": nil},
		"operators": {"catalog": nil, "full": nil, "targetCatalog": nil, "targetTag": nil, "targetCatalogSourceTemplate": nil,
			"skipDependencies": nil, "packages": version(keys{"defaultChannel": nil, "channels": version(nil), "bundles": images})},
		"additionalImages": images, "blockedImages": images, "samples": images,
		"helm": {"repositories": {"name": nil, "url": nil, "charts": charts}, "local": charts},
	}}
}

// unknown reports the keys that oc-mirror does not know. It matches them whatever their
// case is, and refuses all others.
func (p *parser) unknown(n *document.Node, path string, of keys) {
	if n == nil || of == nil {
		return
	}
	for i, item := range n.Items {
		p.unknown(item, fmt.Sprintf("%s[%d]", path, i), of)
	}
	for _, f := range n.Fields {
		name, ok := "", false
		for key := range of { // in any order: at most one is meant
			if strings.EqualFold(key, f.Name) {
				name, ok = key, true
			}
		}
		if !ok {
			p.fail(f.Line, path, "unknown key %q, and oc-mirror refuses that (unknown field)%s", f.Name, text.DidYouMean(f.Name, slices.Values(slices.Sorted(maps.Keys(of)))))
			continue
		}
		p.unknown(f.Value, strings.TrimPrefix(path+"."+f.Name, "."), of[name])
	}
}

// object checks that a node is a mapping.
func (p *parser) object(n *document.Node, path string) bool {
	if n == nil || n.Kind == document.KindNull {
		return false
	}
	if n.Kind != document.KindMapping {
		p.fail(n.Line, path, "want a mapping with keys, got %s", n.Kind)
	}
	return n.Kind == document.KindMapping
}

// field is the value of a key in any case, as oc-mirror finds it: the last one counts.
func field(n *document.Node, key string) *document.Node {
	for _, f := range slices.Backward(n.Fields) {
		if strings.EqualFold(f.Name, key) {
			return f.Value
		}
	}
	return nil
}

func (p *parser) list(n *document.Node, path string) []*document.Node {
	if n == nil || n.Kind == document.KindNull {
		return nil
	}
	if n.Kind != document.KindSequence {
		p.fail(n.Line, path, "want a list, got %s", n.Kind)
		return nil
	}
	return n.Items
}

// text is the text of a key. A version that looks like a number must be in quotes.
func (p *parser) text(n *document.Node, path, key string) string {
	v := field(n, key)
	switch {
	case v == nil || v.Kind == document.KindNull:
		return ""
	case v.Kind == document.KindString:
		return v.Value
	case v.Kind == document.KindNumber:
		p.fail(v.Line, path+"."+key, "want text, got the number %s; put it in quotes", v.Value)
	default:
		p.fail(v.Line, path+"."+key, "want text, got %s", v.Kind)
	}
	return ""
}

func (p *parser) document(n *document.Node) {
	if !p.object(n, "") {
		if n.Kind == document.KindNull {
			p.fail(n.Line, "", "the file is empty; it should be an %s", kind)
		}
		return
	}
	p.unknown(n, "", known())
	if k := p.text(n, "", "kind"); k != kind || n.Field("kind") == nil {
		p.fail(n.Line, "kind", "want %s, got %q", kind, k)
	}
	switch v := p.text(n, "", "apiVersion"); v {
	case apiVersion:
	case "mirror.openshift.io/v1alpha2":
		p.fail(n.Line, "apiVersion", "%s is the format of oc-mirror v1; write %s, without storageConfig", v, apiVersion)
	default:
		p.fail(n.Line, "apiVersion", "want %s, got %q", apiVersion, v)
	}
	m := n.Field("mirror") // in this case only, and so is kind
	if !p.object(m, "mirror") {
		if m == nil || m.Kind == document.KindNull {
			p.fail(n.Line, "mirror", "it is missing: nothing is mirrored")
		}
		return
	}
	for i, o := range p.list(field(m, "operators"), "mirror.operators") {
		p.operator(o, fmt.Sprintf("mirror.operators[%d]", i))
	}
	for i, b := range p.list(field(m, "blockedImages"), "mirror.blockedImages") {
		path := fmt.Sprintf("mirror.blockedImages[%d]", i)
		name := p.text(b, path, "name")
		if _, err := regexp.Compile(name); err != nil {
			p.fail(b.Line, path+".name", "%q is not a regular expression: %v", name, err)
		}
		p.c.Blocked = append(p.c.Blocked, name)
	}
}

func (p *parser) operator(n *document.Node, path string) {
	if !p.object(n, path) {
		return
	}
	o := Operator{Catalog: p.text(n, path, "catalog"), node: n, line: n.Line}
	if o.Catalog == "" {
		p.fail(n.Line, path+".catalog", "it is missing: say which catalog to mirror")
	}
	if full := field(n, "full"); full != nil && full.Kind == document.KindBool {
		o.Full = full.Value == "true"
	} else if full != nil && full.Kind != document.KindNull {
		p.fail(full.Line, path+".full", "want true or false, got %s", full.Kind)
	}
	o.name = p.uniqueName(n, path, o.Catalog)
	if skip := field(n, "skipDependencies"); skip != nil {
		p.warn(skip.Line, path+".skipDependencies", "it is of oc-mirror v1 and has no effect: v2 never follows dependencies")
	}
	seen := make(map[string]bool)
	for i, item := range p.list(field(n, "packages"), path+".packages") {
		at := fmt.Sprintf("%s.packages[%d]", path, i)
		pkg, ok := p.pkg(item, at, o.Full)
		if !ok {
			continue
		}
		if seen[pkg.Name] {
			p.fail(item.Line, at, "package %s is given twice, and oc-mirror refuses that (duplicate package entry)", text.Name(pkg.Name))
		}
		seen[pkg.Name] = true
		o.Packages = append(o.Packages, pkg)
	}
	if slices.ContainsFunc(p.c.Operators, func(other Operator) bool { return other.name == o.name && o.Catalog != "" }) {
		p.fail(n.Line, path, "catalog %s is given twice, and oc-mirror refuses that (duplicate found in configuration)", text.Name(o.name))
	}
	p.c.Operators = append(p.c.Operators, o)
}

// pathComponents are what oc-mirror takes for a targetCatalog: a path as in a reference.
var pathComponents = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-*)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-*)[a-z0-9]+)*)*$`)

// uniqueName is the reference of a catalog with its target in the place of its path and
// its tag: no two catalogs may have the same.
func (p *parser) uniqueName(n *document.Node, path, ref string) string {
	target, tag := p.text(n, path, "targetCatalog"), p.text(n, path, "targetTag")
	if target != "" && !pathComponents.MatchString(target) {
		p.fail(field(n, "targetCatalog").Line, path+".targetCatalog",
			"%q is not valid: it should not contain a tag or a digest, but one or more path components separated by /, in lower case", target)
	}
	_, ref, found := strings.Cut(ref, "://")
	if !found {
		ref = p.text(n, path, "catalog")
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

func (p *parser) pkg(n *document.Node, path string, full bool) (Package, bool) {
	if !p.object(n, path) {
		return Package{}, false
	}
	pkg := Package{Name: p.text(n, path, "name"), DefaultChannel: p.text(n, path, "defaultChannel"), line: n.Line}
	pkg.MinVersion, pkg.MaxVersion = p.bounds(n, path, full)
	if pkg.Name == "" {
		p.fail(n.Line, path+".name", "it is missing: say which package to mirror")
	}
	if list := field(n, "bundles"); list != nil && len(list.Items) > 0 {
		p.warn(list.Line, path+".bundles", "single bundles are not followed here; give minVersion and maxVersion of the same version")
	}
	seen := make(map[string]bool)
	for i, item := range p.list(field(n, "channels"), path+".channels") {
		at := fmt.Sprintf("%s.channels[%d]", path, i)
		if !p.object(item, at) {
			continue
		}
		ch := Channel{Name: p.text(item, at, "name"), line: item.Line}
		ch.MinVersion, ch.MaxVersion = p.bounds(item, at, full)
		switch {
		case ch.Name == "":
			p.fail(item.Line, at+".name", "it is missing: say which channel to mirror")
		case seen[ch.Name]:
			p.fail(item.Line, at, "channel %s is given twice, and oc-mirror refuses that (duplicate channel entry)", text.Name(ch.Name))
		}
		seen[ch.Name] = true
		pkg.Channels = append(pkg.Channels, ch)
	}
	ranged := func(c Channel) bool { return c.MinVersion+c.MaxVersion != "" }
	if pkg.MinVersion+pkg.MaxVersion != "" && slices.ContainsFunc(pkg.Channels, ranged) {
		p.fail(n.Line, path, "package %s has a range of versions, and so has one of its channels; give the range either for the package or for each channel", text.Name(pkg.Name))
	}
	return pkg, true
}

func (p *parser) bounds(n *document.Node, path string, full bool) (lowest, highest string) {
	lowest, highest = p.text(n, path, "minVersion"), p.text(n, path, "maxVersion")
	if full && (lowest != "" || highest != "") {
		p.fail(n.Line, path, "full: true takes every version and cannot have a range; leave out one of them")
	}
	parse := func(key, v string) *semver.Version {
		if v == "" {
			return nil
		}
		if len(v) > maxVersion {
			p.fail(field(n, key).Line, path+"."+key, "it is longer than %d bytes", maxVersion)
			return nil
		}
		version, err := semver.NewVersion(v)
		if err != nil {
			p.fail(field(n, key).Line, path+"."+key, "%q is not a version such as 1.2.0", v)
			return nil
		}
		return version
	}
	from, to := parse("minVersion", lowest), parse("maxVersion", highest)
	if from != nil && to != nil && from.GreaterThan(to) {
		p.fail(n.Line, path, "minVersion %s is above maxVersion %s: no version is in that range", lowest, highest)
	}
	return lowest, highest
}

const maxVersion = 256
