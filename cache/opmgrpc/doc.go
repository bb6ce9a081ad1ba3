// Package opmgrpc reads catalogs from servers of the gRPC interface that opm
// serve has, and with it the catalog pods of OLM: those that a CatalogSource runs
// from an image, or names by its address.
//
//	source, err := opmgrpc.New("operatorhubio-catalog.olm.svc:50051", opmgrpc.Options{})
//
// It is a module of its own, so that no other user has to link gRPC.
//
// # What the interface carries
//
// The catalog is the one that the server has, with these exceptions:
//
//   - Bundles are listed without what olm.csv.metadata says: install modes, the
//     least version of Kubernetes, native APIs. With [Options].Details each bundle
//     is asked for by itself, which brings that, and takes a question a bundle.
//   - Entries of channels come by name, whichever order they were written in;
//     those without a bundle do not come, and neither do icons,
//     descriptions, related images and blobs of other schemas. Problems have no
//     lines of files.
//   - Deprecations come from servers that know them: opm since v1.40.
//   - opm refuses a catalog that is not valid as a whole, so there are no packages
//     in quarantine; a package without channels does not come.
//
// Requirements are taken from the properties of a bundle; from its dependencies,
// where its properties, as with old catalogs, have none.
//
// The interface cannot tell whether anything changed: each load asks for all. If
// the answer is the same, the last content is returned.
package opmgrpc
