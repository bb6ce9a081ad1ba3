// Package universe parses small catalogs from lines of text, so that tests
// show their input, one item per line:
//
//	# web needs a database, and its second version a recent one
//	db/stable db.v1 db.v2
//	web/stable web.v1 needs=db@>=1.0.0
//	web/stable web.v2 replaces=web.v1 needs=db@>=2.0.0
//	subscribe web
//
// # Lines
//
//	PACKAGE/CHANNEL A B C         entries of a channel, each replacing the one before it, and their bundles
//	PACKAGE/CHANNEL A WORD...     one entry, with words for it and its bundle
//	bundle A WORD...              words for a bundle, which may be in no channel
//	require A EXPRESSION ; TEXT   an olm.constraint of a bundle, with its message if there is one
//	property A TYPE JSON          a raw property of a bundle
//	deprecated NAME TEXT          the package, channel or bundle of that name is deprecated
//	package P CHANNEL             the default channel; without this line, the first one of the package
//	package P -                   the package has no olm.package blob
//	catalog NAMESPACE/NAME N      later lines belong to this catalog, of priority N; the default is test/one
//	installed A WORD...           an installed bundle
//	subscribe S WORD...           a subscription, by default to package S
//	extend E P                    an extension, as in OLM v1
//	forbid A                      a forbidden bundle
//
// The version of a bundle is the part of its name after ".v", padded with
// zeros: a.v1 has version 1.0.0. Its package is that of its first entry, else
// the part of its name before ".v". A line that begins with # is a comment.
//
// # Words
//
//	replaces=A skips=B,C range=R   fields of an entry
//	virtual                        the catalog has no bundle for the entry
//	version=V release=R            instead of the version in the name
//	provides=API                   an olm.gvk
//	needs=API needs=P@R            an olm.gvk.required, an olm.package.required
//	max=4.18 kube=1.30.0           the max OpenShift version, the min Kubernetes version
//	barred                         the property olm.deprecated
//	flawed                         the bundle lacks olm.package and is quarantined
//	by=S automatic                 of an installed bundle: its subscription; installed as a dependency
//	package=P version=V            of an installed bundle that is in no catalog
//	replaced=A                     of an installed bundle: its replacement
//	package=P in=CHANNEL,CHANNEL   of a subscription: its package, its channels
//	at=A                           the installed bundle of a subscription
//	starting=A range=R pin=A hold  of a subscription: fields of resolver.Subscription
//	generated                      created with a dependency
//
// An API is GROUP/VERSION/KIND, or a kind of example.com/v1. A value with
// spaces needs double quotes, as in range=">=1.0.0 <2.0.0".
//
// # Expressions
//
//	API   P@R   cel(RULE)   any(E, E)   all(E, E)   not(E, E)
package universe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Universe is a parsed text.
type Universe struct {
	// Catalogs are its catalogs, in order.
	Catalogs []*declared.Catalog
	// Request is its request, without the catalogs.
	Request resolver.Request
}

// Parse parses a universe. The error names the first invalid line, counted
// from 1.
func Parse(source string) (*Universe, error) {
	r := &reader{universe: new(Universe)}
	number := 0
	for line := range strings.Lines(source) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("universe: line %d: %w", number, err)
		}
	}
	return r.universe, nil
}

// reader is the state of parsing.
type reader struct {
	universe *Universe
	packages map[string]int // indexes of the catalog's packages
}

func (r *reader) line(line string) error {
	req := &r.universe.Request
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	name, tail, _ := strings.Cut(rest, " ")
	tail = strings.TrimSpace(tail)
	if name == "" {
		return fmt.Errorf("%s needs a name", text.Quote(verb))
	}
	if pkg, channel, ok := strings.Cut(verb, "/"); ok {
		return r.entries(pkg, channel, rest)
	}
	switch verb {
	case "catalog":
		return r.startCatalog(name, tail)
	case "package":
		p := r.pkg(name)
		if p.DefaultChannel = tail; tail == "-" {
			p.DefaultChannel, p.Surplus = "", -1
		}
		return nil
	case "bundle":
		return r.words(tail, bundleWords(r.bundle(name)))
	case "require":
		return require(r.bundle(name), tail)
	case "property":
		return addRaw(r.bundle(name), tail)
	case "deprecated":
		r.deprecate(name, tail)
		return nil
	case "installed":
		req.Installed = append(req.Installed, resolver.Installed{Name: name})
		return r.words(tail, installedWords(last(req.Installed)))
	case "subscribe":
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: name, Package: name})
		return r.words(tail, subscriptionWords(last(req.Subscriptions)))
	case "extend":
		req.Extensions = append(req.Extensions, resolver.Extension{Name: name, Package: tail})
		return nil
	case "forbid":
		req.Forbid = slices.Grow(req.Forbid, 1)[:len(req.Forbid)+1]
		last(req.Forbid).Bundle.Name = name
		return r.words(tail)
	}
	return fmt.Errorf("unknown line type %s%s", text.Quote(verb), text.DidYouMean(verb, slices.Values([]string{
		"bundle", "catalog", "deprecated", "extend", "forbid", "installed", "package", "property", "require", "subscribe"})))
}

