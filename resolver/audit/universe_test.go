package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// catalogsOf builds catalogs from a text with one thing a line:
//
//	catalog ns/name                            what follows is in this one (default test/one)
//	package a stable                           a package and its default channel
//	deprecated a.v1 message                    an olm.deprecations entry for a bundle
//	bundle a.v1 provides=Foo needs=Foo needs=b@>=1.0.0 any=Foo,Bar barred flawed
//	channel stable                             the entries follow, indented
//	  a.v2 replaces=a.v1 skips=a.v0,x range=<2.0.0
//
// The version of a.v1 is 1.0.0, unless version= says another. Foo stands for the
// API example.com/v1/Foo.
func catalogsOf(t testing.TB, text string) []resolver.Catalog {
	t.Helper()
	u := &universe{t: t}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			u.line(words, strings.TrimSpace(line))
		}
	}
	u.flush()
	return u.catalogs
}

type universe struct {
	t        testing.TB
	key      cache.Key
	decls    []graph.PackageDecl
	catalogs []resolver.Catalog
}

func (u *universe) line(words []string, line string) {
	u.t.Helper()
	if words[0] == "catalog" {
		u.flush()
		key, err := cache.ParseKey(words[1])
		require.NoError(u.t, err)
		u.key = key
		return
	}
	if words[0] == "package" {
		u.decls = append(u.decls, graph.PackageDecl{Name: words[1]})
		d := u.decl()
		for _, channel := range words[2:] {
			d.Definitions = append(d.Definitions, graph.DefinitionDecl{DefaultChannel: channel})
		}
		return
	}
	d := u.decl()
	switch words[0] {
	case "deprecated":
		schema, name := graph.SchemaBundle, words[1]
		if name == d.Name {
			schema = graph.SchemaPackage
		}
		d.Deprecations = append(d.Deprecations, graph.DeprecationDecl{Schema: schema, Name: name,
			Message: strings.TrimSpace(strings.TrimPrefix(line, "deprecated "+words[1]))})
	case "bundle":
		d.Bundles = append(d.Bundles, u.bundle(d.Name, words[1], words[2:]))
	case "channel":
		d.Channels = append(d.Channels, graph.ChannelDecl{Name: words[1]})
	default:
		ch := &d.Channels[len(d.Channels)-1]
		ch.Entries = append(ch.Entries, u.entry(words))
	}
}

func (u *universe) decl() *graph.PackageDecl { return &u.decls[len(u.decls)-1] }

func (u *universe) entry(words []string) graph.EntryDecl {
	e := graph.EntryDecl{Name: words[0]}
	for _, w := range words[1:] {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "replaces":
			e.Replaces = value
		case "skips":
			e.Skips = strings.Split(value, ",")
		case "range":
			e.SkipRange = value
		default:
			require.Fail(u.t, "unknown word", w)
		}
	}
	return e
}

func (u *universe) bundle(pkg, name string, words []string) graph.BundleDecl {
	b := graph.BundleDecl{Name: name}
	_, number, _ := strings.Cut(name, ".v")
	version := number + ".0.0"
	var props []*properties.Property
	add := func(typ string, value any) {
		raw, err := json.Marshal(value)
		require.NoError(u.t, err)
		p, err := properties.New(typ, raw)
		require.NoError(u.t, err)
		props = append(props, p)
	}
	for _, w := range words {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "version":
			version = value
		case "provides":
			add(properties.TypeGVK, apiOf(value))
		case "needs":
			if other, versions, ok := strings.Cut(value, "@"); ok {
				add(properties.TypePackageRequired, map[string]string{"packageName": other, "versionRange": versions})
			} else {
				add(properties.TypeGVKRequired, apiOf(value))
			}
		case "any":
			var children []any
			for _, kind := range strings.Split(value, ",") {
				children = append(children, map[string]any{"gvk": apiOf(kind)})
			}
			add(properties.TypeConstraint, map[string]any{"any": map[string]any{"constraints": children}})
		case "barred":
			add(properties.TypeDeprecated, map[string]string{})
		case "flawed":
			b.Flaws = append(b.Flaws, graph.Flaw{Code: graph.CodePropertyInvalid, Message: "a property of " + b.Name + " is broken"})
		default:
			require.Fail(u.t, "unknown word", w)
		}
	}
	add(properties.TypePackage, map[string]string{"packageName": pkg, "version": version})
	b.Properties = properties.NewSet(props...)
	return b
}

func apiOf(kind string) map[string]string {
	return map[string]string{"group": "example.com", "version": "v1", "kind": kind}
}

// flush ends a catalog.
func (u *universe) flush() {
	if u.key == (cache.Key{}) {
		u.key = cache.Key{Namespace: "test", Name: "one"}
	}
	if len(u.decls) == 0 {
		return
	}
	var pkgs []*graph.Package
	for _, d := range u.decls {
		pkgs = append(pkgs, graph.Build(d, graph.Options{}))
	}
	u.catalogs = append(u.catalogs, resolver.Catalog{Key: u.key, Content: cache.NewCatalog(pkgs, nil)})
	u.decls = nil
}

// runAll audits catalogs and returns all findings.
func runAll(t testing.TB, catalogs []resolver.Catalog, opts audit.Options) ([]*audit.Bundle, *audit.Summary) {
	t.Helper()
	var found []*audit.Bundle
	opts.Each = func(b *audit.Bundle) error {
		found = append(found, b)
		return nil
	}
	sum, err := audit.Run(context.Background(), resolver.New(), catalogs, opts)
	require.NoError(t, err)
	return found, sum
}

// findingText says a finding in one line: of conflicts, the kinds of the facts
// that follow the subscription's.
func findingText(b *audit.Bundle) string {
	var out strings.Builder
	out.WriteString(b.Bundle + ": ")
	if b.Installable {
		out.WriteString("yes")
	} else {
		out.WriteString("no" + kindsOf(b.Conflict))
	}
	if r := b.ReachesHead; r == nil {
		out.WriteString(", no road")
	} else if r.Reaches {
		fmt.Fprintf(&out, ", to the head of %s in %d", r.Channel, r.Rounds)
	} else {
		fmt.Fprintf(&out, ", in %s to %s in %d%s", r.Channel, r.StuckAt, r.Rounds, kindsOf(r.Conflict))
	}
	for _, more := range []struct{ what, text string }{
		{"deprecated", b.Deprecated}, {"quarantined", b.Quarantined}, {"orphans", strings.Join(b.Orphans, " ")}, {"incomplete", b.Incomplete},
	} {
		if more.text != "" {
			fmt.Fprintf(&out, "; %s: %s", more.what, more.text)
		}
	}
	return out.String()
}

func kindsOf(c *resolver.Conflict) string {
	if c == nil {
		return ""
	}
	var kinds []string
	for _, f := range c.Facts {
		if f.Kind != argument.FactSubscription {
			kinds = append(kinds, string(f.Kind))
		}
	}
	return " (" + strings.Join(kinds, " ") + ")"
}
