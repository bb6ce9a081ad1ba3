package read

import "github.com/seed109e2655/resolute/graph"

// File has the declarations of a file or of a part of one, before packages are built.
type File struct {
	Decls    map[string]*graph.PackageDecl // by package name
	Problems []graph.Problem
	Objects  int   // number of decoded blobs
	Cut      bool  // it ends in the middle of a value
	Cause    error // why opening it failed

	Found    []graph.Problem      // problems outside of packages from findings
	Findings map[string]*Findings // by package name; nil if there are none
	findings []*Findings          // of quarantined objects
	more     int                  // number of dropped problems
}

func newFile() File { return File{Decls: map[string]*graph.PackageDecl{}} }

// Merge appends the declarations of another file.
func (f *File) Merge(more *File) {
	if len(f.Decls) == 0 {
		f.Decls, more.Decls = more.Decls, nil
	}
	for name, d := range more.Decls {
		all := f.Decls[name]
		if all == nil {
			f.Decls[name] = d
			continue
		}
		all.Definitions = append(all.Definitions, d.Definitions...)
		all.Channels = append(all.Channels, d.Channels...)
		all.Bundles = append(all.Bundles, d.Bundles...)
		all.Deprecations = append(all.Deprecations, d.Deprecations...)
		all.DeprecationBlobs = append(all.DeprecationBlobs, d.DeprecationBlobs...)
	}
	f.Found = append(f.Found, more.Found...)
	for _, findings := range more.Findings {
		f.addFindings(findings)
	}
}

func (f *File) addFindings(findings *Findings) {
	if f.Findings == nil {
		f.Findings = map[string]*Findings{}
	}
	f.Findings[findings.Package] = findings
}

// absorb appends the declarations of the next part. The first problems in the file are kept.
func (s *Collector) absorb(b *File) {
	s.Merge(b)
	s.Objects += b.Objects
	s.Cut = b.Cut || s.Cut && b.Objects == 0
	s.findings = append(s.findings, b.findings...)
	s.last = nil
	kept := min(len(b.Problems), s.opts.MaxProblems-len(s.Problems))
	s.Problems = append(s.Problems, b.Problems[:kept]...)
	s.more += b.more + len(b.Problems) - kept
}

// Done returns the collected declarations.
func (s *Collector) Done() *File {
	s.Finish()
	for _, f := range s.findings {
		if d := s.Decls[f.Package]; d != nil {
			f.restore(d)
			s.addFindings(f)
		} else if f.Package == "" {
			s.Found = append(s.Found, f.Problems...)
		}
	}
	f := s.File // without the memory of the collector
	return &f
}
