// Package image reads catalogs published as container images, from a registry, an OCI image
// layout or an archive.
//
//	ref, err := image.Parse("quay.io/operatorhubio/catalog:latest")
//	source, err := image.New(ref, image.Options{Keychain: image.DefaultKeychain(os.Getenv)})
//
// [New] returns a [cache.Source]. [Open] returns the files of a catalog as an [fs.FS], which
// package cache/fbc reads. [OpenStore] caches images on disk.
//
// # Files and layers
//
// The label operators.operatorframework.io.index.configs.v1 names the folder of the catalog.
// All layers are applied in order, including their whiteouts. Only files below that folder are
// stored; the rest is streamed, counted and hashed. opm caches below the folder are excluded.
// From an index, the image for linux/amd64 is selected, else the first for linux, else the
// first: catalogs are the same for all platforms, so the result does not depend on the machine.
// Manifests and layers may have OCI or Docker media types. Layers may be compressed with gzip
// or zstd, or uncompressed.
//
// Everything is verified before use: each manifest, configuration and layer against its digest
// and size, and each decompressed layer against its diff ID.
//
// Memory is bounded by the size of the catalog, not of the image. Without a store it holds the
// files of the catalog, compressed with zstd. With a store the files are on disk. A layer
// compressed with the largest zstd window needs another 64 MiB.
//
// # Untrusted input
//
// Images and registry responses are untrusted input. A layer is rejected with a [*ContentError]
// if a path is absolute or contains "..", or if the catalog's folder contains a device, a pipe,
// or a link out of the folder. [Limits] bound bytes, files, layers, entries and redirects.
// Every wait has a timeout ([*cache.TimeoutError]).
//
// A registry may redirect layer and token requests, as most do: to any public address over TLS,
// and to addresses of its own kind. A registry on a private network may redirect to other
// private addresses, one on this machine to this machine. Any other address is rejected
// ([*ConnectionError]), even if it appears only when a name is resolved. With a proxy
// ([Options].Proxy) the proxy resolves names, so the check covers only localhost and literal
// addresses, in any notation. Known addresses and names of cloud metadata services are rejected
// unless the reference itself names them.
//
// Credentials are sent only to the registry they belong to, after it requests them, and to the
// token server it names. They are never sent to another host after a redirect, and never appear
// in an error or a log, even if a server echoes them. Plain HTTP must be allowed for each host,
// except on this machine.
//
// # Dependencies
//
// oras.land/oras-go/v2 sends requests to registries and authenticates. The comment on type
// client lists where it differs from this package, and how the difference is corrected. Its
// reader of layouts is not used: it reads the manifests of all images in a layout into memory,
// whatever their length. The client of github.com/google/go-containerregistry v0.22.1 would
// link Docker's configuration code, tries TLS and plain HTTP at the same time, sends a password
// before it is requested, and rejects token servers on this machine. Layers are applied here,
// not by its mutate.Extract, which keeps the names of all files of an image, limits neither
// entries nor bytes, silently drops paths that leave the image, and does not report which layer
// is invalid.
package image
