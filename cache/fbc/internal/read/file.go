package read

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
)

// File is what one file says: declarations, before packages are made of them. It is not
// changed any more.
type File struct {
	Decls    []*graph.PackageDecl // by name
	Problems []graph.Problem
	Objects  int   // blobs that could be read
	Cut      bool  // it ends in the middle of a value
	Cause    error // why it could not be opened

	Found []graph.Problem // those outside of packages that were found before
}

// File returns what the collector took.
func (s *Collector) File() *File {
	s.Finish()
	p := &File{Problems: slices.Clip(s.problems), Objects: s.blobs, Cut: s.cut}
	for _, f := range s.findings {
		if d := s.decls[f.Package]; d != nil {
			f.restore(d)
		} else if f.Package == "" {
			p.Found = append(p.Found, f.Problems...)
		}
	}
	p.Decls = make([]*graph.PackageDecl, 0, len(s.decls))
	for _, d := range s.decls { // sorted below
		p.Decls = append(p.Decls, d)
	}
	slices.SortFunc(p.Decls, func(a, b *graph.PackageDecl) int { return strings.Compare(a.Name, b.Name) })
	return p
}
