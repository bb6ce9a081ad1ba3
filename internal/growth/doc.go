// Package growth has no code: its tests hold every public operation against
// catalogs and requests of many shapes, each in two sizes, and check that work and
// memory grow no faster than the input times its logarithm, and that the end of a
// context is heeded wherever it comes.
package growth
