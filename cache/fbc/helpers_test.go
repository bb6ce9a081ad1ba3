package fbc_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// The blobs of a small catalog that is in good order.
const (
	packageBlob = `{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}`
	channelBlob = `{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v1"},{"name":"etcd.v2","replaces":"etcd.v1"}]}`
	bundleV1    = `{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","image":"i1","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}`
	bundleV2    = `{"schema":"olm.bundle","package":"etcd","name":"etcd.v2","image":"i2","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"2.0.0"}},{"type":"olm.gvk","value":{"group":"etcd.example.com","version":"v1","kind":"Etcd"}}]}`
)

// goodLines is that catalog, a blob a line.
const goodLines = packageBlob + "\n" + channelBlob + "\n" + bundleV1 + "\n" + bundleV2 + "\n"

// lines joins blobs, a line each.
func lines(blobs ...string) string { return strings.Join(blobs, "\n") + "\n" }

// read reads a catalog from text.
func read(t *testing.T, name, text string, opts fbc.Options) *cache.Catalog {
	return testkit.Must(fbc.Read(context.Background(), strings.NewReader(text), name, opts))(t)
}

// found renders the problems of a catalog: code, line and the quarantined part.
func found(c *cache.Catalog) []string {
	out := []string{}
	for _, p := range c.Problems() {
		out = append(out, finding(p))
	}
	return out
}

// finding renders a problem.
func finding(p graph.Problem) string {
	s := fmt.Sprintf("%s:%d %s %s", p.File, p.Line, p.Severity, p.Code)
	if p.Quarantined != "" {
		s += fmt.Sprintf(" quarantines %s", p.Quarantined)
	}
	return s
}

// bundleNames returns the names of the bundles, by number.
func bundleNames(c *cache.Catalog) []string {
	out := []string{}
	for b := range c.Bundles() {
		out = append(out, b.Name)
	}
	return out
}

// dump renders all that a catalog holds, but for where it comes from.
func dump(c *cache.Catalog) string {
	var s strings.Builder
	deprecation := func(is bool, message string) {
		if is {
			fmt.Fprintf(&s, " deprecated(%s)", message)
		}
	}
	for p := range c.Packages() {
		fmt.Fprintf(&s, "package %s default=%s quarantine=%v", p.Name, p.DefaultChannel, p.Quarantine != nil)
		deprecation(p.Deprecated, p.Deprecation)
		s.WriteByte('\n')
		for _, ch := range p.Channels {
			fmt.Fprintf(&s, " channel %s quarantine=%v", ch.Name, ch.Quarantine != nil)
			deprecation(ch.Deprecated, ch.Deprecation)
			s.WriteByte('\n')
			for _, e := range ch.Entries {
				fmt.Fprintf(&s, "  entry %s %q %q %q %d\n", e.Name, e.Replaces, e.Skips(), e.SkipRange(), e.Position)
			}
		}
	}
	for b := range c.Bundles() {
		fmt.Fprintf(&s, "bundle %d %s/%s %s %s places=%d", b.ID, b.Package, b.Name, b.Version, b.Image, len(b.Places))
		deprecation(b.Deprecated, b.Deprecation)
		for p := range b.Properties.All() {
			var value any // the same text can be escaped in several ways
			if json.Unmarshal([]byte(p.Raw()), &value) != nil {
				panic("a property is not JSON")
			}
			fmt.Fprintf(&s, " %s=%v", p.Type(), value)
		}
		for _, r := range b.Constraints {
			fmt.Fprintf(&s, " requires(%s)", r.Constraint.Key())
		}
		if b.Quarantine != nil {
			fmt.Fprintf(&s, " quarantine=%s", b.Quarantine.Code)
		}
		s.WriteByte('\n')
	}
	for api := range c.APIs() {
		fmt.Fprintf(&s, "api %v %v\n", api, c.Providers(api))
	}
	var problems []string
	for _, p := range c.Problems() {
		problems = append(problems, fmt.Sprintf("problem %s %s/%s/%s\n", p.Code, p.Package, p.Channel, p.Bundle))
	}
	slices.Sort(problems) // their order is that of the files
	return s.String() + strings.Join(problems, "")
}

// sorted sorts findings by line, then text.
func sorted(findings []string) []string {
	line := func(s string) int {
		var n int
		_, _ = fmt.Sscanf(s[strings.IndexByte(s, ':'):], ":%d", &n)
		return n
	}
	slices.SortStableFunc(findings, func(a, b string) int { return cmp.Or(cmp.Compare(line(a), line(b)), strings.Compare(a, b)) })
	return findings
}
