// Package bundledir reads bundle directories, the form in which authors write a
// version of an operator, into the olm.bundle blob of a file-based catalog.
//
//	b, err := bundledir.ReadDir(ctx, "etcd/0.9.4", bundledir.Options{})
//	blob, err := b.Blob("quay.io/example/etcd-bundle:v0.9.4")
//
// A bundle directory has two folders:
//
//	manifests/   the ClusterServiceVersion, custom resource definitions and other objects, one a file
//	metadata/    annotations.yaml with the package and its channels; dependencies.yaml and properties.yaml
//
// # What becomes of it
//
// The blob is the one that opm makes of the bundle's image. Its properties, of
// the package, of the APIs that are provided (from the custom resource
// definitions and the API services that the ClusterServiceVersion owns) and
// required (from the ClusterServiceVersion and the dependencies), of required
// packages and of what else metadata and the annotation olm.properties say, are
// in a fixed order. With an image the blob describes the ClusterServiceVersion
// as olm.csv.metadata; without one the objects are in it, as olm.bundle.object,
// because nothing else says where they are.
//
// As with opm only the first document of a file is read, the files of metadata
// may have any name, and folders in manifests are skipped.
//
// # What is refused
//
// A directory may come from anybody: a pull request. Reading is bounded
// ([Options]); a file that is not regular, such as a named pipe, is not opened;
// and [ReadDir] follows no link that leaves the directory. Where opm skips
// a manifest that it cannot read and makes a bundle of the rest, this package
// returns an error, because the cluster refuses that bundle later. All that is
// wrong is reported at once, with file and line: see [Error].
package bundledir
