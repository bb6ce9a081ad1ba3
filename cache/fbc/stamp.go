package fbc

import (
	"cmp"
	"io/fs"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/graph"
)

// stamp is what a file system tells of a file without reading it. Two equal
// stamps speak of the same content if the first one was settled.
type stamp struct {
	size     int64
	modified time.Time // in UTC, without a monotonic clock: stamps are compared
	change   change
}

// change is what tells of a change even if its author set size and time of
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

// listing is what a source would read: files in the order of their paths, and
// what was found wrong on the way to them.
type listing struct {
	files    []listed
	problems []graph.Problem
	at       time.Time // before it was made
}

// listed is a file of a listing.
type listed struct {
	name  string
	stamp stamp
}

// equal reports whether both are the same, but for when they were made.
func (l *listing) equal(o *listing) bool { return l.difference(o) == "" }

// sameProblems reports whether the same was found wrong.
func (l *listing) sameProblems(o *listing) bool { return slices.Equal(l.problems, o.problems) }

// difference returns the name of something that is not the same in both, or "".
func (l *listing) difference(o *listing) string {
	for i, f := range l.files {
		if i >= len(o.files) || f != o.files[i] {
			return f.name
		}
	}
	if len(o.files) > len(l.files) {
		return o.files[len(l.files)].name
	}
	for i, p := range l.problems {
		if i >= len(o.problems) || p != o.problems[i] {
			return cmp.Or(p.File, ".")
		}
	}
	if len(o.problems) > len(l.problems) {
		return cmp.Or(o.problems[len(l.problems)].File, ".")
	}
	return ""
}

// settled reports whether the stamps of all files can be trusted.
func (l *listing) settled() bool {
	return !slices.ContainsFunc(l.files, func(f listed) bool { return !f.stamp.settled(l.at) })
}
