// Package growth runs operations of the library, and commands of programs, on
// catalogs and requests of many shapes, each in two sizes a factor of 8 apart.
// Work and memory may grow at most by n log n, and cancellation must take
// effect promptly at any point.
//
// Work is counted in context checks and allocated bytes, never in time, so
// that results do not depend on the machine. It is for tests only.
package growth
