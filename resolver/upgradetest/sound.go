package upgradetest

import (
	"context"
	"iter"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

func flaws(cats []resolver.Catalog) iter.Seq2[*situation, graph.Problem] {
	return func(yield func(*situation, graph.Problem) bool) {
		for _, cat := range cats {
			for _, p := range cat.Content.Problems() {
				s := &situation{packageOf: packageOf{cat.Key, p.Package}, channel: p.Channel, bundle: p.Bundle, code: string(p.Code)}
				if p.Severity == graph.SeverityError && !yield(s, p) {
					return
				}
			}
		}
	}
}

// soundCases lists the errors among the problems of the catalogs.
func soundCases(_ context.Context, c *check) (list []*situation, of int, _ error) {
	for _, cat := range c.own {
		of += cat.Content.Len()
	}
	for s := range flaws(c.own) {
		if c.wants(s.pkg) {
			list = append(list, s)
		}
	}
	return list, of, nil
}

// askSound looks for the problem that the situation names.
func askSound(_ context.Context, q *question) *failure {
	for s, p := range flaws(q.cats) {
		if s.compare(q.s) != 0 {
			continue
		}
		f := &failure{code: s.code, got: p.Message, want: "no problem of the kind " + s.code, request: q.base(q.cats)}
		if p.Quarantined != "" {
			f.want += ": the " + string(p.Quarantined) + " is ignored because of it"
		}
		if s.pkg != "" {
			f.request = q.request()
		}
		return f
	}
	return nil
}
