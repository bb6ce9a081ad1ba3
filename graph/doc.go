// Package graph holds the packages, channels and bundles of a catalog and the
// update graph that they form: which entry is the head of a channel, in what
// order the others follow it, which are skipped, and which bundles an
// installed one can be upgraded to.
//
//	channel := graph.Build(declaration, graph.Options{}).Channel("stable")
//	fmt.Println("head:", channel.Head().Name)
//	for _, next := range channel.Successors("etcd.v0.9.0", semver.MustParse("0.9.0")) {
//		fmt.Println("etcd.v0.9.0 can be upgraded to", next.Name)
//	}
//	// Output:
//	// head: etcd.v0.9.2
//	// etcd.v0.9.0 can be upgraded to etcd.v0.9.2
//
// [Build] makes a [Package] of its declarations ([PackageDecl]). It never
// fails and never panics: whatever is wrong with the input becomes a
// [Problem] with a stable code and the file and line it comes from, and the
// bundle, else the channel, else the package that cannot be used is
// quarantined while the rest works (section 10 of the semantics).
//
//	problem                                              quarantined
//	no olm.package blob, or several                      the package
//	no head, several heads, a replaces cycle, an entry   the channel
//	or the channel declared twice
//	a property, version or constraint that does not      the bundle
//	parse, a bundle declared twice, an olm.package
//	property that is absent or disagrees
//
// For clusters with an installed version, see [Updates],
// of a package or some of its channels: [Updates.Successors] with the reason of each
// edge, [Updates.ShortestPath]; and of a channel, [Channel.DeadEnds]. What a new state of a
// catalog changes for them, package resolver/catalogdiff says. Package resolver/draw draws it.
//
// Everything that Build returns is immutable and safe for concurrent use, but
// for [Bundle.ID], which the catalog that takes the bundle sets once.
package graph
