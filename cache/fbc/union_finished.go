package fbc

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// declareFinished returns what a source of finished catalogs has.
func declareFinished(ctx context.Context, source cache.Source, was *declared) (*declared, error) {
	var last *cache.Content
	if was != nil {
		last = was.details.(*cache.Content)
	}
	c, err := source.Load(ctx, last)
	switch {
	case err != nil:
		return nil, err
	case c == nil || c.Catalog == nil:
		return nil, errors.New("its source returned no catalog")
	case last != nil && c.Digest == last.Digest:
		return was, nil
	}
	d := &declared{
		packages: slices.Collect(c.Catalog.Packages()), problems: outside(c.Catalog),
		details: c, modified: c.Modified,
	}
	for _, p := range d.problems {
		if p.Code == CodeDeprecationDangling {
			d.homeless = append(d.homeless, p.Package)
		}
	}
	sum := sha256.New()
	addText(sum, "finished", c.Digest)
	sum.Sum(d.digest[:0])
	return d, nil
}

// outside returns the problems of a catalog that are not those of a package.
func outside(c *cache.Catalog) []graph.Problem {
	inside := map[graph.Problem]int{}
	for p := range c.Packages() {
		for _, problem := range p.Problems {
			inside[problem]++
		}
	}
	var out []graph.Problem
	for _, problem := range c.Problems() {
		if inside[problem] > 0 {
			inside[problem]--
			continue
		}
		out = append(out, problem)
	}
	return out
}

// overlap returns the error of the first package, by name, that is finished in
// one part and that another part has something to say about.
func (u *union) overlap(parts []*declared) error {
	finished := map[string]int{} // the part, by package
	var first *OverlapError
	meet := func(pkg string, finished, other int) {
		if finished != other && (first == nil || pkg < first.Package) {
			first = &OverlapError{Package: pkg, Finished: u.parts[finished].name, Other: u.parts[other].name}
		}
	}
	for i, d := range parts {
		for _, p := range d.packages {
			if other, ok := finished[p.Name]; ok {
				meet(p.Name, other, i)
			}
			finished[p.Name] = i
		}
	}
	homeless := map[string]int{}
	for i, d := range parts {
		for _, name := range d.homeless {
			homeless[name] = i
		}
	}
	for i, d := range parts {
		for _, p := range d.packages {
			if other, ok := homeless[p.Name]; ok {
				meet(p.Name, other, i)
			}
		}
		for _, decodedFile := range d.decoded {
			for _, decl := range decodedFile.Decls {
				if other, ok := finished[decl.Name]; ok {
					meet(decl.Name, other, i)
				}
				if other, ok := homeless[decl.Name]; ok {
					meet(decl.Name, other, i)
				}
			}
		}
	}
	if first == nil {
		return nil
	}
	return first
}
