// Package draw draws what upgrade graphs are tested with, by rapid
// (pgregory.net/rapid): catalogs, requests, and their parts.
//
// What is drawn shrinks to something that reads well: fewer packages and bundles,
// plain constraints, version 1.0.0. Packages are pkg-a, pkg-b and so on, their
// bundles a.v1.0.0, b.v1.1.0, and the API that pkg-a is there for is
// example.com/v1/A.
//
// # Generators
//
// Methods of [Config], whose zero value is ready to use:
//
//	Config.Version      semver.Version
//	Config.Range        properties.Range
//	Config.Constraint   constraints.Constraint
//	Config.Property     scenario.Property
//	Config.Package      upgradetest.Package
//	Config.Catalog      *upgradetest.Catalog, to build or to write as blobs
//	Config.Catalogs     several of them
//	Config.Cluster      resolver.Cluster
//	Config.Request      Request: a resolver.Request with all of it
//
// A test of properties that hold of every request:
//
//	rapid.Check(t, func(t *rapid.T) {
//		req := draw.Config{}.Request().Draw(t, "request")
//		upgradetest.CheckRequest(t, req.Request, upgradetest.Options{File: "laws", Skip: []upgradetest.Property{upgradetest.Addition, upgradetest.Converges}})
//	})
package draw
