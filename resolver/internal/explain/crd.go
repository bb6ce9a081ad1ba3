package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// The stable codes of the kinds of loss.
const (
	CodeStoredVersionRemoved = "crdStoredVersionRemoved"
	CodeServedVersionRemoved = "crdServedVersionRemoved"
)

// Loss reports that a CRD of the cluster has versions that the CRD of a bundle lacks.
type Loss struct {
	Code string
	CRD  string // name
	// Text is a predicate, to be put after the name of the bundle.
	Text string
	// Breaks reports whether the install plan certainly fails.
	Breaks bool
}

// Losses lists the losses that installing a bundle causes. An installed bundle causes none.
func Losses(u *problem.Universe, n problem.NodeID) []Loss {
	nd := &u.Nodes[n]
	if nd.Inst >= 0 {
		return nil
	}
	var out []Loss
	for _, s := range u.CRDConflicts(nd.Bundle) {
		name := s.Cluster.Name
		of := func(versions []string) string {
			return fmt.Sprintf("%s%s of %s", text.Plural(len(versions), "version ", "versions "), text.And(versions), name)
		}
		if len(s.Stored) > 0 {
			said := "no longer serves %s, which the cluster lists as stored (%s): the install plan stops with \"risk of data loss\" if its definition dropped it, which is not known without its manifests; %s"
			if s.Breaks() {
				said = "does not have %s, which the cluster lists as stored (%s), so that the install plan would stop with \"risk of data loss\"; %s"
			}
			out = append(out, Loss{CodeStoredVersionRemoved, name, fmt.Sprintf(said, of(s.Stored), storedBy(u, s.Cluster), migrationPath(u, nd, &s)), s.Breaks()})
		}
		if len(s.Served) > 0 {
			verb := "does not have"
			if !s.Known {
				verb = "no longer serves"
			}
			out = append(out, Loss{CodeServedVersionRemoved, name, fmt.Sprintf(
				"%s %s, which the cluster serves and %s needs too: all served versions have to be kept while %s of several namespaces own a definition; whether existing objects are valid in the others is not checked",
				verb, of(s.Served), owners(s.Others), text.Many(lexicon.Operator(u.Terms))), false})
		}
	}
	return out
}

// owners names operators and their namespaces.
func owners(list []properties.CRDOwner) string {
	return text.Short(text.Each(list, func(o properties.CRDOwner) string { return o.Bundle + " in namespace " + o.Namespace }), 3)
}

// storedBy names the operators that a CRD of the cluster belongs to.
func storedBy(u *problem.Universe, c *properties.CRD) string {
	if len(c.Owners) > 0 {
		return "owned by " + owners(c.Owners)
	}
	for _, n := range u.Inst {
		if n != problem.NoNode && slices.ContainsFunc(slices.Collect(u.Nodes[n].Bundle.Properties.GVKs()), func(g properties.GVK) bool { return g.Group == c.Group && g.Kind == c.Kind }) {
			return "provided by the installed " + u.Name(n)
		}
	}
	return "no " + lexicon.Operator(u.Terms) + " owns it"
}

// migrationPath describes how the cluster can upgrade to a bundle that lacks stored versions:
// by migrating the stored objects, if need be after an upgrade to an intermediate version that
// has both the stored versions and one of the bundle's.
func migrationPath(u *problem.Universe, nd *problem.Node, s *problem.CRDOverlap) string {
	done := ""
	if lexicon.OLM(u.Terms) {
		done = fmt.Sprintf(", which `kubectl get crd %s -o jsonpath='{.status.storedVersions}'` shows", s.Cluster.Name)
	}
	for _, v := range s.Cluster.Versions {
		if v.Storage && s.Bundle.Has(v.Name) {
			return fmt.Sprintf("it can be installed once the stored objects are migrated to %s%s", v.Name, done)
		}
	}
	var best *graph.Bundle
	var both []string
	for _, b := range u.Cats[nd.Cat].Content.Package(nd.Bundle.Package).Bundles {
		if b.CompareVersion(nd.Bundle) >= 0 || len(b.Places) == 0 || b.Barred || best != nil && b.CompareVersion(best) < 0 || before(u, b) {
			continue
		}
		for _, of := range u.CRDConflicts(b) {
			if of.Cluster != s.Cluster || !of.Known || len(of.Stored) > 0 {
				continue
			}
			common := slices.DeleteFunc(slices.Clone(of.Bundle.Versions), func(v properties.CRDVersion) bool { return !s.Bundle.Has(v.Name) })
			if len(common) > 0 {
				best, both = b, append(slices.Clone(s.Stored), common[0].Name)
			}
		}
	}
	if best == nil {
		return fmt.Sprintf("no version of package %s in between has %s together with %s", nd.Bundle.Package, text.And(s.Stored),
			text.And(text.Each(s.Bundle.Versions, func(v properties.CRDVersion) string { return v.Name })))
	}
	return fmt.Sprintf("the upgrade path continues through %s, which has %s, and a migration of the stored objects%s", best.Name, text.And(both), done)
}

// before reports whether a bundle is not newer than the installed bundle of its package.
func before(u *problem.Universe, b *graph.Bundle) bool {
	return slices.ContainsFunc(u.Inst, func(n problem.NodeID) bool {
		return n != problem.NoNode && !u.Nodes[n].Unversioned && u.Nodes[n].Bundle.Package == b.Package && b.CompareVersion(u.Nodes[n].Bundle) <= 0
	})
}

// SharedWith lists, one sentence each, the bundles in other namespaces that own CRDs of a bundle
// and are other versions of the same package.
func SharedWith(u *problem.Universe, n problem.NodeID) []string {
	nd := &u.Nodes[n]
	b, own := nd.Bundle, ""
	shares := u.CRDConflicts(b)
	if len(shares) == 0 { // the usual case
		return nil
	}
	if !nd.Unversioned {
		own = versionOf(nd.Bundle)
	}
	names := make(map[properties.CRDOwner][]string)
	for _, s := range shares {
		for _, o := range s.Others {
			if o.Bundle != b.Name {
				names[o] = append(names[o], s.Cluster.Name)
			}
		}
	}
	var out []string
	for o, crds := range names {
		if version, same := otherVersion(u, b, o.Bundle); same {
			out = append(out, fmt.Sprintf("%s%s shares %s with %s%s in namespace %s: CRDs are cluster-scoped, so the one applied last is used by both; install the same version in both namespaces",
				b.Name, own, text.Short(crds, 3), o.Bundle, version, o.Namespace))
		}
	}
	slices.Sort(out)
	return out
}

// otherVersion reports whether a name belongs to another version of a bundle's package, and
// returns that version as versionOf does. For a name that no catalog has, it compares the part
// before the version with that of the bundle's name, and the version is empty.
func otherVersion(u *problem.Universe, b *graph.Bundle, name string) (version string, same bool) {
	known := false
	for _, c := range u.Cats {
		for _, id := range c.Content.Named(name) {
			if o := c.Content.Bundle(id); o.Package == b.Package {
				return versionOf(o), o.CompareVersion(b) != 0
			}
			known = true
		}
	}
	begins := func(name string) string { before, _, _ := strings.Cut(name, ".v"); return before }
	return "", !known && begins(name) == begins(b.Name)
}

// versionOf renders the version of a bundle, to be put after its name.
func versionOf(b *graph.Bundle) string { return " (version " + b.VersionText() + ")" }
