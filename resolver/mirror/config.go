package mirror

import (
	"context"
	"errors"
	"fmt"
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
	// Warnings are what oc-mirror tolerates, and what will not do what is meant: keys
	// that nobody knows, for example.
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

// object checks that a node is a mapping, and warns of keys that it does not know.
func (p *parser) object(n *document.Node, path string, keys ...string) bool {
	if n == nil || n.Kind == document.KindNull {
		return false
	}
	if n.Kind != document.KindMapping {
		p.fail(n.Line, path, "want a mapping with keys, got %s", n.Kind)
		return false
	}
	for _, f := range n.Fields {
		if !slices.Contains(keys, f.Name) {
			p.warn(f.Line, path, "unknown key %q, which oc-mirror passes over%s", f.Name, text.DidYouMean(f.Name, slices.Values(keys)))
		}
	}
	return true
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
	v := n.Field(key)
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
	if !p.object(n, "", "kind", "apiVersion", "mirror", "archiveSize", "metadata") {
		if n.Kind == document.KindNull {
			p.fail(n.Line, "", "the file is empty; it should be an %s", kind)
		}
		return
	}
	if k := p.text(n, "", "kind"); k != kind {
		p.fail(n.Line, "kind", "want %s, got %q", kind, k)
	}
	switch v := p.text(n, "", "apiVersion"); v {
	case apiVersion:
	case "mirror.openshift.io/v1alpha2":
		p.fail(n.Line, "apiVersion", "%s is the format of oc-mirror v1; write %s, without storageConfig", v, apiVersion)
	default:
		p.fail(n.Line, "apiVersion", "want %s, got %q", apiVersion, v)
	}
	m := n.Field("mirror")
	if !p.object(m, "mirror", "platform", "operators", "additionalImages", "helm", "blockedImages", "samples") {
		if m == nil || m.Kind == document.KindNull {
			p.fail(n.Line, "mirror", "it is missing: nothing is mirrored")
		}
		return
	}
	for i, o := range p.list(m.Field("operators"), "mirror.operators") {
		p.operator(o, fmt.Sprintf("mirror.operators[%d]", i))
	}
	for i, b := range p.list(m.Field("blockedImages"), "mirror.blockedImages") {
		path := fmt.Sprintf("mirror.blockedImages[%d]", i)
		name := p.text(b, path, "name")
		if _, err := regexp.Compile(name); err != nil {
			p.fail(b.Line, path+".name", "%q is not a regular expression: %v", name, err)
		}
		p.c.Blocked = append(p.c.Blocked, name)
	}
}

func (p *parser) operator(n *document.Node, path string) {
	if !p.object(n, path, "catalog", "full", "packages", "targetCatalog", "targetTag", "targetCatalogSourceTemplate", "platforms", "skipDependencies", "originalRef") {
		return
	}
	o := Operator{Catalog: p.text(n, path, "catalog"), node: n, line: n.Line}
	if o.Catalog == "" {
		p.fail(n.Line, path+".catalog", "it is missing: say which catalog to mirror")
	}
	if full := n.Field("full"); full != nil && full.Kind == document.KindBool {
		o.Full = full.Value == "true"
	} else if full != nil && full.Kind != document.KindNull {
		p.fail(full.Line, path+".full", "want true or false, got %s", full.Kind)
	}
	if skip := n.Field("skipDependencies"); skip != nil {
		p.warn(skip.Line, path+".skipDependencies", "it is of oc-mirror v1 and has no effect: v2 never follows dependencies")
	}
	seen := make(map[string]bool)
	for i, item := range p.list(n.Field("packages"), path+".packages") {
		at := fmt.Sprintf("%s.packages[%d]", path, i)
		pkg, ok := p.pkg(item, at, o.Full)
		if !ok {
			continue
		}
		if seen[pkg.Name] {
			p.fail(item.Line, at, "package %s is given twice; of the two, oc-mirror takes only the last", text.Name(pkg.Name))
		}
		seen[pkg.Name] = true
		o.Packages = append(o.Packages, pkg)
	}
	p.c.Operators = append(p.c.Operators, o)
}

func (p *parser) pkg(n *document.Node, path string, full bool) (Package, bool) {
	if !p.object(n, path, "name", "channels", "defaultChannel", "minVersion", "maxVersion", "minBundle") {
		return Package{}, false
	}
	pkg := Package{Name: p.text(n, path, "name"), DefaultChannel: p.text(n, path, "defaultChannel"), line: n.Line}
	pkg.MinVersion, pkg.MaxVersion = p.bounds(n, path, full)
	if pkg.Name == "" {
		p.fail(n.Line, path+".name", "it is missing: say which package to mirror")
	}
	seen := make(map[string]bool)
	for i, item := range p.list(n.Field("channels"), path+".channels") {
		at := fmt.Sprintf("%s.channels[%d]", path, i)
		if !p.object(item, at, "name", "minVersion", "maxVersion", "minBundle") {
			continue
		}
		ch := Channel{Name: p.text(item, at, "name"), line: item.Line}
		ch.MinVersion, ch.MaxVersion = p.bounds(item, at, full)
		switch {
		case ch.Name == "":
			p.fail(item.Line, at+".name", "it is missing: say which channel to mirror")
		case seen[ch.Name]:
			p.fail(item.Line, at, "channel %s is given twice; of the two, oc-mirror takes only the last", text.Name(ch.Name))
		}
		seen[ch.Name] = true
		pkg.Channels = append(pkg.Channels, ch)
	}
	if len(pkg.Channels) > 0 && (pkg.MinVersion != "" || pkg.MaxVersion != "") {
		p.fail(n.Line, path, "package %s has a range of versions and channels; give the range either for the package or for each channel", text.Name(pkg.Name))
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
			p.fail(n.Field(key).Line, path+"."+key, "it is longer than %d bytes", maxVersion)
			return nil
		}
		version, err := semver.NewVersion(v)
		if err != nil {
			p.fail(n.Field(key).Line, path+"."+key, "%q is not a version such as 1.2.0", v)
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
