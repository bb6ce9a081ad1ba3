// Package image reads the catalogs that are published as container images: out
// of a registry, an OCI image layout or an archive.
//
//	ref, err := image.Parse("quay.io/operatorhubio/catalog:latest")
//	source, err := image.New(ref, image.Options{Keychain: image.DefaultKeychain(os.Getenv)})
//
// [New] makes a [cache.Source], [Open] the files of a catalog as an [fs.FS],
// which package cache/fbc reads. [OpenStore] keeps what was read on the disk.
//
// # What is read
//
// The label operators.operatorframework.io.index.configs.v1 names the folder of
// the catalog. All layers are read, in order, with their whiteouts, and what
// lies below that folder is kept; the rest streams by and is only counted and
// hashed. A cache of opm below the folder is left out. Of an index the image
// for linux/amd64 is read, else the first for linux, else the first: catalogs
// are the same for all platforms, and so the answer does not depend on the
// machine. Manifests and layers may have the media types of OCI or docker;
// layers may be compressed with gzip or zstd, or not.
//
// Everything is verified: each manifest, configuration and layer against its
// digest and size, and each layer decompressed against its diff ID. Nothing is
// used before all of it is.
//
// Memory is bounded by what the catalog takes, not by what else the image
// holds: without a store the files of the catalog, compressed with zstd, and
// 64 MiB for a layer that was compressed with the largest window of zstd; with
// a store the files are on the disk.
//
// # What is not trusted
//
// Images come from anybody, and so do the answers of registries. A layer in
// which a path is absolute or leads out by "..", and one that has a device, a
// pipe, or a link out of the catalog's folder in that folder, is refused with a
// [*ContentError]. [Limits] bound bytes, files, layers, entries and redirects.
// Each wait has an end ([*cache.TimeoutError]).
//
// A registry may lead elsewhere for its layers and tokens, as most do, to any
// public address by TLS, and to addresses of its own kind: a registry on a
// private network to others there, one on this machine to this machine. Any
// other address is refused ([*ConnectionError]), also if it only turns up when a
// name is resolved. Behind a proxy ([Options].Proxy) names are resolved by the
// proxy, and only addresses that are written out, in whatever form, and localhost
// are held to that. The metadata services of clouds are refused by the addresses
// and names that are known, unless the registry itself is named so.
//
// Credentials are shown to the registry that they are for, once it asks, and to
// the token server that it names; never to another host that one of them leads
// to, and never in an error or a log, even if a server sends them back. Plain
// HTTP has to be allowed for each host, but on this machine.
//
// # The libraries below
//
// What asks registries and authenticates is oras.land/oras-go/v2: the comment on its use says
// what it does differently, and how that is made good. Its reader of layouts is not used: it
// reads the manifests of all images in a layout into memory, whatever their length. The client
// of github.com/google/go-containerregistry v0.22.1 would link the configuration of docker, asks
// by TLS and plain HTTP at the same time, sends a password that was not asked for, and refuses
// token servers on this machine. Layers are applied here, not by its mutate.Extract: that keeps
// the names of all files of an image, bounds neither entries nor bytes, leaves out without a
// word what leads out of the image, and does not say in which layer something is wrong.
package image
