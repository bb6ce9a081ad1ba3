// Package opmgrpc reads catalogs over the gRPC interface of opm serve, which OLM's catalog pods
// provide: those that a CatalogSource runs from an image, or references by address.
//
//	source, err := opmgrpc.New("operatorhubio-catalog.olm.svc:50051", opmgrpc.Options{})
//
// It is a separate module, so that other users do not link gRPC.
//
// # Limitations of the interface
//
// The catalog equals the server's, with these exceptions:
//
//   - Bundles are listed without the content of olm.csv.metadata: install modes, the minimum
//     version of Kubernetes, native APIs. [Options].Details requests each bundle separately to
//     get it, which takes one request per bundle.
//   - Entries of channels are sorted by name, and entries without a bundle are missing. So are
//     icons, descriptions, related images and blobs of other schemas. Problems have no line
//     numbers.
//   - Deprecations require opm v1.40 or later.
//   - opm rejects an invalid catalog as a whole, so no packages are quarantined. A package
//     without channels is missing.
//
// Requirements come from the properties of a bundle. If they contain none, as in old catalogs,
// requirements come from its dependencies.
//
// The interface has no conditional requests, so each load reads the whole catalog. If it is
// unchanged, the last content is returned.
package opmgrpc