func (r *reader) startCatalog(name, priority string) error {
	key, err := cache.ParseKey(name)
	if err != nil {
		return err
	}
	c := &declared.Catalog{Key: key}
	if priority != "" {
		if c.Priority, err = strconv.Atoi(priority); err != nil {
			return fmt.Errorf("the priority %s is not a number", text.Quote(priority))
		}
	}
	r.universe.Catalogs, r.packages = append(r.universe.Catalogs, c), make(map[string]int)
	return nil
}

// catalog returns the current catalog.
func (r *reader) catalog() *declared.Catalog {
	if len(r.universe.Catalogs) == 0 {
		_ = r.startCatalog("test/one", "")
	}
	return *last(r.universe.Catalogs)
}

// pkg returns a package of the catalog, adding it if needed.
func (r *reader) pkg(name string) *declared.Package {
	c := r.catalog()
	at, ok := r.packages[name]
	if !ok {
		at = len(c.Packages)
		r.packages[name] = at
		c.Packages = append(c.Packages, declared.Package{Name: name})
	}
	return &c.Packages[at]
}

// bundle returns a bundle of the catalog, adding it if needed.
func (r *reader) bundle(name string) *declared.Bundle {
	c := r.catalog()
	for i := range c.Packages {
		if b := c.Packages[i].Bundle(name); b != nil {
			return b
		}
	}
	return declare(r.pkg(packageOf(name)), name)
}

// packageOf returns the package part of a bundle name.
func packageOf(name string) string {
	pkg, _, _ := strings.Cut(name, ".v")
	return pkg
}

// declare adds a bundle with the version in its name.
func declare(p *declared.Package, name string) *declared.Bundle {
	p.Bundles = append(p.Bundles, declared.NewBundle(p.Name, name, versionOf(name)))
	return last(p.Bundles)
}

// versionOf returns the version in the name of a bundle, with three numbers, or "".
func versionOf(name string) string {
	_, version, ok := strings.Cut(name, ".v")
	if !ok {
		return ""
	}
	core := strings.IndexAny(version, "-+")
	if core < 0 {
		core = len(version)
	}
	return version[:core] + strings.Repeat(".0", max(0, 2-strings.Count(version[:core], "."))) + version[core:]
}

func (r *reader) entries(pkg, channel, rest string) error {
	p := r.pkg(pkg)
	if p.DefaultChannel == "" && p.Surplus == 0 {
		p.DefaultChannel = channel
	}
	c := p.Channel(channel)
	if c == nil {
		p.Channels = append(p.Channels, declared.Channel{Name: channel})
		c = last(p.Channels)
	}
	names := strings.Fields(rest)
	if len(names) > 1 && isWord(names[1]) {
		names = names[:1]
	}
	known, before := false, ""
	for _, name := range names {
		if isWord(name) {
			return fmt.Errorf("%s: words need a line with one bundle", text.Quote(name))
		}
		c.Entries = append(c.Entries, declared.Entry{Name: name, Replaces: before})
		if known = p.Bundle(name) != nil; !known {
			declare(p, name)
		}
		before = name
	}
	if len(names) > 1 {
		return nil
	}
	virtual := false
	err := r.words(strings.TrimPrefix(rest, names[0]), entryWords(last(c.Entries), &virtual), bundleWords(p.Bundle(names[0])))
	if virtual && !known {
		p.Bundles = p.Bundles[:len(p.Bundles)-1]
	}
	return err
}

// deprecate adds a deprecation of the package, channel or bundle of that name.
func (r *reader) deprecate(name, message string) {
	c := r.catalog()
	for i := range c.Packages {
		p := &c.Packages[i]
		d := declared.Deprecation{Schema: graph.SchemaBundle, Name: name, Message: message}
		switch {
		case p.Name == name:
			d.Schema, d.Name = graph.SchemaPackage, ""
		case p.Channel(name) != nil:
			d.Schema = graph.SchemaChannel
		case p.Bundle(name) == nil:
			continue
		}
		p.Deprecations = append(p.Deprecations, d)
		return
	}
	p := r.pkg(packageOf(name)) // declared later, or never
	p.Deprecations = append(p.Deprecations, declared.Deprecation{Schema: graph.SchemaBundle, Name: name, Message: message})
}

func add(b *declared.Bundle, typ string, value any) {
	b.Properties = append(b.Properties, declared.Prop(typ, value))
}

func gvkOf(api string) (properties.GVK, error) {
	group, rest, ok := strings.Cut(api, "/")
	version, kind, whole := strings.Cut(rest, "/")
	switch {
	case !ok && api != "":
		return properties.GVK{Group: "example.com", Version: "v1", Kind: api}, nil
	case !whole || group == "" || version == "" || kind == "":
		return properties.GVK{}, fmt.Errorf("%s is not an API; write GROUP/VERSION/KIND, or a kind of example.com/v1", text.Quote(api))
	}
	return properties.GVK{Group: group, Version: version, Kind: kind}, nil
}

func last[T any](list []T) *T { return &list[len(list)-1] }
