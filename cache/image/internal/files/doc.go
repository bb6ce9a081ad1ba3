// Package files is the file system that a catalog's image leaves: read-only,
// with compressed contents in one file or in memory, and kept as a zip archive
// that other programs can open (method 93, zstd).
package files
