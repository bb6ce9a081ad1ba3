package read

import (
	"cmp"
	"io/fs"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/graph"
)

// stamp is the file metadata that identifies content without reading it. Two equal stamps mean the
// same content if the first one was settled.
type stamp struct {
	size     int64
	modified time.Time // in UTC, without a monotonic clock, for comparison
	change   change
}

// change shows a change even if its author restored size and modification time: zero if the file
// system does not record it.
type change struct {
	inode, device uint64
	nanoseconds   int64
}

// settleTime is the minimum age of a change before a stamp can be trusted: file systems record
// times in steps, of at most two seconds, and two writes within one step look the same afterwards.
const settleTime = 2 * time.Second

// unsetTime is the last time, in seconds, that means none: reproducible images and package stores
// set 0 or 1 on all files.
const unsetTime = 1

// newStamp returns the stamp of a file, zero if nothing is known about it.
func newStamp(info fs.FileInfo) stamp {
	if info == nil {
		return stamp{}
	}
	return stamp{size: info.Size(), modified: info.ModTime().UTC().Round(0), change: changeOf(info)}
}

// settled reports whether a later equal stamp proves that the file did not change after this one
// was taken at a time.
func (s stamp) settled(at time.Time) bool {
	latest := s.modified
	if changed := time.Unix(0, s.change.nanoseconds); s.change != (change{}) && changed.After(latest) {
		latest = changed
	}
	return s.modified.Unix() > unsetTime && latest.Before(at.Add(-settleTime))
}

// Listing has the files that a source would read, sorted by path, and the problems found before.
type Listing struct {
	Files    []Found
	Problems []graph.Problem

	at time.Time // the time before it was made
}

// Found is a file of a listing.
type Found struct {
	Name  string
	stamp stamp
}

// ListFile returns the listing of a single file. A missing file fails when it is opened.
func ListFile(fsys fs.FS, name string) *Listing {
	l := &Listing{at: time.Now()}
	info, err := stat(fsys, name)
	if err != nil {
		info = nil
	}
	l.Files = []Found{{name, newStamp(info)}}
	return l
}

// Difference returns the name of a file that differs between listings, or "". Their times are
// ignored.
func (l *Listing) Difference(o *Listing) string {
	for i, f := range l.Files {
		if i >= len(o.Files) || f != o.Files[i] {
			return f.Name
		}
	}
	if len(o.Files) > len(l.Files) {
		return o.Files[len(l.Files)].Name
	}
	for i, p := range l.Problems {
		if i >= len(o.Problems) || p != o.Problems[i] {
			return cmp.Or(p.File, ".")
		}
	}
	if len(o.Problems) > len(l.Problems) {
		return cmp.Or(o.Problems[len(l.Problems)].File, ".")
	}
	return ""
}

// Settled reports whether a later listing without [Listing.Difference] proves that no file changed
// in between.
func (l *Listing) Settled() bool {
	return !slices.ContainsFunc(l.Files, func(f Found) bool { return !f.stamp.settled(l.at) })
}
