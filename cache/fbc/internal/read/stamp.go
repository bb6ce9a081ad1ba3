package read

import (
	"cmp"
	"io/fs"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/graph"
)

// stamp is what a file system says of a file without reading it. Two equal
// stamps speak of the same content if the first one was settled.
type stamp struct {
	size     int64
	modified time.Time // in UTC, without a monotonic clock: stamps are compared
	change   change
}

// change is what shows a change even if its author set size and time of
// modification to what they were: zero where the file system does not say.
type change struct {
	inode, device uint64
	nanoseconds   int64
}

// settleTime is how old a change must be before a stamp can be trusted: a file
// system notes times in steps, of two seconds at worst, and what is written
// twice within one of them looks the same afterwards.
const settleTime = 2 * time.Second

// unsetTime is the last time, in seconds, that stands for no time: images and
// package stores that are built reproducibly set 0 or 1 on all that is in them.
const unsetTime = 1

// newStamp returns the stamp of a file, zero if nothing is known of it.
func newStamp(info fs.FileInfo) stamp {
	if info == nil {
		return stamp{}
	}
	return stamp{size: info.Size(), modified: info.ModTime().UTC().Round(0), change: changeOf(info)}
}

// settled reports whether a later stamp that is equal to this one, which was
// taken at a time, shows that the file did not change in between.
func (s stamp) settled(at time.Time) bool {
	latest := s.modified
	if changed := time.Unix(0, s.change.nanoseconds); s.change != (change{}) && changed.After(latest) {
		latest = changed
	}
	return s.modified.Unix() > unsetTime && latest.Before(at.Add(-settleTime))
}

// Listing is what a source would read: files in the order of their paths, and
// what was found wrong on the way to them.
type Listing struct {
	Files    []Found
	Problems []graph.Problem

	at time.Time // before it was made
}

// Found is a file of a listing.
type Found struct {
	Name  string
	stamp stamp
}

// ListFile returns the listing of a single file. If it is not there, opening it will tell.
func ListFile(fsys fs.FS, name string) *Listing {
	l := &Listing{at: time.Now()}
	info, err := stat(fsys, name)
	if err != nil {
		info = nil
	}
	l.Files = []Found{{name, newStamp(info)}}
	return l
}

// Difference returns the name of something that is not the same in both, or "".
// When they were made does not count.
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

// Settled reports whether a later listing without any [Listing.Difference] shows that
// no file changed in between.
func (l *Listing) Settled() bool {
	return !slices.ContainsFunc(l.Files, func(f Found) bool { return !f.stamp.settled(l.at) })
}
