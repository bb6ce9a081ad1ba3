// Package read makes of the bytes of a catalog what they declare about packages, in
// one pass:
//
//   - a directory tree is walked to the files of the catalog ([List]);
//   - a stream, compressed or not, is cut: YAML into documents, JSON into parts with many
//     blobs where one ends a line and another begins the next, which is seen without a
//     look at what is in them. What is broken or too large costs no other;
//   - a blob is scanned for where the values of its fields are, and from these
//     come the declarations ([Collector]). A property that the bundle before has as
//     well is the same one, and is not read again.
//
// Packages are made of the declarations of all files together, by package graph.
package read
