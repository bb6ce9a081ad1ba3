package upgradetest

import (
	"context"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

// soundCases lists the errors among the problems of the catalogs.
func soundCases(_ context.Context, c *check) ([]*situation, int, error) {
	var list []*situation
	of := 0
	for _, cat := range c.own {
		of += cat.Content.Len()
		for _, p := range cat.Content.Problems() {
			if p.Severity == graph.SeverityError && c.wants(p.Package) {
				list = append(list, &situation{property: Sound, catalog: cat.Key, pkg: p.Package, channel: p.Channel, bundle: p.Bundle, code: string(p.Code)})
			}
		}
	}
	return list, of, nil
}

// askSound looks for the problem that the situation names.
func askSound(_ context.Context, a *asker, cats []resolver.Catalog, s *situation) (*failure, error) {
	for _, cat := range cats {
		if cat.Key != s.catalog {
			continue
		}
		for _, p := range cat.Content.Problems() {
			if p.Severity == graph.SeverityError && string(p.Code) == s.code && p.Package == s.pkg && p.Channel == s.channel && p.Bundle == s.bundle {
				return unsound(a, cats, s, &p), nil
			}
		}
	}
	return nil, nil
}

func unsound(a *asker, cats []resolver.Catalog, s *situation, p *graph.Problem) *failure {
	f := &failure{code: s.code, got: p.Message, want: "no problem of the kind " + s.code, verb: "resolve"}
	if p.Quarantined != "" {
		f.want += ", for it sets the " + string(p.Quarantined) + " aside"
	}
	if s.pkg != "" {
		f.request = a.requestOf(cats, s)
		return f
	}
	f.request = a.base(cats)
	return f
}
