// Package store is where the files of images are: what a catalog's image leaves, as a
// file system with compressed contents in memory or in one file; and the directories and
// archives that images are read from.
package store
