// Package read decodes the bytes of a catalog into declarations about packages, in one pass:
//
//   - a directory tree is walked to find the files of the catalog ([List]);
//   - a stream, compressed or not, is cut: YAML into documents, JSON into parts of many blobs, at
//     boundaries that are visible without scanning the blobs. Broken or oversized text does not
//     affect the rest;
//   - a blob is scanned for the positions of the values of its fields, which are decoded into
//     declarations ([Collector]). A property that the previous bundle has too is shared, and not
//     decoded again.
//
// Package graph builds packages from the declarations of all files together.
package read
