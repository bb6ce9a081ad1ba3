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
// # The blob
//
// The blob equals the one that opm renders from the bundle's image. Its properties are in a fixed
// order: the package, provided APIs (from the custom resource definitions, and the API services
// that the ClusterServiceVersion owns), required APIs (from the ClusterServiceVersion and the
// dependencies), required packages, and the other properties of metadata and of the annotation
// olm.properties. With an image, olm.csv.metadata describes the ClusterServiceVersion; without
// one, the blob contains the objects as olm.bundle.object.
//
// Like opm, the package reads only the first document of a file, accepts any file names in
// metadata, and skips folders in manifests.
//
// # Invalid and untrusted directories
//
// A directory may be untrusted, such as that of a pull request. Reading is bounded ([Options]); a
// file that is not regular, such as a named pipe, is not opened; and [ReadDir] follows no link that
// leaves the directory. An unreadable manifest, which opm skips, is an error, because clusters
// reject that bundle later. All errors are reported at once, with file and line: see [Error].
package bundledir
